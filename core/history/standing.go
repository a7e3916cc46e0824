package history

import "context"

// Standing says how an entry stands to what was said after it.
type Standing struct {
	// OffBranch is set when the session went on from an earlier entry: this one is
	// on a branch that was left.
	OffBranch bool
	// Summary is the key of the summary that covers the entry, or of the one that a
	// summary was made into; "" when none does.
	Summary string
}

// Surveyor is a SearchStore that knows how entries stand. It is asked for those
// alone that are shown.
type Surveyor interface {
	// Stand returns the standings of rows, in their order. An entry that a fork has
	// too is off the branch when it is so in both.
	Stand(ctx context.Context, rows []Row) ([]Standing, error)
}

// survey adds to what is shown how it stands.
func (s *search) survey(ctx context.Context) error {
	surveyor, ok := s.st.(Surveyor)
	if !ok || len(s.res.Hits) == 0 {
		return nil
	}
	rows := make([]Row, len(s.res.Hits))
	for i, h := range s.res.Hits {
		rows[i] = h.Row
	}
	standings, err := surveyor.Stand(ctx, rows)
	if err != nil {
		return err
	}
	for i := range s.res.Hits {
		s.res.Hits[i].Standing = standings[i]
	}
	return nil
}
