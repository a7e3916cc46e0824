package commands

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
)

// The models of a session that is switched twice.
var (
	cheap = hooks.Model{Provider: "fake", ID: "cheap", API: "anthropic-messages", Reasoning: new(bool), Cost: hooks.Cost{Cost: token.Cost{Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25}}}
	dear  = hooks.Model{Provider: "fake", ID: "dear", API: "anthropic-messages", Reasoning: new(bool), Cost: hooks.Cost{Cost: token.Cost{Input: 100, Output: 500, CacheRead: 10, CacheWrite: 125}}}
	free  = hooks.Model{Provider: "fake", ID: "glm-4.7", API: "openai-completions", Reasoning: new(bool)}
)

// switched is a session that several models answered.
type switched struct {
	*piAgent
	text   strings.Builder
	leaf   string
	n      int
	prompt int64   // tokens of the last request
	model  string  // that answered it
	paid   float64 // what the session records
}

func newSwitched(t *testing.T) *switched {
	t.Helper()
	s := &switched{piAgent: newAgent(t)}
	s.file = filepath.Join(s.dir, "s.jsonl")
	s.id = "0a0a0a0a-0000-7000-8000-000000000001"
	fmt.Fprintf(&s.text, `{"type":"session","version":3,"id":%q,"timestamp":"2026-11-20T10:00:00.000Z","cwd":%q}`+"\n", s.id, s.project)
	return s
}

// entry adds a message.
func (s *switched) entry(message string) {
	s.n++
	parent := "null"
	if s.leaf != "" {
		parent = strconv.Quote(s.leaf)
	}
	s.leaf = fmt.Sprintf("e%07d", s.n)
	fmt.Fprintf(&s.text, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-11-20T10:%02d:%02d.000Z","message":{%s,"timestamp":%d}}`+"\n",
		s.leaf, parent, s.n/60, s.n%60, message, 1795860000000+int64(s.n)*1000)
}

// turn has a model answer a prompt after n calls with outputs of about 2,000 tokens.
func (s *switched) turn(m hooks.Model, n int) {
	s.entry(fmt.Sprintf(`"role":"user","content":"part %d"`, s.n))
	for i := range n + 1 {
		content, stop := `[{"type":"text","text":"done"}]`, "stop"
		if i < n {
			content, stop = fmt.Sprintf(`[{"type":"toolCall","id":"c%d","name":"bash","arguments":{"command":"seq %d"}}]`, s.n, s.n), "toolUse"
		}
		read, write := s.prompt, int64(2_100)
		if m.ID != s.model { // what it has in its cache is nothing of this session
			read, write = 0, s.prompt+2_100
		}
		s.prompt, s.model = s.prompt+2_100, m.ID
		reading, writing := m.Cost.CacheRead*float64(read)/1e6, m.Cost.CacheWrite*float64(write)/1e6
		s.paid += reading + writing
		s.entry(fmt.Sprintf(`"role":"assistant","api":%q,"provider":%q,"model":%q,"content":%s,"usage":{"input":%d,"output":0,"cacheRead":%d,"cacheWrite":%d,"cost":{"input":0,"output":0,"cacheRead":%g,"cacheWrite":%g,"total":%g}},"stopReason":%q`,
			m.API, m.Provider, m.ID, content, s.prompt-read-write, read, write, reading, writing, reading+writing, stop))
		if i < n {
			s.entry(fmt.Sprintf(`"role":"toolResult","toolCallId":"c%d","toolName":"bash","content":[{"type":"text","text":%q}],"isError":false`, s.n-1, strings.Repeat("line of output\n", 560)))
		}
	}
	s.plant(s.file, s.text.String())
}

// says is what the footer and /prune-stats say with a model chosen.
func (s *switched) says(m hooks.Model) (footer, bill string) {
	s.t.Helper()
	r := parseReply(s.t, s.once("session_start", s.request("session_start", s.leaf, map[string]any{}, "model", m)))
	footer, _ = r.status()
	stats := parseReply(s.t, s.once("command", s.request("command", s.leaf, map[string]any{"name": "prune-stats"}, "model", m)))
	return footer, regexp.MustCompile(`This session: .*`).FindString(stats.Result.Text)
}

// What requests cost is what they cost with the model that answered them: a later switch to another
// model, dear or free, changes no figure of the past, in no view.
func TestASwitchToAnotherModelChangesNothingOfTheBillSoFar(t *testing.T) {
	t.Parallel()
	s := newSwitched(t)
	s.turn(cheap, 40)
	r := parseReply(t, s.once("command", s.request("command", s.leaf, map[string]any{"name": "prune", "args": ""}, "model", cheap, "idle", true)))
	must.Stop(t, len(s.shortened(r)) < 20, "%d outputs were pruned", len(s.shortened(r)))
	for _, e := range r.Result.Entries {
		if e.Type == "context_edit" {
			s.n++
			id := fmt.Sprintf("e%07d", s.n)
			fmt.Fprintf(&s.text, `{"type":"context_edit","targetId":%q,"replacement":%s,"id":%q,"parentId":%q,"timestamp":"2026-11-20T10:02:00.000Z"}`+"\n", e.TargetID, e.Replacement, id, s.leaf)
			s.leaf = id
		}
	}
	s.prompt = 6_000 // about what is left
	s.turn(cheap, 3)
	footer, bill := s.says(cheap)
	must.Stop(t, !strings.Contains(footer, "pruned") || !strings.Contains(bill, "with pictx"), "the footer is %q, the bill %q", footer, bill)
	for _, m := range []hooks.Model{dear, free} {
		f, b := s.says(m)
		must.Not(t, f != footer || b != bill, "with %s the footer is %q and the bill %q; with %s they were %q and %q", m.ID, f, b, cheap.ID, footer, bill)
	}
	s.turn(dear, 0)
	one, afterDear := s.says(dear)
	s.turn(free, 0)
	two, afterFree := s.says(free)
	must.Not(t, two != one || afterFree != afterDear, "a request that costs nothing turned %q into %q and %q into %q", one, two, afterDear, afterFree)
	var usage struct{ Total struct{ Dollars float64 } }
	_, out := s.shell("usage", "--json")
	must.Not(t, json.Unmarshal([]byte(out), &usage) != nil || math.Abs(usage.Total.Dollars-s.paid) > 0.005, "usage has $%.3f, the session $%.3f: %s", usage.Total.Dollars, s.paid, out)
	var replay struct {
		Policies []struct {
			Name   string
			Worlds []struct{ Dollars float64 }
		}
	}
	_, out = s.shell("replay", "--json", s.file)
	if err := json.Unmarshal([]byte(out), &replay); err != nil || len(replay.Policies) < 2 {
		t.Fatal(err, out)
	}
	for _, p := range replay.Policies { // plain pi would have paid for the dear model's cache of the whole session
		d := p.Worlds[0].Dollars
		must.Not(t, p.Name == "none" && (d < s.paid || d > 15), "replay has $%.3f for plain pi, the session $%.3f", d, s.paid)
	}
	t.Logf("paid $%.3f; %s; %s", s.paid, one, afterFree)
}
