package history

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// DescribeCommand returns the command pictx describe.
func DescribeCommand(a *cli.Run) *cobra.Command {
	session := ""
	cmd := cli.Command("describe [overview|recent|earliest|ID|SESSION]", "Show the summaries of a session, or one of them", "3 10 11 12", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		return runDescribe(a, ctx, session, append(args, summary.Overview)[0])
	})
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{summary.Overview, summary.Recent, summary.Earliest}, cobra.ShellCompDirectiveNoFileComp)
	cmd.Flags().StringVar(&session, "session", "", "the session: `id`, or its file (default: the agent's own, else the latest)")
	a.JSONFlag(cmd)
	a.CompleteSession(cmd)
	return cmd
}

// summaryView is a summary as tree and describe print it in JSON.
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

// summaryLine is a node as JSON.
func summaryLine(n *summary.Node, state summary.State, parents []string) summaryView {
	if state == "" {
		state = summary.Elsewhere
	}
	return summaryView{
		ID: n.Key, Session: n.Session, Depth: n.Depth, Kind: string(n.Kind), State: string(state), Sources: n.Sources,
		Parents: append([]string{}, parents...), First: n.First, Last: n.Last, Messages: n.Entries,
		Start: text.KnownTime(n.From), End: text.KnownTime(n.To), Tokens: int(n.Tokens), InputTokens: int(n.Input),
		Model: n.Name, Created: text.KnownTime(n.Created), Text: n.Text,
	}
}

// parentsOf maps each node to the nodes made from it.
func parentsOf(nodes []summary.Node) map[string][]string {
	out := make(map[string][]string)
	for i := range nodes {
		if nodes[i].Depth == 0 {
			continue
		}
		for _, s := range nodes[i].Sources {
			out[s] = append(out[s], nodes[i].Key)
		}
	}
	return out
}

// describeBudget is the maximum length of a text printed for the user.
const describeBudget token.Count = 1 << 20

func runDescribe(a *cli.Run, ctx context.Context, session, what string) error {
	if session == "" && !summary.LooksLikeKey(what) && what != summary.Overview && what != summary.Recent && what != summary.Earliest {
		session, what = what, summary.Overview
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
	switch what {
	case summary.Overview:
		if a.JSON {
			return treeJSON(a, v)
		}
		a.Out.Printf("%s\n", cli.WrapTree(text.Printable(v.Describe(what, describeBudget)), a.Out.Width))
		return nil
	case summary.Recent, summary.Earliest:
		if len(v.Cover.Leaves) == 0 {
			return exit.WithHint(exit.NotFound, "pictx compact "+history.ShortSession(h.Id), errors.New("nothing of the session is summarised"))
		}
		leaf := v.Cover.Leaves[0]
		if what == summary.Recent {
			leaf = v.Cover.Leaves[len(v.Cover.Leaves)-1]
		}
		what = leaf.Key
	}
	if h.St == nil || !summary.LooksLikeKey(what) {
		return exit.WithHint(exit.NotFound, "for ids: pictx tree", errors.New("describe "+what+": there is no summary with this id"))
	}
	body, n, err := v.DescribeNode(ctx, h.St.Summaries, what, describeBudget)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Out.Line(summaryLine(n, v.Cover.States[n.Key], parentsOf(v.Nodes)[n.Key]))
	}
	a.Out.Printf("%s\n", text.Printable(body))
	return nil
}
