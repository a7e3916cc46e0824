package care

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// UninstallCommand returns the command pictx uninstall.
func UninstallCommand(a *cli.Run) *cobra.Command {
	var o uninstallOptions
	cmd := cli.Command("uninstall", "Uninstall pictx from pi", "4 5", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runUninstall(a, ctx, o)
	})
	f := cmd.Flags()
	f.BoolVar(&o.purge, "purge", false, "also delete the stores, the log and your settings")
	f.BoolVar(&o.yes, "yes", false, "do not ask before --purge")
	f.BoolVar(&o.force, "force", false, "also remove files of the extension that somebody changed")
	return a.JSONFlag(cmd)
}

// leftover is something that uninstall leaves unless it purges.
type leftover struct {
	Path    string `json:"path"`
	What    string `json:"what"`
	Bytes   int64  `json:"bytes"`
	Command string `json:"command"` // that removes it
	Removed bool   `json:"removed"`
	purge   bool   // removed by --purge
}

// uninstallResult is what uninstall prints as JSON.
type uninstallResult struct {
	Removed  []string   `json:"removed"`  // files of the extension
	Kept     []string   `json:"kept"`     // files in its directories that are not pictx's
	Restored []string   `json:"restored"` // entries that setup had removed from pi's settings
	Stays    []leftover `json:"stays"`
	Pruned   []string   `json:"pruned"` // the newest sessions from which something is pruned
}

// newestSessions is how many sessions are read to find out what was pruned from them.
const newestSessions = 50

// uninstallOptions are the flags of pictx uninstall.
type uninstallOptions struct {
	purge, yes, force bool
}

func runUninstall(a *cli.Run, ctx context.Context, o uninstallOptions) error {
	pl, err := a.Here()
	if err != nil {
		return err
	}
	if err := confirmUninstall(a, ctx, leftovers(a, pl), o); err != nil {
		return err
	}
	ext, err := pi.Load()
	if err != nil {
		return err
	}
	v := uninstallResult{Removed: []string{}, Kept: []string{}, Restored: []string{}, Pruned: []string{}}
	for _, t := range targets(pl) {
		err = errors.Join(err, v.remove(a, pl, ext, t, o.force))
	}
	v.Stays = leftovers(a, pl)
	edited, _ := workspace.EditedSessions(ctx, a.Sources(), pl, true, newestSessions) // what cannot be read lists nothing
	for _, e := range edited {
		if e.Pruned > 0 {
			v.Pruned = append(v.Pruned, e.ID)
		}
	}
	if err == nil && o.purge {
		err = v.purge()
	}
	return errors.Join(a.Out.Emit(v, v.Text), err)
}

// holds describes what there is and how much of it, as " (1.6 MB: settings)".
func (l leftover) holds() string {
	size := ""
	if l.Bytes > 0 {
		size = text.Bytes(l.Bytes) + ": "
	}
	return " (" + size + l.What + ")"
}

// confirmUninstall asks before anything is lost. An agent must not uninstall its own
// governor.
func confirmUninstall(a *cli.Run, ctx context.Context, stays []leftover, o uninstallOptions) error {
	if !o.purge {
		return a.Confirm(ctx, true, "Uninstall?", "")
	}
	detail := "This cannot be undone:"
	for _, l := range stays {
		if l.purge {
			const bar = 4 // the question has a bar beside it, and wraps what is wider in two places
			detail += "\n" + cli.Hang(l.Path+l.holds(), 2, a.Env.Width-bar)
		}
	}
	return a.Confirm(ctx, o.yes, "Remove everything that pictx keeps?", detail+lost)
}

// remove removes the extension from t, and undoes what else setup changed there.
func (v *uninstallResult) remove(a *cli.Run, pl workspace.Project, ext pi.Extension, t pi.Target, force bool) error {
	r, err := ext.Remove(t, force)
	for _, name := range r.Removed {
		v.Removed = append(v.Removed, filepath.Join(t.Dir(), name))
	}
	for _, name := range r.Kept {
		v.Kept = append(v.Kept, filepath.Join(t.Dir(), name))
	}
	switch {
	case errors.Is(err, pi.ErrModified):
		return exit.WithHint(exit.Refused, "pictx uninstall --force", fmt.Errorf("remove extension: index.ts in %s was changed, and does not load without the others", t.Dir()))
	case err != nil:
		return setupError(t, err)
	}
	restored, err := undoSetup(a, pl, t)
	v.Restored = append(v.Restored, restored...)
	if len(r.Kept) > 0 {
		kept := fmt.Errorf("remove extension: not made by pictx, and kept: %s", text.TerminalLine(strings.Join(r.Kept, ", ")))
		err = errors.Join(exit.WithHint(exit.Partly, "ls '"+t.Dir()+"'", kept), err)
	}
	return err
}

// whatHistory is what pictx keeps besides settings.
const whatHistory = "the history of your projects, with summaries, pins, objects and full outputs; the log"

// lost says what no command can bring back once the history is deleted.
const lost = "\npictx import reads again only the sessions that pi still keeps. What was said to pictx alone (pins, summaries by a model)" +
	" and full outputs are lost. To keep a copy of a project's history first: pictx history backup FILE"

// leftovers lists the files of pictx besides the extension.
func leftovers(a *cli.Run, pl workspace.Project) []leftover {
	stays := []leftover{}
	add := func(path, what, command string, purge bool) {
		if _, err := os.Lstat(path); err == nil {
			stays = append(stays, leftover{Path: path, What: what, Bytes: repo.Size(path), Command: command, purge: purge})
		}
	}
	add(filepath.Join(pl.AgentDir, "pictx"), whatHistory, "pictx uninstall --purge", true)
	add(workspace.UserConfig(pl), "settings", "rm "+text.ShellWord(workspace.UserConfig(pl)), true)
	add(workspace.ProjectConfig(pl), "settings of the project", "rm "+text.ShellWord(workspace.ProjectConfig(pl)), false)
	for _, t := range targets(pl) {
		entries, _ := t.Entries(a.Env.Getenv("HOME")) // settings that cannot be read list nothing
		for _, e := range entries {
			if e.Own() && e.Kind == pi.Package {
				stays = append(stays, leftover{Path: e.Source, What: "package of pi", Command: e.RemoveCommand()})
			}
		}
	}
	return stays
}

// purge removes the files of pictx. It removes a symbolic link, not its target.
func (v *uninstallResult) purge() error {
	for i, l := range v.Stays {
		if !l.purge {
			continue
		}
		if err := os.RemoveAll(l.Path); err != nil {
			return exit.WithHint(exit.Failed, l.Command, fmt.Errorf("remove %s: %w", l.What, err))
		}
		v.Stays[i].Removed = true
	}
	return nil
}

// Text prints what was removed, and what is left.
func (v uninstallResult) Text(w *cli.Out) {
	line := func(format string, args ...any) {
		w.Printf("%s\n", cli.Hang(fmt.Sprintf(format, args...), len("removed "), w.Width))
	}
	if len(v.Removed) == 0 {
		line("the extension is not installed")
	}
	files := make(map[string]int)
	for _, p := range v.Removed {
		files[filepath.Dir(p)]++
	}
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		line("removed %s (the extension, %s)", text.Printable(dir), text.Count(files[dir], "file"))
	}
	for _, source := range v.Restored {
		line("restored %s in pi's settings", text.TerminalLine(source))
	}
	if n := len(v.Pruned); n > 0 {
		line("stays   what is pruned from %s; to bring it back in the newest: pictx prune --undo %s", text.Count(n, "session"), text.ShellWord(v.Pruned[0]))
	}
	for _, l := range v.Stays {
		if l.Removed {
			line("removed %s (%s)", text.Printable(l.Path), l.What)
		} else {
			line("stays   %s%s; to remove it: %s", text.Printable(l.Path), l.holds(), text.Printable(l.Command))
		}
	}
}

// undoSetup adds the entries that setup removed from pi's settings at t again. It returns their
// sources.
func undoSetup(a *cli.Run, pl workspace.Project, t pi.Target) (restored []string, err error) {
	all, err := pi.ReadUndo(workspace.UndoFile(pl))
	if err != nil {
		return nil, err
	}
	var here, rest, missing []pi.Removed
	for _, r := range all {
		if r.File == t.SettingsFile() {
			here = append(here, r)
		} else {
			rest = append(rest, r)
		}
	}
	if len(here) > 0 {
		err = workspace.EditPiSettings(pl, t, func(text []byte) (after []byte, err error) {
			after, missing = pi.WithEntries(text, here)
			return after, nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			missing, err = here, nil
		}
	}
	if err != nil {
		return nil, setupError(t, err)
	}
	for _, r := range here {
		source := r.Source()
		if !slices.Contains(missing, r) {
			restored = append(restored, source)
			continue
		}
		fmt.Fprintf(a.Env.Err, "pictx: warning: setup removed %s from %s, which has changed since\nhint: pi install %s\n",
			text.TerminalLine(source), r.File, text.ShellWord(text.TerminalLine(source)))
	}
	return restored, pi.WriteUndo(workspace.UndoFile(pl), rest)
}
