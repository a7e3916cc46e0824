package kota

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/kota"
)

// question is one question about code: the texts of its command, and how flags and arguments
// become a request.
type question struct {
	use, short string
	args       cobra.PositionalArgs
	files      bool // the arguments are files
	limit      int  // default of --limit, 0 for as many as fit
	// flags declares the flags and returns the function that builds a request from their
	// values.
	flags func(*cobra.Command) requestFunc
}

// requestFunc builds the request of one call.
type requestFunc func(*questionCall) (kota.Request, error)

// questions are all questions, in the order of the help.
var questions = []question{
	{
		use: "search TEXT...", args: cli.SomeArgs(1, -1), limit: 15,
		short: "Search code by text, symbol or question",
		flags: searchFlags,
	},
	{
		use: "deps FILE", args: cli.SomeArgs(1, 1), files: true,
		short: "List dependencies and dependents of a file",
		flags: depsFlags,
	},
	{
		use: "usages SYMBOL", args: cli.SomeArgs(1, 1),
		short: "List uses of a symbol",
		flags: usagesFlags,
	},
	{
		use: "impact [FILE...]", args: cli.SomeArgs(0, -1), files: true,
		short: "Show what a change affects, and which tests to run",
		flags: impactFlags,
	},
	{
		use: "context [FILE...]", args: cli.SomeArgs(0, -1), files: true, limit: 20,
		short: "Describe files, or find those to read for a task",
		flags: contextFlags,
	},
	{
		use: "map [FILE...]", args: cli.SomeArgs(0, -1), files: true,
		short: "Show an overview of the project",
		flags: mapFlags,
	},
}

func searchFlags(cmd *cobra.Command) requestFunc {
	scope, q := "code", kota.SearchQuery{Output: kota.OutputCompact}
	cli.WordFlag(cmd, &scope, "scope", "what to `search`", "code", "symbols")
	cli.WordFlag(cmd, &q.Output, "show", "how `much` to show", kota.OutputPaths, kota.OutputCompact, kota.OutputSnippet)
	cmd.Flags().IntVar(&q.Context, "context", 1, "`lines` around a match of a snippet, at most 5")
	cmd.Flags().StringArrayVar(&q.Globs, "glob", nil, "only files that match this `pattern`; may be given more than once")
	cmd.Flags().StringArrayVar(&q.Exclude, "exclude", nil, "no files that match this `pattern`; may be given more than once")
	cmd.Flags().BoolVarP(&q.Regex, "regex", "e", false, "the text is a regular expression")
	cmd.Flags().BoolVar(&q.Tests, "tests", true, "search tests too")
	return func(c *questionCall) (kota.Request, error) {
		q.Text, q.Symbols = strings.Join(c.args, " "), scope == "symbols"
		if q.Context < 0 || q.Context > 5 {
			return nil, c.usage("--context is %d: want 0 to 5", q.Context)
		}
		if strings.TrimSpace(q.Text) == "" {
			return nil, exit.UsageError("pictx kota search TEXT...", "search: the query is empty")
		}
		return q, nil
	}
}

func depsFlags(cmd *cobra.Command) requestFunc {
	direction, dir := "both", ""
	q := kota.DepsQuery{}
	cli.WordFlag(cmd, &direction, "direction", "which `way` to look", "dependents", "dependencies", "both")
	cmd.Flags().IntVar(&q.Depth, "depth", 1, "how many `imports` away, at most 5")
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	cmd.Flags().StringVar(&dir, "dir", "", "list only files in this `directory`")
	return func(c *questionCall) (kota.Request, error) {
		if q.Depth < 1 || q.Depth > 5 {
			return nil, c.usage("--depth is %d: want 1 to 5", q.Depth)
		}
		q.Dir = strings.Trim(dir, "/")
		q.Dependents, q.Dependencies = direction != "dependencies", direction != "dependents"
		q.File = c.args[0]
		return q, nil
	}
}

func usagesFlags(cmd *cobra.Command) requestFunc {
	q := kota.UsagesQuery{}
	cmd.Flags().StringVar(&q.File, "file", "", "the `file` that declares it")
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	cmd.Flags().BoolVar(&q.All, "all", false, "list lines, too, that have the name of a member though nothing says that they mean it")
	return func(c *questionCall) (kota.Request, error) {
		q.Symbol = c.args[0]
		return q, nil
	}
}

func impactFlags(cmd *cobra.Command) requestFunc {
	q := kota.ImpactQuery{}
	cmd.Flags().StringArrayVar(&q.Modify, "modify", nil, "a `file` that changes, the same as an argument; may be given more than once")
	cmd.Flags().StringArrayVar(&q.Symbols, "symbol", nil, "a `name` whose declaration changes; may be given more than once")
	cmd.Flags().StringVar(&q.File, "file", "", "the `file` that declares the symbols")
	cmd.Flags().StringArrayVar(&q.Create, "create", nil, "a `file` that is created; may be given more than once")
	cmd.Flags().StringArrayVar(&q.Delete, "delete", nil, "a `file` that is deleted; may be given more than once")
	cmd.Flags().StringVar(&q.Diff, "diff", "", "what git says changed since a commit, or in a `range` of them")
	const uncommitted = "pictx kota impact --diff HEAD, for what is not committed"
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if strings.HasSuffix(err.Error(), "needs an argument: --diff") {
			return exit.UsageError(uncommitted, "%w", err)
		}
		return cli.FlagError(cmd, err)
	})
	q.ChangeType, q.List = "refactor", kota.ListAll
	cli.WordFlag(cmd, &q.ChangeType, "change-type", "what `kind` of change it is", "feature", "refactor", "fix", "chore")
	cli.WordFlag(cmd, &q.List, "list", "which `list` to print", kota.ListAll, "breaks", "tests", "dependents", "surface")
	return func(c *questionCall) (kota.Request, error) {
		q.Modify = append(q.Modify, c.args...)
		if strings.HasPrefix(q.Diff, "-") { // pflag takes the next flag for its value
			return nil, exit.UsageError(uncommitted, "--diff needs a commit before %s", q.Diff)
		}
		if len(q.Modify)+len(q.Create)+len(q.Delete)+len(q.Symbols) == 0 && q.Diff == "" {
			return nil, c.usage("name what changes: files, --symbol, --create, --delete or --diff")
		}
		return q, nil
	}
}

func contextFlags(cmd *cobra.Command) requestFunc {
	q := kota.ContextQuery{}
	task := cmd.Flags().String("query", "", "find the files to read for this `task`, described in plain words")
	cmd.Flags().BoolVar(&q.Tests, "tests", true, "list tests")
	cmd.Flags().BoolVar(&q.Symbols, "symbols", false, "list what the files declare")
	q.List = kota.ListAll
	cli.WordFlag(cmd, &q.List, "list", "which `list` to print", kota.ListAll, "tests", "dependents")
	return func(c *questionCall) (kota.Request, error) {
		if len(c.args) == 0 && strings.TrimSpace(*task) == "" {
			return nil, c.usage("name files, or a task with --query")
		}
		q.Files = c.args
		if *task != "" {
			return kota.TaskRequest{Query: *task, Files: q.Files, Tests: q.Tests, MaxRelated: c.limits.window.Limit}, nil
		}
		return q, nil
	}
}

func mapFlags(cmd *cobra.Command) requestFunc {
	q := kota.MapQuery{}
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	cycles := cmd.Flags().Bool("cycles", false, "list the import cycles of the project instead")
	return func(c *questionCall) (kota.Request, error) {
		if *cycles && len(c.args) > 0 {
			return nil, c.usage("--cycles is about the whole project: name no files")
		}
		if *cycles {
			return kota.CyclesQuery{}, nil
		}
		q.Focus = c.args
		return q, nil
	}
}

// questionCall is one call of a question's command.
type questionCall struct {
	cmd    *cobra.Command
	args   []string
	limits *answerLimits
}

// usage returns the error for an invalid combination of flags.
func (c *questionCall) usage(format string, args ...any) error {
	return exit.UsageError(c.cmd.CommandPath()+" --help", format, args...)
}
