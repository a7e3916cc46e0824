package kota

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
)

// codeCommands are the commands that ask about code.
type codeCommands struct {
	run    *cli.Run
	chosen *string // --engine
}

// Command returns the command pictx kota.
func Command(a *cli.Run) *cobra.Command {
	k := codeCommands{a, new(string)}
	cmd := cli.Parent("kota", "Query the code index of a TypeScript or Go project", k.index(), k.status())
	for _, q := range questions {
		cmd.AddCommand(k.command(q))
	}
	cmd.AddCommand(k.graph(), guardCommand(), cli.Moved("cycles", "pictx kota map --cycles"))
	cli.WordFlag(cmd, k.chosen, "engine", "which `engine` answers (default: the setting kota.engine)", string(config.EngineBuiltin), string(config.EngineKotaDB))
	cmd.PersistentFlags().AddFlag(cmd.Flags().Lookup("engine"))
	return cmd
}

// codeExits are the exit codes of questions.
const codeExits = "3 5 10 130"

// answerLimits are the flags that limit an answer.
type answerLimits struct {
	maxBytes int
	byFlag   bool // --max-bytes was given
	window   kota.Window
	yes      bool
}

// flags declares the limits of a question. def is the default number of results, 0 for as many as
// fit.
func (l *answerLimits) flags(cmd *cobra.Command, def int) {
	f := cmd.Flags()
	f.IntVar(&l.maxBytes, "max-bytes", kota.DefaultBytes, "print at most this `number` of bytes, 0 for everything (default: the setting kota.max_bytes)")
	f.IntVar(&l.window.Offset, "offset", 0, "skip this `number` of results")
	usage := "print at most this `number` of results"
	if def == 0 {
		usage += " (default: as many as fit)"
	}
	f.IntVarP(&l.window.Limit, "limit", "n", def, usage)
	f.BoolVar(&l.yes, "yes", false, yesUsage)
	cli.Hide(f, "max-bytes", "offset", "yes") // a cut answer proposes the first two
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return l.check(cmd) }
}

const yesUsage = "build the index without asking if there is none"

// check rejects invalid limits.
func (l *answerLimits) check(cmd *cobra.Command) error {
	help := cmd.CommandPath() + " --help"
	l.byFlag = cmd.Flags().Changed("max-bytes")
	switch {
	case l.maxBytes != 0 && l.maxBytes < kota.MinBytes:
		return exit.UsageError(help, "--max-bytes is %d: want at least %d, or 0 for everything", l.maxBytes, kota.MinBytes)
	case l.window.Offset < 0:
		return exit.UsageError(help, "--offset is %d: want 0 or more", l.window.Offset)
	case cmd.Flags().Changed("limit") && l.window.Limit < 1:
		return exit.UsageError(help, "--limit is %d: want 1 or more", l.window.Limit)
	}
	return nil
}

// command returns the command for a question.
func (k codeCommands) command(q question) *cobra.Command {
	var l answerLimits
	cmd := &cobra.Command{
		Use: q.use, Short: q.short,
		Annotations: cli.Exits(codeExits), Args: q.args,
	}
	if q.files {
		cmd.ValidArgsFunction = k.completeFiles
	}
	request := q.flags(cmd)
	l.flags(cmd, q.limit)
	k.run.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q, err := request(&questionCall{cmd: cmd, args: args, limits: &l})
		if err != nil {
			return err
		}
		return k.ask(cmd.Context(), q, l)
	}
	return cmd
}

// ask asks a question and prints the answer.
func (k codeCommands) ask(ctx context.Context, q kota.Request, l answerLimits) error {
	e, err := k.open(ctx, l.yes)
	if err != nil {
		return err
	}
	l.window.Tries = k.tries
	r, err := q.Ask(ctx, e, l.window)
	if err != nil {
		return workspace.KotaError(err)
	}
	switch err := k.print(ctx, r, l); {
	case err != nil:
		return err
	case r.Ambiguous:
		return exit.Silent(exit.Usage)
	case !r.Found:
		return exit.Silent(exit.NotFound)
	}
	return nil
}

// completeFiles completes file names from an existing index.
func (k codeCommands) completeFiles(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	pl, err := k.run.Here()
	if err != nil || !index.Exists(pl.IndexFile()) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	e, err := index.Open(cmd.Context(), pl.IndexOptions())
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	hidden := func(path string) bool { return path != text.TerminalLine(path) } // the shell would print control characters
	return slices.DeleteFunc(slices.Clone(e.Files()), hidden), cobra.ShellCompDirectiveNoFileComp
}

// print prints an answer as text or JSON within its size limit. If that cuts the answer, the
// whole is stored as a blob.
func (k codeCommands) print(ctx context.Context, r kota.Reply, l answerLimits) error {
	switch {
	case l.byFlag:
	case k.run.JQ != "" || k.run.Template != "":
		l.maxBytes = 0 // a filter chooses from the whole
	default:
		code, _, err := k.settings()
		if err != nil {
			return err
		}
		l.maxBytes = r.Budget(max(code.MaxBytes, kota.MinBytes))
	}
	if !k.run.JSON {
		keep := func(whole string) string { return k.keep(ctx, whole) }
		_, err := k.run.Out.WriteString(kota.Fit(l.maxBytes, r.Ways, keep))
		return err
	}
	if l.maxBytes > 0 {
		l.maxBytes -= len(cli.Version + ",") // which is inserted later
	}
	b, err := kota.JSON(r.Answer, l.maxBytes, l.window)
	if err != nil {
		return err
	}
	return k.run.Out.Document(b)
}

// keep stores a whole answer and says how to get it.
func (k codeCommands) keep(ctx context.Context, whole string) string {
	const otherwise = "--max-bytes 0 prints all"
	cache, set, err := k.run.Blobs()
	if err != nil || !set.Config.Blobs.Enabled {
		return otherwise
	}
	info, err := cache.Put(ctx, []byte(whole), "")
	if err != nil {
		return otherwise
	}
	return "full text: pictx expand " + blob.ShortID(info.ID)
}

// graph returns the command that draws imports. A drawing is limited by files instead of bytes.
func (k codeCommands) graph() *cobra.Command {
	format, yes := "dot", false
	q := kota.GraphQuery{}
	cmd := &cobra.Command{
		Use:               "graph [FILE]",
		Short:             "Draw the imports around a file or of the project",
		Annotations:       cli.Exits(codeExits),
		Args:              cli.SomeArgs(0, 1),
		ValidArgsFunction: k.completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Depth < 1 || q.Depth > 5 || q.MaxFiles < 1 {
				return exit.UsageError(cmd.CommandPath()+" --help", "want --depth 1 to 5 and --most 1 or more")
			}
			most := q.MaxFiles
			if k.run.JSON && !cmd.Flags().Changed("most") || !k.run.JSON && len(args) == 0 {
				q.MaxFiles = 0
			}
			e, err := k.open(cmd.Context(), yes)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				if q.File, err = e.Find(k.tries(args[0])...); err != nil {
					return workspace.KotaError(err)
				}
			}
			return k.draw(cmd.Context(), e, q, most, format)
		},
	}
	cli.WordFlag(cmd, &format, "format", "the `format`", report.CodeFormats()...)
	cmd.Flags().IntVar(&q.Depth, "depth", 1, "how many `imports` away, at most 5")
	cmd.Flags().IntVar(&q.MaxFiles, "most", 60, "draw at most this `number` of files")
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "draw tests too")
	cmd.Flags().BoolVar(&yes, "yes", false, yesUsage)
	cli.Hide(cmd.Flags(), "yes")
	return k.run.JSONFlag(cmd)
}

// draw prints a graph: of a project with more than most files, its folders.
func (k codeCommands) draw(ctx context.Context, e kota.Engine, q kota.GraphQuery, most int, format string) error {
	g, err := e.Graph(ctx, q)
	if err != nil {
		return workspace.KotaError(err)
	}
	switch left := g.Total - len(g.Nodes); {
	case k.run.JSON:
	case q.File == "" && len(g.Nodes) > most:
		g = g.Folders(most)
		fmt.Fprintf(k.run.Env.Err, "pictx: %s drawn as %s; around one file: pictx kota graph FILE; all: --most %d\n", text.Count(g.Total, "file"), text.Count(len(g.Nodes), "folder"), g.Total)
	case left > 0:
		fmt.Fprintf(k.run.Env.Err, "pictx: %s left out: --most %d draws all\n", text.Count(left, "file"), g.Total)
	}
	if k.run.JSON {
		return k.run.Out.Line(g)
	}
	return report.CodeDrawing(k.run.Out, format, g)
}
