package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/must"
)

// brief is the message that a reply adds to the context.
type brief struct {
	CustomType, Content string
	Display             bool
	Details             json.RawMessage
}

// briefing is what a prompt gives: the text that the model is shown, "" for
// nothing, and the whole reply.
func (p *piAgent) briefing(leaf, prompt string, more ...any) (text, whole string) {
	p.t.Helper()
	whole = p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{"prompt": prompt, "systemPromptHash": "h"}, more...))
	m := p.briefOf(whole)
	must.Not(p.t, m.Content != "" && (m.CustomType != "pictx.brief" || m.Display), "message %+v", m)
	return m.Content, whole
}

// briefOf is the message of a reply.
func (p *piAgent) briefOf(whole string) brief {
	p.t.Helper()
	var r struct{ Result struct{ Message brief } }
	must.Do(p.t, json.Unmarshal([]byte(whole), &r))
	return r.Result.Message
}

// Holds kota 70.
func TestAPromptThatNamesFilesIsBriefed(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"off", "onPaths", "always"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := codeAgent(t).indexed()
			p.config("kota.auto_context = \"" + mode + "\"\n")
			if wants := strings.Contains(p.once("hello", nil), `"before_agent_start"`); !wants {
				t.Error("the event is not wanted") // decisions want it, too
			}
			for prompt, want := range map[string]string{
				"Fix it.": "",
				"Read https://example.com/src/cart.ts, and version 1.2/3.4 of and/or": "",
				"What is in README.md?":                                  "",
				"Fix src/cart.ts please":                                 "src/cart.ts: 2 lines, 1 dependent, 1 dependency, 1 direct test",
				"Fix cart.ts:2 and `src/page.tsx`.":                      "src/page.tsx: 2 lines",
				"src/cart.ts src/hub.ts src/page.tsx":                    "src/hub.ts: 1 line",
				"src/cart.ts src/hub.ts src/page.tsx test/cart.test.ts!": "this prompt names 4 files; kota_task_context(files) briefs",
			} {
				text, whole := p.briefing("", prompt)
				if mode == "off" {
					want = ""
				}
				must.Not(t, (want == "") != (text == "") || !strings.Contains(text, want), "%q: want %q, got %s", prompt, want, whole)
				must.Not(t, len(text) > 2048 || strings.HasPrefix(text, "[pictx: this prompt names") && strings.Contains(text, "\n"), "%q: %d bytes: %s", prompt, len(text), text)
			}
		})
	}
}

// A hub has more dependents than fit, and says how to have them.
func TestABriefingIsShort(t *testing.T) {
	t.Parallel()
	p := codeAgent(t)
	for i := range 40 {
		p.write(fmt.Sprintf("test/a-test-with-a-rather-long-name-%d.test.ts", i), "import '../src/wide'\n")
		p.write(fmt.Sprintf("src/what/the/wide/file/imports-%d.ts", i), "export const x = 1\n")
	}
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "import './what/the/wide/file/imports-%d'\nexport const anExportedNameThatIsLong%d = 1\n", i, i)
	}
	p.write("src/wide.ts", b.String()+"import './hub'\n")
	p.write("src/hub.ts", "import './wide'\nexport const hub = 1\n")
	p.indexed().config("kota.auto_context = \"onPaths\"\n")
	text, _ := p.briefing("", "src/hub.ts src/wide.ts src/cart.ts")
	if len(text) > 2048 || strings.Count(text, ".test.ts") > 5 || strings.Count(text, "user-of-the-hub") > 10 || strings.Count(text, "imports-") > 5 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	for _, want := range []string{"3 files: ", "dependents, 41 tests", "kota_"} {
		must.Contain(t, text, want, "what it says")
	}
}

// What the context has stands there: it is not said again, or only where each
// prompt is to be briefed.
func TestAFileIsBriefedOnOnce(t *testing.T) {
	t.Parallel()
	p := codeAgent(t).indexed()
	leaf := p.wholeSession("notes-1.5.jsonl")
	p.config("kota.auto_context = \"onPaths\"\n")
	text, whole := p.briefing(leaf, "Fix src/cart.ts")
	if text == "" {
		t.Fatal(whole)
	}
	leaf = p.say(leaf, whole)
	if text, _ := p.briefing(leaf, "Fix src/cart.ts again"); text != "" {
		t.Errorf("again: %s", text)
	}
	if text, _ := p.briefing(leaf, "Fix src/cart.ts and src/hub.ts"); !strings.Contains(text, "src/hub.ts: ") || strings.Contains(text, "src/cart.ts: ") {
		t.Errorf("the other one: %s", text)
	}
	p.config("kota.auto_context = \"always\"\n")
	if text, _ := p.briefing(leaf, "Fix src/cart.ts again"); text == "" {
		t.Error("not always")
	}
}

// say puts the message of a reply into the session, as pi does.
func (p *piAgent) say(leaf, whole string) string {
	p.t.Helper()
	m := p.briefOf(whole)
	content, _ := json.Marshal(m.Content)
	p.append(`{"type":"custom_message","customType":%q,"content":%s,"display":false,"details":%s,"id":"said0001","parentId":%q,"timestamp":"2026-11-21T10:00:00.000Z"}`, m.CustomType, content, m.Details, leaf)
	return "said0001"
}

func TestABriefingAsksBeforeTheFirstIndex(t *testing.T) {
	t.Parallel()
	p := codeAgent(t)
	p.config("kota.auto_context = \"onPaths\"\n")
	for name, more := range map[string][]any{"print mode": {"hasUI", false}, "an agent's agent": {"nested", true}} {
		_, whole := p.briefing("", "Fix src/cart.ts", more...)
		must.Not(t, strings.Contains(whole, `"ask"`) || strings.Contains(whole, "pictx.brief") || p.isIndexed(), "%s: %s", name, whole)
	}
	if _, whole := p.briefing("", "Fix README.md"); strings.Contains(whole, `"ask"`) {
		t.Errorf("asked although no file is named: %s", whole)
	}
	if _, whole := p.briefing("", "Fix src/cart.ts"); !strings.Contains(whole, `"kind":"confirm","title":"Index project?"`) || p.isIndexed() {
		t.Errorf("%s", whole)
	}
	answer := func(yes bool) (string, string) {
		return p.briefing("", "Fix src/cart.ts", "replies", []any{map[string]any{"id": "kota.index", "value": yes}})
	}
	if text, whole := answer(false); text != "" || p.isIndexed() || !strings.Contains(whole, `"declined":true`) {
		t.Errorf("%s", whole)
	}
	if text, whole := answer(true); !strings.Contains(text, "src/cart.ts: 2 lines") || !p.isIndexed() {
		t.Errorf("%s", whole)
	}
}

// Both have something to say of one prompt, and pi takes one message with it.
func TestABriefingAndDecisionsAreBothShown(t *testing.T) {
	t.Parallel()
	p := codeAgent(t).indexed()
	p.trust()
	p.config("kota.auto_context = \"onPaths\"\n")
	env := p.env(strings.NewReader(""), &strings.Builder{}, "decision", "add", "Use tabs", "--draft")
	if code := Main(t.Context(), env); code != 0 {
		t.Fatal(code)
	}
	log := p.project + "/.pi/decision-memory/decisions.jsonl"
	text := must.Get(os.ReadFile(log))(t)
	must.Do(t, os.WriteFile(log, []byte(strings.Replace(string(text), "draft", "active", 1)), 0o600))
	whole := p.once("before_agent_start", p.request("before_agent_start", "", map[string]any{"prompt": "Fix src/cart.ts", "systemPromptHash": "h"}))
	for _, want := range []string{`"message":{"customType":"pictx.decisions"`, `"effects":[{"type":"message","message":{"customType":"pictx.brief"`} {
		must.Contain(t, whole, want, "what it says")
	}
}

// message appends a message to the session, and returns its id.
func (p *piAgent) message(leaf, id, message string) string {
	p.t.Helper()
	p.append(`{"type":"message","id":%q,"parentId":%q,"message":%s}`, id, leaf, message)
	return id
}

func TestResultsOfKotaImpactArePinned(t *testing.T) {
	t.Parallel()
	p := codeAgent(t)
	leaf := p.wholeSession("notes-1.5.jsonl")
	add := func(id, message string) { leaf = p.message(leaf, id, message) }
	result := func(id, tool string, bad bool) {
		add(id, fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%s","toolName":%q,"content":[{"type":"text","text":"risk low"}],"isError":%v,"timestamp":1}`, id, tool, bad))
	}
	add("answer01", `{"role":"assistant","content":[{"type":"toolCall","id":"cimpact01","name":"kota_impact","arguments":{}}],"timestamp":1}`)
	result("impact01", "kota_impact", false)
	result("impact02", "kota_impact", true)
	result("deps0001", "kota_deps", false)
	must.Contain(t, p.command(leaf, "pictx", "pins").Result.Text, "1 pin:\n  impact01", "what it says")
	before := leaf
	leaf = p.keep(p.command(leaf, "pictx", "unpin impact"), leaf)
	must.Contain(t, p.command(leaf, "pictx", "pins").Result.Text, "Nothing is pinned.", "unpinned")
	p.settings("pi-kota.json", `{"prune":{"pinImpactSummaries":false}}`)
	must.Contain(t, p.command(before, "pictx", "pins").Result.Text, "Nothing is pinned.", "pinned although it is off")
}

// What a person unpins goes, also when the name of its tool alone keeps it.
func TestAnUnpinnedResultOfKotaImpactIsPruned(t *testing.T) {
	t.Parallel()
	p := codeAgent(t)
	leaf := p.wholeSession("notes-1.5.jsonl")
	add := func(id, message string) { leaf = p.message(leaf, id, message) }
	for _, id := range []string{"impact01", "impact02", "impact03"} {
		add("of"+id, fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":"c%s","name":"kota_impact","arguments":{}}],"timestamp":1}`, id))
		add(id, fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%s","toolName":"kota_impact","content":[{"type":"text","text":%q}],"isError":false,"timestamp":1}`, id, strings.Repeat("risk ", 4000)))
	}
	for i := range 5 {
		add(fmt.Sprintf("answer0%d", i), `{"role":"assistant","content":[{"type":"text","text":"so"}],"timestamp":1}`)
	}
	of := func() string {
		pruned, _ := p.forced(leaf)
		var out []string
		for _, id := range []string{"impact01", "impact02", "impact03"} {
			if pruned[id] {
				out = append(out, id)
			}
		}
		return strings.Join(out, " ")
	}
	got := of()
	must.Stop(t, got != "", "%s went although nobody unpinned anything", got)
	leaf = p.keep(p.command(leaf, "pictx", "unpin impact01"), leaf)
	got = of()
	must.Not(t, got != "impact01", "unpinned in pi: %q went", got)
	if code, _ := p.shell("import", p.file); code != 0 {
		t.Fatal("import", code)
	}
	if code, _ := p.shell("unpin", "impact02", "--session", p.id); code != 0 {
		t.Fatal("unpin at the shell", code)
	}
	got = of()
	must.Not(t, got != "impact01 impact02", "unpinned at the shell: %q went", got)
	code, _ := p.shell("unpin", "impact02", "--session", p.id)
	must.Not(t, code != exit.NotFound, "unpinned twice: %d", code)
	leaf = p.keep(p.command(leaf, "pictx", "unpin impact03"), leaf)
	leaf = p.keep(p.command(leaf, "pictx", "pin impact03"), leaf)
	got = of()
	must.Not(t, got != "impact01 impact02", "pinned again: %q went", got)
}
