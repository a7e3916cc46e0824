package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/internal/must"
)

// append adds a line to the session.
func (p *piAgent) append(format string, args ...any) {
	p.t.Helper()
	f := must.Get(os.OpenFile(p.file, os.O_APPEND|os.O_WRONLY, 0))(p.t)
	defer f.Close()
	must.Get(fmt.Fprintf(f, format+"\n", args...))(p.t)
}

// keep appends to the session what a reply has the agent append, but for edits,
// and returns the new leaf.
func (p *piAgent) keep(r reply, leaf string) string {
	p.t.Helper()
	add := func(customType string, data json.RawMessage) {
		id := fmt.Sprintf("%s-%d", leaf, len(data))
		p.append(`{"type":"custom","customType":%q,"data":%s,"id":%q,"parentId":%q,"timestamp":"2026-11-21T10:00:00.000Z"}`, customType, data, id, leaf)
		leaf = id
	}
	for _, e := range r.Result.Entries {
		if e.Type == "custom" {
			add(e.CustomType, e.Data)
		}
	}
	for _, e := range r.Effects {
		if e.Type == "appendEntry" {
			add(e.CustomType, e.Data)
		}
	}
	return leaf
}

// keepEdits appends the edits of a reply to the session, and returns the new leaf.
func (p *piAgent) keepEdits(r reply, leaf string) string {
	p.t.Helper()
	for _, e := range r.Result.Entries {
		if e.Type != "context_edit" {
			continue
		}
		id := leaf + "-" + e.TargetID
		p.append(`{"type":"context_edit","targetId":%q,"replacement":%s,"id":%q,"parentId":%q,"timestamp":"2026-11-21T10:00:00.000Z"}`, e.TargetID, e.Replacement, id, leaf)
		leaf = id
	}
	return leaf
}

// command runs a command of pi.
func (p *piAgent) command(leaf, name, args string) reply {
	p.t.Helper()
	return parseReply(p.t, p.once("command", p.request("command", leaf, map[string]any{"name": name, "args": args})))
}

// forced are the results that /prune prunes.
func (p *piAgent) forced(leaf string) (map[string]bool, reply) {
	p.t.Helper()
	r := p.command(leaf, "prune", "")
	return p.shortened(r), r
}

// shortened are the tool results that a reply shortens. Edits of responses take thinking and
// arguments from them.
func (p *piAgent) shortened(r reply) map[string]bool {
	p.t.Helper()
	s := must.Get(pi.Open(p.file))(p.t)
	defer s.Close()
	results := make(map[string]bool)
	for i := range s.Nodes {
		results[s.Nodes[i].ID] = s.Nodes[i].Message.Role == message.RoleToolResult
	}
	pruned := make(map[string]bool)
	for _, e := range r.Result.Entries {
		if e.Type == "context_edit" && results[e.TargetID] {
			pruned[e.TargetID] = true
		}
	}
	return pruned
}

// shell runs a command of a person's shell.
func (p *piAgent) shell(args ...string) (code int, stdout string) {
	p.t.Helper()
	code, stdout, _ = p.shellErr(args...)
	return code, stdout
}

// shellErr is shell with what is said on standard error.
func (p *piAgent) shellErr(args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	var out, errs strings.Builder
	env := p.env(strings.NewReader(""), &out, args...)
	env.Err = &errs
	env.Environ = append(env.Environ, "PI_CODING_AGENT=") // not the agent's
	code = Main(p.t.Context(), env)
	return code, out.String(), errs.String()
}

// Holds prune 18.
func TestWhatIsPinnedInPiStaysInTheContext(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("shop-main.jsonl")
	before := leaf
	r := p.command(leaf, "pictx", "pin 6505ee")
	must.Stop(t, !strings.HasPrefix(r.Result.Text, "Pinned 6505ee0b"), "%+v", r)
	leaf = p.keep(r, leaf)
	leaf = p.keep(p.command(leaf, "pictx", "pin **/*.log the log"), leaf)
	r = p.command(leaf, "pictx", "pins")
	must.Not(t, !strings.Contains(r.Result.Text, "2 pins:\n  6505ee0b  ") || !strings.Contains(r.Result.Text, ": the log"), "%s", r.Result.Text)
	must.Contain(t, p.command(before, "pictx", "pins").Result.Text, "Nothing is pinned.", "before it was pinned")
	pruned, r := p.forced(leaf)
	if len(pruned) < 10 || pruned["6505ee0b"] || pruned["e7da02bd"] { // a read of the log
		t.Errorf("pruned %d: %v", len(pruned), pruned)
	}
	if !strings.Contains(r.Result.Text, "\nKept:\n") || !strings.Contains(r.Result.Text, "pinned") || !strings.Contains(r.Result.Text, "the tool failed") {
		t.Errorf("what stays is not said: %s", r.Result.Text)
	}
	leaf = p.keep(p.command(leaf, "pictx", "unpin 6505ee0b"), leaf)
	if again, r := p.forced(leaf); !again["6505ee0b"] {
		t.Errorf("unpinned, and not pruned: %s", r.Result.Text)
	}
	must.Contain(t, p.command(leaf, "pictx", "unpin 6505ee0b").Result.Text, "6505ee0b is not pinned", "what it says")
}

func TestPictxAloneExplainsTheFooterOnOneScreen(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("shop-main.jsonl")
	leaf = p.keep(p.command(leaf, "pictx", "pin"), leaf)
	_, r := p.forced(leaf)
	leaf = p.keepEdits(r, p.keep(r, leaf))
	said := p.command(leaf, "pictx", "").Result.Text
	for _, word := range []string{"The footer now: ", "K pruned\n", "saved $", "more expensive", "pruning off", "compacting:", "code index", "1 pin.", "/prune-toggle", "/lcm", "/decision", "/kota"} {
		must.Contain(t, said, word, "/pictx says nothing of")
	}
	const rows, columns = 18, 58 // what pi leaves of a terminal of 24 by 60
	all := strings.Split(said, "\n")
	must.Not(t, len(all) > rows || slices.ContainsFunc(all, func(l string) bool { return utf8.RuneCountInString(l) > columns }), "it does not fit a screen:\n%s", said)
	empty := newAgent(t)
	must.Contain(t, empty.command("", "pictx", "").Result.Text, "The footer now: nothing yet", "a new session")
}

// status is the footer that a reply sets for pruning.
func (r *reply) status() (text string, set bool) {
	for _, e := range r.Effects {
		if e.Type == "status" && strings.Contains(e.Key, "prune") {
			text, set = e.Text, true
		}
	}
	return text, set
}

func TestTheFooterOfASessionThatOpensCountsNothingThatIsOnlyPlanned(t *testing.T) {
	t.Parallel()
	for name, can := range map[string][]string{"with context edits": {"contextEdit"}, "before pi 0.87": nil} {
		p := newAgent(t)
		p.config(lowLimits)
		p.can = can
		leaf := p.wholeSession("shop-main.jsonl")
		for _, event := range []string{"session_start", "session_tree"} {
			r := parseReply(t, p.once(event, p.request(event, leaf, map[string]any{})))
			footer, set := r.status()
			must.Not(t, !set || strings.Contains(footer, "pruned"), "%s, %s: the footer is %q, and nothing is pruned yet", name, event, footer)
		}
	}
}

func TestSwitchingPruningOnAgainBringsTheFooterBack(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("shop-main.jsonl")
	_, r := p.forced(leaf)
	leaf = p.keepEdits(r, p.keep(r, leaf))
	for _, want := range []string{"pruning off", " pruned"} {
		r := p.command(leaf, "prune-toggle", "")
		footer, set := r.status()
		must.Not(t, !set || !strings.HasSuffix(footer, want), "the footer is %q, want one that ends with %q", footer, want)
		leaf = p.keep(r, leaf)
	}
}

func TestPictxListsTheObjectsOfTheSession(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("shop-main.jsonl")
	for query, want := range map[string][2]string{
		"": {" objects"}, "type:toolcall tool:bash": {"bash", " read "}, "state:active": {", active\n", ", inactive\n"}, "nope:x": {"nope:"},
	} {
		said := p.command(leaf, "pictx", "objects "+query).Result
		if !strings.Contains(said.Text, want[0]) || want[1] != "" && strings.Contains(said.Text, want[1]) || said.Level != "info" {
			t.Errorf("%q: %+v", query, said)
		}
	}
	p.config("objects.enabled = false\n")
	if said := p.command(leaf, "pictx", "objects").Result.Text; !strings.Contains(said, "No objects are kept") {
		t.Error(said)
	}
}

func TestPictxOffersWhatIsNear(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("shop-main.jsonl")
	leaf = p.keep(p.command(leaf, "pictx", "pin 6505ee"), leaf)
	for args, want := range map[string]string{
		"pim 6505ee":   "/pictx does not know pim. Did you mean /pictx pin?\n/pictx pin [FILE",
		"unpin zzz":    "zzz is not pinned.\n1 pin:\n  6505ee0b  ",
		"unpin":        "/pictx unpin needs a file or an id.",
		"pin 6505ee0c": "no tool output in this context has the id 6505ee0c. The newest:\n  ",
	} {
		r := p.command(leaf, "pictx", args)
		must.Not(t, !strings.Contains(r.Result.Text, want) || r.Result.Level != "warning" || len(r.Result.Entries) > 0, "/pictx %s: %+v", args, r.Result)
	}
	for prefix, want := range map[string]string{"": "pin", "pin 6505": "pin 6505ee0b", "pin src/ca": "pin src/cart.ts", "unpin ": "unpin 6505ee0b"} {
		r := parseReply(t, p.once("complete", p.request("complete", leaf, map[string]any{"name": "pictx", "prefix": prefix})))
		must.Not(t, len(r.Result.Items) == 0 || r.Result.Items[0].Value != want || strings.Contains(prefix, " ") && r.Result.Items[0].Description == "", "%q: %+v", prefix, r.Result)
	}
}

// A pin of a file keeps what was read of it, by a command of a shell too.
func TestPinningAFileKeepsTheOutputsOfCommandsThatNameIt(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("shop-main.jsonl")
	said := p.command(leaf, "pictx", "pin logs/checkout-2026-10-28.log").Result.Text
	must.Not(t, !strings.HasPrefix(said, "Pinned logs/checkout-2026-10-28.log ("), "after a pin of the log, which grep printed of: %q", said)
}

func TestPinAloneTakesTheNewestOutputOrSaysThatThereIsNone(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	r := p.command("", "pictx", "pin")
	must.Not(t, r.Result.Text != "Nothing was pinned: no tool output is in the context yet." || r.Result.Level != "warning", "a new session: %+v", r.Result)
	leaf := p.wholeSession("shop-main.jsonl")
	r = p.command(leaf, "pictx", "pin")
	last := p.command(p.keep(p.command(leaf, "pictx", "pin last"), leaf), "pictx", "pins")
	id, _, _ := strings.Cut(strings.TrimPrefix(r.Result.Text, "Pinned "), " ")
	must.Not(t, !strings.HasPrefix(r.Result.Text, "Pinned ") || !strings.Contains(last.Result.Text, "1 pin:\n  "+id), "%q, and last:\n%s", r.Result.Text, last.Result.Text)
}

func TestWhatIsPinnedAtTheShellGoesIntoTheSession(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("notes-1.5.jsonl")
	turn := func() reply {
		return parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{})))
	}
	pins := func(r reply) (out []prune.Pin) {
		for _, e := range r.Effects {
			if e.CustomType == prune.PinsEntry {
				var d prune.PinsData
				must.Do(t, json.Unmarshal(e.Data, &d))
				out = append(out, d.Pins...)
			}
		}
		return out
	}
	if code, _ := p.shell("import", p.file); code != 0 {
		t.Fatal("import", code)
	}
	var id string
	for target := range p.shortened(turn()) {
		id = target
	}
	// Another machine: its store has decided nothing.
	old := p.dir
	p.dir = t.TempDir()
	p.config(lowLimits)
	if code, _ := p.shell("import", p.file); code != 0 {
		t.Fatal("import", code)
	}
	if code, _ := p.shell("pin", id, "--session", p.id, "--reason", "why not"); code != 0 {
		t.Fatal("pin", code)
	}
	first := turn()
	got := pins(first)
	must.Stop(t, len(got) != 1 || got[0].Target != id || got[0].Reason != "why not" || got[0].Time == 0, "carried %+v", got)
	for _, e := range first.Result.Entries {
		must.Not(t, e.TargetID == id, "what is pinned is pruned")
	}
	leaf = p.keep(first, leaf)
	again := pins(turn())
	must.Not(t, len(again) > 0, "carried again: %+v", again)
	_, out := p.shell("pins", "--session", p.id)
	must.Not(t, !strings.Contains(out, id+"  why not"), "the shell lists %q", out)
	// Back on the first machine, whose store knows of no pin.
	p.dir = old
	if r := p.command(leaf, "pictx", "pins"); !strings.Contains(r.Result.Text, id+"  ") || !strings.Contains(r.Result.Text, " docs/tax.md, ") || !strings.Contains(r.Result.Text, ": why not") {
		t.Errorf("elsewhere: %s", r.Result.Text)
	}
	if code, _, said := p.shellErr("unpin", id, "--session", p.id); code != 0 {
		t.Fatal("unpin", code, said)
	}
	r := turn()
	got = pins(r)
	must.Stop(t, len(got) != 1 || !got[0].Removed, "carried %+v", got)
	leaf = p.keep(r, leaf)
	must.Contain(t, p.command(leaf, "pictx", "pins").Result.Text, "Nothing is pinned.", "unpinned")
	code, _ := p.shell("unpin", id, "--session", p.id)
	must.Not(t, code != exit.NotFound, "unpinned twice: %d", code)
}

// replacementMarker is the marker in the plan that a replacement in the session comes
// from: the text of a result, or the content that is left of an answer.
func replacementMarker(t *testing.T, replacement []byte) string {
	t.Helper()
	var left struct{ Content json.RawMessage }
	err := json.Unmarshal(replacement, &left)
	must.Stop(t, err != nil, "%s, %v", replacement, err)
	return markerText(left.Content)
}

// markerText is the text of content that consists of one, else the content.
func markerText(content []byte) string {
	var blocks []map[string]string
	if json.Unmarshal(content, &blocks) == nil && len(blocks) == 1 && blocks[0]["type"] == "text" {
		return blocks[0]["text"]
	}
	return string(content)
}

// What the shell plans for a session is what the hook would decide next.
//
// Holds prune 55.
func TestTheShellPlansWhatTheHookWouldDo(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{"seed": lowLimits, "auto": "", "kota": "[prune]\npolicy = \"kota\"\n", "off": "[prune]\nmode = \"off\"\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newAgent(t)
			p.config(settings)
			leaf := p.wholeSession("shop-main.jsonl")
			leaf = p.keep(p.command(leaf, "pictx", "pin **/*.log"), leaf)
			// The recording is old: the next call finds a cold cache.
			code, out := p.shell("prune", "--json", "--idle", "24h", p.file)
			var plan struct {
				Edits []struct{ EntryID, Marker string }
			}
			if err := json.Unmarshal([]byte(strings.ReplaceAll(out, `"entry_id"`, `"EntryID"`)), &plan); code != 0 || err != nil {
				t.Fatal(code, err)
			}
			want := make(map[string]string)
			for _, e := range plan.Edits {
				want[e.EntryID] = markerText([]byte(e.Marker))
			}
			r := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{})))
			got := make(map[string]string)
			for _, e := range r.Result.Entries {
				if e.Type == "context_edit" {
					got[e.TargetID] = replacementMarker(t, e.Replacement)
				}
			}
			diff := cmp.Diff(got, want)
			must.Not(t, diff != "" || len(want) == 0, "what the hook prunes, and what the shell plans: %s", diff)
			must.Equal(t, want["e7da02bd"], "", "what is pinned is pruned")
		})
	}
}

// After a compaction the agent does not know how full the context is: decisions
// go by what is in it.
//
// Holds prune 41.
func TestAnUnknownUsageChangesNoDecision(t *testing.T) {
	t.Parallel()
	var replies []string
	for _, usage := range []any{nil, map[string]any{"tokens": nil, "contextWindow": 200_000, "percent": nil}, map[string]any{"tokens": 199_999, "contextWindow": 200_000, "percent": 99.9}} {
		p := newAgent(t)
		leaf := p.wholeSession("notes-1.5.jsonl")
		var more []any
		if usage != nil {
			more = []any{"usage", usage}
		}
		r := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{}, more...)))
		replies = append(replies, fmt.Sprintf("%+v", r.Result))
	}
	must.Not(t, replies[0] != replies[1] || replies[0] != replies[2], "%q", replies)
}

// Pruning needs no blob: what it takes out is in the session.
//
// Holds prune 51.
func TestPruningGoesOnWithoutTheCacheOfBlobs(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits + "[blobs]\ndir = \"~/in-the-way\"\n")
	must.Do(t, os.WriteFile(p.dir+"/in-the-way", nil, 0o600))
	leaf := p.wholeSession("notes-1.5.jsonl")
	r := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{})))
	must.Stop(t, r.Error != "" || len(r.Result.Entries) < 2, "%+v", r)
	if code, _ := p.shell("import", p.file); code != 0 {
		t.Fatal("import", code)
	}
	for _, e := range r.Result.Entries {
		if e.Type != "context_edit" {
			continue
		}
		if code, out := p.shell("expand", e.TargetID); code != 0 || len(out) < 10 {
			t.Errorf("expand %s: %d, %q", e.TargetID, code, out)
		}
	}
}

// Holds prune 52.
func TestNoOutputIsInTheLog(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: it does much, one thing after the other")
	}
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits + "[history]\nenabled = true\n")
	var texts []string
	p.play("../testdata/sessions/shop-main.jsonl", func(leaf string) {
		p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{}))
		p.once("command", p.request("command", leaf, map[string]any{"name": "prune", "args": ""}))
		p.once("tool", p.request("tool", leaf, map[string]any{"name": "lcm_grep", "params": map[string]any{"query": "checkout"}}))
	})
	s := must.Get(pi.Open(p.file))(t)
	defer s.Close()
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Message.Role != "toolResult" {
			continue
		}
		line := must.Get(s.Line(n))(t)
		for _, word := range strings.FieldsFunc(string(line), func(r rune) bool { return r == '\\' || r == '"' }) {
			if len(word) > 40 {
				texts = append(texts, word)
			}
		}
	}
	log, err := os.ReadFile(p.dir + "/pictx/log/hooks.jsonl")
	must.Stop(t, err != nil || len(log) < 1000 || len(texts) < 100, "%d bytes of log, %d texts, %v", len(log), len(texts), err)
	for _, text := range texts {
		must.Stop(t, strings.Contains(string(log), text), "the log holds %q", text)
	}
}

// answered appends a prompt and its response to the session, and returns the new leaf.
func (p *piAgent) answered(leaf string) string {
	p.t.Helper()
	p.append(`{"type":"message","id":"a5a5a5a1","parentId":%q,"timestamp":"2026-11-21T16:00:00.000Z","message":{"role":"user","content":"Go on.","timestamp":1795276800000}}
{"type":"message","id":"a5a5a5a2","parentId":"a5a5a5a1","timestamp":"2026-11-21T16:00:01.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"provider":"p","model":"m","stopReason":"stop","timestamp":1795276801000}}`, leaf)
	return "a5a5a5a2"
}

// What is not known is not shown as nothing: neither without a price, nor before a request has
// been smaller.
//
// Holds prune 53.
func TestAFooterWithoutAPriceNamesNoSaving(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		price  float64
		prices string // a setting
		want   bool
	}{{price: 3, want: true}, {price: 0}, {0, `["m=3"]`, true}, {0, `["n=3"]`, false}} {
		p, price, want := newAgent(t), c.price, c.want
		if c.prices != "" {
			p.config("prices = " + c.prices + "\n")
		}
		leaf := p.wholeSession("shop-main.jsonl")
		model := map[string]any{"provider": "p", "id": "m", "api": "anthropic-messages", "contextWindow": 200_000, "maxTokens": 8000, "cost": map[string]any{"input": price, "output": 5 * price, "cacheRead": price / 10, "cacheWrite": price * 5 / 4}}
		footer := func(event string) (r reply, footer string) {
			r = parseReply(t, p.once(event, p.request(event, leaf, map[string]any{}, "model", model)))
			for _, e := range r.Effects {
				if e.Type == "status" && e.Key == "pictx.prune" {
					footer = e.Text
				}
			}
			return r, footer
		}
		r, now := footer("before_agent_start")
		if !strings.HasSuffix(now, "K pruned") || strings.Contains(now, "saved") {
			t.Errorf("with input at %v and prices %q the footer is %q before any request was smaller", price, c.prices, now)
		}
		leaf = p.answered(p.keepEdits(r, leaf))
		if _, now = footer("agent_end"); !strings.HasSuffix(now, " pruned") || strings.HasPrefix(now, "saved $") != want {
			t.Errorf("with input at %v and prices %q the footer is %q", price, c.prices, now)
		}
	}
}

// An agent that keeps no edits of its own gets them before each request: what that request cost
// is known only afterwards.
func TestTheFooterCountsTheLastRequestOfARun(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	p.can = nil
	leaf := p.wholeSession("shop-main.jsonl")
	model := map[string]any{"provider": "p", "id": "m", "api": "anthropic-messages", "contextWindow": 200_000, "maxTokens": 8000, "cost": map[string]any{"input": 3.0, "output": 15.0, "cacheRead": 0.3, "cacheWrite": 3.75}}
	footer := func(event string, payload map[string]any) string {
		r := parseReply(t, p.once(event, p.request(event, leaf, payload, "model", model)))
		leaf = p.keep(r, leaf)
		text, _ := r.status()
		return text
	}
	before := footer("context", map[string]any{"keys": keysAt(t, p.file, leaf)})
	must.Stop(t, !strings.HasSuffix(before, " pruned"), "before the request the footer is %q: nothing was pruned", before)
	after := footer("agent_end", map[string]any{})
	shown := footer("session_start", map[string]any{"reason": "startup"})
	must.Not(t, after == "" || after != shown, "after the run the footer is %q, of the session as it is %q", after, shown)
}
