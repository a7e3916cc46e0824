package kota

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
)

// graph returns the command that draws imports. A drawing is limited by files instead of bytes.
func (k codeCommands) graph() *cobra.Command {
	var format string
	var l answerLimits
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
			if k.run.JSON && !cmd.Flags().Changed("most") {
				q.MaxFiles = 0
			}
			c := &questionCall{codeCommands: k, cmd: cmd, args: args, limits: &l}
			if len(args) > 0 {
				var err error
				if q.File, err = c.find(cmd.Context(), args[0]); err != nil {
					return err
				}
			}
			return k.draw(cmd.Context(), q, format, c)
		},
	}
	questionFlags{Command: cmd, run: k.run}.word(&format, "format", "dot", "the `format`", report.CodeFormats()...)
	cmd.Flags().IntVar(&q.Depth, "depth", 1, "how many `imports` away, at most 5")
	cmd.Flags().IntVar(&q.MaxFiles, "most", 60, "draw at most this `number` of files")
	cmd.Flags().BoolVar(&q.Tests, "tests", false, "draw tests too")
	cmd.Flags().BoolVar(&l.yes, "yes", false, yesUsage)
	cli.Hide(cmd.Flags(), "yes")
	k.run.JSONFlag(cmd)
	return cmd
}

// draw prints a graph.
func (k codeCommands) draw(ctx context.Context, q kota.GraphQuery, format string, c *questionCall) error {
	e, err := c.engine(ctx)
	if err != nil {
		return err
	}
	g, err := e.Graph(ctx, q)
	if err != nil {
		return workspace.KotaError(err)
	}
	if left := g.Total - len(g.Nodes); left > 0 && !k.run.JSON {
		fmt.Fprintf(k.run.Env.Err, "pictx: %s left out: --most %d draws all\n", text.Count(left, "file"), g.Total)
	}
	if k.run.JSON {
		return k.run.Out.Line(g)
	}
	return report.CodeDrawing(k.run.Out, format, g)
}
