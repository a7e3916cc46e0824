package index_test

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// A worker or a mocked module has dependents, though nothing imports it.
func TestAFileThatIsNamedAndNotImportedHasDependents(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		`new Worker(new URL("./t.ts", import.meta.url), { type: "module" })`: true,
		`fork(new URL("t.ts", import.meta.url))`:                             true,
		`import.meta.resolve("./t.ts")`:                                      true,
		`const all = import.meta.glob<Mod>("./t.ts", { eager: true })`:       true,
		`require.resolve("./t")`:                                             true,
		`module.require("./t")`:                                              true,
		`fork(path.join(__dirname, "t.ts"))`:                                 true,
		`vi.mock("./t", () => ({}))`:                                         true,
		`const real = jest.requireActual("./t")`:                             true,
		`new URL("./t.ts", base)`:                                            true,
		`new URL("./t.svg", import.meta.url)`:                                false,
		`load("./t.ts")`:                                                     true,
		`proxyquire("./t", {})`:                                              true,
		`define("a", ["./t"], f)`:                                            true,
		`import.meta.glob(["./*.ts", "!./x.ts"])`:                            true,
		`import.meta.glob("/*.ts")`:                                          true,
		`require.context(".", true, /t\.ts$/)`:                               true,
		`require.context(".", true, /u\.ts$/)`:                               false,
		"import(`./${name}.ts`)":                                             true,
		"import(`./${name}.js`)":                                             false,
		`fork(__dirname + "/t.js")`:                                          true,
		"fork(`${__dirname}/t.js`)":                                          true,
		`fork(path.join(import.meta.dirname, "t"))`:                          true,
		`(0, require)("./t")`:                                                true,
		`if (name === "./t.ts") {}`:                                          false,
		`const dir = "./"`:                                                   false,
	} {
		w := newWorld(t, "-- t.ts --\nexport const t = 1\n-- r.ts --\n"+code+"\nexport {}\n")
		d := must.Get(w.open().Deps(t.Context(), kota.DepsQuery{File: "t.ts", Dependents: true, Depth: 1, Tests: true}))(t)
		if got := len(d.Dependents.List) == 1 && d.Dependents.List[0].Inferred; got != want {
			t.Errorf("%s: %+v, want a dependent: %v", code, d.Dependents.List, want)
		}
		r, err := w.open().Deps(t.Context(), kota.DepsQuery{File: "r.ts", Dependencies: true, Depth: 1})
		if err != nil || len(r.Unresolved) > 0 && want || len(r.External) > 0 {
			t.Errorf("%s: unresolved %v, external %v, %v", code, r.Unresolved, r.External, err)
		}
	}
}
