package survey

import (
	"context"

	"github.com/coctostan/pictx/core/usage"
	"github.com/coctostan/pictx/sqlite/store"
)

// Overview is what a store holds, and what a recent time came to.
type Overview struct {
	Sessions  int
	Last      int64 // of the entries, in Unix milliseconds
	FileBytes int64
	// Total and Pruned are since the time that was asked about.
	Total  usage.Total
	Pruned Pruned
}

// Look reads the overview of a store, since a time in Unix milliseconds.
func Look(ctx context.Context, st *store.Store, since int64) (Overview, error) {
	var v Overview
	s, err := st.Health.Stats(ctx)
	if err != nil {
		return v, err
	}
	v.Sessions, v.Last, v.FileBytes = s.Sessions, s.Last, s.FileBytes
	if err := st.Entries.Responses(ctx, "", since, true, func(r usage.Response) { v.Total.Add(&r) }); err != nil {
		return v, err
	}
	v.Pruned.Results, v.Pruned.Tokens, err = st.Marks.Pruned(ctx, since)
	return v, err
}
