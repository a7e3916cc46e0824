package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
)

type treeOptions struct {
	svg          bool
	html, output string
}

// TreeCommand returns the command pictx tree.
func TreeCommand(a *cli.Run) *cobra.Command {
	var o treeOptions
	cmd := &cobra.Command{
		Use:               "tree [SESSION]",
		GroupID:           cli.GroupHistory,
		Short:             "Draw the summaries of a session",
		Annotations:       cli.Exits("3 10 11 12"),
		Args:              cli.SomeArgs(0, 1),
		ValidArgsFunction: a.SessionWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTree(a, cmd.Context(), o, append(args, "")[0])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.svg, "svg", false, "draw an SVG picture")
	cli.NewFileFlag(f, &o.html, "html", "write a page with the picture and all texts to this `file`")
	cli.NewFileFlag(f, &o.output, "output", "write into this `file`")
	a.JSONFlag(cmd)
	return cmd
}

func runTree(a *cli.Run, ctx context.Context, o treeOptions, session string) error {
	if page := o.html != ""; o.svg && page || a.JSON && (o.svg || page) {
		return exit.UsageError("pictx tree --html tree.html", "--svg, --html and --json exclude each other")
	}
	h, err := a.OpenHistory(ctx, session)
	if err != nil {
		return err
	}
	defer h.Close()
	v, err := h.View(ctx)
	if err != nil {
		return err
	}
	if len(v.Nodes) == 0 {
		return exit.WithHint(exit.NotFound, "pictx compact "+history.ShortSession(h.Id), errors.New("nothing of session "+history.ShortSession(h.Id)+" is summarised"))
	}
	switch {
	case a.JSON:
		return treeJSON(a, v)
	case o.svg || o.html != "":
		var b bytes.Buffer
		if o.svg {
			err = report.SummarySVG(&b, v)
		} else {
			err = treePage(h, v, &b)
		}
		if err != nil {
			return err
		}
		return a.Deliver(cmp.Or(o.html, o.output), b.Bytes())
	}
	drawn := text.Printable(v.Tree(0))
	if o.output == "" || o.output == "-" {
		drawn = cli.WrapTree(drawn, a.Out.Width)
	}
	return a.Deliver(o.output, []byte(drawn+"\n"))
}

// treePage writes a page with the picture and all texts.
func treePage(h *workspace.HistorySession, v *summary.View, to *bytes.Buffer) error {
	t, err := transcript.Read(h.Tree, h.Tree.Leaf(), h.Line, nil)
	if err != nil {
		return err
	}
	p := pageOf(h, v, t)
	p.HasPicture = true
	return p.Write(to)
}

// treeJSON prints every node as a line of JSON.
func treeJSON(a *cli.Run, v *summary.View) error {
	up := parentsOf(v.Nodes)
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if err := a.Out.Line(summaryLine(n, v.Cover.States[n.Key], up[n.Key])); err != nil {
			return err
		}
	}
	return nil
}
