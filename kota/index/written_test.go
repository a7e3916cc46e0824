package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// The names that impact and context print of a default export can be asked for as they stand.
func TestNamesOfADefaultExportCanBeAskedFor(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- lib/utils.js --
function held() {}
export default {
  held,
  written() { this.held() },
  other() { return this.written() },
}
-- lib/index.js --
const api = { get() {} }
module.exports = { put() {}, api }
-- user.js --
import u from './lib/utils'
import all from './lib'
u.held(u.written(all.put(all.api.get())))
`).open()
	for _, file := range []string{"lib/utils.js", "lib/index.js"} {
		im := impact(t, e, kota.ImpactQuery{Modify: []string{file}})
		for _, x := range im.Exports {
			if x.Name == "default" {
				continue
			}
			im := impact(t, e, kota.ImpactQuery{Symbols: []string{x.Name}, File: file})
			if got := len(nearest(im)); got != x.Used {
				t.Errorf("%s of %s is used in %d files; %d are affected by it", x.Name, file, x.Used, got)
			}
			usages(t, e, kota.UsagesQuery{Symbol: x.Name, File: file}) // it fails for an unknown name
		}
		b := must.Get(e.Context(t.Context(), kota.ContextQuery{Files: []string{file}}))(t)
		for _, name := range b.Files[0].Exports {
			if name != "default" {
				usages(t, e, kota.UsagesQuery{Symbol: name, File: file})
			}
		}
	}
	want := []string{"lib/utils.js [5]", "user.js import 1 as u.written [3]"}
	diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: "utils.written"}))
	must.Not(t, diff != "", "(-want +got):\n%s", diff)
}

// An answer without uses says that an object may be used under names that are not followed.
func TestAFunctionOfAnObjectWithoutUsesSaysWhatIsNotFollowed(t *testing.T) {
	t.Parallel()
	e := newWorld(t, "-- plugin.ts --\nexport const plugin = {\n  create() {},\n  stop() {},\n}\n"+
		"-- user.ts --\nimport { plugin } from './plugin'\nplugin.stop()\nfor (const p of [plugin]) p.create()\n").open()
	for symbol, want := range map[string]int{"plugin.create": 1, "plugin.stop": 0} {
		u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: symbol, File: "plugin.ts"})
		if err != nil || len(u.Incomplete) != want {
			t.Errorf("%s: incomplete %q, %v", symbol, u.Incomplete, err)
		}
	}
}
