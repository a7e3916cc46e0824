package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/kota"
)

// CodeFormats lists the formats of CodeDrawing.
func CodeFormats() []string { return []string{"dot", "mermaid", "svg"} }

// CodeDrawing writes a graph of imports in a format.
func CodeDrawing(w io.Writer, format string, g kota.Graph) error {
	switch format {
	case "dot":
		return CodeDOT(w, g)
	case "mermaid":
		return CodeMermaid(w, g)
	}
	return CodeSVG(w, g)
}

// CodeDOT writes a graph of imports for Graphviz.
func CodeDOT(w io.Writer, g kota.Graph) error {
	quoted := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(fence.OneLine(s, 0)) + `"`
	}
	var b strings.Builder
	b.WriteString("digraph kota {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	for _, n := range g.Nodes {
		style := ""
		if n == g.File {
			style = " [style=bold]"
		}
		fmt.Fprintf(&b, "  %s%s;\n", quoted(n), style)
	}
	for _, e := range g.Edges {
		style := ""
		switch {
		case e.TypeOnly:
			style = " [style=dashed]"
		case e.Inferred:
			style = " [style=dotted]"
		}
		fmt.Fprintf(&b, "  %s -> %s%s;\n", quoted(e.From), quoted(e.To), style)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// CodeMermaid writes a graph of imports as a flow chart of Mermaid.
func CodeMermaid(w io.Writer, g kota.Graph) error {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, n := range g.Nodes {
		name := strings.NewReplacer(`"`, "#quot;", "\\", "#92;").Replace(fence.OneLine(n, 0))
		open, closing := "[", "]"
		if n == g.File {
			open, closing = "([", "])"
		}
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s\n", i, open, name, closing)
	}
	for _, e := range g.Edges {
		line := "-->"
		if isDashed(e) {
			line = "-.->"
		}
		fmt.Fprintf(&b, "  n%d %s n%d\n", slices.Index(g.Nodes, e.From), line, slices.Index(g.Nodes, e.To))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// isDashed reports whether an import is type-only or inferred.
func isDashed(e kota.GraphEdge) bool { return e.TypeOnly || e.Inferred }

// CodeSVG draws a graph of imports, with the dependents of its file on the left and its
// dependencies on the right.
func CodeSVG(w io.Writer, g kota.Graph) error {
	return writeDrawing(w, "code.svg", "code", newCodePicture(g))
}

// codePicture is the drawing of a graph of imports, in pixels.
type codePicture struct {
	Width, Height int
	Boxes         []codeBox
	Arrows        []arrow
}

// codeBox is a file.
type codeBox struct {
	Name                string
	X, Y, Width, Height int
	IsFile              bool // the file of the query
}

// TextX is the left edge of its name.
func (b codeBox) TextX() int { return b.X + 8 }

// TextY is the baseline of its name.
func (b codeBox) TextY() int { return b.Y + 17 }

// arrow is an import.
type arrow struct {
	FromX, FromY, ToX, ToY int
	IsDashed               bool
}

// Middle is where its curve bends.
func (a arrow) Middle() int { return (a.FromX + a.ToX) / 2 }

func newCodePicture(g kota.Graph) *codePicture {
	const margin, height, row, gap = 10, 26, 36, 80
	p := &codePicture{}
	at := make(map[string]codeBox)
	x := margin
	for _, column := range columns(g) {
		width := 0
		for _, n := range column {
			width = max(width, nameWidth(n))
		}
		for i, n := range column {
			at[n] = codeBox{Name: fence.OneLine(n, 0), X: x, Y: margin + i*row, Width: width, Height: height, IsFile: n == g.File}
		}
		if len(column) > 0 {
			x += width + gap
		}
		p.Height = max(p.Height, len(column)*row+2*margin)
	}
	p.Width = max(x-gap+margin, 2*margin)
	for _, e := range g.Edges {
		from, to := at[e.From], at[e.To]
		a := arrow{from.X + from.Width, from.Y + height/2, to.X, to.Y + height/2, isDashed(e)}
		if from.X >= to.X {
			a.FromX, a.ToX = from.X, to.X+to.Width
		}
		p.Arrows = append(p.Arrows, a)
	}
	for _, n := range g.Nodes {
		p.Boxes = append(p.Boxes, at[n])
	}
	return p
}

// nameWidth returns the width of the box of a name.
func nameWidth(name string) int {
	const perCharacter, padding = 7, 16
	return perCharacter*utf8.RuneCountInString(fence.OneLine(name, 0)) + padding
}

// columns sorts the nodes into columns by their distance from the file. Negative distances,
// those of dependents, come first. The nodes of a whole project are in one column.
func columns(g kota.Graph) [][]string {
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
	out := make([][]string, highest-lowest+1)
	for _, n := range g.Nodes {
		out[level[n]-lowest] = append(out[level[n]-lowest], n)
	}
	return out
}
