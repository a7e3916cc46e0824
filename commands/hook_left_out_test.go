package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// marked writes a session in which a run ended whose prompt is given, and returns its leaf.
func (p *piAgent) marked(prompt string) (leaf string) {
	p.t.Helper()
	p.trust()
	p.trusted = new(true)
	text := must.Get(json.Marshal("Build it.\n" + prompt))(p.t)
	must.Do(p.t, os.WriteFile(p.file, fmt.Appendf(nil, `{"type":"session","version":3,"id":"session-1","timestamp":"2026-03-02T09:00:00.000Z","cwd":%q}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":%s,"timestamp":1}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop","timestamp":2}}
`, p.project, text), 0o600))
	return "aaaa0002"
}

const fourDecisions = "Decision: Use tabs\nDecision: Money is in cents\nDecision: Log in JSON\nDecision: Deploy from tags"

// Of what a prompt decides only so much is taken: the rest is named, and not lost without a word.
func TestDecisionsOfAPromptThatAreTooManyAreNamed(t *testing.T) {
	for limit, want := range map[string]string{
		"2": `pictx takes 2 decisions from a prompt (autoCapture.maxPerTurn), and left out \"Log in JSON\" and 1 other. /decision add TEXT records one.`,
		"4": "", "0": "",
	} {
		p := newAgent(t)
		p.settings("decision-memory.config.json", `{"autoCapture":{"confirm":false,"maxPerTurn":`+limit+`}}`)
		reply := p.once("agent_end", p.request("agent_end", p.marked(fourDecisions), map[string]any{}))
		must.Not(t, want == "" && strings.Contains(reply, "left out") || want != "" && !strings.Contains(reply, want), "at most %s: %s", limit, reply)
	}
}

// Without a person what is taken is a draft, and the log says what was left out.
//
// Holds decisions 78.
func TestDecisionsOfAPromptThatAreTooManyAreLoggedWithoutAScreen(t *testing.T) {
	p := newAgent(t)
	p.settings("decision-memory.config.json", `{"autoCapture":{"maxPerTurn":1}}`)
	p.once("agent_end", p.request("agent_end", p.marked(fourDecisions), map[string]any{}, "hasUI", false))
	_, out := p.shell("log", "--json")
	must.Not(t, !strings.Contains(out, "3 decisions left out (autoCapture.maxPerTurn)"), "the log: %s", out)
	all, _ := p.decided()
	must.Not(t, !slices.Equal(all, []string{"draft Use tabs"}), "decisions %q", all)
}

// What may contradict an active decision is not chosen beforehand, and where nobody is to be
// asked it is said.
func TestAMarkedLineThatMayContradictADecisionIsNotChosen(t *testing.T) {
	p := newAgent(t)
	p.shell("decision", "add", "Indent with tabs")
	leaf := p.marked("Decision: Indent with spaces, never tabs\nDecision: SQLite holds orders")
	titles, _ := p.asks("agent_end", leaf, map[string]any{}, nil)
	must.Not(t, !slices.Equal(titles, []string{"Remember these as decisions?", "chosen: SQLite holds orders"}), "it asks %q", titles)
	p.settings("decision-memory.config.json", `{"autoCapture":{"confirm":false}}`)
	reply := p.once("agent_end", p.request("agent_end", leaf, map[string]any{}))
	must.Not(t, !strings.Contains(reply, "one contradicts it or says the same:\\nD-"), "%s", reply)
}
