package history

import (
	"context"
	"errors"
	"io/fs"
)

// RecallPorts are what a call of lcm_expand asks.
type RecallPorts struct {
	// File is the session's own, nil when it is not to be stored. What it has beyond the
	// store is stored before anything is looked up.
	File  File
	Store Store
	// Busy reports whether storing failed only because another process was writing. What
	// is stored already is looked up all the same.
	Busy    func(error) bool
	Entries Expander
	// Elsewhere returns where an id is looked up that Entries does not have; nil when
	// that is nowhere.
	Elsewhere func(ctx context.Context) (Expander, error)
}

// Recall carries out a call of lcm_expand. The request gives what does not come from the
// model: First and Note. It returns also how many entries were stored. An error that the
// model can mend is a BadCallError.
func (p RecallPorts) Recall(ctx context.Context, params []byte, r ExpandRequest) (a Answer, stored int, err error) {
	if p.File != nil {
		rep, err := Ingest(ctx, p.Store, p.File, Options{Small: true})
		stored = rep.Added
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !p.Busy(err) {
			return Answer{}, stored, err
		}
	}
	given, err := ParseExpand(params)
	if err != nil {
		return Answer{}, stored, err
	}
	given.First, given.Note = r.First, r.Note
	a, err = ExpandText(ctx, p.Entries, given)
	if p.Elsewhere == nil || !errors.As(err, new(*BadCallError)) {
		return a, stored, err
	}
	entries, err := p.Elsewhere(ctx)
	if err != nil {
		return Answer{}, stored, err
	}
	a, err = ExpandText(ctx, entries, given)
	return a, stored, err
}
