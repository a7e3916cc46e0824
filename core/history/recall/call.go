package recall

import (
	"context"
	"errors"
	"io/fs"

	"github.com/coctostan/pictx/core/history"
)

// RecallPorts are what a call of lcm_expand asks.
type Ports struct {
	// File is the session's own, nil when it is not to be stored. What it has beyond the
	// store is stored before anything is looked up.
	File  history.File
	Store history.Store
	// Busy reports whether storing failed only because another process was writing. What
	// is stored already is looked up all the same.
	Busy    func(error) bool
	Entries history.Expander
	// Elsewhere returns where an id is looked up that Entries does not have; nil when
	// that is nowhere.
	Elsewhere func(ctx context.Context) (history.Expander, error)
}

// Recall carries out a call of lcm_expand. The request gives what does not come from the
// model: First and Note. It returns also how many entries were stored. An error that the
// model can mend is a BadCallError.
func (p Ports) Recall(ctx context.Context, params []byte, r ExpandRequest) (a Answer, stored int, err error) {
	if p.File != nil {
		rep, err := history.Ingest(ctx, p.Store, p.File, history.Options{Small: true})
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
