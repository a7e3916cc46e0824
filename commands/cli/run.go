package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/console"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// Run is one run of the program.
type Run struct {
	*workspace.Workspace
	Env *Env

	Color       string // the flags that every command has
	Quiet       bool
	Verbose     bool
	ShowVersion bool // --version of pictx itself

	DecisionRoot string // --root of decisions

	JSON         bool   // the running command's --json
	JQ, Template string // its --jq and --template
	Out          *Out
	// FailsOpen is set for commands that an agent waits for: they exit with 0 whatever
	// happens.
	FailsOpen bool
}

// NewRun is a run in an environment.
func NewRun(env *Env) *Run {
	a := &Run{Workspace: &workspace.Workspace{Env: &env.Process}, Env: env}
	a.Warning, a.Counter = a.printWarning, a.startCounter
	return a
}

// HomePath is a path as people write it: with ~ for the home directory.
func (a *Run) HomePath(p string) string {
	home := a.Env.Getenv("HOME")
	rest, inside := strings.CutPrefix(p, home)
	if home == "" || !inside || rest != "" && rest[0] != filepath.Separator {
		return p
	}
	return "~" + rest
}

// The groups commands are listed under.
const (
	GroupContext = "context"
	GroupHistory = "history"
	GroupCare    = "care"
)

// printWarning prints a warning, and the command that helps.
func (a *Run) printWarning(line, hint string) {
	fmt.Fprintf(a.Env.Err, "pictx: warning: %s\n", text.Printable(line))
	if hint != "" {
		fmt.Fprintf(a.Env.Err, "hint: %s\n", text.Printable(hint))
	}
}

// Parent returns a command that only holds others. By itself it prints its help.
func Parent(use, group, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, GroupID: group, Short: short, Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// JSONFlag gives a command --json, and what filters and formats that.
func (a *Run) JSONFlag(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&a.JSON, "json", false, "print JSON")
	f.StringVar(&a.JQ, "jq", "", "filter the JSON with a jq `expression`")
	f.StringVar(&a.Template, "template", "", "format the JSON with a Go `template`")
}

// Renamed has flags of a command take the names that they had before too, for one release:
// help does not list them. names are the new ones by the old.
func Renamed(cmd *cobra.Command, names map[string]string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(cmp.Or(names[name], name))
	})
}

// Speak has the running command say as much as --quiet and --verbose ask for.
func (a *Run) Speak() {
	if a.Quiet {
		a.Env.Err = console.Hush(a.Env.Err)
	} else if a.Verbose {
		a.explain()
	}
}

// explain says on standard error what the running command works on.
func (a *Run) explain() {
	pl, err := a.Place()
	if err != nil {
		return // the command says so
	}
	fmt.Fprintf(a.Env.Err, "pictx: project %s\npictx: store %s\n", text.Printable(pl.Root), text.Printable(pl.StorePath(pl.AgentDir)))
	if set, err := a.LoadSettings(pl); err == nil {
		for _, l := range set.Files {
			if l.Data != nil {
				fmt.Fprintf(a.Env.Err, "pictx: settings %s\n", text.Printable(l.Path))
			}
		}
	}
}

// NoArgs refuses arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		err := fmt.Sprintf("unknown command %q", args[0])
		for cmd.SuggestionsMinimumDistance = 1; cmd.SuggestionsMinimumDistance <= 2; cmd.SuggestionsMinimumDistance++ {
			if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
				return exit.UsageError(asItStands(cmd, s[0]), "%s: did you mean %s?", err, s[0])
			}
		}
		return exit.UsageError(cmd.CommandPath()+" --help", "%s", err)
	}
	return exit.UsageError(cmd.CommandPath()+" --help", "unexpected argument %q", args[0])
}

// asItStands is a subcommand in a form that can be pasted: its help, where it needs
// arguments.
func asItStands(parent *cobra.Command, name string) string {
	line := parent.CommandPath() + " " + name
	if sub, _, err := parent.Find([]string{name}); err != nil || sub.ValidateArgs(nil) != nil {
		line += " --help"
	}
	return line
}

// SomeArgs accepts minimum to maximum arguments; a maximum of -1 means no limit.
func SomeArgs(minimum, maximum int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < minimum:
			return exit.UsageError(cmd.CommandPath()+" --help", "missing argument: usage is %s", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		case maximum >= 0 && len(args) > maximum:
			return exit.UsageError(cmd.CommandPath()+" --help", "unexpected argument %q", args[maximum])
		}
		return nil
	}
}

// ExitStatus is the annotation of every command that holds its exit codes as
// text, for the generators of documentation.
const ExitStatus = "exit-status"

// Exits lists the codes a command may end with besides 0, 1 and 2.
func Exits(codes string) map[string]string { return map[string]string{"exit": codes} }

// Moment reads the time of a flag: a date in local time, a time with its offset, or a
// span of time before now. An empty one is 0.
func (a *Run) Moment(s string) (int64, error) {
	ms, ok := text.Moment(s, a.Env.Now())
	if s != "" && !ok {
		return 0, exit.UsageError("give a date as 2026-03-01, or a span as 3d", "parse time %q: want a date, a date with time, or a span such as 2h, 3d", s)
	}
	return ms, nil
}
