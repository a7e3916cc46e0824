package decision

import (
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

// switchResult is the JSON output of enable and disable.
type switchResult struct {
	V       int    `json:"v"`
	File    string `json:"file"`
	Enabled bool   `json:"enabled"`
	Off     string `json:"off"`
}

// switchVerb returns a verb of the original extension that switches decisions on or off. At a
// shell, pictx config set does the same.
func switchVerb(name, value string) verb {
	global, dir := false, ""
	return verb{
		use:    name,
		short:  "Set decisions.enabled to " + value,
		hidden: true,
		exits:  "5",
		args:   cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.BoolVar(&global, "global", false, "in your own pictx.toml, for all projects")
			f.StringVar(&dir, "project", "", "for this project, or the one around a `directory` given after =")
			f.Lookup("project").NoOptDefVal = "."
		},
		check: func(a *cli.Run, _ *cobra.Command, _ []string) error {
			if global == (dir != "") {
				return exit.UsageError("pictx decision "+name+" --project", "%s decisions: want --global or --project", name)
			}
			if dir != "." {
				a.ProjectDir = dir
			}
			return nil
		},
		people: "change settings",
		run:    func(_ context.Context, w *decisions, _ []string) error { return enableDecisions(w, value, dir != "") },
	}
}

// enableDecisions writes the setting and warns when another setting overrides it.
func enableDecisions(w *decisions, value string, local bool) error {
	for _, l := range w.Settings.Files {
		if err := config.Malformed(l); err != nil {
			return exit.WithHint(exit.Usage, "correct the file first", fmt.Errorf("change settings: %w", err))
		}
	}
	path := workspace.UserConfig(w.Place)
	if local {
		path = workspace.ProjectConfig(w.Place)
	}
	if err := setIn(w, path, workspace.KeyDecisions, value); err != nil {
		return err
	}
	var err error
	if w.Settings, err = w.app.LoadSettings(w.Place); err != nil {
		return err
	}
	where, err := w.Off()
	if err != nil {
		return err
	}
	if (value == "true") != (where == "") {
		w.say("warning: they are still %s: %s", map[bool]string{true: "on", false: "off"}[where == ""], whyStill(where))
	}
	v := switchResult{1, path, where == "", where}
	return w.emit(v, func(o *cli.Out) { o.Printf("wrote %s\n", text.Printable(path)) })
}

// whyStill says which setting overrides the written one.
func whyStill(where string) string {
	if where == "" {
		return "pictx config list --origin says why"
	}
	return where + " says so"
}

// setIn sets a key in a settings file and leaves the rest of the file unchanged.
func setIn(w *decisions, path, key, value string) error {
	old, err := w.Place.ReadSettings(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read settings: %w", err)
	}
	text, err := config.Set(old, key, value)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return w.Settings.Write(w.Place, path, text, 0o600)
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
			f.BoolVar(&o.retention, "retention", false, "also limit how long drafts, rejected and superseded decisions are kept")
		},
		run: func(ctx context.Context, w *decisions, _ []string) error { return prepareRepository(ctx, w, o) },
	}
}

// initOptions are the flags of init.
type initOptions struct{ yes, dry, driver, retention bool }

// prepareRepository writes the files that decisions need in a repository.
func prepareRepository(ctx context.Context, w *decisions, o initOptions) error {
	plan, err := initPlan(w, o.driver, o.retention)
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
		if err := w.Settings.Write(w.Place, f.path, f.text, 0o644); err != nil {
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
func initPlan(w *decisions, driver, retention bool) ([]plannedFile, error) {
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
		{filepath.Join(w.Place.Root, ".gitattributes"), []string{".pi/decision-memory/decisions.jsonl merge=" + merge + " -text eol=lf"}},
		{filepath.Join(dir, ".gitignore"), []string{"decisions.lock", "*.bak"}},
	} {
		const limit = 1 << 20
		old, err := repo.Read(w.Place.Root, f.path, limit)
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
	if !retention {
		return out, nil
	}
	f, err := retentionFile(w)
	if err != nil || f == nil {
		return out, err
	}
	return append(out, *f), nil
}

// retentionFile returns the project's settings file with the missing retention days added,
// nil when none are missing.
func retentionFile(w *decisions) (*plannedFile, error) {
	set, err := w.app.TrustedSettings(w.Place, new(true))
	if err != nil {
		return nil, err
	}
	path := workspace.ProjectConfig(w.Place)
	text, err := w.Place.ReadSettings(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	missing := false
	for _, k := range [][2]string{{"draft", "30"}, {"rejected", "90"}, {"superseded", "180"}} {
		key := "decisions.retention_days." + k[0]
		if v, err := set.Get(key); err != nil || !v.Default {
			continue
		}
		missing = true
		if text, err = config.Set(text, key, k[1]); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if !missing {
		return nil, nil
	}
	return &plannedFile{path, "decisions.retention_days", text}, nil
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
