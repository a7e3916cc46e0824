package decision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// switchVerb returns a verb of the original extension that switches decisions on or off. At a
// shell, pictx config set does the same.
func switchVerb(name, value string) verb {
	global, local := false, false
	return verb{
		use:    name,
		short:  "Set decisions.enabled to " + value,
		hidden: true,
		plain:  true,
		exits:  "5",
		args:   cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&global, "global", false, "in your own pictx.toml, for all projects")
			cmd.Flags().BoolVar(&local, "project", false, "in this project's")
		},
		check: func(*cli.Run, *cobra.Command, []string) error {
			if global == local {
				return exit.UsageError("pictx decision "+name+" --project", "%s decisions: want --global or --project", name)
			}
			return nil
		},
		people: "change settings",
		run: func(_ context.Context, w *decisions, _ []string) error {
			path := workspace.UserConfig(w.Project)
			if local {
				path = workspace.ProjectConfig(w.Project)
			}
			return w.enable(path, value)
		},
	}
}

// enable writes the setting to a file, whose other bytes stay, and warns when another one
// overrides it.
func (w *decisions) enable(path, value string) error {
	old, err := w.Project.ReadSettings(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read settings: %w", err)
	}
	changed, err := config.Set(old, workspace.KeyDecisions, value)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err = w.Settings.Write(w.Project, path, changed, 0o600); err != nil {
		return err
	}
	w.say("wrote %s", text.Printable(path))
	if w.Settings, err = w.app.LoadSettings(w.Project); err != nil {
		return err
	}
	where, err := w.Off()
	if (value == "true") != (where == "") {
		w.say("warning: that changes nothing: %s decides", text.Printable(cmp.Or(where, "another setting")))
	}
	return err
}

// initResult is the JSON output of init.
type initResult struct {
	V     int      `json:"v"`
	Done  bool     `json:"done"`
	Files []string `json:"files"`
}

func initVerb() verb {
	var o initOptions
	return verb{
		use:   "init",
		short: "Prepare a repository for decisions",
		exits: "5 130",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.BoolVar(&o.yes, "yes", false, "do not ask")
			f.BoolVar(&o.dry, "dry-run", false, "write nothing; show what would be written")
			f.BoolVar(&o.driver, "driver", false, "merge with pictx decision merge-driver")
		},
		run: func(ctx context.Context, w *decisions, _ []string) error { return prepareRepository(ctx, w, o) },
	}
}

// initOptions are the flags of init.
type initOptions struct{ yes, dry, driver bool }

// prepareRepository writes the files that decisions need in a repository.
func prepareRepository(ctx context.Context, w *decisions, o initOptions) error {
	plan, err := initPlan(w, o.driver)
	if err != nil {
		return err
	}
	v := initResult{V: 1, Files: []string{}}
	for _, f := range plan {
		v.Files = append(v.Files, f.path)
		w.say("%s: %s", text.Printable(f.path), f.what)
	}
	configures := o.driver && w.Repository().Check(ctx) == nil && !w.DriverConfigured(ctx)
	if configures {
		w.say("git config: %s = %s", workspace.DriverKey, w.DriverCommand())
	}
	if (len(plan) > 0 || configures) && !o.dry {
		if err := w.app.Confirm(ctx, o.yes, "Write "+text.Count(len(plan), "file")+"?", strings.Join(v.Files, "\n")); err != nil {
			return err
		}
		if err := writePlan(ctx, w, plan, configures); err != nil {
			return err
		}
		v.Done = true
	}
	if o.driver {
		w.say("everybody who clones runs pictx decision init --driver once")
	}
	verb := "wrote"
	if o.dry {
		verb = "would write"
	}
	return w.emit(v, func(o *cli.Out) { o.Printf("%s %s\n", verb, text.Count(len(plan), "file")) })
}

// writePlan writes the planned files and configures the merge driver in this clone.
func writePlan(ctx context.Context, w *decisions, plan []plannedFile, configures bool) error {
	for _, f := range plan {
		if err := w.Settings.Write(w.Project, f.path, f.text, 0o644); err != nil {
			return err
		}
	}
	if !configures {
		return nil
	}
	return w.ConfigureDriver(ctx)
}

// plannedFile is a file that init writes.
type plannedFile struct {
	path, what string
	text       []byte
}

// initPlan lists the files to write, none when everything is set up.
func initPlan(w *decisions, driver bool) ([]plannedFile, error) {
	var out []plannedFile
	dir := filepath.Dir(w.Log.Path())
	merge := "union"
	if driver {
		merge = workspace.DriverName
	}
	for _, f := range []struct {
		path  string
		lines []string
	}{
		{filepath.Join(w.Project.Root, ".gitattributes"), []string{".pi/decision-memory/decisions.jsonl merge=" + merge + " -text eol=lf"}},
		{filepath.Join(dir, ".gitignore"), []string{"decisions.lock", "*.bak"}},
	} {
		const limit = 1 << 20
		old, err := repo.Read(w.Project.Root, f.path, limit)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("read %s: %w", f.path, err)
		}
		text := string(old)
		var added []string
		for _, line := range f.lines {
			if with, changed := withLine(text, line); changed {
				text, added = with, append(added, line)
			}
		}
		if len(added) > 0 {
			out = append(out, plannedFile{f.path, strings.Join(added, ", "), []byte(text)})
		}
	}
	return out, nil
}

// withLine returns text with a line added, or replacing the line with the same first word.
// It reports whether the text changed.
func withLine(text, line string) (string, bool) {
	name, _, _ := strings.Cut(line, " ")
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		first, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if first == name {
			if strings.TrimSpace(l) == line {
				return text, false
			}
			lines[i] = line
			return strings.Join(lines, "\n"), true
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + line + "\n", true
}
