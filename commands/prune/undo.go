package prune

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace/pruning"
)

// undoView is what prune --undo prints as JSON.
type undoView struct {
	Session  string `json:"session"`
	Messages int    `json:"messages"`
}

// runUndo appends to a session's file what brings back everything that pictx pruned.
func runUndo(a *cli.Run, ctx context.Context, o pruneOptions, name string) error {
	path, err := a.SessionPath(ctx, name)
	if err != nil {
		return err
	}
	pl, err := a.Here()
	if err != nil {
		return err
	}
	doc, err := pruning.OpenSession(a.Sources(), path)
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	defer doc.Close()
	lines, n, err := doc.Undo(a.Env.Now())
	if err != nil {
		return fmt.Errorf("undo pruning: %w", err)
	}
	v := undoView{Messages: n}
	v.Session, _ = doc.ID()
	if n > 0 {
		if err := a.Confirm(ctx, o.yes, fmt.Sprintf("Append %s to %s?", text.Count(n, "edit"), text.Printable(path)), "Requests of this session then have everything that was pruned, and none of its earlier thinking."); err != nil {
			return err
		}
		done, err := pl.ChangeSession(path, func() error { return doc.Append(lines) })
		if err != nil {
			return fmt.Errorf("undo pruning: %w", err)
		}
		if !done {
			return exit.WithHint(exit.Refused, "/pictx restore all, in that pi", fmt.Errorf("undo pruning: a pi has this session open"))
		}
	}
	return a.Out.Emit(v, func(w *cli.Out) {
		if n == 0 {
			w.Printf("nothing is pruned in session %s\n", text.TerminalLine(v.Session))
			return
		}
		w.Printf("session %s: %s restored\n", text.TerminalLine(v.Session), text.Count(n, "message"))
	})
}
