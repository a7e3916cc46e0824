package workspace

import (
	"cmp"
	"context"
	"slices"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/prune"
)

// Edited is a session from which something was pruned, or of which a provider has reported
// invalid thinking.
type Edited struct {
	ID string
	// Pruned is the number of messages that are pruned at its end.
	Pruned int
	// Dropped is what providers reported.
	Dropped prune.Dropped
}

// EditedSessions reads the newest sessions that agents keep, at most most of them, of a project
// or of all, and returns those that were edited, the newest first.
func EditedSessions(ctx context.Context, sources history.Source, pl Project, all bool, most int) ([]Edited, error) {
	kept, err := KeptSessions(sources, pl, all)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(kept, func(a, b KeptSession) int { return cmp.Compare(b.Head.Time, a.Head.Time) })
	var out []Edited
	for _, k := range kept[:min(most, len(kept))] {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e, ok := readEdited(sources, k.Place); ok {
			out = append(out, e)
		}
	}
	return out, nil
}

// readEdited reads one session; ok is false for one that was not edited or cannot be read.
func readEdited(sources history.Source, place string) (e Edited, ok bool) {
	d, err := OpenAtEnd(sources, place)
	if err != nil {
		return e, false
	}
	defer d.Close()
	e.ID = d.ID
	b, err := prune.NewBranch(e.ID, d.Tree, d.Tree.Leaf(), d.Line, nil)
	if err != nil {
		return e, false
	}
	e.Pruned, e.Dropped = len(b.Pruned()), b.Dropped()
	return e, e.Pruned > 0 || e.Dropped.Requests > 0
}
