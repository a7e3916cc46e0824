package object

import (
	"context"
	"fmt"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// watchResult is a change that object watch found.
type watchResult struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Seen    string `json:"seen"`
	Version int    `json:"version"`
}

// watchFiles updates the objects of files until it is interrupted.
func watchFiles(ctx context.Context, c *call) error {
	if c.interval < 100*time.Millisecond {
		return exit.UsageError("pictx object watch --interval 2s", "--interval %s is too short", c.interval)
	}
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
	files := object.Query{Kind: object.KindFile}
	before, err := c.st.Objects.FindObjects(ctx, files)
	if err != nil {
		return err
	}
	work, err := workspace.CaptureFiles(ctx, c.app.Workspace, c.st)
	if err != nil {
		return err
	}
	if n, err := work.RefreshFiles(ctx, before); err != nil || n == 0 {
		return err
	}
	after, err := c.st.Objects.FindObjects(ctx, files)
	if err != nil {
		return err
	}
	now := make(map[string]*object.Version)
	for i := range after {
		now[after[i].ID] = &after[i]
	}
	for i := range before {
		was, is := &before[i], now[before[i].ID]
		if is == nil || was.Number == is.Number {
			continue
		}
		j := watchResult{is.ID, is.Label(), seenAs(was, is), is.Number}
		if err := c.app.Out.Emit(j, func(w *cli.Out) {
			w.Printf("%s  %s  %s, version %d\n", j.ID, text.TerminalLine(j.Path), j.Seen, j.Version)
		}); err != nil {
			return err
		}
	}
	return nil
}

// seenAs names the change of a file: deleted, back, moved or changed.
func seenAs(was, is *object.Version) string {
	switch {
	case is.Doc.Deleted:
		return "deleted"
	case was.Doc.Deleted:
		return "back"
	case was.Label() != is.Label():
		return "moved"
	}
	return "changed"
}
