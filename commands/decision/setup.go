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
		check: func(*cobra.Command, []string) error {
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
		run: o.run,
	}
}

// initOptions are the flags of init.
type initOptions struct{ yes, dry, driver bool }

// run tells git how to merge the log.
func (o *initOptions) run(ctx context.Context, w *decisions, _ []string) error {
	const limit = 1 << 20
	path, merge := filepath.Join(w.Project.Root, ".gitattributes"), "union"
	if o.driver {
		merge = workspace.DriverName
	}
	old, rerr := repo.Read(w.Project.Root, path, limit)
	if rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
		return fmt.Errorf("read %s: %w", path, rerr)
	}
	v := initResult{V: 1, Files: []string{}}
	var about []string
	line := ".pi/decision-memory/decisions.jsonl merge=" + merge + " -text eol=lf"
	attributes := withLine(string(old), line)
	if attributes != string(old) {
		v.Files, about = append(v.Files, path), append(about, path+": "+line)
	}
	configures := o.driver && w.Check(ctx) == nil && !w.DriverConfigured(ctx)
	if configures {
		about = append(about, "git config: "+workspace.DriverKey+" = "+w.DriverCommand())
	}
	var err error
	verb := "wrote"
	if v.Done = len(about) > 0 && !o.dry; v.Done {
		err = w.confirm(ctx, o.yes, "Prepare this repository?", about...)
	} else if o.dry {
		verb = "would write"
		w.sayAll(about)
	}
	if err == nil && v.Done && len(v.Files) > 0 {
		err = w.Settings.Write(w.Project, path, []byte(attributes), 0o644)
	}
	if err == nil && v.Done && configures {
		err = w.ConfigureDriver(ctx)
	}
	if err != nil {
		return err
	}
	if o.driver {
		w.say("everybody who clones runs pictx decision init --driver once")
	}
	return w.emit(v, func(o *cli.Out) { o.Printf("%s %s\n", verb, text.Count(len(v.Files), "file")) })
}

// withLine returns text with a line added, or replacing the line with the same first word.
func withLine(text, line string) string {
	name, _, _ := strings.Cut(line, " ")
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), name+" ") {
			lines[i] = line
			return strings.Join(lines, "\n")
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + line + "\n"
}
