package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/kota"
)

// CodeFormats lists the formats of CodeDrawing.
func CodeFormats() []string { return []string{"dot", "mermaid"} }

// CodeDrawing writes a graph of imports in a format.
func CodeDrawing(w io.Writer, format string, g kota.Graph) error {
	if format == "mermaid" {
		return CodeMermaid(w, g)
	}
	return CodeDOT(w, g)
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
