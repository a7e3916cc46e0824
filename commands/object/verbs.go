package object

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// verb declares a subcommand of object.
type verb struct {
	use, short string
	old        []string // earlier names
	hidden     bool
	exits      string
	args       cobra.PositionalArgs // nil: one if use has an ID, else none
	flags      string               // their names, for options.flag
	apart      []string             // groups of flags that exclude each other
	inSession  bool                 // needs a session
	// writes is set when it writes into the store; showing an object does when it restores a file.
	writes bool
	run    func(ctx context.Context, c *call) error
}

// options are the flags of all subcommands. Each has some of them.
type options struct {
	session, reason  string
	limit, version   int
	at               string
	diff             int
	content, why     bool
	restore, yes     bool
	exitCode, remove bool
	last, once       bool
	interval         time.Duration
}

// call is a call of a subcommand.
type call struct {
	app *cli.Run
	options
	args []string
	st   *store.Store
	obj  object.Object // named by the first argument, if the subcommand takes an ID

	// Set if the subcommand needs a session: the latest version of obj, and the session.
	now *object.Version
	in  *workspace.ObjectSession
}

// takesObject reports whether the first argument names an object.
func (v verb) takesObject() bool { return strings.Contains(v.use, " ID") }

// command returns the cobra command.
func (v verb) command(a *cli.Run) *cobra.Command {
	var o options
	cmd := cli.Command(v.use, v.short, v.exits, v.args, func(ctx context.Context, args []string) error {
		return v.call(ctx, &call{app: a, options: o, args: args})
	})
	cmd.Aliases, cmd.Hidden = v.old, v.hidden
	for _, name := range strings.Fields(v.flags) {
		o.flag(a, cmd, name)
	}
	for _, group := range v.apart {
		cmd.MarkFlagsMutuallyExclusive(strings.Fields(group)...)
	}
	if v.takesObject() {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return idWords(a, cmd, args, prefix)
		}
	}
	switch {
	case v.args != nil:
	case v.takesObject():
		cmd.Args = cli.SomeArgs(1, 1)
	default:
		cmd.Args = cli.NoArgs
	}
	return cmd
}

// call checks the flags, opens the store, finds the object and runs the subcommand.
func (v verb) call(ctx context.Context, c *call) error {
	name := c.app.SessionName(c.session)
	if v.inSession && name == "" {
		return exit.UsageError("pictx object "+v.use+" --session SESSION", "no session given: this shell was not started by an agent (PI_SESSION_ID is not set)")
	}
	var err error
	if v.writes || c.restore {
		c.st, err = c.app.ExistingStore(ctx)
	} else {
		c.st, _, err = c.app.Store(ctx, sqlite.Read)
	}
	if err != nil {
		return err
	}
	defer c.st.Close()
	if v.takesObject() {
		c.obj, err = workspace.FindObject(ctx, c.st, c.app.Env.Dir, c.args[0])
	}
	if err == nil && v.inSession {
		if c.now, err = c.st.Objects.Get(ctx, c.obj.ID, 0); err == nil {
			c.in, err = c.app.OpenObjectSession(ctx, c.st, name)
		}
	}
	if err != nil {
		return err
	}
	return v.run(ctx, c)
}

// flag declares a flag by its name.
func (o *options) flag(a *cli.Run, cmd *cobra.Command, name string) {
	f := cmd.Flags()
	switch name {
	case "session":
		f.StringVar(&o.session, name, "", "the session's `id` (default: the one this shell runs in)")
		a.CompleteSession(cmd)
	case "last":
		f.BoolVar(&o.last, name, false, "only objects of the latest session")
	case "reason":
		f.StringVar(&o.reason, name, "", "note this `text` as the reason")
	case "limit":
		f.IntVarP(&o.limit, name, "n", 0, "list `n` objects at most (default: all)")
	case "at":
		f.StringVar(&o.at, name, "", "show what was known at this `time`")
	case "diff":
		f.IntVar(&o.diff, name, 0, "compare with the version with this `number`")
	case "why":
		f.BoolVar(&o.why, name, false, "explain why it is active or not in a session")
	case "version":
		f.IntVar(&o.version, name, 0, "show the version with this `number`")
	case "content":
		f.BoolVar(&o.content, name, false, "print the content alone, byte for byte")
	case "restore":
		f.BoolVar(&o.restore, name, false, "write the file back as it was")
	case "yes":
		f.BoolVar(&o.yes, name, false, "do not ask")
	case "exit-code":
		f.BoolVar(&o.exitCode, name, false, "exit with 1 when they differ")
	case "remove":
		f.BoolVar(&o.remove, name, false, "delete the nickname")
	case "once":
		f.BoolVar(&o.once, name, false, "check once and end")
	case "interval":
		f.DurationVar(&o.interval, name, 2*time.Second, "check every `time`, at least 100ms")
	case "json":
		a.JSONFlag(cmd)
	}
}

// verbs are the subcommands in the order of the help.
var verbs = []verb{
	{
		use: "list [QUERY...]", old: []string{"query"}, exits: "3 10 11 12", flags: "session last limit json", args: cli.SomeArgs(0, -1),
		short: "List the objects, or those that match a query",
		apart: []string{"last session"}, run: listObjects,
	},
	{
		use: "show ID", exits: "3 5 10 11 12 130", flags: "at version diff why session content restore yes exit-code json",
		short: "Show an object as it is or was, or restore a file",
		apart: []string{"at version", "content json", "content diff restore why", "at diff why", "version why"},
		run:   showObject,
	},
	{
		use: "history ID", exits: "3 10 11 12", flags: "json",
		short: "List the versions of an object",
		run:   listVersions,
	},
	{
		use: "activate ID", exits: "3 5 10 11 12", flags: "session reason json",
		short:     "Restore the content of an object to a session",
		inSession: true, writes: true, run: func(ctx context.Context, c *call) error { return c.changeState(ctx, object.Activated, object.Active) },
	},
	{
		use: "deactivate ID", exits: "3 5 10 11 12", flags: "session reason json",
		short:     "Leave only a reference to an object in a session",
		inSession: true, writes: true, run: func(ctx context.Context, c *call) error {
			return c.changeState(ctx, object.Deactivated, object.Inactive)
		},
	},
	{
		use: "nickname ID [NAME]", exits: "3 5 10 11 12", flags: "remove json", args: cli.SomeArgs(1, 2),
		short:  "Name an object",
		writes: true, run: nameObject,
	},
	{
		use: "watch", exits: "10 11 12 130", flags: "once interval json",
		short:  "Record changes of known files",
		writes: true, run: watchFiles,
	},
	{use: "diff ID [V1 [V2]]", hidden: true, flags: "exit-code json", args: cli.SomeArgs(1, 3), run: diffVersions},
	{use: "why ID", hidden: true, flags: "session json", run: explainObject},
}

// moved are the verbs whose work another command does now.
var moved = [][2]string{
	{"pin", "pictx pin --help"},
	{"unpin", "pictx unpin --help"},
	{"verify", "pictx history doctor"},
	{"gc", "pictx history vacuum"},
	{"evict", "pictx history purge --help"},
	{"refs", "pictx object show ID --json"},
	{"export", "pictx object list --json"},
}
