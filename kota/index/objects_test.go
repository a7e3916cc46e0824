package index_test

import (
	"fmt"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// Changing one member of an object leaves the other members as they were; changing the object itself
// changes all of them.
func TestAnObjectChangesOnlyWhatChangedInIt(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- utils.js --
function a() {
  return 1
}
function b() {}
export default {
  a,
  b,
}
-- usesa.js --
import u from './utils'
u.a()
-- usesb.js --
import u from './utils'
u.b()
`).open()
	for line, want := range map[int][]string{2: {"usesa.js 1"}, 4: {"usesb.js 1"}, 5: {"usesa.js 1", "usesb.js 1"}} {
		im := impact(t, e, kota.ImpactQuery{Modify: []string{"utils.js"}, Lines: map[string][]kota.Span{"utils.js": {{From: line, To: line}}}})
		must.Match(t, far(im.Dependents), want, "line %d", line)
	}
	im := impact(t, e, kota.ImpactQuery{Modify: []string{"utils.js"}})
	var exports []string
	for _, x := range im.Exports {
		exports = append(exports, fmt.Sprint(x.Name, " ", x.Used))
	}
	must.Match(t, exports, []string{"default 2", "utils.a 1", "utils.b 1"}, "exports")
}
