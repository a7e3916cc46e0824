//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// What a compaction took is in the bill that a person sees: the tokens are those that the
// provider counted, whoever asked for the summary.
func TestTheBillHasTheRequestsForSummaries(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		for _, name := range []string{"pi", "pictx"} {
			t.Run(name, func(t *testing.T) {
				h := autoHome(t, version, transport)
				h.keepRecent = 50
				// Nothing is pruned: the difference is what the summaries cost.
				h.configure(t, fmt.Sprintf("history.compact = %v\nprune.mode = \"manual\"\n", name == "pictx"))
				h.model.answer(func(r request) *turn {
					if !r.Summary {
						return nil
					}
					reply := say(summaryText)
					reply.Prompt, reply.Output = 700_000, 1000
					return &reply
				})
				p := h.start(t)
				p.ask("One.", h.print(t, "one", 3000), say("one"))
				p.talk(1, 8)
				lacks(t, "before the compaction", p.tells("/prune-stats"), "summaries")
				p.compact()
				p.ask("Two.", say("two"))
				stats := p.tells("/prune-stats")
				p.close()
				// pi asks twice where it splits a turn.
				want := map[string]string{"pictx": "700.0K tokens sent, $2.1", "pi": "1.4M tokens sent, $4.2"}[name]
				// At $3 and $15 for a million tokens.
				contains(t, "/prune-stats", stats, "summaries    "+want)
				if all := p.footers(); name == "pictx" && !strings.HasPrefix(all[len(all)-1], "$2.1") {
					t.Errorf("the footer says %q", all)
				}
				if name == "pi" {
					contains(t, "/prune-stats", stats, " with plain pi.\n")
				}
			})
		}
	})
}
