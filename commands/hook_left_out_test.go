package commands

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// Of what a prompt decides only so much is taken: the rest is named, and not lost without a word.
func TestDecisionsOfAPromptThatAreTooManyAreNamed(t *testing.T) {
	for limit, want := range map[string]string{
		"2": `pictx takes 2 decisions from a prompt (autoCapture.maxPerTurn), and left out \"Log in JSON\" and 1 other. /decision add TEXT records one.`,
		"4": "", "0": "",
	} {
		p := newAgent(t)
		p.trust()
		trusted := true
		p.trusted = &trusted
		p.settings("decision-memory.config.json", `{"autoCapture":{"confirm":false,"maxPerTurn":`+limit+`}}`)
		lines := strings.Replace(`{"type":"session","version":3,"id":"session-1","timestamp":"2026-03-02T09:00:00.000Z","cwd":"PROJECT"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"Build it.\nDecision: Use tabs\nDecision: Money is in cents\nDecision: Log in JSON\nDecision: Deploy from tags","timestamp":1}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop","timestamp":2}}
`, "PROJECT", p.project, 1)
		must.Do(t, os.WriteFile(p.file, []byte(lines), 0o600))
		reply := p.once("agent_end", p.request("agent_end", "aaaa0002", map[string]any{}))
		if want == "" && strings.Contains(reply, "left out") || want != "" && !strings.Contains(reply, want) {
			t.Errorf("at most %s: %s", limit, reply)
		}
	}
}

// Without a person what is taken is a draft, and the log says what was left out.
//
// Holds decisions 78.
func TestDecisionsOfAPromptThatAreTooManyAreLoggedWithoutAScreen(t *testing.T) {
	p := newAgent(t)
	p.trust()
	trusted := true
	p.trusted = &trusted
	p.settings("decision-memory.config.json", `{"autoCapture":{"maxPerTurn":1}}`)
	lines := strings.Replace(`{"type":"session","version":3,"id":"session-1","timestamp":"2026-03-02T09:00:00.000Z","cwd":"PROJECT"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"Build it.\nDecision: Use tabs\nDecision: Money is in cents\nDecision: Log in JSON","timestamp":1}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop","timestamp":2}}
`, "PROJECT", p.project, 1)
	must.Do(t, os.WriteFile(p.file, []byte(lines), 0o600))
	p.once("agent_end", p.request("agent_end", "aaaa0002", map[string]any{}, "hasUI", false))
	if _, out := p.shell("log", "--json"); !strings.Contains(out, "2 decisions left out (autoCapture.maxPerTurn)") {
		t.Errorf("the log: %s", out)
	}
	if all, _ := p.decided(); !slices.Equal(all, []string{"draft Use tabs"}) {
		t.Errorf("decisions %q", all)
	}
}
