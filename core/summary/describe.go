package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// View is a branch with its nodes, for display.
type View struct {
	Branch *Branch
	Cover  *Cover
	Nodes  []Node
	// Zone is set for a person at a shell: times are in that zone, and hints name commands.
	// For a model it is nil: times are UTC, and hints name its tools.
	Zone *time.Location
}

// ViewOf returns the view of a branch.
func ViewOf(ctx context.Context, st Reader, b *Branch) (*View, error) {
	nodes, err := st.Summaries(ctx, b.Session)
	if err != nil {
		return nil, err
	}
	return &View{Branch: b, Cover: b.Cover(nodes), Nodes: nodes}, nil
}

// Tree draws the graph: the roots in order with the nodes below them, then the summary that
// the agent itself made, the uncovered messages, and the nodes that do not apply to this
// branch. limit bounds the lines, 0 for all; a last line says how many were left out.
func (v *View) Tree(limit int) string {
	var out []string
	for _, r := range v.Cover.Roots {
		out = v.draw(out, r, "", "")
	}
	if g := v.agentSummary(); g != nil {
		out = append(out, v.givenLine(g))
	}
	for _, g := range v.Cover.Gaps {
		out = append(out, v.gapLine(g))
	}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if s := cmp.Or(v.Cover.States[n.Key], Elsewhere); s != Current {
			out = append(out, "("+string(s)+") "+v.nodeLine(n))
		}
	}
	if limit > 0 && len(out) > limit {
		left := len(out) - limit
		out = append(out[:limit:limit], fmt.Sprintf("... %s more", text.CountPlain(left, "line")))
	}
	return strings.Join(out, "\n")
}

// draw appends the lines of a node, after branch, and of those below it, after indent.
func (v *View) draw(out []string, p *PlacedNode, branch, indent string) []string {
	out = append(out, branch+v.labelLine(p.Node, v.Label(p)))
	for i, c := range p.Children {
		if i == len(p.Children)-1 {
			out = v.draw(out, c, indent+"└─ ", indent+"   ")
		} else {
			out = v.draw(out, c, indent+"├─ ", indent+"│  ")
		}
	}
	return out
}

// agentSummary returns the agent's own summary if no node represents it, else nil.
func (v *View) agentSummary() *given {
	if g := v.Branch.given; g != nil && g.text != "" && !v.Cover.has(g) {
		return g
	}
	return nil
}

// givenLine formats the agent's own summary on one line.
func (v *View) givenLine(g *given) string {
	return fmt.Sprintf("%s (%s, %s): %s", fence.OneLine(g.entry, 40), GivenName, text.CountPlain(g.end, "message"), firstLine(g.text, lineChars))
}

// gapLine formats a range of uncovered messages.
func (v *View) gapLine(g [2]int) string {
	first, last := &v.Branch.Units[g[0]], &v.Branch.Units[g[1]-1]
	line := fmt.Sprintf("not summarised: %s, %s to %s (%s)", text.CountPlain(g[1]-g[0], "message"), fence.OneLine(first.ID, 40), fence.OneLine(last.ID, 40), v.span(first.Time, last.Time))
	if label := v.prompts(g[0], g[1]); label != "" {
		line += ": " + label
	}
	return line
}

// nodeLine formats a node on one line, with the beginning of its text.
func (v *View) nodeLine(n *Node) string { return v.labelLine(n, firstLine(Gist(n.Text), lineChars)) }

// labelLine formats a node on one line.
func (v *View) labelLine(n *Node, label string) string {
	return fmt.Sprintf("%s (%s): %s", n.Key, n.title(v.span(n.From, n.To)), label)
}

// The sections of DescribeTool.
const (
	Overview = "overview"
	Recent   = "recent"
	Earliest = "earliest"
	ByID     = "by_id"
)

// describeLines bounds the tree in a reply to a model.
const describeLines = 60

// Describe answers for a section other than ByID.
func (v *View) Describe(section string, budget token.Count) string {
	leaves := v.Cover.Leaves
	switch {
	case len(leaves) == 0:
		none := "Nothing is summarised"
		if g := v.agentSummary(); g != nil {
			none = v.givenLine(g) + "\npictx has summarised nothing itself"
		}
		return v.heading() + fmt.Sprintf("%s: %s on this branch are still in full. %s searches them.", none, text.CountPlain(len(v.Branch.Units), "message"), v.hint("pictx grep", "lcm_grep"))
	case section == Earliest:
		return v.about(leaves[0].Node, nil, budget)
	case section == Recent:
		return v.about(leaves[len(leaves)-1].Node, nil, budget)
	}
	current, lines := 0, describeLines
	for _, state := range v.Cover.States {
		if state == Current {
			current++
		}
	}
	if v.Zone != nil {
		lines = 0 // a person has a pager
	}
	newest := leaves[len(leaves)-1].Key
	return v.heading() + fmt.Sprintf("%s on this branch, %d of them in %s; the deepest has depth %d.\n%s\n%s shows one with its text.",
		text.CountPlain(len(v.Branch.Units), "message"), v.Cover.Covered(), text.CountPlain(current, "summary"), v.Cover.Depth(),
		v.Tree(lines), v.hint("pictx tree "+newest, `lcm_describe(section="by_id", id="`+newest+`")`))
}

// DescribeNode describes the node whose key begins with prefix, on the branch or not.
func (v *View) DescribeNode(ctx context.Context, st Reader, prefix string, budget token.Count) (string, *Node, error) {
	n, err := st.Summary(ctx, prefix)
	if err != nil {
		return "", nil, err
	}
	parents, err := st.SummaryParents(ctx, n.Key)
	if err != nil {
		return "", nil, err
	}
	return v.about(n, parents, budget), n, nil
}

// about describes a node: what it is, its state, its sources, and its text.
func (v *View) about(n *Node, parents []Node, budget token.Count) string {
	var b strings.Builder
	writer := "extracted, not written by a model"
	if n.Kind == Model {
		writer = "written by " + fence.OneLine(n.Name, 80)
	}
	fmt.Fprintf(&b, "%s: depth %d, %s, %s, %s tokens made of %s, %s, %s\n", n.Key, n.Depth, v.span(n.From, n.To),
		text.CountPlain(n.Entries, "message"), n.Tokens, n.Input, writer, stateText(v.Cover.States[n.Key]))
	for i := range parents {
		fmt.Fprintf(&b, "in %s\n", v.nodeLine(&parents[i]))
	}
	const limit = 12
	for i, s := range n.Sources {
		if i == limit && n.Depth == 0 {
			fmt.Fprintf(&b, "from ... and %d more, to %s\n", len(n.Sources)-limit, fence.OneLine(n.Last, 40))
			break
		}
		line := fence.OneLine(s, 40)
		if at := slices.IndexFunc(v.Nodes, func(n Node) bool { return n.Key == s }); at >= 0 {
			line = v.nodeLine(&v.Nodes[at])
		}
		fmt.Fprintf(&b, "from %s\n", line)
	}
	const frame = 800 // of what follows
	keep := fence.Fit(n.Text, max(int(budget)*charsPerToken-text.Units(b.String())-frame, 400))
	b.WriteString(fence.Block(n.Text[:keep]) + "\n")
	if keep < len(n.Text) {
		b.WriteString("The text goes on.\n")
	}
	b.WriteString(v.hint("pictx expand "+n.Key, `lcm_expand(id="`+n.Key+`")`) + " returns what it was made from.")
	return b.String()
}

// span formats a period for the reader.
func (v *View) span(from, to int64) string { return spanIn(cmp.Or(v.Zone, time.UTC), from, to) }

// hint returns the command or tool call that the reader can use.
func (v *View) hint(command, tool string) string {
	if v.Zone != nil {
		return command
	}
	return tool
}

// heading identifies the session to a person by its time, directory and prompts.
func (v *View) heading() string {
	units := v.Branch.Units
	if v.Zone == nil || len(units) == 0 {
		return ""
	}
	return fmt.Sprintf("session %s (%s), %s\n%s\n", v.Branch.Session, v.span(units[0].Time, units[len(units)-1].Time), fence.OneLine(v.Branch.dir, lineChars), v.prompts(0, len(units)))
}

// stateText explains a state; that of a node which is not of the session is "".
func stateText(s State) string {
	switch s {
	case Current:
		return "in force"
	case Stale:
		return "STALE: what it was made from has been changed since"
	case Replaced:
		return "replaced by another"
	}
	return "of another branch"
}

// labelChars bounds the prompt in a label.
const labelChars = 90

// Label describes a node to a person: the first prompt in what it covers and how many more
// there are, or the earlier prompt that it continues; failing that, the beginning of its
// text.
func (v *View) Label(p *PlacedNode) string {
	if label := v.prompts(p.Start, p.End); label != "" {
		return label
	}
	return firstLine(Gist(p.Text), lineChars)
}

// prompts describes a range of units by its prompts.
func (v *View) prompts(start, end int) string {
	if v.Branch == nil || v.Branch.line == nil { // a view of nodes without a session
		return ""
	}
	first, more := "", 0
	for i := start; i < end; i++ {
		switch {
		case first == "":
			first = v.prompt(i)
		case v.Branch.Units[i].Message.Role == message.RoleUser:
			more++
		}
	}
	if more > 0 {
		return fmt.Sprintf("%s (and %d more)", first, more)
	}
	for i := start - 1; first == "" && i >= 0; i-- {
		if before := v.prompt(i); before != "" {
			return "goes on with " + before
		}
	}
	return first
}

// prompt returns the beginning of a unit's text in quotes, "" if it is no prompt.
func (v *View) prompt(unit int) string {
	u := &v.Branch.Units[unit]
	if u.Message.Role != message.RoleUser {
		return ""
	}
	line, err := v.Branch.line(u.Node)
	if err != nil {
		return "" // only a label: show the rest without it
	}
	if said := fence.OneLine(spoken(string(u.AppendBody(nil, line))), labelChars); said != "" {
		return `"` + said + `"`
	}
	return ""
}

// DescribeTool is the tool with which a model asks for summaries.
const DescribeTool = "lcm_describe"

// answerTokens is the size of a reply to a model.
const answerTokens token.Count = 4000

// DescribeText answers the tool DescribeTool: a section of the view, or the summary that id
// names.
func (v *View) DescribeText(ctx context.Context, st Reader, section, id string) (recall.Answer, error) {
	if id = strings.TrimSpace(id); id != "" {
		key := KeyIn(id)
		if key == "" {
			return recall.Answer{}, badCall(text.LogLine(id)+" is not the id of a summary; lcm_expand reads an entry", nil)
		}
		body, n, err := v.DescribeNode(ctx, st, key, answerTokens)
		if err != nil {
			return recall.Answer{}, explained(err)
		}
		return recall.Answer{Text: body, Details: map[string]any{"id": n.Key, "depth": n.Depth}}, nil
	}
	switch section = cmp.Or(section, Overview); section {
	case Overview, Recent, Earliest:
		return recall.Answer{Text: v.Describe(section, answerTokens)}, nil
	case ByID:
		return recall.Answer{}, badCall("id is missing", nil)
	}
	return recall.Answer{}, badCall("there is no section "+text.LogLine(section)+": want overview, recent, earliest or by_id", nil)
}

// badCall is a call that a model can correct.
func badCall(problem string, cause error) error {
	return &recall.BadCallError{Tool: DescribeTool, Problem: problem, Hint: `lcm_describe(section="overview") lists the summaries.`, Cause: cause}
}

// explained makes an unknown or ambiguous id a call that a model can correct.
func explained(err error) error {
	if errors.Is(err, ErrNotFound) || errors.As(err, new(*AmbiguousError)) {
		return badCall(err.Error(), err)
	}
	return err
}
