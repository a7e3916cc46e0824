package history

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

// BlobsCommand returns the command pictx blobs.
func BlobsCommand(a *cli.Run) *cobra.Command {
	cmd := cli.Parent("blobs", "Manage the full text of shortened output")
	for _, v := range blobVerbs {
		cmd.AddCommand(v.command(a))
	}
	return cmd
}

// blobVerb declares a subcommand of blobs.
type blobVerb struct {
	use, short string
	exits      string
	args       cobra.PositionalArgs
	flags      func(f *pflag.FlagSet, o *blobOptions)
	// check validates flags and arguments before anything is opened. It may be nil.
	check func(c *blobCall) error
	run   func(ctx context.Context, c *blobCall) error
}

// blobOptions are the flags of all subcommands. Each has some of them.
type blobOptions struct {
	part             expandOptions // which part of a text
	file             string
	all, yes, dryRun bool
	older, match     string
}

// blobCall is a call of a subcommand, with the opened cache.
type blobCall struct {
	app *cli.Run
	blobOptions
	args     []string
	slice    history.Slice
	st       *blob.Store
	settings config.Blobs
}

// command returns the cobra command.
func (v blobVerb) command(a *cli.Run) *cobra.Command {
	var o blobOptions
	cmd := &cobra.Command{
		Use: v.use, Short: v.short, Annotations: cli.Exits(v.exits), Args: v.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.call(cmd.Context(), &blobCall{app: a, blobOptions: o, args: args})
		},
	}
	if v.flags != nil {
		v.flags(cmd.Flags(), &o)
	}
	if strings.Contains(v.use, "ID") {
		cmd.ValidArgsFunction = func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return blobWords(a, prefix)
		}
	}
	a.JSONFlag(cmd)
	return cmd
}

// call checks the flags, opens the cache and runs the subcommand.
func (v blobVerb) call(ctx context.Context, c *blobCall) (err error) {
	if v.check != nil {
		if err := v.check(c); err != nil {
			return err
		}
	}
	if c.st, c.settings, err = c.app.Blobs(); err != nil {
		return err
	}
	return v.run(ctx, c)
}

// blobVerbs are the subcommands in the order of the help.
var blobVerbs = []blobVerb{
	{
		use: "list", exits: "3", args: cli.NoArgs,
		short: "List the blobs",
		run:   listBlobs,
	},
	{
		use: "show ID", exits: "3", args: cli.SomeArgs(1, 1),
		short: "Print the text of a blob, byte for byte",
		flags: func(f *pflag.FlagSet, o *blobOptions) {
			o.part.partFlags(f)
			cli.NewFileFlag(f, &o.file, "output", "write it to this `file`")
		},
		check: func(c *blobCall) (err error) {
			c.slice, err = c.part.slice()
			return err
		},
		run: showBlob,
	},
	{
		use: "gc", exits: "130", args: cli.NoArgs,
		short: "Delete old blobs",
		flags: func(f *pflag.FlagSet, o *blobOptions) {
			f.BoolVar(&o.dryRun, "dry-run", false, "delete nothing; show what would be deleted")
		},
		run: collectBlobs,
	},
	{
		use: "purge [ID…]", exits: "3 4 5 130", args: cli.SomeArgs(0, -1),
		short: "Delete blobs for good",
		flags: func(f *pflag.FlagSet, o *blobOptions) {
			f.BoolVar(&o.all, "all", false, "every blob")
			f.StringVar(&o.older, "older-than", "", "blobs not used since this `time`: a date, or a span such as 7d")
			f.StringVar(&o.match, "match", "", "blobs with a line that matches this `regex`, ignoring case")
			f.BoolVar(&o.yes, "yes", false, "do not ask")
			f.BoolVar(&o.dryRun, "dry-run", false, "delete nothing; show what would be deleted")
		},
		check: checkPurge, run: purgeBlobs,
	},
	{
		use: "verify", exits: "130", args: cli.NoArgs,
		short: "Check all blobs for damage",
		run:   verifyBlobs,
	},
}

// blobView is a blob as JSON.
type blobView struct {
	ID       string   `json:"id"`
	Bytes    int64    `json:"bytes"` // of the text, -1 if unknown without reading it
	Stored   int64    `json:"stored_bytes"`
	Used     string   `json:"used"`
	Path     string   `json:"path"`
	Sessions []string `json:"sessions"` // files of sessions known to refer to it
}

func blobLine(st *blob.Store, i blob.Info) blobView {
	return blobView{i.ID, i.Bytes, i.Stored, text.KnownTime(i.Used.UnixMilli()), i.Path, append([]string{}, st.Sessions(i.ID)...)}
}

// listBlobs lists the blobs, the most recently used first.
func listBlobs(_ context.Context, c *blobCall) error {
	all, err := c.st.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return exit.WithHint(exit.NotFound, "", errors.New("there are no blobs"))
	}
	rows, err := cli.JSONOrRows(c.app.Out, all, func(i *blob.Info) any { return blobLine(c.st, *i) }, func(i *blob.Info) []string {
		return []string{blob.ShortID(i.ID), text.LocalMinute(i.Used.UnixMilli()), text.Bytes(i.Bytes), text.Bytes(i.Stored)}
	})
	if rows != nil {
		c.app.Out.FittedTable(append([][]string{{"BLOB", "USED", "SIZE", "ON DISK"}}, rows...), 2, 3)
	}
	return err
}

// showBlob prints a part of a blob, or writes it to a file.
func showBlob(_ context.Context, c *blobCall) error {
	id := c.args[0]
	b, err := c.st.Get(workspace.MarkerID([]string{id}))
	if err != nil {
		return fmt.Errorf("show blob %s: %w", id, err)
	}
	part, left := c.slice.Of(b.Text)
	if c.file != "" {
		if err := c.app.Deliver(c.file, part); err != nil {
			return err
		}
	}
	switch {
	case c.app.JSON:
		return c.app.Out.Line(shownBlob{blobLine(c.st, b.Info), string(part), left})
	case c.file != "":
		return nil
	}
	return printPart(c.app, b.Text, c.slice)
}

// shownBlob is what blobs show prints as JSON.
type shownBlob struct {
	blobView
	Text    string `json:"text"`
	LeftOut int    `json:"left_out"` // bytes that are not in text
}

// blobWords completes the id of a blob.
func blobWords(a *cli.Run, prefix string) ([]string, cobra.ShellCompDirective) {
	const limit = 50
	st, _, err := a.OpenBlobs()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, _ := st.List() // without a list there are no completions
	var out []string
	for _, i := range all {
		if strings.HasPrefix(i.ID, prefix) && len(out) < limit {
			word := i.ID[:max(blob.Short, len(prefix))]
			out = append(out, word+"\t"+text.LocalMinute(i.Used.UnixMilli())+" "+text.Bytes(i.Bytes))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// expandBlob finds the blob with an id that no entry has. It returns nil if there is no
// such blob. missing is the error of looking for the entry.
func expandBlob(a *cli.Run, o expandOptions, id string, missing error) (*blob.Blob, error) {
	unknown := errors.Is(missing, history.ErrNotFound) || errors.Is(missing, sqlite.ErrNoStore)
	if !unknown || !blob.ValidID(id) || o.session != "" {
		return nil, nil
	}
	st, _, err := a.OpenBlobs()
	if err != nil {
		return nil, err
	}
	b, err := st.Get(id)
	if errors.Is(err, blob.ErrNotFound) && len(id) < blob.Short && !errors.As(err, new(*blob.DamagedError)) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("expand %s: %w", id, err)
	}
	return b, nil
}

// printBlob prints a blob as printExpanded prints an entry.
func printBlob(a *cli.Run, b *blob.Blob, o expandOptions, slice history.Slice) error {
	if b == nil {
		return nil
	}
	if !a.JSON {
		return printPart(a, b.Text, slice)
	}
	part, left := slice.Of(b.Text)
	v := expandedEntry{Entry: b.ID, Type: "blob", Time: text.KnownTime(b.Used.UnixMilli()), TextBytes: len(b.Text), LeftOut: left}
	if o.raw {
		v.Raw = string(part)
	} else {
		v.Text = string(part)
	}
	return a.Out.Line(v)
}
