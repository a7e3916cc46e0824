package history

import (
	"bytes"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/workspace"
)

// TreeCommand returns the command pictx tree.
func TreeCommand(a *cli.Run) *cobra.Command {
	html := ""
	cmd := cli.Command("tree [SESSION]", "Draw the summaries of a session", "3 10 11 12", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		return runTree(a, ctx, html, append(args, "")[0])
	})
	cmd.ValidArgsFunction = a.SessionWords
	cli.NewFileFlag(cmd.Flags(), &html, "html", "write a page with a picture and all texts to this `file`")
	a.JSONFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("html", "json")
	return cmd
}

func runTree(a *cli.Run, ctx context.Context, html, session string) error {
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
	case html != "":
		var page bytes.Buffer
		if err := treePage(h, v, &page); err != nil {
			return err
		}
		return a.Deliver(html, page.Bytes())
	}
	a.Out.Printf("%s\n", cli.WrapTree(text.Printable(v.Tree(0)), a.Out.Width))
	return nil
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
