package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
)

func (a *app) uninstallCommand() *cobra.Command {
	purge, yes, force := false, false, false
	cmd := &cobra.Command{
		Use:     "uninstall",
		GroupID: groupCare,
		Short:   "Take pictx out of pi again",
		Long: `Removes the extension from pi's own directory and from this project, and says what
stays: the stores, the log, the settings. --purge removes the first three of them,
too, of all projects, after asking. A store may be the only copy of a session
whose file is gone.

Files of the extension that somebody changed stay, unless --force is given. The
settings of a project belong to the project and stay always.`,
		Example: `  pictx uninstall
  pictx uninstall --purge`,
		Annotations: exits("4 5"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runUninstall(cmd.Context(), purge, yes, force) },
	}
	f := cmd.Flags()
	f.BoolVar(&purge, "purge", false, "remove stores, log and the user's settings, too")
	f.BoolVar(&yes, "yes", false, "do not ask before --purge")
	f.BoolVar(&force, "force", false, "remove changed files of the extension, too")
	a.jsonFlag(cmd)
	return cmd
}

// leftover is something that uninstall leaves, unless it purges.
type leftover struct {
	Path    string `json:"path"`
	What    string `json:"what"`
	Bytes   int64  `json:"bytes"`
	Command string `json:"command"` // that takes it away
	Removed bool   `json:"removed"`
	purge   bool   // belongs to --purge
}

// uninstallJSON is what uninstall prints as JSON.
type uninstallJSON struct {
	Removed []string   `json:"removed"` // files of the extension
	Kept    []string   `json:"kept"`    // files in its folders that are not pictx's
	Stays   []leftover `json:"stays"`
}

func (a *app) runUninstall(ctx context.Context, purge, yes, force bool) error {
	pl, err := a.place()
	if err != nil {
		return err
	}
	v := uninstallJSON{Removed: []string{}, Kept: []string{}, Stays: a.leftovers(pl)}
	if err := a.confirmUninstall(ctx, v.Stays, purge, yes); err != nil {
		return err
	}
	err = a.removeExtensions(pl, force, &v)
	if err == nil && purge {
		err = v.purge()
	}
	return errors.Join(a.out.emit(v, v.text), err)
}

// confirmUninstall asks before anything is lost. An agent does not take its own
// governor out.
func (a *app) confirmUninstall(ctx context.Context, stays []leftover, purge, yes bool) error {
	if !purge {
		return a.confirm(ctx, true, "Uninstall?", "")
	}
	detail := "This cannot be undone:"
	for _, l := range stays {
		if l.purge {
			detail += fmt.Sprintf("\n%s (%s, %s)", l.Path, l.What, text.Bytes(l.Bytes))
		}
	}
	return a.confirm(ctx, yes, "Remove everything that pictx keeps?", detail)
}

// removeExtensions takes the extension out of both places.
func (a *app) removeExtensions(pl place, force bool, v *uninstallJSON) error {
	ext, err := pi.Load()
	if err != nil {
		return err
	}
	var errs error
	for i, t := range []pi.Target{{Root: pl.agentDir}, projectTarget(pl)} {
		if i > 0 && samePath(t.Root, pl.agentDir) {
			continue
		}
		r, err := ext.Remove(t, force)
		for _, name := range r.Removed {
			v.Removed = append(v.Removed, filepath.Join(t.Dir(), name))
		}
		for _, name := range r.Kept {
			v.Kept = append(v.Kept, filepath.Join(t.Dir(), name))
		}
		switch {
		case errors.Is(err, pi.ErrModified):
			err = withHint(exitRefused, "pictx uninstall --force", fmt.Errorf("remove extension: index.ts in %s was changed, and does not load without the others", t.Dir()))
		case err != nil:
			err = setupError(t, err)
		default:
			err = keptError(t.Dir(), r.Kept)
		}
		errs = errors.Join(errs, err)
	}
	return errs
}

// leftovers lists what is there besides the extension.
func (a *app) leftovers(pl place) []leftover {
	stays := []leftover{}
	add := func(path, what, command string, purge bool) {
		if _, err := os.Lstat(path); err == nil {
			stays = append(stays, leftover{Path: path, What: what, Bytes: sizeOf(path), Command: command + shellWord(path), purge: purge})
		}
	}
	add(filepath.Join(pl.agentDir, "pictx"), "stores, blobs and log", "rm -r ", true)
	add(userConfig(pl), "settings", "rm ", true)
	add(projectConfig(pl), "settings of the project", "rm ", false)
	for i, t := range []pi.Target{{Root: pl.agentDir}, projectTarget(pl)} {
		command := "pi remove "
		if i > 0 {
			command = "pi remove -l "
		}
		entries, _ := t.Entries(a.env.Getenv("HOME")) // settings that cannot be read name nothing
		for _, e := range entries {
			if e.Name == "pictx" && e.Kind == pi.Package {
				from := e.Source
				if e.Path != "" {
					from = e.Path
				}
				stays = append(stays, leftover{Path: e.Source, What: "package of pi", Command: command + shellWord(from)})
			}
		}
	}
	return stays
}

// sizeOf adds up the files below a path.
func sizeOf(path string) int64 {
	var n int64
	// What cannot be read counts nothing.
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// purge removes what belongs to it. A symbolic link goes, not what it leads to.
func (v *uninstallJSON) purge() error {
	for i, l := range v.Stays {
		if !l.purge {
			continue
		}
		if err := os.RemoveAll(l.Path); err != nil {
			return withHint(exitFailed, l.Command, fmt.Errorf("remove %s: %w", l.What, err))
		}
		v.Stays[i].Removed = true
	}
	return nil
}

// text says what was done and what is left.
func (v uninstallJSON) text(w *out) {
	if len(v.Removed) == 0 {
		w.printf("the extension is not installed\n")
	}
	files := make(map[string]int)
	for _, p := range v.Removed {
		files[filepath.Dir(p)]++
	}
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		w.printf("removed %s (the extension, %s)\n", text.Printable(dir), text.Count(files[dir], "file"))
	}
	for _, l := range v.Stays {
		if l.Removed {
			w.printf("removed %s (%s)\n", text.Printable(l.Path), l.What)
		}
	}
	for _, l := range v.Stays {
		if l.Removed {
			continue
		}
		size := ""
		if l.Bytes > 0 {
			size = ", " + text.Bytes(l.Bytes)
		}
		w.printf("stays   %s (%s%s); to remove it: %s\n", text.Printable(l.Path), l.What, size, text.Printable(l.Command))
	}
}
