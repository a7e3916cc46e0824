//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// autoMarker is what the policy auto puts in the place of a result.
var autoMarker = regexp.MustCompile(`^\[pruned: [ -~]*\(~\d+ tok\)[ -~]*; full text: pictx expand ([0-9a-f-]+)\]$`)

// autoHome is a home whose pictx prunes as it does without any settings, with a
// provider that caches prompts, and keeps them for longer than any test runs.
func autoHome(t *testing.T, version, transport string) *home {
	t.Helper()
	h := newHome(t, version)
	h.model.caches = true
	h.provider, h.keeps = "anthropic", 1200 // longer than any test, and not so long that output goes sooner
	h.extensions = []string{helper(t)}
	h.real(t, transport)
	return h
}

// print is a turn in which the model prints a file of the given size.
func (h *home) print(t *testing.T, name string, tokens int) turn {
	t.Helper()
	return use("bash", object{"command": h.file(t, name, tokens)})
}

// file writes a file of the given size and returns the command that prints it.
func (h *home) file(t *testing.T, name string, tokens int) string {
	t.Helper()
	var b strings.Builder
	for i := 0; b.Len() < 4*tokens; i++ {
		fmt.Fprintf(&b, "%s: \"line\" %d of some text\twith a tab, ünïcode and \\ more\n", name, i)
	}
	h.write(t, name+".txt", b.String())
	return "cat " + name + ".txt"
}

// ask plays turns and prompts for them; it returns the requests they made.
func (p *rpc) ask(text string, turns ...turn) []request {
	p.t.Helper()
	from := len(p.h.model.turns())
	p.h.model.play(turns...)
	p.prompt(text)
	return p.h.model.turns()[from:]
}

// glance is a turn that makes the ones before older.
func glance() turn { return use("bash", object{"command": "echo seen"}) }

// marked reports whether a result is a marker, and of what.
func marked(result string) (id string, ok bool) {
	m := autoMarker.FindStringSubmatch(result)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// marks counts the markers of a request.
func (r request) marks() int {
	n := 0
	for _, text := range r.results() {
		if _, ok := marked(text); ok {
			n++
		}
	}
	return n
}

// wantMarks checks how many markers each request has.
func wantMarks(t *testing.T, what string, all []request, want ...int) {
	t.Helper()
	var got []int
	for _, r := range all {
		got = append(got, r.marks())
	}
	must.Match(t, got, want, "%s: the requests", what)
}

// frame is a message without its tool results and without what says where the
// provider's cache may begin.
func frame(raw json.RawMessage) []byte {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	return asJSON(plainValue(v))
}

func plainValue(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plainValue(v[i])
		}
	case map[string]any:
		delete(v, "cache_control")
		if text, ok := v["content"].(string); ok {
			v["content"] = []any{map[string]any{"type": "text", "text": text}}
		}
		for name := range v {
			v[name] = plainValue(v[name])
		}
		if v["type"] == "tool_result" || v["role"] == "tool" {
			v["content"] = nil
		}
		if v["type"] == "function_call_output" {
			v["output"] = nil
		}
	}
	return v
}

// inCommon is the size in tokens of what a request has in common with the one
// before.
func inCommon(before, now request) int {
	if before.System != now.System || !bytes.Equal(frame(before.ToolsRaw), frame(now.ToolsRaw)) {
		return 0
	}
	size := len(now.Raw)
	for _, m := range now.Messages {
		size -= len(m.Raw)
	}
	for i, m := range now.Messages {
		if i >= len(before.Messages) || m.Text != before.Messages[i].Text || !bytes.Equal(frame(m.Raw), frame(before.Messages[i].Raw)) {
			break
		}
		size += len(m.Raw)
	}
	return size / 4
}

// continues wants a request to begin with another, but for results that became
// markers, and returns how many did. Results that are new are not markers.
func continues(t *testing.T, before, now request) int {
	t.Helper()
	if before.System != now.System || !declaresMore(before, now) {
		t.Errorf("request %d has another prompt or other tools than request %d", now.Seq, before.Seq)
	}
	if len(now.Messages) < len(before.Messages) {
		t.Fatalf("request %d is shorter than request %d", now.Seq, before.Seq)
	}
	for i, m := range before.Messages {
		if a, b := frame(m.Raw), frame(now.Messages[i].Raw); !bytes.Equal(a, b) {
			t.Errorf("request %d changes message %d:\n%.300s\n%.300s", now.Seq, i, a, b)
		}
	}
	made, old := 0, before.results()
	for i, text := range now.results() {
		_, is := marked(text)
		switch {
		case i >= len(old) && is:
			t.Errorf("request %d: the model never saw result %d: %s", now.Seq, i, text)
		case i >= len(old) || text == old[i]:
		case is && !strings.HasPrefix(old[i], "[pruned: "):
			made++
		default:
			t.Errorf("request %d changes result %d:\n%.300s\n%.300s", now.Seq, i, old[i], text)
		}
	}
	return made
}

// declaresMore reports whether a request declares the same as another, or that and more.
func declaresMore(before, now request) bool {
	if len(before.Tools) == len(now.Tools) {
		return bytes.Equal(frame(before.ToolsRaw), frame(now.ToolsRaw))
	}
	return !slices.ContainsFunc(before.Tools, func(name string) bool { return !slices.Contains(now.Tools, name) })
}

// grows wants each request to continue the one before. What is declared may grow once:
// when the prompt is written anyway. It returns how many results became markers at each
// rewrite.
func grows(t *testing.T, all []request) []int {
	t.Helper()
	var made []int
	grown := 0
	for i := 1; i < len(all); i++ {
		if len(all[i].Tools) > len(all[i-1].Tools) {
			grown++
		}
		if grown > 1 {
			t.Errorf("request %d declares still more: %v", all[i].Seq, all[i].Tools)
		}
		if n := continues(t, all[i-1], all[i]); n > 0 {
			made = append(made, n)
		}
	}
	return made
}

// decisions are how many results each decision pruned that a session file tells of.
func decisions(t *testing.T, file string) []int {
	t.Helper()
	var made []int
	for _, e := range ofType(entries(t, file), "custom") {
		var data struct {
			Results  int
			Outcome  string
			Decision struct {
				Results int
				Outcome string
			}
		}
		if e.CustomType != "pictx.prune" && e.CustomType != "pictx.marks" {
			continue
		}
		must.Do(t, json.Unmarshal(e.Data, &data))
		made = append(made, data.Results+data.Decision.Results)
		contains(t, "the reason of a decision", data.Outcome+data.Decision.Outcome, "pruned: ")
	}
	return made
}

// restores wants the original of every marker of the last request back from the
// command that the marker names.
func (h *home) restores(t *testing.T) {
	t.Helper()
	all := h.model.turns()
	last := all[len(all)-1].results()
	for i, text := range last {
		id, ok := marked(text)
		if !ok {
			continue
		}
		was := original(all, i)
		if out, code := h.cli(t, "expand", id); code != 0 || out != was || len(was) <= len(text) {
			t.Errorf("pictx expand %s: exit %d, %d bytes, want %d:\n%.200q\n%.200q", id, code, len(out), len(was), out, was)
		}
		must.Not(t, len(text) > 200, "the marker has %d bytes: %s", len(text), text)
	}
}

// original is the result i as the model first saw it.
func original(all []request, i int) string {
	for _, r := range all {
		if results := r.results(); i < len(results) {
			return results[i]
		}
	}
	return ""
}

// footers are the texts of pruning in the footer, in order.
func (p *rpc) footers() []string {
	var all []string
	for _, r := range p.of("setStatus") {
		if r.StatusKey == "pictx.prune" {
			all = append(all, r.StatusText)
		}
	}
	return all
}

// Holds prune 2, 27, 28, 31, 43, 53.
func TestAWarmCacheIsRewrittenOnceForEachDecision(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		p := h.start(t)
		// What is old goes between turns.
		wantMarks(t, "first", p.ask("One.", h.print(t, "one", 5000), glance(), glance(), say("one")), 0, 0, 0, 0)
		wantMarks(t, "second", p.ask("Two.", h.print(t, "two", 5000), glance(), glance(), say("two")), 1, 1, 1, 1)
		wantMarks(t, "third", p.ask("Three.", h.print(t, "three", 10_000), glance(), say("three")), 2, 2, 2)
		wantMarks(t, "fourth", p.ask("Four.", say("four")), 3)
		wantMarks(t, "fifth", p.ask("Five.", say("five")), 3)
		all := h.model.turns()
		if made := grows(t, all); !slices.Equal(made, []int{1, 1, 1}) || !slices.Equal(made, decisions(t, h.session(t))) {
			t.Errorf("rewrites made %v markers, the session tells of %v", made, decisions(t, h.session(t)))
		}
		h.restores(t)
		told := slices.DeleteFunc(p.notices(), func(s string) bool { return !strings.Contains(s, "pictx pruned") })
		must.Not(t, len(told) != 1 || !strings.Contains(told[0], "pruned 1 tool output ("), "notices: %q", told)
		if f := p.footers(); len(f) == 0 || !regexp.MustCompile(`^(saved \$[\d.e-]+|\$[\d.e-]+ more expensive) · 19\.\dK pruned$`).MatchString(f[len(f)-1]) {
			t.Errorf("the footer says %q", f)
		}
		p.slash("/e2e-reload")
		p.ask("Six.", say("six"))
		p.close()
		h.resume(t, "Seven.", say("seven"))
		h.model.check(t)
		if made := grows(t, h.model.turns()); len(made) != 3 {
			t.Errorf("after reloading and resuming, rewrites made %v markers", made)
		}
		h.stored(t)
	})
}
