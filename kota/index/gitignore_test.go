package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// To git a brace is an ordinary character. Expanded as alternatives, such a line would never
// finish.
func TestBracesInGitignoreStandForThemselves(t *testing.T) {
	w := newWorld(t, "-- .gitignore --\n"+strings.Repeat("{a,a}", 40)+"b\n{x,y}.ts\n-- {x,y}.ts --\n-- x.ts --\n-- "+strings.Repeat("a", 60)+".ts --\n")
	got, want := w.open().Files(), []string{strings.Repeat("a", 60) + ".ts", "x.ts"}
	must.Not(t, !slices.Equal(got, want), "%q, want %q", got, want)
}

// The last matching rule decides, whichever way it is looked up.
func TestTheLastRuleOfAGitignoreCounts(t *testing.T) {
	w := newWorld(t, "-- .gitignore --\n*.gen.ts\n!keep.gen.ts\n/src/b.ts\n!b.ts\nc.ts\n!/src/c.ts\nout/\n-- a.gen.ts --\n-- src/keep.gen.ts --\n-- src/b.ts --\n-- src/c.ts --\n-- c.ts --\n-- out/d.ts --\n-- src/out.ts --\n")
	got, want := w.open().Files(), []string{"src/b.ts", "src/c.ts", "src/keep.gen.ts", "src/out.ts"}
	must.Not(t, !slices.Equal(got, want), "%q, want %q", got, want)
}
