//go:build unix

package e2e

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// codeHome is a home whose project has TypeScript: a hub that forty files import,
// and what a shop has.
func codeHome(t *testing.T, version, transport, toml string) *home {
	t.Helper()
	h := realHome(t, version, transport, toml)
	h.shop(t)
	return h
}

func (h *home) shop(t *testing.T) {
	t.Helper()
	for i := range 150 {
		h.write(t, fmt.Sprintf("src/users/a-user-of-the-hub-%d.ts", 100+i), "import { hub } from '../hub'\nexport const u = hub\n")
	}
	h.write(t, "src/hub.ts", "export const hub = 1\n")
	h.write(t, "src/cart.ts", "import { hub } from './hub'\nexport class Cart { total = hub }\n")
	h.write(t, "src/page.tsx", "import { Cart as Basket } from './cart'\nexport const page = <Basket />\n")
	h.write(t, "test/cart.test.ts", "import { Cart } from '../src/cart'\nnew Cart()\n")
}

// index makes the index at a shell.
func (h *home) index(t *testing.T) *home {
	t.Helper()
	h.ok(t, "kota", "index", "--yes")
	return h
}

// tree lists what a directory holds.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		fmt.Fprintln(&b, p)
		return err
	})
	must.Do(t, err)
	return b.String()
}

// footer lists what the footer said of the code index, in order, each once.
func (p *rpc) footer() []string {
	var all []string
	for _, r := range p.of("setStatus") {
		if r.StatusKey == "pictx.kota" {
			all = append(all, r.StatusText)
		}
	}
	return slices.Compact(all)
}

// saysYes agrees to the first index, and counts how often it was asked.
func saysYes(asked *int) dialog {
	return func(r record) any {
		if r.Method == "confirm" && strings.Contains(r.Title, "Index shop?") {
			*asked++
		}
		return true
	}
}

// Holds kota 7.
func TestTheModelAsksAboutCodeOnceAPersonAgreed(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := codeHome(t, version, transport, "").always()
		before := tree(t, h.cwd)
		asked := 0
		p := h.start(t)
		p.answers(saysYes(&asked))
		all := p.ask("What depends on the cart?",
			use("kota_deps", object{"file": "src/cart.ts"}),
			use("kota_usages", object{"symbol": "Cart"}),
			use("kota_search", object{"query": "Basket"}),
			use("kota_task_context", object{"files": []string{"src/cart.ts"}}),
			use("kota_impact", object{"change_type": "refactor", "description": "rename", "files": []string{"src/cart.ts"}}),
			use("kota_index", object{}),
			use("kota_deps", object{"file": "src/hub.ts"}),
			use("kota_deps", object{"file": "src/crat.ts"}),
			say("done"))
		results := all[len(all)-1].results()
		for i, want := range []string{
			"src/cart.ts: 2 dependents (1 production, 1 test) · 1 dependency\n", "src/page.tsx  imported on 1, as Basket\n    2: export const page = <Basket />",
			"Basket: 2 matches in 1 file", "1 file: ", "risk low: ", "Indexed shop.\n154 files", "src/hub.ts: 151 dependents", "nearest: src/cart.ts",
		} {
			contains(t, all[i].Messages[0].Text, results[i], want)
			if len(results[i]) > 5000 {
				t.Errorf("result %d has %d bytes", i, len(results[i]))
			}
		}
		contains(t, "what is too long", results[6], "full text: pictx expand ")
		grows(t, all)
		contains(t, "/pictx pins", p.tells("/pictx pins"), "1 pin:")
		p.finish()
		must.Not(t, asked != 1, "asked %d times", asked)
		got := p.footer()
		must.Not(t, len(got) == 0 || got[len(got)-1] != "", "the footer said %q", got)
		after := tree(t, h.cwd)
		must.Not(t, after != before, "the project holds\n%s\nand held\n%s", after, before)
	})
}

// kotaTools are the tools of a request that are about code.
func kotaTools(r request) []string {
	return slices.DeleteFunc(slices.Clone(r.Tools), func(n string) bool { return !strings.HasPrefix(n, "kota_") })
}
