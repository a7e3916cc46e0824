package commands

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// app is one run of the program.
type app struct {
	env *Env

	// Flags that every command has.
	projectDir string
	color      string
	settings   []string // -c key=value

	decisionRoot string // --root of decisions

	json bool // the running command's --json
	out  *out
	// failsOpen is set for what an agent waits for: it ends with 0 whatever
	// happens.
	failsOpen bool
	// atEnd is called when the command ended, whatever came of it.
	atEnd []func()
}

// The groups commands are listed under.
const (
	groupContext = "context"
	groupHistory = "history"
	groupCare    = "care"
)

// Main runs the command line of env and returns the exit code. An interrupt
// cancels ctx.
func Main(ctx context.Context, env *Env) (code int) {
	a := &app{env: env}
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(env.Err, "pictx: internal error: %v\nhint: please report it, with pictx version --json\n", r)
			code = exitFailed
		}
		if a.failsOpen {
			code = exitOK
		}
	}()
	root := a.root(a.first())
	root.SetArgs(env.Args)
	defer a.end()
	cmd, err := root.ExecuteContextC(ctx)
	// A mistake in the command line ends before the flags are all known.
	a.json = a.json || flagGiven(env.Args, "--json")
	a.failsOpen = cmd.Name() == "hook" && !flagGiven(env.Args, "--strict")
	if a.out != nil {
		if ferr := a.out.Flush(); err == nil && ferr != nil && ctx.Err() == nil {
			err = fmt.Errorf("write output: %w", ferr)
		}
	}
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		err = errors.Join(context.Canceled, err)
	}
	return reportError(env.Err, err, a.json)
}

// end does what is left to do, the latest first.
func (a *app) end() {
	for _, fn := range slices.Backward(a.atEnd) {
		fn()
	}
}

// flagGiven reports whether a flag without a value is among the arguments.
func flagGiven(args []string, flag string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, flag)
}

// Root is the command tree, for what documents it.
func Root(env *Env) *cobra.Command { return (&app{env: env}).root("") }

// commands returns what makes each command, by its name.
func (a *app) commands() []named {
	return []named{
		{"import", a.importCommand},
		{"sessions", a.sessionsCommand},
		{"grep", a.grepCommand},
		{"expand", a.expandCommand},
		{"history", a.historyCommand},
		{"describe", a.describeCommand},
		{"tree", a.treeCommand},
		{"export", a.exportCommand},
		{"compact", a.compactCommand},
		{"prune", a.pruneCommand},
		{"replay", a.replayCommand},
		{"pin", a.pinCommand},
		{"unpin", a.unpinCommand},
		{"blobs", a.blobsCommand},
		{"object", a.objectCommand},
		{"decision", a.decisionCommand},
		{"kota", a.kotaCommand},
		{"hook", a.hookCommand},
		{"setup", a.setupCommand},
		{"uninstall", a.uninstallCommand},
		{"log", a.logCommand},
		{"config", a.configCommand},
		{"doctor", a.doctorCommand},
		{"store", a.storeCommand},
		{"version", a.versionCommand},
	}
}

// named makes a command.
type named struct {
	name string
	make func() *cobra.Command
}

// first is the first argument when it names a command: then the others are not
// made, because an agent that waits for a hook waits for them too.
func (a *app) first() string {
	if len(a.env.Args) > 0 && slices.ContainsFunc(a.commands(), func(c named) bool { return c.name == a.env.Args[0] }) {
		return a.env.Args[0]
	}
	return ""
}

// root returns the command tree, with only one of the commands when that is named.
func (a *app) root(only string) *cobra.Command {
	root := &cobra.Command{
		Use:   "pictx",
		Short: "Govern what an AI coding agent has in its context",
		Long: `pictx keeps the whole history of your agent's sessions, finds anything in it,
brings any piece of it back byte for byte, and takes old tool output out of the
context before it is paid for again. It remembers what was decided, and answers
questions about TypeScript code.`,
		Example: `  # read this project's sessions into its store
  pictx import
  # find what was said, by you, the model or a tool
  pictx grep rounding of discounts
  # get the original of anything found back
  pictx expand 3f9a2c1b
  # what pruning would take out of a session's context, and why
  pictx prune --explain session.jsonl`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.env.In)
	root.SetOut(a.env.Out)
	root.SetErr(a.env.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(cmd.CommandPath()+" --help", "%w", err)
	})
	f := root.PersistentFlags()
	f.StringVar(&a.projectDir, "project", "", "the project's `directory` (default: the one around the working directory)")
	f.StringVar(&a.color, "color", "auto", "`when` to colour: auto, always, never")
	f.StringArrayVarP(&a.settings, "config", "c", nil, "override a setting, as `key=value`; may be given more than once")
	a.completeWords(root, "color", []string{"auto", "always", "never"})
	root.AddGroup(
		&cobra.Group{ID: groupContext, Title: "Context:"},
		&cobra.Group{ID: groupHistory, Title: "History:"},
		&cobra.Group{ID: groupCare, Title: "Care:"},
	)
	root.SetHelpCommandGroupID(groupCare)
	root.SetCompletionCommandGroupID(groupCare)
	root.PersistentPreRunE = a.start
	for _, c := range a.commands() {
		if only == "" || c.name == only {
			root.AddCommand(c.make())
		}
	}
	if only == "" {
		root.SetHelpCommand(a.helpCommand())
		root.InitDefaultHelpCmd() // before finish, which must see it
		root.InitDefaultCompletionCmd("completion")
		completionCommands(root)
	} else {
		root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
		root.CompletionOptions.DisableDefaultCmd = true
	}
	finish(root)
	root.Annotations["topics"] = topicList()
	root.SetUsageTemplate(root.UsageTemplate() +
		"{{with index .Annotations \"topics\"}}\nTopics, for pictx help TOPIC:\n{{.}}{{end}}" +
		"\nExit status:\n{{index .Annotations \"" + ExitStatus + "\"}}\n")
	return root
}

// start prepares the output of the command that runs.
func (a *app) start(cmd *cobra.Command, _ []string) error {
	switch a.color {
	case "auto", "always", "never":
	default:
		return usageError(cmd.CommandPath()+" --color auto", "unknown --color %q: want auto, always or never", a.color)
	}
	a.out = &out{Writer: bufio.NewWriterSize(a.env.Out, 1<<16), json: a.json, color: wantColor(a.env, a.color), width: a.env.Width}
	return nil
}

// jsonFlag gives a command --json.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		err := fmt.Sprintf("unknown command %q", args[0])
		for cmd.SuggestionsMinimumDistance = 1; cmd.SuggestionsMinimumDistance <= 2; cmd.SuggestionsMinimumDistance++ {
			if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
				return usageError(cmd.CommandPath()+" "+s[0], "%s: did you mean %s?", err, s[0])
			}
		}
		return usageError(cmd.CommandPath()+" --help", "%s", err)
	}
	return usageError(cmd.CommandPath()+" --help", "unexpected argument %q", args[0])
}

// someArgs wants between least and most arguments; most -1 is any number.
func someArgs(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usageError(cmd.CommandPath()+" --help", "missing argument: want %s", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		case most >= 0 && len(args) > most:
			return usageError(cmd.CommandPath()+" --help", "unexpected argument %q", args[most])
		}
		return nil
	}
}

// finish gives every command's help its exit codes. A command that says nothing
// of them in its annotations ends with 0, 1 or 2.
func finish(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		finish(c)
	}
	codes := cmd.Annotations["exit"]
	var b strings.Builder
	for _, m := range exitMeanings() {
		if m.Code <= exitUsage || strings.Contains(" "+codes+" ", fmt.Sprintf(" %d ", m.Code)) {
			fmt.Fprintf(&b, "  %-4d %s\n", m.Code, m.Text)
		}
	}
	if cmd.Annotations == nil {
		cmd.Annotations = make(map[string]string)
	}
	cmd.Annotations[ExitStatus] = strings.TrimRight(b.String(), "\n")
}

// ExitStatus is the annotation of every command that holds its exit codes as
// text, for what documents them.
const ExitStatus = "exit-status"

// exits lists the codes a command may end with besides 0, 1 and 2.
func exits(codes string) map[string]string { return map[string]string{"exit": codes} }
