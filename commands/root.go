package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/browse"
	"github.com/coctostan/pictx/commands/care"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/commands/decision"
	"github.com/coctostan/pictx/commands/history"
	"github.com/coctostan/pictx/commands/kota"
	"github.com/coctostan/pictx/commands/object"
	"github.com/coctostan/pictx/commands/prune"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// Main runs the command line of env and returns the exit code. Cancelling ctx interrupts
// the command.
func Main(ctx context.Context, env *cli.Env) (code int) {
	a, errs := cli.NewRun(env), env.Err
	a.Run = func(ctx context.Context, p *workspace.Process, args []string, out, errs io.Writer) int {
		deadline := cli.HookDeadline(p.Getenv("PICTX_HOOK_MS"))
		return Main(ctx, &cli.Env{Process: *p, Args: args, In: strings.NewReader(""), Out: out, Err: errs, HookDeadline: deadline})
	}
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(errs, "pictx: internal error: %v\nhint: please report it, with pictx version --json\n", r)
			code = exit.Failed
		}
		if a.FailsOpen {
			code = exit.OK
		}
	}()
	root := root(a, first(a))
	root.SetArgs(env.Args)
	defer a.End()
	cmd, err := root.ExecuteContextC(ctx)
	// After a mistake in the command line not all flags were parsed, so look for --json
	// itself. The output of --jq and --template is for people, and so are its errors.
	asJSON := a.JSON && a.JQ == "" && a.Template == "" || flagGiven(env.Args, "--json")
	a.FailsOpen = cmd.Name() == "hook" && !flagGiven(env.Args, "--strict")
	if a.Out != nil {
		if ferr := a.Out.End(); err == nil && ferr != nil && ctx.Err() == nil {
			err = ferr
		}
	}
	if err == nil {
		return exit.OK
	}
	switch {
	case ctx.Err() == nil:
	case err.Error() == "": // an exit code that does not hold after an interruption
		err = context.Canceled
	default:
		err = errors.Join(context.Canceled, err)
	}
	return reportError(errs, err, asJSON)
}

// flagGiven reports whether a flag without a value is among the arguments.
func flagGiven(args []string, flag string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, flag)
}

// Root returns the command tree, for the generated documentation.
func Root(env *cli.Env) *cobra.Command { return root(cli.NewRun(env), "") }

// commands lists the constructors of all commands, in the order of the help.
var commands = []struct {
	name, group string
	make        func(*cli.Run) *cobra.Command
}{
	{"import", cli.GroupHistory, history.ImportCommand},
	{"sessions", cli.GroupHistory, history.SessionsCommand},
	{"usage", cli.GroupHistory, history.UsageCommand},
	{"report", cli.GroupHistory, history.ReportCommand},
	{"browse", cli.GroupHistory, browse.Command},
	{"grep", cli.GroupHistory, history.GrepCommand},
	{"expand", cli.GroupHistory, history.ExpandCommand},
	{"history", cli.GroupHistory, historyCommand},
	{"tree", cli.GroupHistory, history.TreeCommand},
	{"describe", cli.GroupHistory, history.DescribeCommand}, // its former name
	{"export", cli.GroupHistory, history.ExportCommand},
	{"compact", cli.GroupHistory, history.CompactCommand},
	{"prune", cli.GroupContext, prune.PruneCommand},
	{"replay", cli.GroupContext, prune.ReplayCommand},
	{"guard", cli.GroupContext, prune.GuardCommand},
	{"pin", cli.GroupContext, prune.PinCommand},
	{"pins", cli.GroupContext, prune.PinsCommand},
	{"unpin", cli.GroupContext, prune.UnpinCommand},
	{"blobs", cli.GroupContext, history.BlobsCommand},
	{"object", cli.GroupContext, object.Command},
	{"decision", cli.GroupContext, decision.Command},
	{"kota", cli.GroupContext, kota.Command},
	{"hook", cli.GroupContext, func(a *cli.Run) *cobra.Command { return care.HookCommand(a, history.HookExport) }},
	{"setup", cli.GroupCare, care.SetupCommand},
	{"uninstall", cli.GroupCare, care.UninstallCommand},
	{"log", cli.GroupCare, care.LogCommand},
	{"config", cli.GroupCare, care.ConfigCommand},
	{"doctor", cli.GroupCare, care.DoctorCommand},
	{"store", cli.GroupCare, care.StoreCommand},
	{"version", cli.GroupCare, care.VersionCommand},
}

// historyCommand is history with a former command: doctor checks the history, too.
func historyCommand(a *cli.Run) *cobra.Command {
	cmd, doctor := history.Command(a), care.DoctorCommand(a)
	doctor.Hidden = true
	cmd.AddCommand(doctor)
	return cmd
}

// first returns the first argument if it is a command. Then only that command is made,
// which saves time for agents that wait for hooks.
func first(a *cli.Run) string {
	for _, c := range commands {
		if len(a.Env.Args) > 0 && a.Env.Args[0] == c.name {
			return c.name
		}
	}
	return ""
}

// root returns the command tree, with a single command if only is not "".
func root(a *cli.Run, only string) *cobra.Command {
	root := bareRoot(a)
	for _, c := range commands {
		if only == "" || c.name == only {
			cmd := c.make(a)
			cmd.GroupID = c.group
			root.AddCommand(cmd)
		}
	}
	if only == "" {
		root.SetHelpCommand(helpCommand(a))
		root.InitDefaultHelpCmd() // before finish, which must see it
		root.InitDefaultCompletionCmd("completion")
		cli.CompletionCommands(root)
	} else {
		root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
		root.CompletionOptions.DisableDefaultCmd = true
	}
	finish(root)
	root.SetUsageFunc(func(cmd *cobra.Command) error { return printUsage(cmd, a.Env.Width) })
	return root
}

// bareRoot returns pictx without its commands.
func bareRoot(a *cli.Run) *cobra.Command {
	root := &cobra.Command{
		Use:               "pictx",
		Short:             "Keep pi's context small and its history searchable",
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cli.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return start(a, cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return alone(a, cmd) },
	}
	root.SetIn(a.Env.In)
	root.SetOut(a.Env.Out)
	root.SetErr(a.Env.Err)
	root.SetHelpFunc(pagedHelp(a, root.HelpFunc()))
	root.SetFlagErrorFunc(cli.FlagError)
	commonFlags(a, root)
	root.AddGroup(
		&cobra.Group{ID: cli.GroupContext, Title: "Context:"},
		&cobra.Group{ID: cli.GroupHistory, Title: "History:"},
		&cobra.Group{ID: cli.GroupCare, Title: "Care:"},
	)
	root.SetHelpCommandGroupID(cli.GroupCare)
	root.SetCompletionCommandGroupID(cli.GroupCare)
	return root
}

// commonFlags adds the flags that every command has, and --version.
func commonFlags(a *cli.Run, root *cobra.Command) {
	root.Flags().BoolVarP(&a.ShowVersion, "version", "V", false, "print the version")
	f := root.PersistentFlags()
	f.StringVar(&a.ProjectDir, "project", "", "the project's `directory` (default: the one around the working directory)")
	a.Color = "auto"
	cli.WordFlag(root, &a.Color, "color", "`when` to colour", "auto", "always", "never")
	f.AddFlag(root.Flags().Lookup("color"))
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "no progress, remarks and warnings: errors alone")
	f.BoolVarP(&a.Verbose, "verbose", "v", false, "say which project, store and settings are used")
	root.MarkFlagsMutuallyExclusive("quiet", "verbose")
	f.StringArrayVarP(&a.Settings, "config", "c", nil, "override a setting, as `key=value`; may be given more than once")
	cli.Complete(root, "config", cli.CompleteSetting)
}

// alone runs pictx without a command: it shows the project at a terminal, otherwise the
// help.
func alone(a *cli.Run, cmd *cobra.Command) error {
	switch {
	case a.ShowVersion:
		return care.PrintVersion(a)
	case a.Env.InTerminal && a.Env.OutTerminal:
		return care.RunOverview(a, cmd.Context())
	}
	return cmd.Help()
}

// start prepares the output of the command that runs.
func start(a *cli.Run, cmd *cobra.Command) error {
	if err := cmd.ValidateFlagGroups(); err != nil {
		return exit.UsageError(cmd.CommandPath()+" --help", "%s", excluded(err.Error()))
	}
	if err := a.CheckNewFiles(cmd); err != nil {
		return err
	}
	a.Speak()
	var err error
	if a.Out, err = a.NewOut(cmd.Context()); err == nil && isPaged(cmd.CommandPath()) {
		a.Out.Page(a.Pager())
	}
	return err
}

// isPaged reports whether the output of a command goes through a pager: if it is long,
// printed at once and without remarks on standard error.
func isPaged(path string) bool {
	switch strings.TrimPrefix(path, "pictx ") {
	case "help", "sessions", "usage", "report", "tree", "export", "config list", "decision list", "object list":
		return true
	}
	return false
}

// pagedHelp shows help at the width of the terminal, and through a pager if it is long.
func pagedHelp(a *cli.Run, help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if p := a.Pager(); p != nil && cmd.Root().OutOrStdout() == a.Env.Out {
			defer p.Close()
			cmd.Root().SetOut(p)
		}
		help(cmd, args)
	}
}

// excluded rewords cobra's error about mutually exclusive flags: "--a and --b exclude each
// other". It returns other errors unchanged.
func excluded(cause string) string {
	_, flags, found := strings.Cut(cause, "; [")
	flags, _, ends := strings.Cut(flags, "] were all set")
	if !found || !ends {
		return cause
	}
	return "--" + strings.ReplaceAll(flags, " ", " and --") + " exclude each other"
}

// finish adds help texts to a command and those below it.
func finish(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		finish(c)
	}
	if long, examples, ok := helpText(cmd); ok {
		cmd.Long, cmd.Example = long, examples
	}
	if cmd.ValidArgsFunction == nil && !strings.Contains(cmd.Use, " ") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
}

// grace is how long an interrupted command may take to end by itself.
const grace = 800 * time.Millisecond

// EndSoon calls end with the exit code of an interruption once ctx is done and grace has
// passed, so that SQLite, git or a slow disk cannot delay the end. Unfinished writes are
// left as after a crash, which loses nothing. takeBack cancels that, for a ctx that ends
// without an interruption.
func EndSoon(ctx context.Context, env *cli.Env, end func(code int)) (takeBack func() bool) {
	return context.AfterFunc(ctx, func() {
		time.Sleep(grace)
		if len(env.Args) > 0 && env.Args[0] == "hook" && !flagGiven(env.Args, "--strict") {
			end(exit.OK)
			return
		}
		end(exit.Interrupted)
	})
}

// reportError prints an error and returns its exit code.
func reportError(w io.Writer, err error, asJSON bool) int {
	code, hint := workspace.Verdict(err)
	msg := strings.TrimSpace(err.Error())
	switch {
	case msg == "" || code == exit.Interrupted && errors.Is(err, context.Canceled):
	case asJSON:
		type body struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Hint    string `json:"hint,omitempty"`
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		// There is no way left to report that writing an error failed.
		_ = enc.Encode(map[string]body{"error": {code, msg, hint}})
	default:
		fmt.Fprintf(w, "pictx: %s\n", text.Printable(msg))
		if hint != "" {
			fmt.Fprintf(w, "hint: %s\n", text.Printable(hint))
		}
	}
	return code
}
