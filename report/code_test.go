package report

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

func TestDrawingsNeutraliseNames(t *testing.T) {
	g := kota.Graph{File: "a\"b.ts", Total: 2, Nodes: []string{"a\"b.ts", "c<d>&\x1b.ts"}, Edges: []kota.GraphEdge{{From: "a\"b.ts", To: "c<d>&\x1b.ts"}}}
	var dot, mermaid strings.Builder
	for _, err := range []error{CodeDOT(&dot, g), CodeMermaid(&mermaid, g)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]string{"dot": dot.String(), "mermaid": mermaid.String()} {
		must.Not(t, strings.Contains(s, "\x1b") || strings.Contains(s, `a"b`), "%s:\n%s", name, s)
	}
}
