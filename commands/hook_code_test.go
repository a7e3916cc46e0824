package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/index"
)

// codeAgent is an agent in a project with TypeScript: a hub that two hundred files
// import, and a few files of every day.
func codeAgent(t *testing.T) *piAgent {
	t.Helper()
	p := newAgent(t)
	for i := range 200 {
		p.write(fmt.Sprintf("src/users/user-of-the-hub-%d.ts", 100+i), "import { hub } from '../hub'\nexport const u = hub\n")
	}
	p.write("src/hub.ts", "export const hub = 1\n")
	p.write("src/cart.ts", "import { hub } from './hub'\nexport class Cart { total = hub }\n")
	p.write("src/page.tsx", "import { Cart as Basket } from './cart'\nexport const page = <Basket />\n")
	p.write("test/cart.test.ts", "import { Cart } from '../src/cart'\nnew Cart()\n")
	p.write("README.md", "# shop\n")
	return p
}

func (p *piAgent) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.project, name)
	must.Do(p.t, os.MkdirAll(filepath.Dir(file), 0o755))
	must.Do(p.t, os.WriteFile(file, []byte(text), 0o644))
}

// tool calls a tool in a process of its own.
func (p *piAgent) tool(leaf, name string, params any, more ...any) reply {
	p.t.Helper()
	return parseReply(p.t, p.once("tool", p.request("tool", leaf, map[string]any{"name": name, "toolCallId": "c", "params": params}, more...)))
}

// indexed indexes the project, as a person at a shell.
func (p *piAgent) indexed() *piAgent {
	p.t.Helper()
	if code, out := p.shell("kota", "index", "--yes"); code != 0 {
		p.t.Fatalf("exit %d: %s", code, out)
	}
	return p
}

// isIndexed reports whether there is an index.
func (p *piAgent) isIndexed() bool {
	files, _ := filepath.Glob(filepath.Join(p.dir, "pictx", "*.kota"))
	return len(files) == 1 && index.Exists(files[0])
}

func TestToolsForCodeAreDeclaredOnlyWhereThereIsSome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  string
		config string
		want   bool
	}{
		"nothing":                  {files: ""},
		"another language":         {files: "main.py setup.py cmd/x/main.py"},
		"Go":                       {files: "cmd/x/main.go", want: true},
		"a module of Go":           {files: "go.mod", want: true},
		"tools of others":          {files: "package.json prettier.config.js .eslintrc.js web/vite.config.ts setup.py"},
		"what others installed":    {files: "node_modules/a/index.js .hidden/a.ts main.py"},
		"a file":                   {files: "main.ts", want: true},
		"a script":                 {files: "tools/run.mjs", want: true},
		"a workspace":              {files: "package.json packages/a/src/index.ts", want: true},
		"what a compiler reads":    {files: "tsconfig.json", want: true},
		"far below":                {files: "a/b/c/d/e.ts"},
		"switched off":             {files: "main.ts", config: "kota.enabled = false\n"},
		"a component":              {files: "src/App.vue", want: true},
		"a directory of that name": {files: "main.ts/readme.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newAgent(t)
			for _, f := range strings.Fields(c.files) {
				p.write(f, "{}")
			}
			p.config(c.config)
			hello := p.once("hello", nil)
			n := strings.Count(hello, `"name":"kota_`)
			must.Not(t, n != map[bool]int{true: 6}[c.want], "%d tools are declared: %s", n, hello)
			// What is not declared is not answered either.
			r := p.once("tool", p.request("tool", "", map[string]any{"name": "kota_index", "params": map[string]any{}}, "hasUI", false))
			must.Not(t, strings.Contains(r, "Indexed") != c.want || p.isIndexed() != c.want, "kota_index: %s", r)
		})
	}
}

func TestToolsForCodeAnswer(t *testing.T) {
	t.Parallel()
	p := codeAgent(t).indexed()
	for call, want := range map[string]string{
		`kota_index {}`:                                                     `^Indexed project\.\n204 files, \d+ symbols, `,
		`kota_index {"path":"src"}`:                                         `^Indexed project\.\n`,
		`kota_index {"path":"/"}`:                                           `^!index /: it is not in this project`,
		`kota_search {"query":"Basket"}`:                                    `^Basket: 2 matches in 1 file\n  src/page.tsx:1: `,
		`kota_search {"query":"hub","scope":["symbols"]}`:                   `\n  src/hub.ts:1: const hub\n`,
		`kota_search {"query":"Cart","scope":["code","symbols"]}`:           `(?s)^Cart: 4 matches.*Cart: 1 match in 1 file\n  src/cart.ts:2: class Cart\n`,
		`kota_search {"query":"u","limit":500,"filters":{"glob":"src/p*"}}`: `limit is 50 at most\n$`,
		`kota_search {"query":"nowhere to be found"}`:                       `^nowhere to be found: 0 matches in 0 files\n`,
		`kota_search {"query":"hub","output":"snippet","context_lines":1,"filters":{"glob":"src/cart.ts"}}`: `\n  src/cart.ts:2: export class Cart`,
		`kota_deps {"file_path":"src/cart.ts"}`:                                                      `^src/cart.ts: 2 dependents \(1 production, 1 test\) · 1 dependency\n`,
		`kota_deps {"file_path":"@src/cart.ts","direction":"dependents","include_tests":true}`:       `\n  test/cart.test.ts:1  test\n`,
		`kota_deps {"file_path":"src/crat.ts"}`:                                                      `^!find file .*crat\.ts: it is not in the index; nearest: src/cart\.ts`,
		`kota_usages {"symbol":"Cart"}`:                                                              `\n  src/page.tsx  imported on 1, as Basket`,
		`kota_usages {"symbol":"Cart","all":true}`:                                                   `\n  test/cart\.test\.ts  imported on 1, test\n`,
		`kota_usages {"symbol":"Crat"}`:                                                              `^!find symbol Crat: .*nearest: Cart`,
		`kota_impact {"change_type":"refactor","description":"x","files_to_modify":["src/cart.ts"]}`: `^risk low: (?s:.*)test/cart\.test\.ts`,
		`kota_impact {"change_type":"refactor","description":"x","files_to_delete":["src/cart.ts"],"files_to_create":["src/hub.ts"]}`: `(?s)src/hub.ts exists.*src/page.tsx:1  ./cart\n`,
		`kota_task_context {"files":["src/cart.ts","src/hub.ts"]}`:                                                                    `^2 files: \d+ dependents, 1 test`,
		`kota_task_context {"query":"where is the total of a cart"}`:                                                                  `(?s)to read, the likeliest first\n  src/cart\.ts:2: .*\n    declares .*tests that reach them`,
		`kota_task_context {"files":["src/cart.ts","no.ts"]}`:                                                                         `^!find file .*no\.ts`,
		`kota_deps {}`:            `^!kota_deps: file is missing`,
		`kota_search {"query":5}`: `^!kota_search: the parameters do not have the types that it declares$`,
	} {
		name, params, _ := strings.Cut(call, " ")
		r := p.tool("", name, json.RawMessage(params))
		got := r.Result.Text
		if r.Result.Error != "" {
			got = "!" + r.Result.Error
		}
		must.Not(t, !regexp.MustCompile(want).MatchString(got), "%s: want %s, got %s", call, want, got)
		must.Not(t, len(got) > 5000, "%s: %d bytes", call, len(got))
	}
}

// What an answer leaves out can be had with the same tool: a model may have no shell.
func TestTheToolListsTheUsesThatItLeavesOutOnRequest(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.write("purse.ts", "export class Purse { coins = 1 }\n")
	p.write("use.ts", "import { Purse } from './purse'\nexport const a = (p: Purse) => p.coins\n")
	p.write("sack.ts", "class Sack { coins = 2 }\nexport const b = (s: Sack) => s.coins\n")
	p.write("use.test.ts", "import { Purse } from './purse'\ntest('x', () => new Purse().coins)\n")
	p.indexed()
	ask := func(params map[string]any) string { return p.tool("", "kota_usages", params).Result.Text }
	short, whole := ask(map[string]any{"symbol": "Purse.coins"}), ask(map[string]any{"symbol": "Purse.coins", "all": true})
	must.Not(t, !strings.Contains(short, "(all: true lists them)") || strings.Contains(short, "sack.ts") || strings.Contains(short, "use.test.ts"), "without all: %s", short)
	must.Not(t, strings.Contains(whole, "left out") || !strings.Contains(whole, "sack.ts") || !strings.Contains(whole, "use.test.ts"), "with all: %s", whole)
}

// Holds kota 16.
func TestAnswersAboutCodeAreAboutTheFilesAsTheyAre(t *testing.T) {
	t.Parallel()
	p := codeAgent(t).indexed()
	deps := func() string {
		return p.tool("", "kota_deps", map[string]any{"file_path": "src/cart.ts", "include_tests": true}).Result.Text
	}
	p.write("src/new.ts", "import './cart'\n")
	must.Contain(t, deps(), "src/new.ts:1", "a new file is not seen")
	must.Do(t, os.Remove(filepath.Join(p.project, "src/new.ts")))
	must.Lack(t, deps(), "src/new.ts", "a file that is gone is seen")
}

// Holds kota 54, 56, 57.
func TestAnAnswerAboutCodeThatIsTooLongIsKeptWhole(t *testing.T) {
	t.Parallel()
	p := codeAgent(t).indexed()
	_, whole := p.shell("kota", "deps", "src/hub.ts", "--max-bytes", "0")
	var r struct {
		Result struct {
			Text    string
			Details blob.Details
		}
	}
	ask := func() {
		t.Helper()
		text := p.once("tool", p.request("tool", "", map[string]any{"name": "kota_deps", "params": map[string]any{"file_path": "src/hub.ts"}}))
		r.Result.Details = blob.Details{}
		must.Do(t, json.Unmarshal([]byte(text), &r))
	}
	for _, budget := range []int{5000, 1000, 200} {
		p.config(fmt.Sprintf("kota.max_bytes = %d\n", budget))
		ask()
		d := r.Result.Details
		if n := len(r.Result.Text); n > max(budget, 400) || n != d.ExcerptBytes || d.OriginalBytes != len(whole) || !d.Truncated {
			t.Errorf("%d: %d bytes, details %+v, the whole has %d", budget, n, d, len(whole))
		}
		if !strings.HasPrefix(r.Result.Text, "src/hub.ts: 201 dependents") || !strings.HasSuffix(r.Result.Text, "full text: pictx expand "+blob.ShortID(d.BlobID)+"\n") {
			t.Errorf("%d: %s", budget, r.Result.Text)
		}
		code, kept := p.shell("blobs", "show", d.BlobID)
		must.Not(t, code != 0 || kept != whole, "%d: the blob is not the whole answer: exit %d, %d bytes of %d", budget, code, len(kept), len(whole))
		x := p.tool("", "lcm_expand", map[string]any{"id": r.Result.Text[strings.LastIndex(r.Result.Text, "full text:"):]})
		must.Not(t, !strings.Contains(x.Result.Text, "user-of-the-hub-299.ts"), "the model cannot have it: %+v", x.Result)
		for path, mode := range map[string]os.FileMode{d.BlobPath: 0o600, filepath.Dir(d.BlobPath): 0o700, filepath.Dir(filepath.Dir(d.BlobPath)): 0o700} {
			st, err := os.Stat(path)
			must.Not(t, err != nil || st.Mode().Perm() != mode, "%s: %v, %v", path, st, err)
		}
	}
	p.config("blobs.enabled = false\n")
	ask()
	must.Not(t, len(r.Result.Text) > 5000 || r.Result.Details.BlobID != "" || !strings.Contains(r.Result.Text, "the rest is not kept (blobs.enabled)"), "without blobs: %+v", r.Result)
}

func TestTheFirstIndexNeedsConsentInPi(t *testing.T) {
	t.Parallel()
	payload := map[string]any{"name": "kota_deps", "params": map[string]any{"file_path": "src/cart.ts"}}
	asked := func(p *piAgent, leaf string) bool {
		t.Helper()
		r := p.once("tool", p.request("tool", leaf, payload))
		return strings.Contains(r, `"kind":"confirm","title":"Index project?"`)
	}
	for name, c := range map[string]struct {
		answer map[string]any
		yes    bool
	}{
		"yes": {map[string]any{"value": true}, true}, "no": {map[string]any{"value": false}, false},
		"turned away": {map[string]any{"cancelled": true}, false}, "failed": {map[string]any{"error": "gone"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := codeAgent(t)
			leaf := p.wholeSession("notes-1.5.jsonl")
			must.Stop(t, !asked(p, leaf) || p.isIndexed(), "nobody was asked, or it was not waited for")
			c.answer["id"] = "kota.index"
			r := parseReply(t, p.once("tool", p.request("tool", leaf, payload, "replies", []any{c.answer})))
			got := strings.HasPrefix(r.Result.Text, "src/cart.ts: 2 dependents")
			must.Not(t, got != c.yes || p.isIndexed() != c.yes, "%+v", r)
			if c.yes {
				return
			}
			must.Not(t, !strings.Contains(r.Result.Error, "does not want this project indexed"), "the model is told %+v", r.Result)
			// Nobody is asked twice in a session, unless they ask themselves.
			leaf = p.keep(r, leaf)
			must.Not(t, asked(p, leaf), "asked again")
			must.Contain(t, p.tool(leaf, "kota_index", map[string]any{}).Result.Error, "does not want", "what it says")
			must.Contain(t, p.once("command", p.request("command", leaf, map[string]any{"name": "kota", "args": "index"})), `"title":"Index project?"`, "/kota index")
		})
	}
	// Nobody is there: what was asked for is done, and nothing else.
	p := codeAgent(t)
	for _, more := range [][]any{{"hasUI", false}, {"nested", true}} {
		r := p.tool("", "kota_deps", payload["params"], more...)
		must.Not(t, !strings.Contains(r.Result.Error, "call kota_index first") || p.isIndexed(), "%v: %+v", more, r)
	}
	r := p.tool("", "kota_index", map[string]any{}, "hasUI", false)
	must.Not(t, !strings.HasPrefix(r.Result.Text, "Indexed project.") || !p.isIndexed(), "%+v", r)
	// Who does not want to be asked is not.
	p = codeAgent(t)
	p.config("kota.confirm_index = false\n")
	must.Not(t, asked(p, "") || !p.isIndexed(), "asked all the same")
}

func TestKotaShowsIndexesAndRestarts(t *testing.T) {
	t.Parallel()
	p := codeAgent(t)
	for _, want := range []string{"project is not indexed: /kota index indexes it.", "Engine: built-in", "Root: " + p.project, `kota.auto_context = "off"  (default)`, "kota.engine"} {
		must.Contain(t, p.command("", "kota", "status").Result.Text, want, "what it says")
	}
	payload := map[string]any{"name": "kota", "args": "index"}
	answered := func(value any) reply {
		return parseReply(t, p.once("command", p.request("command", "", payload, "replies", []any{map[string]any{"id": "kota.index", "value": value}})))
	}
	must.Contain(t, p.once("command", p.request("command", "", payload)), `"kind":"confirm","title":"Index project?"`, "what it says")
	r := answered(false)
	must.Not(t, r.Result.Text != "Nothing was indexed." || p.isIndexed(), "%+v", r)
	r = answered(true)
	must.Not(t, !strings.HasPrefix(r.Result.Text, "Indexed project.\n204 files, ") || r.Effects[0].Text != "", "%+v", r)
	r = p.command("", "kota", "index")
	must.Not(t, !strings.HasPrefix(r.Result.Text, "Indexed project."), "again: %+v", r)
	p.config("kota.auto_context = \"onPaths\"\n")
	for _, want := range []string{"project is indexed.", "Last written: just now.", "204 files", filepath.Join(p.dir, "pictx"), `kota.auto_context = "onPaths"  (user pictx.toml ` + filepath.Join(p.dir, "pictx.toml")} {
		must.Contain(t, p.command("", "kota", "status").Result.Text, want, "what it says")
	}
	must.Contain(t, p.command("", "kota", "restart").Result.Text, "no process to restart", "what it says")
	r = parseReply(t, p.once("complete", p.request("complete", "", map[string]any{"name": "kota", "prefix": ""})))
	must.Not(t, len(r.Result.Items) != 11, "%+v", r.Result.Items)
	must.Contain(t, newAgent(t).command("", "kota", "status").Result.Text, "no TypeScript, JavaScript or Go", "what it says")
}

func TestKotaDBAnswersInPiWhereItIsChosen(t *testing.T) {
	t.Parallel()
	p := codeAgent(t)
	self := must.Get(exec.LookPath("pictx"))(t)
	p.self, p.environ = self, append(p.environ, "PATH="+os.Getenv("PATH"))
	p.config("kota.engine = \"kotadb\"\nkota.kotadb.command = [\"kotadb-stub\"]\n")
	s := p.serve()
	var seen []string // in the footer
	ask := func(event string, payload any, more ...any) reply {
		t.Helper()
		must.Get(s.in.Write(p.request(event, "", payload, more...)))(t)
		for {
			line := s.line()
			r := parseReply(t, line)
			for _, e := range r.Effects {
				if e.Key == "pictx.kota" {
					seen = append(seen, e.Text)
				}
			}
			if strings.Contains(line, `"id":"1"`) {
				return r
			}
		}
	}
	tool := func(name string, params any, more ...any) reply {
		t.Helper()
		return ask("tool", map[string]any{"name": name, "params": params}, more...)
	}
	ask("session_start", map[string]any{"reason": "startup"})
	r := tool("kota_index", map[string]any{}, "hasUI", false)
	must.Stop(t, !strings.HasPrefix(r.Result.Text, "Indexed project.\n") || r.Result.Error != "", "%+v", r.Result)
	r = tool("kota_deps", map[string]any{"file_path": "src/cart.ts", "include_tests": true})
	must.Not(t, !strings.HasPrefix(r.Result.Text, "src/cart.ts: 2 dependents"), "%+v", r.Result)
	must.Contain(t, ask("command", map[string]any{"name": "kota", "args": "status"}).Result.Text, "Engine: KotaDB, running: kotadb-stub", "what it says")
	must.Contain(t, ask("command", map[string]any{"name": "kota", "args": "restart"}).Result.Text, "KotaDB is stopped.", "what it says")
	r = tool("kota_deps", map[string]any{"file_path": "src/cart.ts"})
	must.Not(t, !strings.HasPrefix(r.Result.Text, "src/cart.ts: 2 dependents"), "after a restart: %+v", r.Result)
	must.Equal(t, s.stop(), 0, "exit code")
	must.Not(t, len(seen) < 2 || seen[0] != "code index stopped" || seen[len(seen)-1] != "", "the footer said %q", seen)
	// An engine that cannot be started is reported and stops nothing.
	p.config("kota.engine = \"kotadb\"\nkota.kotadb.command = [\"no-such-program\"]\n")
	r = p.tool("", "kota_deps", map[string]any{"file_path": "src/cart.ts"})
	must.Not(t, !strings.Contains(r.Result.Error, "no-such-program"), "%+v", r.Result)
}
