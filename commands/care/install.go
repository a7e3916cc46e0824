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
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// setupResult is what setup prints as JSON.
type setupResult struct {
	Action    string          `json:"action"` // installed, updated, unchanged, printed
	Dir       string          `json:"dir"`
	State     pi.State        `json:"state"`  // before the action
	Binary    string          `json:"binary"` // that the extension runs
	Runs      bool            `json:"binary_runs"`
	Files     []pi.FileStatus `json:"files"`
	Package   string          `json:"package,omitempty"` // its source if pi has it as a package
	Backup    string          `json:"backup,omitempty"`
	Originals []originalView  `json:"originals"`
}

// originalView is a pi.Original in JSON.
type originalView struct {
	Name    string  `json:"name"`
	Kind    pi.Kind `json:"kind"`
	Source  string  `json:"source"`
	Command string  `json:"command"` // that removes it
	Removed bool    `json:"removed"`
}

// report returns the result so far.
func (s *setup) report(action string) *setupResult {
	v := &setupResult{
		Action: action, Dir: s.status.Dir, State: s.status.State(), Files: s.status.Files,
		Binary: s.binary.Path, Runs: true, Originals: []originalView{},
	}
	entries, _ := s.target.Entries(s.Env.Getenv("HOME")) // others report a file that cannot be read
	for _, e := range entries {
		if e.Name == "pictx" && e.Kind != pi.Folder && !e.Off && v.Package == "" {
			v.Package = e.Source
		}
	}
	for _, o := range s.originals {
		v.Originals = append(v.Originals, originalView{Name: o.Name, Kind: o.Kind, Source: o.Source, Command: o.Command(), Removed: o.Removed})
	}
	return v
}

// install writes the extension, and offers to remove other extensions that do the same
// work.
func (s *setup) install(ctx context.Context) error {
	if s.force {
		if err := s.Confirm(ctx, true, "Replace changed files?", ""); err != nil {
			return err
		}
	}
	var err error
	if s.undo, err = workspace.ReadUndo(s.Project); err != nil {
		return err
	}
	change, err := s.ext.Install(s.target, s.binary, s.force, s.Env.Now())
	if errors.Is(err, pi.ErrModified) {
		return s.refuse()
	}
	if err != nil {
		return setupError(s.target, err)
	}
	action := "updated"
	switch {
	case !change.Done():
		action = "unchanged"
	case change.From == pi.Missing:
		action = "installed"
	}
	err = s.disableOriginals(ctx)
	v := s.report(action)
	v.Backup = change.Backup
	return errors.Join(s.Out.Emit(v, func(w *cli.Out) { s.installed(w, v) }), err)
}

// installed prints what was done.
func (s *setup) installed(w *cli.Out, v *setupResult) {
	if v.Action == "unchanged" {
		w.Printf("already installed in %s\n", v.Dir)
		return
	}
	w.Printf("%s in %s\n", v.Action, v.Dir)
	w.Printf("it runs %s\n", s.binary.Path)
	if v.Backup != "" {
		w.Printf("the previous files are kept in %s\n", v.Backup)
	}
	if v.Package != "" {
		w.Printf("pi also has it as the package %s; the first to load is used\n", text.TerminalLine(v.Package))
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
		if s.JSON {
			continue
		}
		title := text.Printable("--- " + filepath.Join(s.status.Dir, f.Name))
		if f.State == pi.Foreign {
			s.Out.Printf("%s is not pictx's\n", title)
			continue
		}
		s.Out.Printf("%s\n", s.Out.Style(cli.StyleBold, title))
		for _, ours := range s.ext.Files() {
			if ours.Name == f.Name {
				cli.PrintDiff(s.Out, string(f.Text()), string(ours.Text))
			}
		}
	}
	return exit.WithHint(exit.Refused, s.command("--force"),
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
		return exit.WithHint(exit.Failed, "make it writable, or let pi install it: pi install git:github.com/coctostan/pictx", err)
	case errors.Is(err, syscall.ENOTDIR):
		return exit.WithHint(exit.Failed, "see what is in the way: ls -ld '"+t.Root+"'", err)
	}
	return err
}

// originals lists the extensions that pictx replaces, of the user and of the project.
func originals(a *cli.Run, pl workspace.Project) ([]pi.Original, error) {
	return pi.Originals(a.Env.Getenv("HOME"), targets(pl)...)
}

// disableOriginals removes the extensions that do the same work from pi's settings if the
// user agrees, and warns of those that stay. Without anybody to ask they all stay.
func (s *setup) disableOriginals(ctx context.Context) (err error) {
	if s.originals, err = originals(s.Run, s.Project); err != nil {
		return err
	}
	agreed, err := s.agree(ctx)
	for _, t := range targets(s.Project) {
		if err == nil && agreed {
			err = s.removeOriginals(t)
		}
	}
	for _, o := range s.originals {
		if !o.Removed {
			s.Warning(fmt.Sprintf("%s is installed, which does the same work: %s", o.Name, text.TerminalLine(o.Source)), o.Command())
		}
	}
	return err
}

// agree asks whether to remove the packages from the settings. It leaves out directories,
// which are the user's own, and does not ask an agent.
func (s *setup) agree(ctx context.Context) (bool, error) {
	var names []string
	for _, o := range s.originals {
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

// removeOriginals removes extensions from the settings of a target while it holds pi's lock. It
// records them before the change, so that it can be undone.
func (s *setup) removeOriginals(t pi.Target) error {
	var drop []pi.Entry
	project := false
	for _, o := range s.originals {
		if o.Target == t && o.Kind != pi.Folder {
			drop, project = append(drop, o.Entry), o.Project
		}
	}
	if len(drop) == 0 {
		return nil
	}
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
	if err = s.undo.Edits(file, removed); err == nil {
		err = repo.Replace(file, after, 0o600)
	}
	if err != nil {
		return setupError(t, err)
	}
	for i, o := range s.originals {
		if o.Target == t && o.Kind != pi.Folder {
			s.originals[i].Removed = true
			fmt.Fprintf(s.Env.Err, "pictx: removed %s from %s\n", text.TerminalLine(o.Source), file)
		}
	}
	return nil
}
