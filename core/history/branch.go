package history

import (
	"context"
	"slices"
)

// BranchStatus is the position of an entry in its session.
type BranchStatus struct {
	// OffBranch is set when the entry is on an abandoned branch.
	OffBranch bool
	// Replaced is set when the session's file was rewritten and now has another text for
	// the entry: it is then the number, from 1, of the version that this text is.
	Replaced int
	// Summary is the key of the summary that covers the entry or, for a summary, of the one
	// that it was merged into; "" when there is none.
	Summary string
}

// BranchReader is a SearchStore that knows the branch status of entries. It is asked only
// about entries that are shown.
type BranchReader interface {
	// BranchStatus returns the status of each row, in order. An entry that a fork shares is
	// off the branch only when it is in both sessions.
	BranchStatus(ctx context.Context, rows []Row) ([]BranchStatus, error)
}

// onePerSpan removes a summary from a sorted list when an earlier one contains it or is
// part of it: both cover the same entries.
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
	shown, part := make(map[string]bool), make(map[string]bool) // part: summaries of which a part is shown
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

// addBranchStatus sets the branch status of every hit.
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
