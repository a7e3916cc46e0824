package history

import "context"

// BranchStatus says where an entry stands in its session now.
type BranchStatus struct {
	// OffBranch is set when the session went on from an earlier entry: this one is
	// on a branch that was left.
	OffBranch bool
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
