package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/repo"
)

// ReadUndo reads what setup changed besides the extension.
func ReadUndo(pl Place) (*pi.Undo, error) {
	return pi.ReadUndo(filepath.Join(pl.AgentDir, "pictx", "setup.json"))
}

// RestorePiSettings undoes a change of pi's settings, and returns what it could not put
// back.
func RestorePiSettings(pl Place, t pi.Target, e pi.SettingsEdit, project bool) (missing []string, err error) {
	if _, err := t.ReadSettings(); errors.Is(err, fs.ErrNotExist) {
		return e.Sources(), nil
	}
	unlock, err := LockPiSettings(pl, t, project)
	if err != nil {
		return nil, err
	}
	defer unlock()
	now, err := t.ReadSettings()
	if err != nil {
		return nil, err
	}
	body, missing := e.Restore(now)
	return missing, repo.Replace(t.SettingsFile(), body, 0o600)
}

// LockPiSettings takes pi's lock of its settings. Those of a project must be in it.
func LockPiSettings(pl Place, t pi.Target, project bool) (unlock func(), err error) {
	file := t.SettingsFile()
	if to, err := filepath.EvalSymlinks(file); err == nil && project && !Inside(to, pl.Root) {
		return nil, exit.WithHint(exit.Refused, "ls -l "+text.ShellWord(file), fmt.Errorf("edit settings: %s leads out of the project", file))
	}
	unlock, err = pi.LockSettings(file)
	if errors.Is(err, fs.ErrExist) {
		err = exit.WithHint(exit.Busy, "try again, or rmdir "+text.ShellWord(file+".lock"), err)
	}
	return unlock, err
}
