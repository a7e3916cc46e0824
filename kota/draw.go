package kota

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// DOT writes the graph for Graphviz.
func (g Graph) DOT() string {
	var b strings.Builder
	b.WriteString("digraph kota {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	for _, n := range g.Nodes {
		style := ""
		if n == g.File {
			style = " [style=bold]"
		}
		fmt.Fprintf(&b, "  %s%s;\n", dotQuote(n), style)
	}
	for _, e := range g.Edges {
		style := ""
		switch {
		case e.TypeOnly:
			style = " [style=dashed]"
		case e.Inferred:
			style = " [style=dotted]"
		}
		fmt.Fprintf(&b, "  %s -> %s%s;\n", dotQuote(e.From), dotQuote(e.To), style)
	}
	b.WriteString("}\n")
	return b.String()
}

func dotQuote(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(safe(s), `\`, `\\`), `"`, `\"`) + `"`
}

// Mermaid writes the graph as a flow chart of Mermaid.
func (g Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, n := range g.Nodes {
		name := strings.NewReplacer(`"`, "#quot;", "\\", "#92;").Replace(safe(n))
		open, closing := "[", "]"
		if n == g.File {
			open, closing = "([", "])"
		}
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s\n", i, open, name, closing)
	}
	for _, e := range g.Edges {
		line := "-->"
		if e.TypeOnly || e.Inferred {
			line = "-.->"
		}
		fmt.Fprintf(&b, "  n%d %s n%d\n", slices.Index(g.Nodes, e.From), line, slices.Index(g.Nodes, e.To))
	}
	return b.String()
}

// The sizes of a drawing, in pixels.
const (
	boxHeight = 26
	rowHeight = 36
	charWidth = 7
	colGap    = 80
)

// box is a node's place.
type box struct{ x, y, w int }

// SVG draws the graph: what depends on the file at its left, what it depends on
// at its right.
func (g Graph) SVG() string {
	columns := g.columns()
	at := make(map[string]box)
	x, height := 10, 0
	for _, col := range columns {
		w := 0
		for _, n := range col {
			w = max(w, charWidth*len([]rune(safe(n)))+16)
		}
		for i, n := range col {
			at[n] = box{x, 10 + i*rowHeight, w}
		}
		if len(col) > 0 {
			x += w + colGap
		}
		height = max(height, len(col)*rowHeight+20)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="11">`+"\n", max(x-colGap+10, 20), height)
	b.WriteString(`<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#888"/></marker></defs>` + "\n")
	for _, e := range g.Edges {
		from, to := at[e.From], at[e.To]
		dash := ""
		if e.TypeOnly || e.Inferred {
			dash = ` stroke-dasharray="4 3"`
		}
		x1, y1, x2, y2 := from.x+from.w, from.y+boxHeight/2, to.x, to.y+boxHeight/2
		if from.x >= to.x {
			x1, x2 = from.x, to.x+to.w
		}
		fmt.Fprintf(&b, `<path d="M%d %d C%d %d %d %d %d %d" fill="none" stroke="#888"%s marker-end="url(#a)"/>`+"\n", x1, y1, (x1+x2)/2, y1, (x1+x2)/2, y2, x2, y2, dash)
	}
	for _, n := range g.Nodes {
		p, fill := at[n], "#fff"
		if n == g.File {
			fill = "#ffe9a8"
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s" stroke="#444"/><text x="%d" y="%d">%s</text>`+"\n",
			p.x, p.y, p.w, boxHeight, fill, p.x+8, p.y+17, html.EscapeString(safe(n)))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// columns sorts the nodes by how far they are from the file: negative distances,
// which depend on it, first.
func (g Graph) columns() [][]string {
	next := map[string][]string{}
	before := map[string][]string{}
	for _, e := range g.Edges {
		next[e.From] = append(next[e.From], e.To)
		before[e.To] = append(before[e.To], e.From)
	}
	level := map[string]int{g.File: 0}
	lowest, highest := 0, 0
	for _, way := range []struct {
		step int
		next map[string][]string
	}{{1, next}, {-1, before}} {
		for queue := []string{g.File}; len(queue) > 0; queue = queue[1:] {
			for _, n := range way.next[queue[0]] {
				if _, known := level[n]; !known {
					level[n] = level[queue[0]] + way.step
					lowest, highest = min(lowest, level[n]), max(highest, level[n])
					queue = append(queue, n)
				}
			}
		}
	}
	columns := make([][]string, highest-lowest+1)
	for _, n := range g.Nodes { // of the whole tree all are in one column
		columns[level[n]-lowest] = append(columns[level[n]-lowest], n)
	}
	return columns
}
