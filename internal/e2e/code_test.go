//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
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

// hasIndex reports whether there is an index of code.
func (h *home) hasIndex() bool {
	files, _ := filepath.Glob(filepath.Join(h.agent, "pictx", "*.kota"))
	return len(files) > 0
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
	if err != nil {
		t.Fatal(err)
	}
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
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		if got := p.footer(); len(got) == 0 || got[len(got)-1] != "" {
			t.Errorf("the footer said %q", got)
		}
		if after := tree(t, h.cwd); after != before {
			t.Errorf("the project holds\n%s\nand held\n%s", after, before)
		}
	})
}

func TestAUserWhoRefusesTheIndexIsAskedOnce(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := codeHome(t, version, transport, "").always()
		asked := 0
		p := h.start(t)
		p.answers(func(record) any { asked++; return false })
		all := p.ask("What depends on the cart?", use("kota_deps", object{"file": "src/cart.ts"}), use("kota_index", object{}), say("then not"))
		all = append(all, p.ask("And now?", use("kota_usages", object{"symbol": "Cart"}), say("no"))...)
		for i, r := range all[len(all)-1].results() {
			if !strings.Contains(r, "does not want this project indexed") {
				t.Errorf("result %d: %s", i, r)
			}
		}
		if asked != 1 || h.hasIndex() {
			t.Errorf("asked %d times, indexed %v", asked, h.hasIndex())
		}
		p.answers(func(record) any { return true })
		contains(t, "/kota index", p.tells("/kota index"), "Indexed shop.\n154 files")
		p.ask("And now?", use("kota_usages", object{"symbol": "Cart"}), say("yes"))
		contains(t, "the answer", latest(t, h.model), "imported on 1, as Basket")
		p.finish()
	})
}

func TestInPrintModeCodeIsIndexedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := codeHome(t, version, transport, "kota.auto_context = \"onPaths\"\n").always()
		h.model.play(use("kota_deps", object{"file": "src/cart.ts"}), say("then not"))
		if r := h.run(t, "-p", "What depends on src/cart.ts?"); r.code != 0 {
			t.Fatalf("exit %d: %s", r.code, r.stderr)
		}
		contains(t, "the answer", latest(t, h.model), "call kota_index first")
		if h.hasIndex() {
			t.Fatal("it was indexed unasked")
		}
		h.model.play(use("kota_index", object{}), use("kota_deps", object{"file": "src/cart.ts"}), say("yes"))
		if r := h.run(t, "-p", "Index it. What depends on src/cart.ts?"); r.code != 0 {
			t.Fatalf("exit %d: %s", r.code, r.stderr)
		}
		results := h.model.last(t).results()
		contains(t, "kota_index", results[0], "Indexed shop.")
		contains(t, "kota_deps", results[1], "src/cart.ts: 2 dependents")
		h.model.check(t)
	})
}

func TestKotaStatusIndexAndRestartAnswerInPi(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := codeHome(t, version, transport, "")
		p := h.start(t)
		contains(t, "/kota status", p.tells("/kota status"), "shop is not indexed: /kota index indexes it.")
		p.answers(func(record) any { return false })
		contains(t, "/kota index, no", p.tells("/kota index"), "Nothing was indexed.")
		p.answers(func(record) any { return true })
		contains(t, "/kota index, yes", p.tells("/kota index"), "Indexed shop.\n154 files")
		contains(t, "/kota status", p.tells("/kota status"), "kota.max_bytes = 5000  (default)")
		contains(t, "/kota restart", p.tells("/kota restart"), "no process to restart")
		contains(t, "/kota blobs", p.tells("/kota blobs"), "0 full outputs stored in "+h.agent)
		contains(t, "/kota", p.tells("/kota"), "/kota purge-blobs")
		p.close()
		if got := p.footer(); got[len(got)-1] != "" {
			t.Errorf("the footer said %q", got)
		}
	})
}

// briefings counts the briefings in a request.
func briefings(r request) int {
	return strings.Count(r.text(), "[pictx: what the code index knows")
}

func TestAPromptThatNamesFilesBringsABriefing(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := codeHome(t, version, transport, "").index(t)
		h.configure(t, fmt.Sprintf("kota.auto_context = \"onPaths\"\ntrust = [%q]\n", h.cwd))
		id := decisionID.FindString(h.decide(t, "add", "Use tabs"))
		p := h.start(t)
		var all []request
		add := func(prompt string, want int) request {
			t.Helper()
			all = append(all, p.ask(prompt, say("ok"))...)
			r := all[len(all)-1]
			if got := briefings(r); got != want {
				t.Errorf("%q: %d briefings, want %d: %s", prompt, got, want, r.text())
			}
			return r
		}
		// The decisions come with this prompt, too: neither takes the other's place.
		first := add("Change `src/cart.ts:2`, and see https://example.com/src/hub.ts", 1)
		contains(t, "the first request", first.text(), "src/cart.ts: 2 lines, 1 dependent, 1 dependency, 1 direct test")
		contains(t, "the first request", first.text(), id+" | Use tabs")
		if strings.Contains(first.text(), "src/hub.ts: ") {
			t.Errorf("an address was taken for a file: %s", first.text())
		}
		add("Go on with src/cart.ts", 1)
		add("No file here.", 1)
		two := add("Then page.tsx", 2)
		contains(t, "the new briefing", two.text(), "src/page.tsx: 2 lines")
		many := add("All of src/cart.ts src/hub.ts src/page.tsx test/cart.test.ts", 2)
		contains(t, "many files", many.text(), "[pictx: this prompt names 4 files; kota_task_context(files)")
		p.close()
		// What was sent is never sent in another form.
		grows(t, all)
		for _, e := range entries(t, h.session(t)) {
			if e.Type == "custom_message" && e.CustomType == "pictx.brief" {
				if !bytes.Contains(e.Raw, []byte(`"display":false`)) || len(flat(e.Content)) > 2048 {
					t.Errorf("%s", e.Raw)
				}
			}
		}
		h.model.check(t)
	})
}

func TestABriefingAsksBeforeTheFirstIndexInPi(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := codeHome(t, version, transport, "kota.auto_context = \"onPaths\"\n")
		asked := 0
		p := h.start(t)
		p.answers(func(record) any { asked++; return false })
		p.ask("Change src/cart.ts", say("one"))
		last := p.ask("Change src/hub.ts", say("two"))
		if asked != 1 || h.hasIndex() || briefings(last[0]) != 0 {
			t.Errorf("asked %d times, %d briefings", asked, briefings(last[0]))
		}
		p.do(object{"type": "new_session"})
		p.answers(saysYes(&asked))
		last = p.ask("Change src/cart.ts", say("three"))
		if asked != 2 || briefings(last[0]) != 1 {
			t.Errorf("asked %d times, %d briefings: %s", asked, briefings(last[0]), last[0].text())
		}
		p.finish()
	})
}

// What a repository says of itself counts only when it is trusted.
func TestAnUntrustedProjectCannotConfigureTheCodeIndex(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flag    string
		trusted bool
	}{"trusted": {"--approve", true}, "not trusted": {"--no-approve", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := codeHome(t, newest, "serve", "").always()
			h.write(t, ".pi/settings.json", "{}") // something that pi asks trust for
			h.write(t, ".pi/pictx.toml", "kota.auto_context = \"always\"\nkota.confirm_index = false\nkota.max_bytes = 100000\nkota.engine = \"kotadb\"\nkota.kotadb.command = [\"touch\", \"taken\"]\n")
			h.flags = []string{c.flag}
			asked := 0
			p := h.start(t)
			p.answers(func(r record) any { asked++; return false })
			first := p.ask("Change src/cart.ts", use("kota_deps", object{"file": "src/hub.ts"}), say("ok"))
			must.Equal(t, briefings(first[0]) == 1, c.trusted, "briefed")
			if asked != map[bool]int{false: 1}[c.trusted] || h.hasIndex() != c.trusted {
				t.Errorf("asked %d times, indexed %v", asked, h.hasIndex())
			}
			must.Equal(t, len(latest(t, h.model)) > 5000, c.trusted, "more than 5,000 bytes")
			p.close()
			if _, err := os.Stat(filepath.Join(h.cwd, "taken")); err == nil {
				t.Error("the repository named a command, and it was run")
			}
		})
	}
}

// kotaTools are the tools of a request that are about code.
func kotaTools(r request) []string {
	return slices.DeleteFunc(slices.Clone(r.Tools), func(n string) bool { return !strings.HasPrefix(n, "kota_") })
}

func TestCodeToolsAreNotDeclaredWithoutCode(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, _ string) {
		h := realHome(t, version, "serve", "kota.auto_context = \"always\"\n").always()
		h.write(t, "main.py", "print(1)\n")
		h.write(t, "package.json", "{}")
		h.write(t, "node_modules/a/index.js", "1")
		p := h.start(t)
		r := p.ask("What is in main.py and node_modules/a/index.js?", say("ok"))[0]
		p.close()
		if got := kotaTools(r); len(got) > 0 || briefings(r) > 0 || strings.Contains(string(r.Raw), "kota") {
			t.Errorf("declared %v: %s", got, r.Raw)
		}
		if got := p.footer(); len(got) > 0 {
			t.Errorf("the footer said %q", got)
		}
		h.shop(t)
		p = h.start(t)
		r = p.ask("And now?", say("ok"))[0]
		p.close()
		if got := kotaTools(r); len(got) != 6 {
			t.Errorf("declared %v", got)
		}
	})
}
