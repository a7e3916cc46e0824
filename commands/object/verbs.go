package object

import (
	"context"
	"fmt"
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

// verb is a verb of object: its help, its flags, and the function that runs it.
type verb struct {
	use, short, long, example string
	exits                     string
	args                      cobra.PositionalArgs // nil: the object, or none
	flags                     string               // their names
	inSession                 bool                 // it is about the object in a session
	// check refuses flags and arguments before anything is opened.
	check func(c *call) error
	// open opens the store.
	open func(ctx context.Context, c *call) (*store.Store, error)
	run  func(ctx context.Context, c *call) error
}

// options are the flags of all verbs. A verb has some of them.
type options struct {
	session, reason, state string
	limit, version         int
	at, known, older       string
	content, corrections   bool
	exitCode, remove       bool
	dryRun, yes, once      bool
	interval               time.Duration
	format, output         string
}

// call is a call of a verb.
type call struct {
	app *cli.Run
	options
	args   []string
	query  object.Query
	when   object.At
	before object.Time
	st     *store.Store
	obj    object.Object // that the first argument names, if the verb takes one

	// Of a verb about the object in a session: the object as it is now, and the session.
	now *object.Version
	in  *workspace.ObjectSession
}

// takesObject reports whether the first argument of a verb names an object.
func (v verb) takesObject() bool { return strings.Contains(v.use, " ID") }

// command makes the command of a verb.
func (v verb) command(a *cli.Run) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: v.use, Short: v.short, Long: v.long, Example: v.example, Annotations: cli.Exits(v.exits), Args: v.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.call(cmd.Context(), &call{app: a, options: o, args: args})
		},
	}
	for _, name := range strings.Fields(v.flags) {
		o.flag(a, cmd, name)
	}
	if v.takesObject() {
		cmd.ValidArgsFunction = func(p0 *cobra.Command, p1 []string, p2 string) ([]string, cobra.ShellCompDirective) {
			return idWords(a, p0, p1, p2)
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

// call checks a call, opens the store, finds the object and runs the verb.
func (v verb) call(ctx context.Context, c *call) error {
	name := c.app.SessionName(c.session)
	if v.inSession && name == "" {
		return exit.UsageError("pictx object activate ID --session ID", "this shell runs in no session: PI_SESSION_ID is not set")
	}
	if v.check != nil {
		if err := v.check(c); err != nil {
			return err
		}
	}
	var err error
	if c.st, err = v.open(ctx, c); err != nil {
		return err
	}
	defer c.st.Close()
	if v.takesObject() {
		c.obj, err = findObject(ctx, c.st, c.app.Env.Dir, c.args[0])
	}
	if err == nil && v.inSession {
		if c.now, err = c.st.Objects.Get(ctx, c.obj.ID, object.At{}); err == nil {
			c.in, err = c.app.OpenObjectSession(ctx, c.st, name)
		}
	}
	if err != nil {
		return err
	}
	return v.run(ctx, c)
}

// toRead opens the store to read.
func toRead(ctx context.Context, c *call) (*store.Store, error) {
	st, _, err := c.app.Store(ctx, sqlite.Read)
	return st, err
}

// toWrite opens the store to write, if there is one.
func toWrite(ctx context.Context, c *call) (*store.Store, error) {
	return c.app.ExistingStore(ctx)
}

// toSearch opens the store to write where a search may complete the index first, and
// to read where that is not possible.
func toSearch(ctx context.Context, c *call) (*store.Store, error) {
	if ok, err := c.app.HasStore(); err == nil && ok {
		if st, _, err := c.app.Store(ctx, sqlite.Write); err == nil {
			return st, nil
		}
	}
	return toRead(ctx, c)
}

// flag declares the flag of a name.
func (o *options) flag(a *cli.Run, cmd *cobra.Command, name string) {
	f := cmd.Flags()
	switch name {
	case "session":
		f.StringVar(&o.session, name, "", "the session's `id` (default: the one this shell runs in)")
		a.CompleteSession(cmd)
	case "reason":
		f.StringVar(&o.reason, name, "", "a `text` to remember why")
	case "state":
		f.StringVar(&o.state, name, "", "only those of a `state`: active, inactive or absent")
		a.CompleteWords(cmd, name, []string{"active", "inactive", "absent"})
	case "limit":
		f.IntVar(&o.limit, name, 0, "list at most `n` of them (default: all)")
	case "at":
		f.StringVar(&o.at, name, "", "what was true at this `time`")
	case "known":
		f.StringVar(&o.known, name, "", "what was known at this `time`")
	case "version":
		f.IntVar(&o.version, name, 0, "the version with this `number`")
	case "content":
		f.BoolVar(&o.content, name, false, "print the content alone, byte for byte")
	case "corrections":
		f.BoolVar(&o.corrections, name, false, "list also what was corrected since")
	case "exit-code":
		f.BoolVar(&o.exitCode, name, false, "exit with 1 when they differ")
	case "remove":
		f.BoolVar(&o.remove, name, false, "take the nickname away")
	case "older-than":
		f.StringVar(&o.older, name, "", "drop contents of versions that ended before this `time`, as 90d")
	case "dry-run":
		f.BoolVar(&o.dryRun, name, false, "only say what would go")
	case "yes":
		f.BoolVar(&o.yes, name, false, "do not ask")
	case "format":
		f.StringVar(&o.format, name, "json", "the `format`: json, xtdb-tx")
		a.CompleteWords(cmd, name, []string{"json", "xtdb-tx"})
	case "output":
		f.StringVarP(&o.output, name, "o", "", "write into this `file`")
	case "once":
		f.BoolVar(&o.once, name, false, "look once")
	case "interval":
		f.DurationVar(&o.interval, name, 2*time.Second, "look again after this `time`, at least 100ms")
	case "json":
		a.JSONFlag(cmd)
	}
}

// queryFields describes the conditions of a query.
func queryFields() string {
	var b strings.Builder
	for _, f := range object.Fields() {
		fmt.Fprintf(&b, "\n  %-9s %s", f[0]+":", f[1])
	}
	return b.String()
}

// verbs are all of them, in the order of the help.
var verbs = []verb{
	{
		use: "list", exits: "3 10 11 12", flags: "session state limit json",
		short: "List the objects",
		long: `Lists the objects in the order in which they became known: the id, the type, how it
stands, the size of its content, and what it is. With --session, or in a shell that
runs in one, these are the objects that the session met, with their state in it.`,
		example: "  pictx object list\n  pictx object list --session 01a1fe4b --state active\n  pictx object list --json | jq -r .label",
		check:   checkList, open: toRead, run: listObjects,
	},
	{
		use: "show ID", exits: "3 10 11 12", flags: "at known version content json",
		short: "Show an object, as it is or was",
		long: `Shows what is known of an object, and its content. --at asks for what was true at a
time, --known for what was known then: what the agent could know at two o'clock of
how it was at one is --at 13:00 with --known 14:00, both with the day. Bytes that are no
text are shown as \xff; --content prints the content byte for byte and nothing else.`,
		example: "  pictx object show o-3f9a\n  pictx object show plan --at 2026-11-20T14:00 --known 2026-11-20T15:00\n  pictx object show o-3f9a --version 2 --content > old.go",
		check:   checkShow, open: toRead, run: showObject,
	},
	{
		use: "history ID", exits: "3 10 11 12", flags: "corrections json",
		short: "List the versions of an object",
		long: `Lists the versions of an object in the order in which they are true, as far as is
known now. --corrections lists as well what was known before and was corrected since:
each line has the time for which it was known.`,
		example: "  pictx object history o-3f9a\n  pictx object history plan --corrections --json",
		open:    toRead, run: listVersions,
	},
	{
		use: "diff ID V1 [V2]", exits: "3 10 11 12", flags: "exit-code json", args: cli.SomeArgs(2, 3),
		short: "Compare two versions of an object",
		long: `Compares two versions by their numbers, which history shows, line by line; without V2
the first with the last. Fields besides the content that differ are named.`,
		example: "  pictx object diff o-3f9a 1 2\n  pictx object diff plan 3 --json",
		open:    toRead, run: diffVersions,
	},
	{
		use: "query QUERY...", exits: "3 10 11 12", flags: "session limit json", args: cli.SomeArgs(1, -1),
		short: "Find objects",
		long: `Lists the objects that a query asks for. It is made of words and "phrases" that must be
in the content, or in what list shows, and of conditions; all must hold, and - before
one turns it round:
` + queryFields() + `

A word that ends in * goes on. A time is 2026-11-20T14:00, 2026-11-20, or 2h for two
hours ago. After -- a query may begin with -.`,
		example: `  pictx object query type:file 'path:src/**' retry
  pictx object query 'tool:bash status:fail size:>10k'
  pictx object query -- '-type:file "rounding error" at:2026-11-20'`,
		check: checkList, open: toSearch, run: listObjects,
	},
	{
		use: "activate ID", exits: "3 5 10 11 12", flags: "session reason json",
		short: "Bring the content of an object back into a session",
		long: `Activates an object in a session: the model sees its content again, and automatic
rules leave it there until it is deactivated. Only pi changes a session: it does from the
session's next prompt on.

What has no content cannot be activated: what was deleted or evicted, a file that is no
text, an object of another type than file or toolcall.`,
		example:   "  pictx object activate o-3f9a --session 01a1fe4b",
		inSession: true, open: toWrite, run: activateObject,
	},
	{
		use: "deactivate ID", exits: "3 5 10 11 12", flags: "session reason json",
		short: "Leave only a reference to an object in a session",
		long: `Deactivates an object in a session: a reference of one line takes the place of its
content, when that pays, as with what is pruned. The content can always be had back.
A chat and a system prompt are locked: they stay.`,
		example:   "  pictx object deactivate o-3f9a --reason 'read and done'",
		inSession: true, open: toWrite, run: deactivateObject,
	},
	{
		use: "pin ID", exits: "3 5 10 11 12", flags: "session reason json",
		short: "Keep an object from every automatic rule",
		long: `Pins an object in a session: a tool call by its entry, a file by its path. It is the same
pin as that of pictx pin, which lists it.`,
		example:   "  pictx object pin o-3f9a --reason 'the plan'",
		inSession: true, open: toWrite, run: pinObject,
	},
	{
		use: "unpin ID", exits: "3 5 10 11 12", flags: "session reason json",
		short:     "Unpin an object",
		long:      "Takes back the pin of an object.",
		example:   "  pictx object unpin o-3f9a",
		inSession: true, open: toWrite, run: unpinObject,
	},
	{
		use: "nickname ID [NAME]", exits: "3 5 10 11 12", flags: "remove json", args: cli.SomeArgs(1, 2),
		short: "Give an object a name of your own",
		long: `Gives an object a nickname, which can be used wherever an id can; --remove takes it
away. It is 1 to 64 letters a-z, digits and . _ - after a letter. The case of letters
makes no difference: no two objects have the same nickname.`,
		example: "  pictx object nickname o-3f9a plan\n  pictx object nickname plan --remove",
		check:   checkNickname, open: toWrite, run: nameObject,
	},
	{
		use: "refs ID", exits: "3 10 11 12", flags: "json",
		short: "List what an object refers to, and what refers to it",
		long: `Lists the references of an object, and those to it: the direction, the field, the
other object. One to a single version says which; one to an object that is not there is
marked.`,
		example: "  pictx object refs o-3f9a\n  pictx object refs o-3f9a --json",
		open:    toRead, run: listReferences,
	},
	{
		use: "verify", exits: "10 11 12 130", flags: "json",
		short: "Check all objects against their hashes",
		long: `Reads every version of every object: that it has the hashes it was stored with, that no
two are true and known at the same time, that what is kept as a difference can be made
whole, and that references to versions find them. What is damaged is listed, and the
rest is read on. It changes nothing.`,
		example: "  pictx object verify\n  pictx object verify --json | jq .findings",
		open:    toRead, run: verifyObjects,
	},
	{
		use: "gc", exits: "5 10 11 12", flags: "older-than dry-run yes json",
		short: "Delete contents that nothing needs",
		long: `Deletes the texts that no object and no entry of history refers to. With --older-than
also the contents of versions that have not been true for so long: their hashes and
what history lists of them stay, and what is true now is never touched.`,
		example: "  pictx object gc --dry-run\n  pictx object gc --older-than 90d --yes",
		check:   checkCollection, open: toWrite, run: collectObjects,
	},
	{
		use: "evict ID", exits: "3 4 5 10 11 12", flags: "dry-run yes reason json",
		short: "Take the content of an object away for ever",
		long: `Takes the content of all versions of an object out of the store, and what was written
in its fields; the hashes stay, and the same content is not stored again. The store is
rewritten and read again to see that the bytes are gone.

What else has the text is named: other objects, the history of sessions, a blob, and
pi's own session files, which pictx does not change.`,
		example: "  pictx object evict o-3f9a --dry-run\n  pictx object evict o-3f9a --yes",
		open:    toWrite, run: evictObject,
	},
	{
		use: "export", exits: "5 10 11 12", flags: "format output",
		short: "Write all objects with their history",
		long: `Writes all objects, one JSON object a line. The format json has a line for each version
in force and before, with both of its intervals and its content. The format xtdb-tx has
a line for each transaction, as the body of a submit-tx of XTDB 1: putting them in, in
order, gives the same objects there, with their valid times. What XTDB has no word for
is beside it under "pictx".`,
		example: "  pictx object export -o objects.jsonl\n  pictx object export --format xtdb-tx > tx.jsonl",
		check:   checkExport, open: toRead, run: exportObjects,
	},
	{
		use: "why ID", exits: "3 10 11 12", flags: "session json",
		short: "Say why an object is active or not",
		long: `Says where an object is in a session and what brought it there, then everything that
happened to it, in any session.`,
		example: "  pictx object why o-3f9a --session 01a1fe4b",
		open:    toRead, run: explainObject,
	},
	{
		use: "watch", exits: "10 11 12 130", flags: "once interval json",
		short: "Keep the objects of files up to date",
		long: `Looks at the files that are objects, again and again until it is interrupted: what was
changed gets a version, true since the file was changed; what was moved within the
project keeps its id; what is gone is deleted. A file that looks as it did is not read.
--once looks once. Nothing depends on it: pi's hooks look at a file whenever they meet
it.`,
		example: "  pictx object watch\n  pictx object watch --once --json",
		check:   checkWatch, open: toWrite, run: watchFiles,
	},
}
