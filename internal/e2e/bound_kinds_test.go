//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// Sessions of reads, of commands and of edits, whose prompts come after pauses in which the cache
// is lost, cost at most three quarters of plain pi's in real pi.
func TestSessionsOfEveryKindCostThreeQuarters(t *testing.T) {
	if !everything() {
		t.Skip("not run: PICTX_E2E=all plays 9 sessions of 50 requests")
	}
	for kind, step := range map[string]func(i int) turn{
		"reads": func(i int) turn {
			return use("read", object{"path": fmt.Sprintf("notes-%d.txt", i%6), "offset": 1 + i%7*20, "limit": 120})
		},
		"commands": func(i int) turn {
			return use("bash", object{"command": fmt.Sprintf("for n in $(seq 200); do echo step %d of the build, part $n; done", i)})
		},
		"edits": func(i int) turn {
			if i%2 == 0 {
				return use("read", object{"path": fmt.Sprintf("notes-%d.txt", i/2%6)})
			}
			return use("write", object{"path": fmt.Sprintf("notes-%d.txt", i/2%6), "content": strings.Repeat(fmt.Sprintf("note of step %d\n", i), 220)})
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			bill := func(plain bool, settings string) float64 {
				b := newBound(t, refusing)
				b.h.keeps = 0.2
				if !plain {
					b.h.configure(t, settings)
					b.h.real(t, "serve")
				}
				b.p = b.h.start(t)
				for prompt := range 5 {
					var turns []turn
					for i := range 9 {
						one := step(prompt*9 + i)
						one.Thinking = thought(i)
						turns = append(turns, one)
					}
					time.Sleep(time.Duration(3 * b.h.keeps * float64(time.Second)))
					b.h.model.checks.elapse(10 * time.Minute)
					b.h.model.replay(append(turns, say("Done."))...)
					b.p.prompt(fmt.Sprintf("Please look into part %d.", prompt))
				}
				b.p.close()
				r := b.row(kind)
				newTable(t).want(t, r)
				return r.bill
			}
			plain := bill(true, "")
			for _, fold := range []string{"off", "auto"} {
				ratio := bill(false, "prune.fold = \""+fold+"\"\n") / plain
				must.Not(t, ratio > 0.75, "fold %s: %.3f of plain pi", fold, ratio)
			}
		})
	}
}
