package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/kota"
)

// wordFlag checks a flag that takes one of a few words.
func (a *app) wordFlag(cmd *cobra.Command, to *string, name, def, usage string, words []string) {
	cmd.Flags().StringVar(to, name, def, usage+": "+strings.Join(words, ", "))
	a.completeWords(cmd, name, words)
	prior := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains(words, *to) {
			return usageError(cmd.CommandPath()+" --help", "unknown --%s %q: want %s", name, *to, strings.Join(words, ", "))
		}
		if prior != nil {
			return prior(cmd, args)
		}
		return nil
	}
}

func (a *app) kotaDeps() *cobra.Command {
	var l kotaLimits
	var direction, dir string
	q := kota.DepsQuery{}
	cmd := &cobra.Command{
		Use:   "deps FILE",
		Short: "List what a file depends on and what depends on it",
		Long: `Lists the files that import a file, directly or through files that pass its
exports on, and the files that it imports. Imports that TypeScript would not
find, because something is not built or needs a bundler, are marked as inferred.`,
		Example: `  pictx kota deps src/config.ts
  pictx kota deps src/config --direction dependents --depth 3 --tests`,
		Annotations:       exits(kotaExits),
		Args:              someArgs(1, 1),
		ValidArgsFunction: a.completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Depth < 1 || q.Depth > 5 {
				return usageError(cmd.CommandPath()+" --help", "--depth is %d: want 1 to 5", q.Depth)
			}
			q.File, q.Dir = args[0], strings.Trim(dir, "/")
			q.Dependents, q.Dependencies = direction != "dependencies", direction != "dependents"
			return a.runKotaDeps(cmd.Context(), q, l)
		},
	}
	a.wordFlag(cmd, &direction, "direction", "both", "which `way` to look", []string{"dependents", "dependencies", "both"})
	cmd.Flags().IntVar(&q.Depth, "depth", 1, "how many `imports` away, at most 5")
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	cmd.Flags().StringVar(&dir, "dir", "", "list only what lies in this `directory`")
	a.limitFlags(cmd, &l, 0)
	return cmd
}

func (a *app) runKotaDeps(ctx context.Context, q kota.DepsQuery, l kotaLimits) error {
	e, err := a.engine(ctx, l.yes)
	if err != nil {
		return err
	}
	files, err := a.files(e, []string{q.File})
	if err != nil {
		return err
	}
	q.File = files[0]
	v, err := askDeps(ctx, e, q, l.window)
	if err != nil {
		return kotaError(err)
	}
	return a.emitAnswer(v, l)
}

func (a *app) kotaUsages() *cobra.Command {
	var l kotaLimits
	q := kota.UsagesQuery{}
	cmd := &cobra.Command{
		Use:   "usages SYMBOL",
		Short: "List the lines that use a symbol",
		Long: `Lists the lines that use a symbol, under whatever name it is imported and through
whatever files pass it on. When several files declare it, they are listed, and
--file chooses one. What a member of a class belongs to is not known without the
types: its uses are found by name, and the answer says so. A local variable of
the same name counts as a use.`,
		Example: `  pictx kota usages loadConfig
  pictx kota usages Options --file src/options.ts --tests
  pictx kota usages Color.Red`,
		Annotations: exits(kotaExits),
		Args:        someArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Symbol = args[0]
			return a.runKotaUsages(cmd.Context(), q, l)
		},
	}
	cmd.Flags().StringVar(&q.File, "file", "", "the `file` that declares it")
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "list tests too")
	a.limitFlags(cmd, &l, 0)
	return cmd
}

func (a *app) runKotaUsages(ctx context.Context, q kota.UsagesQuery, l kotaLimits) error {
	e, err := a.engine(ctx, l.yes)
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
	v, err := askUsages(ctx, e, q, l.window)
	if err != nil {
		return kotaError(err)
	}
	if err = a.emitAnswer(v, l); err == nil && v.unsure {
		return silent(exitUsage)
	}
	return err
}

func (a *app) kotaImpact() *cobra.Command {
	var l kotaLimits
	var list, span string
	q := kota.ImpactQuery{}
	cmd := &cobra.Command{
		Use:   "impact",
		Short: "Tell what a change breaks and which tests reach it",
		Long: `Tells what depends on files that are to be modified, which imports break when
files are deleted, which names clash when files are created, what the changed
files export and who takes it, and the tests that reach the change, the nearest
first. --diff takes the files from git.`,
		Example: `  pictx kota impact --modify src/config.ts
  pictx kota impact --delete src/old.ts --create src/new.ts
  pictx kota impact --diff main`,
		Annotations: exits(kotaExits),
		Args:        noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(q.Modify)+len(q.Create)+len(q.Delete) == 0 && span == "" {
				return usageError(cmd.CommandPath()+" --help", "name what changes: --modify, --create, --delete or --diff")
			}
			return a.runKotaImpact(cmd.Context(), q, span, list, l)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&q.Modify, "modify", nil, "a `file` that is changed; may be given more than once")
	f.StringArrayVar(&q.Create, "create", nil, "a `file` that is created; may be given more than once")
	f.StringArrayVar(&q.Delete, "delete", nil, "a `file` that is deleted; may be given more than once")
	f.StringVar(&span, "diff", "", "what git says changed since a commit, or in a `range` of them")
	a.wordFlag(cmd, &q.ChangeType, "change-type", "refactor", "what `kind` of change it is", []string{"feature", "refactor", "fix", "chore"})
	a.wordFlag(cmd, &list, "list", "all", "which `list` to print", []string{"all", "breaks", "tests", "dependents", "surface"})
	a.limitFlags(cmd, &l, 0)
	return cmd
}

func (a *app) runKotaImpact(ctx context.Context, q kota.ImpactQuery, span, list string, l kotaLimits) error {
	e, err := a.engine(ctx, l.yes)
	if err != nil {
		return err
	}
	for _, files := range []*[]string{&q.Modify, &q.Delete} {
		if *files, err = a.files(e, *files); err != nil {
			return err
		}
	}
	again := impactAgain(q)
	for i, f := range q.Create {
		q.Create[i] = a.tries(f)[0]
	}
	if span != "" {
		again += " --diff " + shellWord(span)
		if err := a.changedFiles(ctx, e, &q, span); err != nil {
			return err
		}
	}
	v, err := askImpact(ctx, e, q, again, list, l.window)
	if err != nil {
		return kotaError(err)
	}
	return a.emitAnswer(v, l)
}

// changedFiles adds what git says changed.
func (a *app) changedFiles(ctx context.Context, e codeEngine, q *kota.ImpactQuery, span string) error {
	pl, err := a.place()
	if err != nil {
		return err
	}
	there, gone, err := pl.codeFiles().Diff(ctx, span)
	if err != nil {
		return kotaError(err)
	}
	for _, f := range there {
		if found, err := e.Find(f); err == nil {
			q.Modify = append(q.Modify, found)
		}
	}
	if q.Gone = gone; len(q.Modify)+len(q.Create)+len(q.Delete)+len(q.Gone) == 0 {
		return withHint(exitNotFound, "git diff --stat "+shellWord(span), fmt.Errorf("find impact: no indexed file changed in %s", span))
	}
	return nil
}

func (a *app) kotaContext() *cobra.Command {
	var l kotaLimits
	var list string
	q := kota.ContextQuery{}
	cmd := &cobra.Command{
		Use:   "context FILE...",
		Short: "Brief on files before they are worked on",
		Long:  "Says of each file what it exports and imports, how many files depend on it, and\nlists the dependents that matter most and the tests that reach the files.",
		Example: `  pictx kota context src/config.ts src/load.ts
  pictx kota context src/config.ts --symbols`,
		Annotations:       exits(kotaExits),
		Args:              someArgs(1, -1),
		ValidArgsFunction: a.completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Files = args
			return a.runKotaContext(cmd.Context(), q, list, l)
		},
	}
	cmd.Flags().BoolVar(&q.Tests, "tests", true, "list tests")
	cmd.Flags().BoolVar(&q.Symbols, "symbols", false, "list what the files declare")
	a.wordFlag(cmd, &list, "list", "all", "which `list` to print", []string{"all", "tests", "dependents"})
	a.limitFlags(cmd, &l, 20)
	return cmd
}

func (a *app) runKotaContext(ctx context.Context, q kota.ContextQuery, list string, l kotaLimits) error {
	e, err := a.engine(ctx, l.yes)
	if err != nil {
		return err
	}
	if q.Files, err = a.files(e, q.Files); err != nil {
		return err
	}
	v, err := askContext(ctx, e, q, list, l.window)
	if err != nil {
		return kotaError(err)
	}
	return a.emitAnswer(v, l)
}
