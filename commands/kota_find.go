package commands

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/report"
)

func (a *app) kotaSearch() *cobra.Command {
	var l kotaLimits
	var scope, output string
	q := kota.SearchQuery{}
	cmd := &cobra.Command{
		Use:   "search TEXT",
		Short: "Find a text in code, or symbols by name",
		Long: `Finds lines that hold a text, or declarations whose names hold it. Every character
is taken as it is, unless --regex is given; a query without capital letters
ignores case. Files that many others import come first. What does not fit is shown
with fewer lines around a match, as one line for each, as counts by file or by
directory, and the answer says which.`,
		Example: `  pictx kota search loadConfig
  pictx kota search config --scope symbols
  pictx kota search 'use[A-Z]\w+\(' --regex --glob '*.tsx' --output snippet`,
		Annotations: exits(kotaExits),
		Args:        someArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Context < 0 || q.Context > 5 {
				return usageError(cmd.CommandPath()+" --help", "--context is %d: want 0 to 5", q.Context)
			}
			q.Text, q.Symbols = args[0], scope == "symbols"
			if output == kota.OutputPaths && !cmd.Flags().Changed("limit") {
				l.window.Limit = 0
			}
			return a.runKotaSearch(cmd.Context(), q, output, l)
		},
	}
	f := cmd.Flags()
	a.wordFlag(cmd, &scope, "scope", "code", "what to `search`", []string{"code", "symbols"})
	a.wordFlag(cmd, &output, "output", kota.OutputCompact, "how `much` to print", []string{kota.OutputPaths, kota.OutputCompact, kota.OutputSnippet})
	f.IntVar(&q.Context, "context", 1, "`lines` around a match of a snippet, at most 5")
	f.StringArrayVar(&q.Globs, "glob", nil, "only files that match this `pattern`; may be given more than once")
	f.StringArrayVar(&q.Exclude, "exclude", nil, "no files that match this `pattern`; may be given more than once")
	f.BoolVar(&q.Regex, "regex", false, "the text is a regular expression")
	f.BoolVar(&q.Tests, "tests", true, "search tests too")
	a.limitFlags(cmd, &l, 15)
	return cmd
}

func (a *app) runKotaSearch(ctx context.Context, q kota.SearchQuery, output string, l kotaLimits) error {
	if strings.TrimSpace(q.Text) == "" {
		return usageError("pictx kota search TEXT", "search: the query is empty")
	}
	e, err := a.engine(ctx, l.yes)
	if err != nil {
		return err
	}
	v, err := askSearch(ctx, e, q, output, l.window)
	if err != nil {
		return kotaError(err)
	}
	if err = a.emitAnswer(v, l); err == nil && !v.found {
		return silent(exitNotFound)
	}
	return err
}

func (a *app) kotaMap() *cobra.Command {
	var l kotaLimits
	q := kota.MapQuery{}
	cmd := &cobra.Command{
		Use:               "map [FILE...]",
		Short:             "Give an overview of the project, what matters most first",
		Long:              "Lists files with what they export, those first that the rest of the project\ndepends on most, or that the named files do.",
		Example:           "  pictx kota map\n  pictx kota map src/config.ts --max-bytes 2000",
		Annotations:       exits(kotaExits),
		Args:              someArgs(0, -1),
		ValidArgsFunction: a.completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Focus = args
			return a.runKotaMap(cmd.Context(), q, l)
		},
	}
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	a.limitFlags(cmd, &l, 0)
	return cmd
}

func (a *app) runKotaMap(ctx context.Context, q kota.MapQuery, l kotaLimits) error {
	e, err := a.engine(ctx, l.yes)
	if err != nil {
		return err
	}
	if q.Focus, err = a.files(e, q.Focus); err != nil {
		return err
	}
	m, err := e.Map(ctx, q)
	if err != nil {
		return kotaError(err)
	}
	more := "pictx kota map"
	for _, f := range q.Focus {
		more += " " + shellWord(f)
	}
	if q.Tests {
		more += " --tests"
	}
	return a.emitAnswer(laid(m, m.Text(l.window, kota.More(more))), l)
}

func (a *app) kotaCycles() *cobra.Command {
	var l kotaLimits
	cmd := &cobra.Command{
		Use:   "cycles",
		Short: "List import cycles",
		Long: `Lists the shortest cycle through each import that is part of one, each cycle once
and beginning with the file that sorts first. Those that only imports of types
make are gone when the program runs: they come last, and are counted apart.`,
		Example:     "  pictx kota cycles",
		Annotations: exits(kotaExits),
		Args:        noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.engine(cmd.Context(), l.yes)
			if err != nil {
				return err
			}
			c, err := e.Cycles(cmd.Context())
			if err != nil {
				return kotaError(err)
			}
			return a.emitAnswer(laid(c, c.Text(l.window, "pictx kota cycles")), l)
		},
	}
	a.limitFlags(cmd, &l, 0)
	return cmd
}

func (a *app) kotaGraph() *cobra.Command {
	var format string
	var yes bool
	q := kota.GraphQuery{}
	cmd := &cobra.Command{
		Use:   "graph [FILE]",
		Short: "Draw what surrounds a file, or the whole project",
		Long: `Prints the files around a file and the imports between them, for Graphviz, as a
Mermaid flow chart or as SVG; without a file those of the whole project. Imports
of types and inferred ones are dashed. A drawing that is cut to --most files says
so on standard error; JSON is not cut.`,
		Example: `  pictx kota graph src/config.ts | dot -Tpng >config.png
  pictx kota graph src/config.ts --format svg >config.svg
  pictx kota graph --tests --json >imports.json`,
		Annotations:       exits(kotaExits),
		Args:              someArgs(0, 1),
		ValidArgsFunction: a.completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Depth < 1 || q.Depth > 5 || q.Most < 1 {
				return usageError(cmd.CommandPath()+" --help", "want --depth 1 to 5 and --most 1 or more")
			}
			if len(args) > 0 {
				q.File = args[0]
			}
			if a.json && !cmd.Flags().Changed("most") {
				q.Most = 0
			}
			return a.runKotaGraph(cmd.Context(), q, format, yes)
		},
	}
	a.wordFlag(cmd, &format, "format", "dot", "the `format`", []string{"dot", "mermaid", "svg"})
	cmd.Flags().IntVar(&q.Depth, "depth", 1, "how many `imports` away, at most 5")
	cmd.Flags().IntVar(&q.Most, "most", 60, "draw at most this `number` of files")
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "draw tests too")
	cmd.Flags().BoolVar(&yes, "yes", false, "make the index without asking when there is none")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runKotaGraph(ctx context.Context, q kota.GraphQuery, format string, yes bool) error {
	e, err := a.engine(ctx, yes)
	if err != nil {
		return err
	}
	if q.File != "" {
		files, err := a.files(e, []string{q.File})
		if err != nil {
			return err
		}
		q.File = files[0]
	}
	g, err := e.Graph(ctx, q)
	if err != nil {
		return kotaError(err)
	}
	if left := g.Total - len(g.Nodes); left > 0 && !a.json {
		fmt.Fprintf(a.env.Err, "pictx: %s left out: --most %d draws all\n", text.Count(left, "file"), g.Total)
	}
	draw := map[string]func(io.Writer, kota.Graph) error{"dot": report.CodeDOT, "mermaid": report.CodeMermaid, "svg": report.CodeSVG}[format]
	if a.json {
		return a.out.line(g)
	}
	return draw(a.out, g)
}
