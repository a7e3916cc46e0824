package index_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/kota"
)

// What a module has is used where a promise of the module is awaited, however it is come by.
func TestWhatAPromiseOfAModuleHoldsIsUsed(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct{ promise, value, as string }{
		"a function":         {"const load = () => import('./x')", "load()", "load()"},
		"another function":   {"async function load() { return import('./x') }", "load()", "load()"},
		"a promise":          {"const load = import('./x')", "load", "load"},
		"a function, called": {"const load = (name) => import('./x')", "load('x')", "load()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newWorld(t, "-- x.js --\nexport function a() {}\nexport function b() {}\n-- user.js --\n"+at.promise+strings.ReplaceAll(`
load().then(({ a }) => {
  a()
})
load().then((m) => m.b())
export async function f() {
  (await load()).a()
  const n = (await load()).b
  n()
}
`, "load()", at.value)).open()
			for symbol, want := range map[string][]string{
				"a": {"user.js import 1 [2 3]", "user.js import 1 as " + at.as + ".a [7]"},
				"b": {"user.js import 1 as m.b [5]", "user.js import 1 as n [8 9]"},
			} {
				if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: symbol})); diff != "" {
					t.Errorf("%s (-want +got):\n%s", symbol, diff)
				}
			}
			agree(t, e, "x.js")
		})
	}
}
