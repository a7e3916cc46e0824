package kota

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/workspace"
)

// codeCommands are the commands that ask about code.
type codeCommands struct {
	run     *cli.Run
	engines *codeEngines
}

// Command returns the command pictx kota.
func Command(a *cli.Run) *cobra.Command {
	k := codeCommands{run: a, engines: &codeEngines{run: a}}
	cmd := &cobra.Command{
		Use:     "kota",
		GroupID: cli.GroupContext,
		Short:   "Query the code index of a TypeScript or Go project",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(k.index(), k.status())
	for _, q := range questions {
		cmd.AddCommand(k.command(q))
	}
	cmd.AddCommand(k.graph(), guardCommand())
	k.engines.flags(cmd)
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
	checkFirst(cmd, func(cmd *cobra.Command) error { return l.check(cmd) })
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

// checkFirst adds a check of flags that runs before the earlier ones.
func checkFirst(cmd *cobra.Command, check func(*cobra.Command) error) {
	prior := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd); err != nil || prior == nil {
			return err
		}
		return prior(cmd, args)
	}
}

// command returns the command for a question.
func (k codeCommands) command(q question) *cobra.Command {
	var l answerLimits
	cmd := &cobra.Command{
		Use: q.use, Short: q.short, Hidden: q.merged,
		Annotations: cli.Exits(codeExits), Args: q.args,
	}
	if q.files {
		cmd.ValidArgsFunction = k.completeFiles
	}
	request := q.flags(questionFlags{Command: cmd, run: k.run})
	l.flags(cmd, q.limit)
	k.run.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return k.ask(cmd.Context(), &questionCall{codeCommands: k, cmd: cmd, args: args, limits: &l}, request)
	}
	return cmd
}

// ask asks a question and prints the answer.
func (k codeCommands) ask(ctx context.Context, c *questionCall, request requestFunc) error {
	q, err := request(ctx, c)
	if err != nil {
		return err
	}
	e, err := c.engine(ctx)
	if err != nil {
		return err
	}
	r, err := q.Ask(ctx, e, c.limits.window)
	if err != nil {
		return workspace.KotaError(err)
	}
	switch err := k.print(r, *c.limits); {
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
