package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/workspace"
)

// setupOptions are the flags of setup.
type setupOptions struct {
	to         choice
	said       bool // some flags say what is wanted: there is nothing to ask
	onlyInPi   bool // setup pi installs the extension and changes no setting
	local      bool
	check      bool
	print      bool
	yes, force bool
}

// SetupCommand returns the command pictx setup.
func SetupCommand(a *cli.Run) *cobra.Command {
	var o setupOptions
	cmd := cli.Command("setup [pi]", "Choose what pictx does, and install it in pi", "4 5 11", cli.SomeArgs(0, 1), nil)
	cmd.ValidArgs = []string{"pi"}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && args[0] != "pi" {
			return exit.UsageError("pictx setup pi", "unknown agent %q: want pi", args[0])
		}
		o.onlyInPi = len(args) > 0
		o.said = cmd.Flags().Changed("systems") || o.to.writer != "" || o.yes || o.print
		return runSetup(a, cmd.Context(), o)
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.to.systems, "systems", nil, "what pictx does, as `names`: "+strings.Join(systemNames(), ", "))
	cli.WordFlag(cmd, &o.to.writer, "summaries", "`who` writes the summaries of a compaction", "session", "none", "pi")
	f.BoolVarP(&o.local, "local", "l", false, "install into this project only")
	f.BoolVar(&o.check, "check", false, "only report whether there is something to do, with exit code 1 if so")
	f.BoolVar(&o.print, "print", false, "only show what would change")
	f.BoolVar(&o.yes, "yes", false, "install without asking; current settings apply where no flag says otherwise")
	f.BoolVar(&o.force, "force", false, "also replace files that somebody changed")
	cmd.MarkFlagsMutuallyExclusive("check", "print")
	a.CompleteWords(cmd, "systems", systemNames())
	return cmd
}

// setup is one run of the command.
type setup struct {
	*cli.Run
	workspace.Project
	setupOptions
	target pi.Target
	ext    pi.Extension
	status pi.Status
	binary pi.Binary // this program
}

// runSetup changes the settings as a person chooses, installs the extension, and checks it.
func runSetup(a *cli.Run, ctx context.Context, o setupOptions) error {
	s, err := newSetup(a, o)
	if err != nil {
		return err
	}
	if o.check {
		return s.checked()
	}
	set, _, err := workspace.InForce(a.Workspace)
	if err != nil {
		return err
	}
	var edits []setting
	if !o.onlyInPi {
		if edits, err = s.choose(ctx, set); err != nil {
			return err
		}
	}
	if o.print || !o.onlyInPi {
		changes := s.preview(edits)
		if o.print {
			return nil
		}
		if changes && !o.yes && a.Interactive() {
			a.Out.Flush()
			if err := a.ConfirmOr(ctx, true, "Write this?", "Enter or y writes it, n does not. pictx uninstall undoes it."); err != nil {
				return err
			}
		}
	}
	for _, e := range edits {
		edit := func(text []byte) ([]byte, bool, error) {
			b, err := config.Set(text, e.key, e.value)
			return b, true, err
		}
		if _, err := workspace.WriteSetting(set, s.Project, e.key, false, edit); err != nil {
			return err
		}
	}
	if err := s.install(ctx); err != nil || o.onlyInPi {
		return err
	}
	a.Out.Printf("\nchecked:\n")
	return s.checked()
}

// newSetup reads the current state of the installation.
func newSetup(a *cli.Run, o setupOptions) (*setup, error) {
	pl, err := a.Here()
	if err != nil {
		return nil, err
	}
	s := &setup{Run: a, Project: pl, setupOptions: o, target: pi.Target{Root: pl.AgentDir}}
	if o.local {
		s.target = projectTarget(pl)
	}
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
	return pi.Target{Root: filepath.Join(pl.Root, ".pi"), Local: true}
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

// setupCommand returns the command that installs the extension at t, for hints.
func setupCommand(t pi.Target) string {
	if t.Local {
		return "pictx setup pi --local"
	}
	return "pictx setup pi"
}

// choose returns the settings to change: as the flags say, or as a person answers.
func (s *setup) choose(ctx context.Context, set *workspace.Settings) ([]setting, error) {
	if err := s.ForPeople("set pictx up"); err != nil {
		return nil, err
	}
	to := present(set.Resolved)
	switch {
	case s.said:
		if s.to.systems != nil {
			to.systems = s.to.systems
		}
		to.writer = cmp.Or(s.to.writer, to.writer)
	case !s.Interactive():
		return nil, exit.WithHint(exit.Refused, s.Again("--yes"), errors.New("set pictx up: there is no terminal to ask in"))
	default:
		if err := s.ask(ctx, &to); err != nil {
			return nil, err
		}
	}
	for _, name := range to.systems {
		if !slices.Contains(systemNames(), name) {
			return nil, exit.UsageError("pictx setup --help", "unknown system %q: want %s", name, strings.Join(systemNames(), ", "))
		}
	}
	return to.changes(set.Resolved), nil
}

// ask asks the user. The settings in force are the default answers.
func (s *setup) ask(ctx context.Context, to *choice) error {
	const marks = 6 // the width of the marks before an option's name
	option := func(name, does, value string, column int) huh.Option[string] {
		return huh.NewOption(fmt.Sprintf("%-*s  %s", column, name, cli.Hang(does, column+2, s.Env.Width-marks)), value)
	}
	var parts, who []huh.Option[string]
	promise := "It opens no network connection, and pi waits 200 ms for it at most."
	height := 2 + strings.Count(cli.Hang(promise, 0, s.Env.Width-2), "\n")
	for _, p := range systems() {
		parts = append(parts, option(p.name, p.does, p.name, 9))
		height += 1 + strings.Count(parts[len(parts)-1].Key, "\n")
	}
	for _, w := range writers() {
		who = append(who, option(w.name, w.does, w.name, 7))
	}
	if to.writer == "" {
		who = append(who, option("current", "the models in history.models", "", 7))
	}
	return s.Ask(ctx,
		huh.NewMultiSelect[string]().Title("What should pictx do in pi?").
			Description(promise).Options(parts...).Height(height).Value(&to.systems),
		huh.NewSelect[string]().Title("What should write the summary when pi compacts a session?").Options(who...).Value(&to.writer),
	)
}

// preview lists every file that will be changed, and how. It reports false when all is as it
// should be.
func (s *setup) preview(edits []setting) (changes bool) {
	w := s.Out
	w.Printf("%s\n", s.status.Dir)
	stale := len(s.ext.Files()) // files that are not installed as this program has them
	for _, f := range s.status.Files {
		if f.State == pi.Current {
			stale--
		}
	}
	if s.status.State() == pi.Current && s.status.Binary == s.binary {
		w.Printf("  all %s are as they should be\n", text.Count(len(s.ext.Files())+1, "file"))
	} else {
		changes = true
		if stale > 0 {
			w.Printf("  new: %s\n", text.Count(stale, "file"))
		}
		w.Printf("  binary.json, to run %s\n", s.binary.Path)
	}
	if len(edits) > 0 {
		changes = true
		w.Printf("%s\n", workspace.UserConfig(s.Project))
	}
	for _, e := range edits {
		w.Printf("  %s = %s\n", e.key, e.value)
	}
	agreed := ", if you agree"
	if s.yes {
		agreed = ""
	}
	found, _ := originals(s.Run, s.Project) // installing reports settings that cannot be read
	for _, o := range found {
		if o.Kind != pi.Folder { // a directory is the user's own, and stays
			changes = true
			w.Printf("%s\n  without %s, which does the same work%s\n", o.Target.SettingsFile(), text.TerminalLine(o.Source), agreed)
		}
	}
	if !changes {
		w.Printf("nothing to change\n")
	}
	w.Printf("\n")
	return changes
}

// checked prints what doctor says of the extension, and fails if there is something to do.
func (s *setup) checked() error {
	d := &doctor{Run: s.Run, Project: s.Project}
	if !d.extensionAt(s.ext, s.target) {
		d.say("extension", resultWarning, setupCommand(s.target), "pictx is not installed in %s", s.target.Dir())
	}
	d.doubles()
	d.found.Text(s.Out)
	if d.found.has(resultWarning) || d.found.has(resultError) {
		return exit.Silent(exit.Failed)
	}
	return nil
}

// system is a part of pictx that can be switched off.
type system struct {
	name string // as --systems takes it
	key  string // the setting that switches it
	does string // what it is for and what it costs at most, in up to 60 columns
}

// systems returns the systems that a person is asked about.
func systems() []system {
	return []system{
		{"prune", "prune.enabled", "remove old tool output; 300 tokens per request from then on"},
		{"history", "history.enabled", "keep every session searchable; disk space, no tokens"},
		{"decisions", "decisions.enabled", "show the model up to 20 decisions of a trusted project"},
		{"code", "kota.enabled", "answer code questions; 450 tokens per request once indexed"},
		{"objects", "objects.enabled", "keep versions of what a session saw; disk space, no tokens"},
	}
}

func systemNames() (names []string) {
	for _, s := range systems() {
		names = append(names, s.name)
	}
	return names
}

// writer writes the summaries of compactions, by its settings.
type writer struct {
	name string // as --summaries takes it
	does string
	set  []setting
}

// writers returns the writers to choose from. Other models need the setting history.models,
// because their names do not fit a question of two lines.
func writers() []writer {
	return []writer{
		{"session", "the session's own model, at about pi's own price", []setting{{"history.compact", "true"}, {"history.models", "[]"}}},
		{"none", "no model: free extracts; nothing leaves your machine", []setting{{"history.compact", "true"}, {"history.models", `["none"]`}}},
		{"pi", "pi, as without pictx; the originals stay searchable", []setting{{"history.compact", "false"}}},
	}
}

// setting is a key with a value, in TOML form.
type setting struct{ key, value string }

// in reports whether the settings have it.
func (e setting) in(set *config.Resolved) bool {
	v, err := set.Get(e.key)
	return err == nil && v.Text == e.value
}

// choice is the answer of a person.
type choice struct {
	systems []string
	// writer names one of writers. "" means models that the user configured.
	writer string
}

// present returns the choice that corresponds to settings.
func present(set *config.Resolved) (c choice) {
	for _, s := range systems() {
		if (setting{s.key, "true"}).in(set) {
			c.systems = append(c.systems, s.name)
		}
	}
	for _, w := range writers() {
		if !slices.ContainsFunc(w.set, func(e setting) bool { return !e.in(set) }) {
			c.writer = w.name
		}
	}
	return c
}

// changes returns the settings that have to change for the choice.
func (c choice) changes(set *config.Resolved) []setting {
	var all []setting
	for _, s := range systems() {
		all = append(all, setting{s.key, fmt.Sprint(slices.Contains(c.systems, s.name))})
	}
	for _, w := range writers() {
		if w.name == c.writer {
			all = append(all, w.set...)
		}
	}
	return slices.DeleteFunc(all, func(e setting) bool { return e.in(set) })
}
