package index_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// Files that import a type from code with a declaration file beside it ask for all exports of the
// code. To find these is work for one of them, not for each.
func TestExportsOfCodeBesideItsDeclarationsAreFoundOnce(t *testing.T) {
	allocated := func(exports int) uint64 {
		w := newWorld(t, "")
		var code, declared strings.Builder
		for i := range exports {
			fmt.Fprintf(&code, "export const a%d = 1\n", i)
			fmt.Fprintf(&declared, "export declare const a%d: number\n", i)
		}
		w.write("code.js", code.String())
		w.write("code.d.ts", declared.String())
		for i := range 300 {
			w.write(fmt.Sprintf("f%d.ts", i), "import type { b } from './code.js'\nexport type B = b\n")
		}
		w.open()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.open()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(10), allocated(1000)
	must.Not(t, many > 3*few, "opening the index of a project allocates %d KB when a file has 10 exports, %d KB when it has 1000", few>>10, many>>10)
}
