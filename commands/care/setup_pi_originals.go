package care

import (
	"context"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

func (s *setup) originals() ([]pi.Original, error) { return originals(s.Run, s.Project) }

// originals lists the extensions that pictx replaces, of the user and of the project.
func originals(a *cli.Run, pl workspace.Project) ([]pi.Original, error) {
	return pi.Originals(a.Env.Getenv("HOME"), targets(pl)...)
}

// disableOriginals removes the extensions that do the same work from pi's settings if the
// user agrees, and warns of those that stay. Without anybody to ask they all stay.
func (s *setup) disableOriginals(ctx context.Context) ([]pi.Original, error) {
	found, err := s.originals()
	if err != nil {
		return found, err
	}
	agreed, err := s.agree(ctx, found)
	if err == nil && agreed {
		err = s.removeOriginals(found)
	}
	for _, o := range found {
		if !o.Removed {
			fmt.Fprintf(s.Env.Err, "pictx: warning: %s is installed, which does the same work: %s\n", o.Name, text.TerminalLine(o.Source))
			fmt.Fprintf(s.Env.Err, "hint: %s\n", text.Printable(o.Command()))
		}
	}
	return found, err
}

// agree asks whether to remove the packages from the settings. It leaves out directories,
// which are the user's own, and does not ask an agent.
func (s *setup) agree(ctx context.Context, found []pi.Original) (bool, error) {
	var names []string
	for _, o := range found {
		if o.Kind != pi.Folder {
			names = append(names, o.Name)
		}
	}
	asked := s.yes || s.Env.InTerminal && s.Env.ErrTerminal
	if len(names) == 0 || !asked || s.Env.Agent() {
		return false, nil
	}
	question := "Remove " + strings.Join(names, ", ") + " from pi's settings? They do the same work."
	err := s.Confirm(ctx, s.yes, question, "Nothing is deleted: the packages stay on the disk.")
	if code, _ := workspace.Verdict(err); err != nil && code == exit.Refused && ctx.Err() == nil {
		return false, nil // the user said no, which is not an error
	}
	return err == nil, err
}

// removeOriginals removes extensions from the settings that list them.
func (s *setup) removeOriginals(found []pi.Original) error {
	for _, project := range []bool{false, true} {
		var drop []pi.Entry
		var target pi.Target
		for _, o := range found {
			if o.Project == project && o.Kind != pi.Folder {
				drop, target = append(drop, o.Entry), o.Target
			}
		}
		if len(drop) == 0 {
			continue
		}
		if err := s.editSettings(target, drop, project); err != nil {
			return err
		}
		for i := range found {
			found[i].Removed = found[i].Removed || found[i].Project == project && found[i].Kind != pi.Folder
		}
	}
	return nil
}

// editSettings removes entries from pi's settings while it holds pi's lock. It records them
// before the change, so that it can be undone.
func (s *setup) editSettings(t pi.Target, drop []pi.Entry, project bool) error {
	unlock, err := workspace.LockPiSettings(s.Project, t, project)
	if err != nil {
		return err
	}
	defer unlock()
	after, removed, err := t.WithoutEntries(drop)
	if err != nil {
		return err
	}
	file := t.SettingsFile()
	if err := s.undo.Edits(file, removed); err != nil {
		return setupError(t, err)
	}
	if err := repo.Replace(file, after, 0o600); err != nil {
		return setupError(t, err)
	}
	for _, e := range drop {
		fmt.Fprintf(s.Env.Err, "pictx: removed %s from %s\n", text.TerminalLine(e.Source), file)
	}
	return nil
}
