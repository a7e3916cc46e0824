package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// maxOverwritten bounds the file that is overwritten, in bytes.
const maxOverwritten = 1 << 30

// restoreFile writes a version of a file of the project back. It asks before it overwrites
// what is there, which becomes a version first: restoring can be undone.
func (c *call) restoreFile(ctx context.Context, v *object.Version, content []byte) error {
	pl, err := c.app.Here()
	if err != nil {
		return err
	}
	work, err := workspace.CaptureFiles(ctx, c.app.Workspace, c.st)
	if err != nil {
		return err
	}
	path := v.Key.Part(1)
	if why := cannotRestore(v, content, work.Files); why != "" {
		return exit.WithHint(exit.Refused, "pictx object history "+v.ID, fmt.Errorf("restore version %d of %s: %s", v.Number, v.ID, why))
	}
	here := *v
	here.Doc.File = &object.File{Path: path} // it may have moved since the version
	name := text.TerminalLine(workspace.ObjectNames(c.app.Env.Dir)(&here))
	done := stateResult{ID: v.ID, Note: fmt.Sprintf("%s is as in version %d", name, v.Number)}
	now, err := repo.Read(pl.Root, path, maxOverwritten)
	switch {
	case err == nil && bytes.Equal(now, content):
		return done.emit(c.app)
	case err == nil:
		if _, err := work.Latest(ctx, v.ID); err != nil {
			return err
		}
		detail := fmt.Sprintf("It has %s now and would have %s. What is there now stays a version.", text.Bytes(int64(len(now))), text.Bytes(int64(len(content))))
		if bytes.Contains(content, []byte(history.Masked)) {
			detail += " What was masked stays " + history.Masked + "."
		}
		if err := c.app.Confirm(ctx, c.yes, fmt.Sprintf("Overwrite %s with version %d?", name, v.Number), detail); err != nil {
			return err
		}
	case !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("restore %s: %w", v.ID, err)
	}
	if err := repo.Write(pl.Root, filepath.Clean(path), content, 0o644); err != nil {
		return err
	}
	done.Changed = true
	return done.emit(c.app)
}

// cannotRestore says why a version cannot be written back, "" if it can.
func cannotRestore(v *object.Version, content []byte, files object.Files) string {
	part := v.Part()
	switch {
	case v.Doc.Kind != object.KindFile:
		return "it is not a file"
	case content == nil:
		return v.Missing()
	case part != nil:
		return fmt.Sprintf("it has only lines %d-%d of the file", part.First, part.Last)
	case files.Look(v.Key.Part(1)).Outside:
		return "the file is not in this project; --content prints it"
	}
	return ""
}
