//go:build unix

package e2e

import (
	"regexp"
	"strings"
	"testing"
)

var callID = regexp.MustCompile(`"(?:toolu|call)_\d+_\d+"`)

// What the model thought in a turn that is over goes with a rewrite of the prompt. The
// turn that goes on keeps its thinking with its signature, and every call its result.
func TestThinkingGoesFromClosedTurnsAloneAndRequestsStayWhole(t *testing.T) {
	t.Parallel()
	twoPis(t, func(t *testing.T, version string) {
		for _, provider := range []string{"anthropic", "openai"} {
			t.Run(provider, func(t *testing.T) {
				h := autoHome(t, version, transportOf(version))
				h.provider = provider
				p := h.start(t)
				long := func(word string) string { return strings.Repeat(word+" ", 100) }
				first := h.print(t, "one", 9000)
				first.Thinking = long("closed")
				closed := p.ask("One.", first, glance(), glance(), turn{Thinking: long("closed"), Text: "one"})
				told := p.tells("/prune")
				parallel := []call{{"bash", object{"command": "echo a"}}, {"bash", object{"command": "echo b"}}}
				requests := p.ask("Two.", turn{Thinking: long("open"), Tools: parallel}, glance(), glance(), say("two"))
				before, after := string(closed[len(closed)-1].Raw), string(requests[len(requests)-1].Raw)
				if !strings.Contains(before, "closed closed") {
					t.Fatal("the agent does not send thinking")
				}
				if strings.Contains(after, "closed closed") || !strings.Contains(after, "pictx expand") {
					t.Error("thinking of a turn that is over is still sent")
				}
				if !strings.Contains(after, strings.TrimSpace(long("open"))) || provider == "anthropic" && !strings.Contains(after, `"signature":"c2lnbmF0dXJl"`) {
					t.Error("the open turn lost its thinking")
				}
				if !strings.Contains(after, `"one"`) {
					t.Error("the text beside the thinking is gone")
				}
				times := make(map[string]int)
				for _, id := range callID.FindAllString(after, -1) {
					times[id]++
				}
				for id, n := range times {
					if n != 2 {
						t.Errorf("call %s stands %d times, with its result it should be 2", id, n)
					}
				}
				if len(times) < 4 {
					t.Errorf("calls are missing: %v", times)
				}
				const left = "1 tool output, and thinking and old arguments of 2 responses"
				contains(t, "/prune", told, "Pruned "+left)
				contains(t, "/prune-stats", p.tells("/prune-stats"), left+".")
				p.finish()
			})
		}
	})
}
