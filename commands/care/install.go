package care

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/workspace"
)

// install writes the extension, and offers to remove other extensions that do the same
// work.
func (s *setup) install(ctx context.Context) error {
	if s.force {
		if err := s.Confirm(ctx, true, "Replace changed files?", ""); err != nil {
			return err
		}
	}
	change, err := s.ext.Install(s.target, s.binary, s.force, s.Env.Now())
	if errors.Is(err, pi.ErrModified) {
		return s.refuse()
	}
	if err != nil {
		return setupError(s.target, err)
	}
	s.installed(change)
	return s.disableOriginals(ctx)
}

// installed prints what was done.
func (s *setup) installed(change pi.Change) {
	w, dir := s.Out, s.status.Dir
	switch {
	case !change.Done():
		w.Printf("already installed in %s\n", dir)
		return
	case change.From == pi.Missing:
		w.Printf("installed in %s\n", dir)
	default:
		w.Printf("updated in %s\n", dir)
	}
	w.Printf("it runs %s\n", s.binary.Path)
	if change.Backup != "" {
		w.Printf("the previous files are kept in %s\n", change.Backup)
	}
	if s.local {
		w.Printf("pi loads it when it trusts the project, and is started in\n%s\n", s.Root)
	} else {
		w.Printf("pi loads it when it starts, or after /reload; /prune-stats shows what it saved\n")
	}
}

// refuse shows the changes that installing would overwrite.
func (s *setup) refuse() error {
	var names []string
	for _, f := range s.status.Files {
		if f.State != pi.Modified && f.State != pi.Foreign {
			continue
		}
		names = append(names, f.Name)
		title := text.Printable("--- " + filepath.Join(s.status.Dir, f.Name))
		if f.State == pi.Foreign {
			s.Out.Printf("%s is not pictx's\n", title)
			continue
		}
		s.Out.Printf("%s\n", s.Out.Style(cli.StyleBold, title))
		for _, ours := range s.ext.Files() {
			if ours.Name == f.Name {
				cli.PrintDiff(s.Out, string(f.Text), string(ours.Text))
			}
		}
	}
	return exit.WithHint(exit.Refused, setupCommand(s.target)+" --force",
		fmt.Errorf("install extension: not made by pictx: %s (--force keeps the old folder beside)", text.TerminalLine(strings.Join(names, ", "))))
}

// setupError adds a hint to an error of the file system.
func setupError(t pi.Target, err error) error {
	var link *pi.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &link):
		return exit.WithHint(exit.Refused, link.Hint(), err)
	case errors.Is(err, syscall.ENOSPC):
		return exit.WithHint(exit.Failed, "make room on that disk: df -h '"+t.Root+"'", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return exit.WithHint(exit.Failed, "make it writable, or let pi install it: pi install npm:"+pi.PackageName, err)
	case errors.Is(err, syscall.ENOTDIR):
		return exit.WithHint(exit.Failed, "see what is in the way: ls -ld '"+t.Root+"'", err)
	}
	return err
}

// originals lists the extensions that pictx replaces, of the user and of the project.
func originals(a *cli.Run, pl workspace.Project) ([]pi.Entry, error) {
	return pi.Originals(a.Env.Getenv("HOME"), targets(pl)...)
}

// disableOriginals removes the extensions that do the same work from pi's settings if the
// user agrees, and warns of those that stay. Without anybody to ask they all stay.
func (s *setup) disableOriginals(ctx context.Context) error {
	found, err := originals(s.Run, s.Project)
	if err != nil {
		return err
	}
	var names []string
	for _, o := range found {
		if o.Kind != pi.Folder { // a directory is the user's own
			names = append(names, o.Replaces())
		}
	}
	agreed, err := s.agree(ctx, names)
	for _, o := range found {
		if err == nil && agreed && o.Kind != pi.Folder {
			if err = s.removeOriginal(o); err == nil {
				continue
			}
		}
		s.Warning(fmt.Sprintf("%s is installed, which does the same work: %s", o.Replaces(), text.TerminalLine(o.Source)), o.RemoveCommand())
	}
	return err
}

// agree asks whether to remove packages from the settings. It does not ask an agent.
func (s *setup) agree(ctx context.Context, names []string) (bool, error) {
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

// removeOriginal removes an extension from pi's settings. It records it before the change, so that
// it can be undone.
func (s *setup) removeOriginal(o pi.Entry) error {
	undo := workspace.UndoFile(s.Project)
	err := workspace.EditPiSettings(s.Project, o.Target, func(text []byte) ([]byte, error) {
		after, removed, err := o.Target.WithoutEntries(text, []pi.Entry{o})
		if err != nil {
			return nil, err
		}
		before, err := pi.ReadUndo(undo)
		if err != nil {
			return nil, err
		}
		return after, pi.WriteUndo(undo, append(before, removed...))
	})
	if err == nil {
		fmt.Fprintf(s.Env.Err, "pictx: removed %s from %s\n", text.TerminalLine(o.Source), o.Target.SettingsFile())
	}
	return setupError(o.Target, err)
}
