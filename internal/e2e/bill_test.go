//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// What a compaction took is in the bill that a person sees: the tokens are those that the
// provider counted, whoever asked for the summary.
func TestTheBillHasTheRequestsForSummaries(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		names := []string{"pictx", "pi"}
		if version == pi073 {
			names = names[:1] // it does not record what its own compactions cost
		}
		for _, name := range names {
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

// A compaction takes what was pruned out of the context. What that has saved does not go
// with it.
func TestTheFooterCountsAcrossACompaction(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.keepRecent = 50
		p := h.start(t)
		wantMarks(t, "the run", p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one")), 0, 0, 0, 0)
		p.talk(1, 8)
		footer := func() (saved float64, pruned string) {
			t.Helper()
			all := p.footers()
			if n := len(all); n > 0 {
				if m := footerText.FindStringSubmatch(all[n-1]); m != nil {
					saved, _ = strconv.ParseFloat(m[1], 64)
					return saved, m[2]
				}
			}
			t.Fatalf("the footer says %q", all)
			return 0, ""
		}
		before, gone := footer()
		p.compact()
		p.ask("Two.", say("two"))
		must.Equal(t, h.model.last(t).marks(), 0, "markers are left after the compaction")
		if after, still := footer(); still != gone || after < before*0.8 {
			t.Errorf("the footer said $%v saved, %s pruned, and then $%v, %s", before, gone, after, still)
		}
		p.finish()
	})
}

// footerText is the footer of a session in which pruning pays.
var footerText = regexp.MustCompile(`^saved \$([\d.e-]+) · (\d+\.\dK) pruned$`)
