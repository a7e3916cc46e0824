package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// SetupCommand returns the command pictx setup.
func SetupCommand(a *cli.Run) *cobra.Command {
	var to Choice
	o := setupOptions{}
	cmd := &cobra.Command{
		Use:         "setup",
		Short:       "Choose what pictx does, and install it in an agent",
		Annotations: cli.Exits("4 5 11"),
		Args:        cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			said := flags.Changed("systems") || flags.Changed("summaries") || o.yes || o.print
			if !said && !a.Interactive() {
				return exit.WithHint(exit.Refused, a.Again("--yes"), errors.New("set pictx up: there is no terminal to ask in"))
			}
			return runSetup(a, cmd.Context(), o, func(now Choice) (Choice, error) {
				if !said {
					return now, askSetup(a, cmd.Context(), &now)
				}
				if !flags.Changed("systems") {
					to.Systems = now.Systems
				}
				if !flags.Changed("summaries") {
					to.Writer = now.Writer
				}
				return to, nil
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&to.Systems, "systems", nil, "what pictx does, as `names`: "+strings.Join(SystemNames(), ", "))
	f.StringVar(&to.Writer, "summaries", "", "`who` writes the summaries of a compaction: "+strings.Join(WriterNames(), ", "))
	f.BoolVar(&o.print, "print", false, "only show what would change")
	f.BoolVar(&o.yes, "yes", false, "install without asking; current settings apply where no flag says otherwise")
	a.CompleteWords(cmd, "systems", SystemNames())
	a.CompleteWords(cmd, "summaries", WriterNames())
	cmd.AddCommand(setupPi(a))
	return cmd
}

// runSetup changes the settings as choose decides, installs the extension, and checks it.
func runSetup(a *cli.Run, ctx context.Context, o setupOptions, choose func(Choice) (Choice, error)) error {
	if err := a.ForPeople("set pictx up"); err != nil {
		return err
	}
	set, pl, err := workspace.InForce(a.Workspace)
	if err != nil {
		return err
	}
	now := Present(&set.Config)
	to, err := choose(now)
	if err != nil {
		return err
	}
	if err := to.Check(); err != nil {
		return exit.UsageError("pictx setup --help", "%w", err)
	}
	s, err := newSetup(a, o)
	if err != nil {
		return err
	}
	edits := Settings(now, to)
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
	for _, e := range edits {
		if _, _, err := workspace.WriteSetting(set, pl, e.Key, false, func(text []byte) ([]byte, bool, error) {
			b, err := config.Set(text, e.Key, e.Value)
			return b, true, err
		}); err != nil {
			return err
		}
	}
	if err := s.install(ctx); err != nil {
		return err
	}
	a.Out.Printf("\nchecked:\n")
	return checkExtension(a, s.Project, s.target, s.command(""))
}

// preview lists every file that will be changed, and how. It reports false when all is as it
// should be.
func (s *setup) preview(edits []Setting) (changes bool) {
	changes = !s.installedAsIs() || len(edits) > 0
	s.listFiles(s.Out)
	if len(edits) > 0 {
		s.Out.Printf("%s\n", workspace.UserConfig(s.Project))
		for _, e := range edits {
			s.Out.Printf("  %s = %s\n", e.Key, cmp.Or(e.Value, "[]"))
		}
	}
	found, _ := s.originals() // installing reports settings that cannot be read
	file := ""
	for _, o := range found {
		if o.Kind == pi.Folder {
			continue // a directory is the user's own, and stays
		}
		changes = true
		if name := o.Target.SettingsFile(); name != file {
			file = name
			s.Out.Printf("%s\n", file)
		}
		s.Out.Printf("  without %s, which does the same work%s\n", text.TerminalLine(o.Source), s.ifAgreed())
	}
	if !changes {
		s.Out.Printf("nothing to change\n")
	}
	s.Out.Printf("\n")
	return changes
}

// ifAgreed adds that the user is asked about a change, unless --yes is given.
func (s *setup) ifAgreed() string {
	if s.yes {
		return ""
	}
	return ", if you agree"
}

// askSetup asks the user. The settings in force are the default answers.
func askSetup(a *cli.Run, ctx context.Context, to *Choice) error {
	const marks = 6 // the width of the marks before an option's name
	option := func(name, does, value string, column int) huh.Option[string] {
		return huh.NewOption(fmt.Sprintf("%-*s  %s", column, name, cli.Hang(does, column+2, a.Env.Width-marks)), value)
	}
	var systems, writers []huh.Option[string]
	promise := "It opens no network connection, and pi waits 200 ms for it at most."
	height := 2 + strings.Count(cli.Hang(promise, 0, a.Env.Width-2), "\n")
	for _, s := range Systems() {
		systems = append(systems, option(s.Name, s.Does, s.Name, 9))
		height += 1 + strings.Count(systems[len(systems)-1].Key, "\n")
	}
	for _, w := range Writers() {
		writers = append(writers, option(w.Name, w.Does, w.Name, 7))
	}
	if to.Writer == "" {
		writers = append(writers, option("current", "the models in history.models", "", 7))
	}
	return a.Ask(ctx,
		huh.NewMultiSelect[string]().Title("What should pictx do in pi?").
			Description(promise).Options(systems...).Height(height).Value(&to.Systems),
		huh.NewSelect[string]().Title("What should write the summary when pi compacts a session?").Options(writers...).Value(&to.Writer),
	)
}
