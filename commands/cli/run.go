package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// Run is one run of the program.
type Run struct {
	*workspace.Workspace
	Env *Env

	Color       string // this and the next two are flags of every command
	Quiet       bool
	Verbose     bool
	ShowVersion bool // --version of pictx itself

	JSON         bool   // the running command's --json
	JQ, Template string // its --jq and --template
	Out          *Out
	// FailsOpen makes the program exit with 0 whatever happens, for commands that an
	// agent waits for.
	FailsOpen bool
}

// NewRun returns a run in an environment.
func NewRun(env *Env) *Run {
	a := &Run{Workspace: &workspace.Workspace{Env: &env.Process}, Env: env}
	a.Warning = func(line, hint string) {
		fmt.Fprintf(a.Env.Err, "pictx: warning: %s\n", text.Printable(line))
		if hint != "" {
			fmt.Fprintf(a.Env.Err, "hint: %s\n", text.Printable(hint))
		}
	}
	a.Counter = func(verb string, total int64) (to func(int64), end func()) {
		p := a.ProgressOf(verb, total, func(n int64) string { return text.Thousands(n) })
		return p.To, p.End
	}
	return a
}

// HomePath shortens a path with ~ for the home directory.
func (a *Run) HomePath(p string) string {
	home := a.Env.Getenv("HOME")
	rest, inside := strings.CutPrefix(p, home)
	if home == "" || !inside || rest != "" && rest[0] != filepath.Separator {
		return p
	}
	return "~" + rest
}

// The groups of commands in the help.
const (
	GroupContext = "context"
	GroupHistory = "history"
	GroupCare    = "care"
)

// Command returns a command: how it is called, what it does in a line, its exit codes besides 0,
// 1 and 2, as in "3 10 11", which arguments it takes, and what it does.
func Command(use, short, exits string, args cobra.PositionalArgs, run func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Annotations: Exits(exits), Args: args,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) },
	}
}

// Parent returns a command that only holds others. By itself it prints its help.
func Parent(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// Moved returns a hidden command that says where a former one went.
func Moved(name, now string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, Args: cobra.ArbitraryArgs, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exit.UsageError(now, "%s is gone: its place is %s", cmd.CommandPath(), now)
		},
	}
}

// JSONFlag adds --json to a command, with the flags that filter and format JSON, and returns it.
func (a *Run) JSONFlag(cmd *cobra.Command) *cobra.Command {
	f := cmd.Flags()
	f.BoolVar(&a.JSON, "json", false, "print JSON")
	f.StringVar(&a.JQ, "jq", "", "filter the JSON with a jq `expression`")
	f.StringVar(&a.Template, "template", "", "format the JSON with a Go `template`")
	return cmd
}

// word is the value of a flag that takes one of a few words.
type word struct {
	to    *string
	words []string
}

// String implements pflag.Value.
func (w word) String() string { return *w.to }

// Type implements pflag.Value.
func (w word) Type() string { return "string" }

// Set implements pflag.Value.
func (w word) Set(s string) error {
	if !slices.Contains(w.words, s) {
		return fmt.Errorf("%s%s", wantWord, strings.Join(w.words, ", "))
	}
	*w.to = s
	return nil
}

// wantWord begins the error of a word that a flag does not take.
const wantWord = "want "

// WordFlag adds a flag that takes one of a few words, and completes them. to holds the default.
func WordFlag(cmd *cobra.Command, to *string, name, usage string, words ...string) {
	cmd.Flags().Var(word{to, words}, name, usage+": "+strings.Join(words, ", "))
	Complete(cmd, name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// FlagError words an error of a flag. A value that it does not take is described by what it
// should be, not by the function that failed.
func FlagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f, help := invalid.GetFlag(), cmd.CommandPath()+" --help"
		want, ok := map[string]string{"int": "a whole number", "int64": "a whole number", "bool": "true or false", "float64": "a number"}[f.Value.Type()]
		switch cause := errors.Unwrap(err); {
		case ok:
			return exit.UsageError(help, "invalid --%s %q: want %s", f.Name, invalid.GetValue(), want)
		case cause != nil && strings.HasPrefix(cause.Error(), wantWord):
			return exit.UsageError(help, "unknown --%s %q: %w", f.Name, invalid.GetValue(), cause)
		}
	}
	return exit.FlagError(cmd.CommandPath(), cmd.Flags().Args(), err)
}

// Hide leaves flags out of the help that work and that few people type: they repeat what a
// shell does, or the output proposes them.
func Hide(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f.Lookup(name).Hidden = true
	}
}

// Speak applies --quiet and --verbose.
func (a *Run) Speak() {
	if a.Quiet {
		a.Env.Err = Hush(a.Env.Err)
	} else if a.Verbose {
		a.explain()
	}
}

// explain prints to standard error which project, store and settings the command uses.
func (a *Run) explain() {
	pl, err := a.Here()
	if err != nil {
		return // the command reports the error
	}
	fmt.Fprintf(a.Env.Err, "pictx: project %s\npictx: store %s\n", text.Printable(pl.Root), text.Printable(pl.StorePath()))
	if set, err := a.LoadSettings(pl); err == nil {
		for _, l := range set.Files {
			if l.Data != nil {
				fmt.Fprintf(a.Env.Err, "pictx: settings %s\n", text.Printable(l.Path))
			}
		}
	}
}

// NoArgs rejects arguments, and suggests a subcommand for a misspelled one.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		err := fmt.Sprintf("unknown command %q", args[0])
		for cmd.SuggestionsMinimumDistance = 1; cmd.SuggestionsMinimumDistance <= 2; cmd.SuggestionsMinimumDistance++ {
			if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
				return exit.UsageError(runnable(cmd, s[0]), "%s: did you mean %s?", err, s[0])
			}
		}
		return exit.UsageError(cmd.CommandPath()+" --help", "%s", err)
	}
	return exit.UsageError(cmd.CommandPath()+" --help", "unexpected argument %q", args[0])
}

// runnable returns a subcommand in a form that can be pasted: its help if it needs
// arguments.
func runnable(parent *cobra.Command, name string) string {
	line := parent.CommandPath() + " " + name
	if sub, _, err := parent.Find([]string{name}); err != nil || sub.ValidateArgs(nil) != nil {
		line += " --help"
	}
	return line
}

// SomeArgs accepts minimum to maximum arguments. A maximum of -1 means no limit.
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

// Exits lists the exit codes of a command besides 0, 1 and 2, as in "3 10 11".
func Exits(codes string) map[string]string { return map[string]string{"exit": codes} }

// ExitCodes lists the exit codes of a command, as Exits gave them, after those of every command.
func ExitCodes(cmd *cobra.Command) []string {
	return append([]string{"0", "1", "2"}, strings.Fields(strings.TrimPrefix(cmd.Annotations["exit"], "2 "))...)
}

// ExitStatus lists the exit codes of a command with their meanings, a line each.
func ExitStatus(cmd *cobra.Command) string {
	codes, b := ExitCodes(cmd), strings.Builder{}
	for _, m := range exit.Meanings() {
		if slices.Contains(codes, strconv.Itoa(m.Code)) {
			fmt.Fprintf(&b, "  %-4d %s\n", m.Code, m.Text)
		}
	}
	return b.String()
}

// Moment parses the time of a flag in Unix milliseconds: a local date, a time with its
// offset, or a span before now such as 3d. "" is 0.
func (a *Run) Moment(s string) (int64, error) {
	ms, ok := text.Moment(s, a.Env.Now())
	if s != "" && !ok {
		return 0, exit.UsageError("give a date as 2026-03-01, a day as yesterday, or a span as 3d", "parse time %q: want a date, a date with time, yesterday, or a span such as 2h, 3d", s)
	}
	return ms, nil
}
