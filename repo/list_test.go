package repo

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// Names and lines of a repository stand in a patch as they are.
func FuzzHunksAreSpansOfLines(f *testing.F) {
	f.Add("diff --git a/a.ts b/a.ts\n@@ -1,2 +3,4 @@\n+x\n")
	f.Add("diff --git a/a.ts b/a.ts\n@@ -1 +0,0 @@\n")
	f.Add("@@ -1 +1 @@\ndiff --git a/@@ b/@@ -1 +1 @@\n@@ -1 +9223372036854775807,9223372036854775807 @@\n")
	f.Add("diff --git a b\n@@ -1 +-5,-7 @@ \n@@  +@@\n@@ +1,\n")
	f.Add(strings.Repeat("diff --git a b\n@@ -1 +1 @@\n", 1000))
	f.Fuzz(func(t *testing.T, patch string) {
		files := hunksOf([]byte(patch))
		n := strings.Count(patch, "diff --git ")
		must.Not(t, len(files) > n, "%d files of %d", len(files), n)
		for _, spans := range files {
			for _, s := range spans {
				must.Not(t, s.From < 0 || s.To < s.From, "lines %d to %d", s.From, s.To)
			}
		}
	})
}
