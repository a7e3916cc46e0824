package commands

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
)

// The measures of a picture, in its own units.
const (
	drawWidth  = 1200
	drawRow    = 64
	drawBox    = 40
	drawMargin = 16
	drawLeast  = 3 // of a box
	drawLabel  = 6 // letters of an id at least
)

// treeSVG draws the graph: the branch from left to right, the deepest summaries at
// the top, the messages as a band at the bottom, grey where no leaf stands for them.
func treeSVG(v *summary.View) []byte {
	depth := v.Cover.Depth()
	units := max(1, len(v.Branch.Units))
	x := func(unit int) float64 {
		return drawMargin + float64(unit)/float64(units)*(drawWidth-2*drawMargin)
	}
	height := (depth+1)*drawRow + 2*drawMargin + 30
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, monospace" font-size="11" role="img">`, drawWidth, height)
	b.WriteString("\n<title>Summaries of a session</title>\n")
	var draw func(p *summary.PlacedNode)
	draw = func(p *summary.PlacedNode) {
		y := drawMargin + (depth-p.Depth)*drawRow
		left, wide := x(p.Start), max(drawLeast, x(p.End)-x(p.Start)-2)
		for _, c := range p.Children {
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#999"/>`+"\n", left+wide/2, y+drawBox, (x(c.Start)+x(c.End))/2, drawMargin+(depth-c.Depth)*drawRow)
			draw(c)
		}
		fill := "#4477aa"
		if p.Kind == summary.Extract {
			fill = "#998844"
		}
		fmt.Fprintf(&b, `<g><title>%s</title><rect x="%.1f" y="%d" width="%.1f" height="%d" rx="3" fill="%s"/>`,
			html.EscapeString(nodeTitle(p.Node)+"\n"+fence.OneLine(summary.Gist(p.Text), 300)), left, y, wide, drawBox, fill)
		if label := boxLabel(p.Key, wide); label != "" {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="#fff">%s</text>`, left+5, y+24, label)
		}
		b.WriteString("</g>\n")
	}
	for _, r := range v.Cover.Roots {
		draw(r)
	}
	y := drawMargin + (depth+1)*drawRow
	fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="12" fill="#88bb88"/>`+"\n", x(0), y, x(units)-x(0))
	for _, g := range v.Cover.Gaps {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="12" fill="#bbbbbb"><title>not summarised</title></rect>`+"\n", x(g[0]), y, max(drawLeast, x(g[1])-x(g[0])))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#777">%s, blue: written, brown: extracted, grey: not summarised</text>`+"\n</svg>\n", drawMargin, y+28, text.Count(len(v.Branch.Units), "message"))
	return b.Bytes()
}

// nodeTitle describes a node in a line.
func nodeTitle(n *summary.Node) string {
	return fmt.Sprintf("%s · depth %d · %s · %s · %s of %s tokens", n.Key, n.Depth, spanText(n.From, n.To),
		text.Count(n.Entries, "message"), n.Tokens, n.Input)
}

// spanText writes two times, the second without what it shares with the first.
func spanText(from, to int64) string {
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

// gistOf is what a summary is about, in a line.
func gistOf(n *summary.Node) string { return fence.OneLine(summary.Gist(n.Text), 160) }

// boxLabel is as much of a key as a box has room for. The beginning of an id will
// do wherever one is asked for.
func boxLabel(key string, wide float64) string {
	const perLetter, padding = 6.7, 10
	room := int((wide - padding) / perLetter)
	if room < drawLabel {
		return ""
	}
	return key[:min(room, len(key))]
}

//go:embed assets/history.html
var historyTemplate string

// historyPage is what assets/history.html shows.
type historyPage struct {
	Title, Lead string
	Picture     template.HTML
	Roots       []historyNode
	Others      []historyNode
	Messages    []historyMessage
}

type historyNode struct {
	Title, State, Text string
	Gist               string
	Children           []historyNode
}

// treeHTML is a page with the picture and all texts. It loads nothing and runs no
// script.
func treeHTML(session string, v *summary.View) ([]byte, error) {
	p := historyPage{
		Title:   "Summaries of session " + fence.OneLine(session, 80),
		Lead:    fmt.Sprintf("%s, %s.", text.Count(len(v.Branch.Units), "message"), text.Count(len(v.Nodes), "summary")),
		Picture: template.HTML(treeSVG(v)), //nolint:gosec // made above, with everything escaped
	}
	p.summaries(v)
	return p.render()
}

// summaries puts the nodes into a page.
func (p *historyPage) summaries(v *summary.View) {
	for _, r := range v.Cover.Roots {
		p.Roots = append(p.Roots, pageNode(r))
	}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if s := v.Cover.States[n.Key]; s != summary.Current {
			p.Others = append(p.Others, historyNode{Title: nodeTitle(n), State: string(s), Text: fence.Plain(n.Text), Gist: gistOf(n)})
		}
	}
}

func pageNode(r *summary.PlacedNode) historyNode {
	n := historyNode{Title: nodeTitle(r.Node), Text: fence.Plain(r.Text), Gist: gistOf(r.Node)}
	if r.Kind == summary.Extract {
		n.State = "extracted"
	}
	for _, c := range r.Children {
		n.Children = append(n.Children, pageNode(c))
	}
	return n
}

func (p *historyPage) render() ([]byte, error) {
	t, err := template.New("history").Parse(historyTemplate)
	if err != nil {
		return nil, fmt.Errorf("make page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("make page: %w", err)
	}
	return b.Bytes(), nil
}

// newFile writes a private file that must not be there yet.
func newFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return withHint(exitRefused, "rm "+shellWord(path), fmt.Errorf("write %s: it is there already", path))
	}
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// fenceOf is a code fence that does not occur in a text.
func fenceOf(text string) string {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark
}
