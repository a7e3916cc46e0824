package care

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/workspace"
)

type setupOptions struct {
	local                bool
	check, remove, print bool
	yes, force           bool
}

func setupPi(a *cli.Run) *cobra.Command {
	o := setupOptions{}
	cmd := cli.Command("pi", "Install pictx in pi", "4 5 11", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runSetupPi(a, ctx, o)
	})
	f := cmd.Flags()
	f.BoolVarP(&o.local, "local", "l", false, "install into this project only")
	f.BoolVar(&o.check, "check", false, "only report whether there is something to do, with exit code 1 if so")
	f.BoolVar(&o.remove, "remove", false, "the same as pictx uninstall, here alone")
	f.BoolVar(&o.print, "print", false, "only show what would be written, and where")
	cli.Hide(f, "remove", "print") // pictx uninstall and pictx setup --print do that
	f.BoolVar(&o.yes, "yes", false, "remove the packages that do the same work from pi's settings without asking")
	f.BoolVar(&o.force, "force", false, "also replace or remove files that somebody changed")
	a.JSONFlag(cmd)
	return cmd
}

// setupResult is what setup pi prints as JSON.
type setupResult struct {
	Action    string          `json:"action"` // installed, updated, unchanged, printed
	Dir       string          `json:"dir"`
	State     pi.State        `json:"state"`  // before the action
	Binary    string          `json:"binary"` // that the extension runs, "" if it is not installed
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

func viewOriginal(o pi.Original) originalView {
	return originalView{Name: o.Name, Kind: o.Kind, Source: o.Source, Command: o.Command(), Removed: o.Removed}
}

// setup is one run of setup pi.
type setup struct {
	*cli.Run
	workspace.Project
	setupOptions
	target pi.Target
	ext    pi.Extension
	status pi.Status
	binary pi.Binary // this program
	undo   *pi.Undo
}

// report returns the result so far.
func (s *setup) report(action string, originals []pi.Original) *setupResult {
	v := &setupResult{
		Action: action, Dir: s.status.Dir, State: s.status.State(), Files: s.status.Files,
		Binary: s.status.Binary.Path, Runs: s.status.Binary.Runs(), Originals: []originalView{},
	}
	if p, ok := s.asPackage(); ok {
		v.Package = p.Source
	}
	for _, o := range originals {
		v.Originals = append(v.Originals, viewOriginal(o))
	}
	return v
}

func runSetupPi(a *cli.Run, ctx context.Context, o setupOptions) error {
	if o.check && o.print {
		return exit.UsageError("pictx setup pi --check", "--check and --print exclude each other")
	}
	if o.remove {
		return runUninstall(a, ctx, uninstallOptions{force: o.force, only: o.where})
	}
	s, err := newSetup(a, o)
	if err != nil {
		return err
	}
	switch {
	case o.check:
		return checkExtension(a, s.Project, s.target, s.command(""))
	case o.print:
		return s.show()
	}
	return s.install(ctx)
}

// where returns where pi looks for the extension that is meant.
func (o setupOptions) where(pl workspace.Project) pi.Target {
	if o.local {
		return projectTarget(pl)
	}
	return pi.Target{Root: pl.AgentDir}
}

// newSetup reads the current state of the installation.
func newSetup(a *cli.Run, o setupOptions) (*setup, error) {
	pl, err := a.Here()
	if err != nil {
		return nil, err
	}
	s := &setup{Run: a, Project: pl, setupOptions: o, target: o.where(pl)}
	if s.ext, err = pi.Load(); err != nil {
		return nil, err
	}
	if s.binary, err = a.Self(); err != nil {
		return nil, err
	}
	s.status, err = s.ext.Status(s.target)
	return s, setupError(s.target, err)
}

// projectTarget is where pi looks for a project's extensions if it is started at the root.
func projectTarget(pl workspace.Project) pi.Target {
	return pi.Target{Root: filepath.Join(pl.Root, ".pi")}
}

// targets lists where pi looks for extensions: its own directory, then the project's unless
// that is the same.
func targets(pl workspace.Project) []pi.Target {
	user, project := pi.Target{Root: pl.AgentDir}, projectTarget(pl)
	if workspace.SamePath(project.Root, user.Root) {
		return []pi.Target{user}
	}
	return []pi.Target{user, project}
}

// command returns this command with a flag, for hints.
func (s *setup) command(flag string) string {
	if s.local {
		flag = strings.TrimSpace("--local " + flag)
	}
	return strings.TrimSpace("pictx setup pi " + flag)
}

// asPackage finds pictx among pi's packages.
func (s *setup) asPackage() (pi.Entry, bool) {
	entries, _ := s.target.Entries(s.Env.Getenv("HOME")) // others report a file that cannot be read
	for _, e := range entries {
		if e.Name == "pictx" && e.Kind != pi.Folder && !e.Off {
			return e, true
		}
	}
	return pi.Entry{}, false
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
	originals, err := s.disableOriginals(ctx)
	v := s.report(action(change), originals)
	v.Binary, v.Runs, v.Backup = s.binary.Path, true, change.Backup
	return errors.Join(s.Out.Emit(v, func(w *cli.Out) { s.installed(w, v) }), err)
}

// action names what Install did.
func action(c pi.Change) string {
	switch {
	case !c.Done():
		return "unchanged"
	case c.From == pi.Missing:
		return "installed"
	}
	return "updated"
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
		title := "--- " + filepath.Join(s.status.Dir, f.Name)
		if f.State == pi.Foreign {
			s.Out.Printf("%s is not pictx's\n", text.Printable(title))
			continue
		}
		s.Out.Printf("%s\n", s.Out.Style(cli.StyleBold, text.Printable(title)))
		for _, ours := range s.ext.Files() {
			if ours.Name == f.Name {
				cli.PrintDiff(s.Out, string(f.Text()), string(ours.Text))
			}
		}
	}
	return exit.WithHint(exit.Refused, s.command("--force"),
		fmt.Errorf("install extension: not made by pictx: %s (--force keeps the old folder beside)", text.TerminalLine(strings.Join(names, ", "))))
}

// show prints what would be written.
func (s *setup) show() error {
	v := s.report("printed", nil)
	v.Binary, v.Runs = s.binary.Path, true
	return s.Out.Emit(v, func(w *cli.Out) {
		s.listFiles(w)
		w.Printf("or, as a package that finds pictx in PATH:\n  pi install git:github.com/coctostan/pictx\n")
	})
}

// listFiles lists the files of the extension that will be written, with their states.
func (s *setup) listFiles(w *cli.Out) {
	w.Printf("%s\n", s.status.Dir)
	if s.installedAsIs() {
		w.Printf("  all %s are as they should be\n", text.Count(len(s.ext.Files())+1, "file"))
		return
	}
	var rows [][]string
	for _, f := range s.ext.Files() {
		if state := s.stateOf(f.Name); state != string(pi.Current) {
			rows = append(rows, []string{"  " + f.Name, text.Bytes(int64(len(f.Text))), state})
		}
	}
	cli.Table(w, rows, 1)
	if n := len(s.ext.Files()) - len(rows); n > 0 {
		w.Printf("  %s stay as they are\n", text.Count(n, "other file"))
	}
	w.Printf("  binary.json, to run %s\n", s.binary.Path)
}

// installedAsIs reports whether the extension is installed as this program would install it.
func (s *setup) installedAsIs() bool {
	return s.status.State() == pi.Current && s.status.Binary == s.binary
}

// stateOf describes the state of one file of the extension.
func (s *setup) stateOf(name string) string {
	for _, f := range s.status.Files {
		if f.Name == name && f.State == pi.Current {
			return string(pi.Current)
		}
		if f.Name == name && f.State != pi.Missing {
			return "is there, " + string(f.State)
		}
	}
	return "new"
}

// removeError adds a hint to an error of removing the extension.
func removeError(t pi.Target, err error) error {
	if errors.Is(err, pi.ErrModified) {
		return exit.WithHint(exit.Refused, "pictx uninstall --force", fmt.Errorf("remove extension: index.ts in %s was changed, and does not load without the others", t.Dir()))
	}
	return setupError(t, err)
}

// keptError says which files were not removed, nil if there are none.
func keptError(dir string, kept []string) error {
	if len(kept) == 0 {
		return nil
	}
	return exit.WithHint(exit.Partly, "ls '"+dir+"'", fmt.Errorf("remove extension: not made by pictx, and kept: %s", text.TerminalLine(strings.Join(kept, ", "))))
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
