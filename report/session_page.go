package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/transcript"
)

// SessionPage is a page about a session: its summaries and its messages.
type SessionPage struct {
	Title, Lead string
	View        *summary.View
	HasPicture  bool // whether the summaries are drawn
	// Transcript holds the messages, nil for a page of summaries only.
	Transcript *transcript.Transcript
}

// Write writes the page.
func (p *SessionPage) Write(w io.Writer) error {
	out := page{Title: p.Title, body: "session.html", Body: p, more: transcriptFunctions()}
	if p.Transcript != nil {
		out.script = "session.js"
	}
	return out.write(w)
}

// Picture returns the drawing of the summaries, nil when the page has none.
func (p *SessionPage) Picture() *summaryPicture {
	if !p.HasPicture {
		return nil
	}
	return newSummaryPicture(p.View)
}

// Facts returns the figures of the summaries as pairs of name and value.
func (p *SessionPage) Facts() [][2]string {
	written, extracted := 0, 0
	for i := range p.View.Nodes {
		if n := &p.View.Nodes[i]; p.View.Cover.States[n.Key] != summary.Current {
			continue
		} else if n.Kind == summary.Extract {
			extracted++
		} else {
			written++
		}
	}
	left := 0
	for _, g := range p.View.Cover.Gaps {
		left += g[1] - g[0]
	}
	out := [][2]string{
		{"messages", text.Thousands(len(p.View.Branch.Units))},
		{"without a summary", text.Thousands(left)},
		{"summaries by a model", text.Thousands(written)},
		{"extracted", text.Thousands(extracted)},
	}
	if n := len(p.View.Nodes) - written - extracted; n > 0 {
		out = append(out, [2]string{"of other branches, or outdated", text.Thousands(n)})
	}
	return out
}

// summaryNode is a summary on the page with its children.
type summaryNode struct {
	Title, State, Text, Gist string
	Children                 []summaryNode
}

// Roots returns the top summaries of the branch.
func (p *SessionPage) Roots() []summaryNode { return p.nodes(p.View.Cover.Roots) }

func (p *SessionPage) nodes(placed []*summary.PlacedNode) []summaryNode {
	var out []summaryNode
	for _, r := range placed {
		state := ""
		if r.Kind == summary.Extract {
			state = "extracted"
		}
		n := p.node(r.Node, state)
		n.Gist = fence.OneLine(p.View.Label(r), 160)
		n.Children = p.nodes(r.Children)
		out = append(out, n)
	}
	return out
}

// Others returns the summaries outside the branch.
func (p *SessionPage) Others() []summaryNode {
	var out []summaryNode
	for i := range p.View.Nodes {
		n := &p.View.Nodes[i]
		if state := p.View.Cover.States[n.Key]; state != summary.Current {
			out = append(out, p.node(n, string(state)))
		}
	}
	return out
}

func (p *SessionPage) node(n *summary.Node, state string) summaryNode {
	return summaryNode{
		Title: SummaryTitle(n), State: state, Text: fence.Plain(n.Text), Gist: fence.OneLine(summary.Gist(n.Text), 160),
	}
}

// SummaryTitle describes a summary on one line, with local times.
func SummaryTitle(n *summary.Node) string {
	of := ""
	if n.Depth > 0 {
		of = " of its summaries"
	}
	return fmt.Sprintf("%s · depth %d · %s · %s · %s tokens instead of %s%s", n.Key, n.Depth, timeSpan(n.From, n.To),
		text.Count(n.Entries, "message"), n.Tokens, n.Input, of)
}

// timeSpan formats two times. The second omits the date when it is the same.
func timeSpan(from, to int64) string {
	a, z := text.LocalMinute(from), text.LocalMinute(to)
	day, _, _ := strings.Cut(a, " ")
	if rest, ok := strings.CutPrefix(z, day+" "); ok {
		z = rest
	}
	if strings.HasSuffix(a, z) {
		return a
	}
	return a + " to " + z
}
