package object

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// watchResult is a change that object watch found.
type watchResult struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Seen    string `json:"seen"`
	Version int    `json:"version"`
}

// checkWatch rejects an interval that is too short.
func checkWatch(c *call) error {
	if c.interval < 100*time.Millisecond {
		return exit.UsageError("pictx object watch --interval 2s", "--interval %s is too short", c.interval)
	}
	return nil
}

// watchFiles updates the objects of files until it is interrupted.
func watchFiles(ctx context.Context, c *call) error {
	for {
		err := c.lookAtFiles(ctx)
		if ferr := c.app.Out.Flush(); err == nil && ferr != nil {
			err = fmt.Errorf("write output: %w", ferr)
		}
		if err != nil || c.once {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(c.interval):
		}
	}
}

// lookAtFiles updates the objects of files from the disk, and prints the changes.
func (c *call) lookAtFiles(ctx context.Context) error {
	st := c.st
	before, err := knownFiles(ctx, st)
	if err != nil {
		return err
	}
	work, err := workspace.CaptureFiles(ctx, c.app.Workspace, st)
	if err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(before))
	if len(ids) == 0 {
		return nil
	}
	if n, err := work.Refresh(ctx, ids...); err != nil || n == 0 {
		return err
	}
	after, err := knownFiles(ctx, st)
	if err != nil {
		return err
	}
	for _, id := range ids {
		was, is := before[id], after[id]
		if was.Number == is.Number {
			continue
		}
		j := watchResult{id, is.Doc.Label(is.Key), seenAs(&was, &is), is.Number}
		if err := c.app.Out.Emit(j, func(w *cli.Out) {
			w.Printf("%s  %s  %s, version %d\n", j.ID, text.TerminalLine(j.Path), j.Seen, j.Version)
		}); err != nil {
			return err
		}
	}
	return nil
}

// knownFiles returns the objects of files by id.
func knownFiles(ctx context.Context, st *store.Store) (map[string]object.Version, error) {
	all, err := st.Objects.FindObjects(ctx, object.Query{Terms: []object.Term{{Field: "type", Value: string(object.KindFile)}}})
	out := make(map[string]object.Version, len(all))
	for i := range all {
		out[all[i].ID] = all[i]
	}
	return out, err
}

// seenAs names the change of a file: deleted, back, moved or changed.
func seenAs(was, is *object.Version) string {
	switch {
	case is.Doc.Deleted:
		return "deleted"
	case was.Doc.Deleted:
		return "back"
	case was.Doc.Label(was.Key) != is.Doc.Label(is.Key):
		return "moved"
	}
	return "changed"
}
