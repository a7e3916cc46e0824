package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

// TreeCommand returns the command pictx tree.
func TreeCommand(a *cli.Run) *cobra.Command {
	html := ""
	cmd := cli.Command("tree [SESSION] [SUMMARY]", "Draw the summaries of a session, or show one", "3 10 11 12", cli.SomeArgs(0, 2), func(ctx context.Context, args []string) error {
		session, id := "", ""
		for _, arg := range args {
			if summary.LooksLikeKey(arg) {
				id = arg
			} else {
				session = arg
			}
		}
		if id != "" && session == "" { // it is shown as it stands in its own session
			st, _, err := a.Store(ctx, sqlite.Read)
			if err != nil {
				return err
			}
			n, err := st.Summaries.Summary(ctx, id)
			if err = errors.Join(err, st.Close()); err != nil {
				return err
			}
			session = n.Session
		}
		h, err := a.OpenSession(ctx, session)
		if err != nil {
			return err
		}
		defer h.Close()
		v, err := h.View(ctx)
		switch {
		case err != nil:
			return err
		case id != "":
			return showSummary(a, ctx, h, v, id)
		}
		return drawTree(a, h, v, html)
	})
	cmd.ValidArgsFunction = a.SessionWords
	cli.NewFileFlag(cmd.Flags(), &html, "html", "write a page with a picture and all texts to this `file`")
	a.JSONFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("html", "json")
	return cmd
}

// DescribeCommand returns the former name of pictx tree.
func DescribeCommand(a *cli.Run) *cobra.Command {
	cmd := TreeCommand(a)
	cmd.Use, cmd.Hidden = "describe [SESSION] [SUMMARY]", true
	return cmd
}

// describeBudget is the maximum length of a text printed for the user.
const describeBudget token.Count = 1 << 20

// drawTree draws the summaries of a session as text, as a page, or as JSON, a line for each.
func drawTree(a *cli.Run, h *workspace.Session, v *summary.View, html string) error {
	switch {
	case len(v.Nodes) == 0:
		return exit.WithHint(exit.NotFound, "pictx compact "+history.ShortSession(h.ID), errors.New("nothing of session "+history.ShortSession(h.ID)+" is summarised"))
	case a.JSON:
		for _, s := range summaryLines(v) {
			if err := a.Out.Line(s); err != nil {
				return err
			}
		}
	case html != "":
		var page bytes.Buffer
		t, err := transcript.Read(h.Tree, h.Tree.Leaf(), h.Line, nil)
		if err != nil {
			return err
		}
		p := pageOf(h, v, t)
		p.HasPicture = true
		if err := p.Write(&page); err != nil {
			return err
		}
		return a.Deliver(html, page.Bytes())
	default:
		drawn := v.Tree(0)
		if len(v.Cover.Leaves) > 0 {
			drawn = v.Describe(summary.Overview, describeBudget)
		}
		a.Out.Printf("%s\n", cli.HangLines(text.Printable(drawn), a.Out.Width))
	}
	return nil
}

// showSummary prints a summary with its text.
func showSummary(a *cli.Run, ctx context.Context, h *workspace.Session, v *summary.View, id string) error {
	if h.St == nil {
		return exit.WithHint(exit.NotFound, "for ids: pictx tree", errors.New("show summary "+id+": there is no store"))
	}
	body, n, err := v.DescribeNode(ctx, h.St.Summaries, id, describeBudget)
	if err != nil {
		return err
	}
	return a.Out.Emit(summaryLine(n, v), func(w *cli.Out) { w.Printf("%s\n", text.Printable(body)) })
}

// summaryView is a summary as JSON.
type summaryView struct {
	ID          string   `json:"id"`
	Session     string   `json:"session"`
	Depth       int      `json:"depth"`
	Kind        string   `json:"kind"`
	State       string   `json:"state"`
	Sources     []string `json:"sources"`
	Parents     []string `json:"parents"`
	First       string   `json:"first"` // entry
	Last        string   `json:"last"`
	Messages    int      `json:"messages"`
	Start       string   `json:"start"`
	End         string   `json:"end"`
	Tokens      int      `json:"tokens"`
	InputTokens int      `json:"input_tokens"`
	Model       string   `json:"model"`
	Created     string   `json:"created"`
	Text        string   `json:"text"`
}

// summaryLines are all summaries of a session as JSON.
func summaryLines(v *summary.View) []summaryView {
	out := []summaryView{}
	for i := range v.Nodes {
		out = append(out, summaryLine(&v.Nodes[i], v))
	}
	return out
}

// summaryLine is a summary as JSON, with its state in a session and the summaries made from it.
func summaryLine(n *summary.Node, v *summary.View) summaryView {
	parents := []string{}
	for i := range v.Nodes {
		if v.Nodes[i].Depth > 0 && slices.Contains(v.Nodes[i].Sources, n.Key) {
			parents = append(parents, v.Nodes[i].Key)
		}
	}
	return summaryView{
		ID: n.Key, Session: n.Session, Depth: n.Depth, Kind: string(n.Kind), State: string(cmp.Or(v.Cover.States[n.Key], summary.Elsewhere)), Sources: n.Sources,
		Parents: parents, First: n.First, Last: n.Last, Messages: n.Entries,
		Start: text.KnownTime(n.From), End: text.KnownTime(n.To), Tokens: int(n.Tokens), InputTokens: int(n.Input),
		Model: n.Name, Created: text.KnownTime(n.Created), Text: n.Text,
	}
}
