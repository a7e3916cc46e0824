package kota

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/workspace"
)

// question is one question about code: the words of its command, and how flags and
// arguments become a request.
type question struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	files                     bool // the arguments are files
	limit                     int  // results without --limit, 0 for as many as fit
	// flags declares the flags and returns what makes a request of their values.
	flags func(questionFlags) requestFunc
}

// requestFunc makes the request of one call. It finds files in the engine, which
// opens the index: whatever can be refused without that is refused first.
type requestFunc func(context.Context, *questionCall) (kota.Request, error)

// questions are all of them, in the order of the help.
var questions = []question{
	{
		use: "search TEXT", args: cli.SomeArgs(1, 1), limit: 15,
		short: "Search code by text, symbol or question",
		long: `Finds lines that contain a text, or declarations whose names contain it.
Several plain words are a question: files are ranked by where the words or
parts of them occur (names, paths, code or comments) and how close together. A
text that occurs nowhere is searched for by its words too. Any other query is
taken literally unless --regex is given, and ignores case if it has no capital
letters.

Declarations come before paths, uses and comments, and files that many others
import before the rest. Each file shows three lines before any file shows
more. What does not fit is shown with less context, as one line per match, or
as counts by file or directory; the answer says which.`,
		example: `  pictx kota search 'where is the retry delay computed'
  pictx kota search loadConfig
  pictx kota search config --scope symbols
  pictx kota search 'use[A-Z]\w+\(' --regex --glob '*.tsx' --show snippet`,
		flags: searchFlags,
	},
	{
		use: "deps FILE", args: cli.SomeArgs(1, 1), files: true,
		short: "List dependencies and dependents of a file",
		long: `Lists the files that import a file, directly or through files that re-export
from it, and the files that it imports. Imports that TypeScript itself would
not resolve, because something is not built or needs a bundler, are marked as
inferred.

In Go, a file depends on the files that declare the names it uses, in its own
package too. Finding out whose method a call means takes type information, so
such dependencies are marked as inferred.`,
		example: `  pictx kota deps src/config.ts
  pictx kota deps src/config --direction dependents --depth 3 --tests`,
		flags: depsFlags,
	},
	{
		use: "usages SYMBOL", args: cli.SomeArgs(1, 1),
		short: "List uses of a symbol",
		long: `Lists the lines that use a symbol, under any name it is imported as and
through any files that re-export it. If several files declare it, they are
listed, and --file chooses one. Uses of a class member are found by its name
alone, since its type is not known, and the answer says so. A local variable
or parameter of the same name does not count.`,
		example: `  pictx kota usages loadConfig
  pictx kota usages Options --file src/options.ts --tests
  pictx kota usages Color.Red`,
		flags: usagesFlags,
	},
	{
		use: "impact [FILE...]", args: cli.SomeArgs(0, -1), files: true,
		short: "Show what a change affects, and which tests to run",
		long: `Shows what a change affects: what depends on the files you are going to modify,
which imports break when files are deleted, which names clash when files are
created, what the changed files export and who uses it, and which tests reach
the change, the file's own first. Files that use a changed name come before
those that only depend on the change through others.

--symbol changes one declaration instead of a whole file. --diff asks git
which files and declarations have changed, new files included.`,
		example: `  pictx kota impact src/config.ts
  pictx kota impact --symbol loadConfig
  pictx kota impact --delete src/old.ts --create src/new.ts
  pictx kota impact --diff main`,
		flags: impactFlags,
	},
	{
		use: "context [FILE...]", args: cli.SomeArgs(0, -1), files: true, limit: 20,
		short: "Describe files, or find those to read for a task",
		long: `Describes files: what each exports and imports, how many files depend on it,
its most important dependents, and the tests that reach it. With --query it
finds the files to read for a task, and says why, what several of them import,
and which tests reach them.`,
		example: `  pictx kota context src/config.ts src/load.ts
  pictx kota context src/config.ts --symbols
  pictx kota context --query 'retry uploads that time out'`,
		flags: contextFlags,
	},
	{
		use: "map [FILE...]", args: cli.SomeArgs(0, -1), files: true,
		short:   "Show an overview of the project",
		long:    "Lists files and what they export, beginning with those that the rest of the\nproject, or the files you name, depend on most.",
		example: "  pictx kota map\n  pictx kota map src/config.ts --max-bytes 2000",
		flags:   mapFlags,
	},
	{
		use: "cycles", args: cli.NoArgs,
		short: "List import cycles",
		long: `Lists import cycles: for each import that is part of one, the shortest cycle
through it. Each cycle is listed once, beginning with the file that sorts
first. Cycles of type imports alone disappear at run time: they come last and
are counted separately.`,
		example: "  pictx kota cycles",
		flags:   cyclesFlags,
	},
}

func searchFlags(f questionFlags) requestFunc {
	var scope string
	q := kota.SearchRequest{}
	f.word(&scope, "scope", "code", "what to `search`", "code", "symbols")
	f.word(&q.Output, "show", kota.OutputCompact, "how `much` to print", kota.OutputPaths, kota.OutputCompact, kota.OutputSnippet)
	f.Flags().IntVar(&q.Context, "context", 1, "`lines` around a match of a snippet, at most 5")
	f.Flags().StringArrayVar(&q.Globs, "glob", nil, "only files that match this `pattern`; may be given more than once")
	f.Flags().StringArrayVar(&q.Exclude, "exclude", nil, "no files that match this `pattern`; may be given more than once")
	cli.Renamed(f.Command, map[string]string{"output": "show"})
	f.Flags().BoolVarP(&q.Regex, "regex", "e", false, "the text is a regular expression")
	f.Flags().BoolVar(&q.Tests, "tests", true, "search tests too")
	return func(_ context.Context, c *questionCall) (kota.Request, error) {
		q.Text, q.Symbols = c.args[0], scope == "symbols"
		if q.Context < 0 || q.Context > 5 {
			return nil, c.usage("--context is %d: want 0 to 5", q.Context)
		}
		if strings.TrimSpace(q.Text) == "" {
			return nil, exit.UsageError("pictx kota search TEXT", "search: the query is empty")
		}
		return q, nil
	}
}

func depsFlags(f questionFlags) requestFunc {
	var direction, dir string
	q := kota.DepsQuery{}
	f.word(&direction, "direction", "both", "which `way` to look", "dependents", "dependencies", "both")
	f.Flags().IntVar(&q.Depth, "depth", 1, "how many `imports` away, at most 5")
	f.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	f.Flags().StringVar(&dir, "dir", "", "list only what lies in this `directory`")
	return func(ctx context.Context, c *questionCall) (kota.Request, error) {
		if q.Depth < 1 || q.Depth > 5 {
			return nil, c.usage("--depth is %d: want 1 to 5", q.Depth)
		}
		q.Dir = strings.Trim(dir, "/")
		q.Dependents, q.Dependencies = direction != "dependencies", direction != "dependents"
		var err error
		q.File, err = c.findOrGone(ctx, c.args[0])
		return q, err
	}
}

func usagesFlags(f questionFlags) requestFunc {
	q := kota.UsagesQuery{}
	f.Flags().StringVar(&q.File, "file", "", "the `file` that declares it")
	f.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	return func(ctx context.Context, c *questionCall) (kota.Request, error) {
		q.Symbol = c.args[0]
		if q.File == "" {
			return q, nil
		}
		var err error
		q.File, err = c.find(ctx, q.File)
		return q, err
	}
}

func impactFlags(f questionFlags) requestFunc {
	var span string
	q := kota.ImpactRequest{}
	f.Flags().StringArrayVar(&q.Modify, "modify", nil, "a `file` that is changed, as an argument is; may be given more than once")
	f.Flags().StringArrayVar(&q.Symbols, "symbol", nil, "a `name` whose declaration is changed; may be given more than once")
	f.Flags().StringVar(&q.File, "file", "", "the `file` that declares the symbols")
	f.Flags().StringArrayVar(&q.Create, "create", nil, "a `file` that is created; may be given more than once")
	f.Flags().StringArrayVar(&q.Delete, "delete", nil, "a `file` that is deleted; may be given more than once")
	f.Flags().StringVar(&span, "diff", "", "what git says changed since a commit, or in a `range` of them")
	f.word(&q.ChangeType, "change-type", "refactor", "what `kind` of change it is", "feature", "refactor", "fix", "chore")
	f.word(&q.List, "list", kota.ListAll, "which `list` to print", kota.ListAll, "breaks", "tests", "dependents", "surface")
	return func(ctx context.Context, c *questionCall) (kota.Request, error) {
		q.Modify = append(q.Modify, c.args...)
		if len(q.Modify)+len(q.Create)+len(q.Delete)+len(q.Symbols) == 0 && span == "" {
			return nil, c.usage("name what changes: files, --symbol, --create, --delete or --diff")
		}
		var err error
		if q.Modify, err = c.findAll(ctx, q.Modify); err != nil {
			return nil, err
		}
		for i, f := range q.Delete {
			if q.Delete[i], err = c.findOrGone(ctx, f); err != nil {
				return nil, err
			}
		}
		if q.File != "" {
			if q.File, err = c.find(ctx, q.File); err != nil {
				return nil, err
			}
		}
		q.Again = kota.ImpactCommand(q.ImpactQuery, span)
		for i, f := range q.Create {
			q.Create[i] = tries(c.run, f)[0]
		}
		if span != "" {
			err = c.addChanged(ctx, &q.ImpactQuery, span)
		}
		return q, err
	}
}

func contextFlags(f questionFlags) requestFunc {
	q := kota.ContextRequest{}
	task := f.Flags().String("query", "", "find the files to read for this `task`, told in plain words")
	f.Flags().BoolVar(&q.Tests, "tests", true, "list tests")
	f.Flags().BoolVar(&q.Symbols, "symbols", false, "list what the files declare")
	f.word(&q.List, "list", kota.ListAll, "which `list` to print", kota.ListAll, "tests", "dependents")
	return func(ctx context.Context, c *questionCall) (kota.Request, error) {
		if len(c.args) == 0 && strings.TrimSpace(*task) == "" {
			return nil, c.usage("name files, or a task with --query")
		}
		var err error
		q.Files, err = c.findAll(ctx, c.args)
		if *task != "" {
			return kota.TaskRequest{Query: *task, Files: q.Files, Tests: q.Tests, MaxRelated: c.limits.window.Limit}, err
		}
		return q, err
	}
}

func mapFlags(f questionFlags) requestFunc {
	q := kota.MapQuery{}
	f.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	return func(ctx context.Context, c *questionCall) (kota.Request, error) {
		var err error
		q.Focus, err = c.findAll(ctx, c.args)
		return q, err
	}
}

func cyclesFlags(questionFlags) requestFunc {
	return func(context.Context, *questionCall) (kota.Request, error) { return kota.CyclesQuery{}, nil }
}

// questionFlags declares the flags of a command.
type questionFlags struct {
	*cobra.Command
	run *cli.Run
}

// word declares a flag that takes one of a few words, and checks it.
func (f questionFlags) word(to *string, name, def, usage string, words ...string) {
	f.Flags().StringVar(to, name, def, usage+": "+strings.Join(words, ", "))
	f.run.CompleteWords(f.Command, name, words)
	checkFirst(f.Command, func(cmd *cobra.Command) error {
		if !slices.Contains(words, *to) {
			return exit.UsageError(cmd.CommandPath()+" --help", "unknown --%s %q: want %s", name, *to, strings.Join(words, ", "))
		}
		return nil
	})
}

// questionCall is one call of a question's command.
type questionCall struct {
	codeCommands
	cmd    *cobra.Command
	args   []string
	limits *answerLimits
	opened workspace.CodeEngine
}

// usage is the error of flags that make no sense.
func (c *questionCall) usage(format string, args ...any) error {
	return exit.UsageError(c.cmd.CommandPath()+" --help", format, args...)
}

// engine is what answers the call.
func (c *questionCall) engine(ctx context.Context) (workspace.CodeEngine, error) {
	var err error
	if c.opened == nil {
		c.opened, err = c.engines.open(ctx, c.limits.yes)
	}
	return c.opened, err
}

// find turns the name a person gave into a file of the index: as seen from the
// working directory, else from the root.
func (c *questionCall) find(ctx context.Context, name string) (string, error) {
	e, err := c.engine(ctx)
	if err != nil {
		return "", err
	}
	f, err := e.Find(tries(c.run, name)...)
	return f, workspace.KotaError(err)
}

// findOrGone is find for a file that may not be there any more: the engine knows
// whether anything imports it.
func (c *questionCall) findOrGone(ctx context.Context, name string) (string, error) {
	found, err := c.find(ctx, name)
	var unknown *kota.UnknownFileError
	if !errors.As(err, &unknown) {
		return found, err
	}
	pl, err := c.run.Place()
	if err != nil {
		return "", err
	}
	return pl.CodeFiles().Relative(tries(c.run, name)[0]), nil
}

// findAll is find for several names.
func (c *questionCall) findAll(ctx context.Context, names []string) ([]string, error) {
	var out []string
	for _, n := range names {
		f, err := c.find(ctx, n)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// addChanged adds what git says changed.
func (c *questionCall) addChanged(ctx context.Context, q *kota.ImpactQuery, span string) error {
	e, err := c.engine(ctx)
	if err != nil {
		return err
	}
	pl, err := c.run.Place()
	if err != nil {
		return err
	}
	diff, err := pl.CodeFiles().Diff(ctx, span)
	if err != nil {
		return workspace.KotaError(err)
	}
	for _, f := range diff.Modified {
		if found, err := e.Find(f); err == nil {
			q.Modify = append(q.Modify, found)
		}
	}
	q.Lines = diff.Lines
	if q.Gone = diff.Gone; len(q.Modify)+len(q.Create)+len(q.Delete)+len(q.Gone) == 0 {
		return exit.WithHint(exit.NotFound, "git diff --stat "+text.ShellWord(span), fmt.Errorf("find impact: no indexed file changed in %s", span))
	}
	return nil
}
