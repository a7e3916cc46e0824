package history

import (
	"context"
	"slices"
)

// BranchStatus says where an entry stands in its session now.
type BranchStatus struct {
	// OffBranch is set when the session went on from an earlier entry: this one is
	// on a branch that was left.
	OffBranch bool
	// Replaced is which text of the entry this is, counted from 1, when the session's file
	// was rewritten since and has another one now; else 0.
	Replaced int
	// Summary is the key of the summary that covers the entry, or of the one that
	// this summary was made into; "" when there is none.
	Summary string
}

// BranchReader is a SearchStore that knows the branch status of entries. It is asked
// only about entries that are shown.
type BranchReader interface {
	// BranchStatus returns the status of each row, in their order. An entry that a fork
	// shares is off the branch only when it is off in both sessions.
	BranchStatus(ctx context.Context, rows []Row) ([]BranchStatus, error)
}

// onePerSpan leaves out of a sorted list the summaries of which another that comes before
// them is a part, or that are a part of it: they stand for the same entries.
func (s *search) onePerSpan(ctx context.Context, list []candidate) ([]candidate, error) {
	reader, ok := s.st.(BranchReader)
	var rows []Row
	for _, c := range list {
		if c.isSummary() {
			rows = append(rows, c.Row)
		}
	}
	if !ok || len(rows) < 2 {
		return list, nil
	}
	statuses, err := reader.BranchStatus(ctx, rows)
	if err != nil {
		return nil, err
	}
	over := make(map[string]string) // the summary that a summary is a part of
	for i, r := range rows {
		over[r.EntryID] = statuses[i].Summary
	}
	shown, part := make(map[string]bool), make(map[string]bool) // part: of which a part is shown
	return slices.DeleteFunc(list, func(c candidate) bool {
		if !c.isSummary() {
			return false
		}
		var above []string
		for up := over[c.EntryID]; up != "" && len(above) < len(rows); up = over[up] {
			above = append(above, up)
		}
		if part[c.EntryID] || slices.ContainsFunc(above, func(key string) bool { return shown[key] }) {
			return true
		}
		shown[c.EntryID] = true
		for _, key := range above {
			part[key] = true
		}
		return false
	}), nil
}

// addBranchStatus adds to each hit where it stands in its session.
func (s *search) addBranchStatus(ctx context.Context) error {
	reader, ok := s.st.(BranchReader)
	if !ok || len(s.res.Hits) == 0 {
		return nil
	}
	rows := make([]Row, len(s.res.Hits))
	for i, h := range s.res.Hits {
		rows[i] = h.Row
	}
	statuses, err := reader.BranchStatus(ctx, rows)
	if err != nil {
		return err
	}
	for i := range s.res.Hits {
		s.res.Hits[i].BranchStatus = statuses[i]
	}
	return nil
}
