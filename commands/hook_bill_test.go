//go:build unix

package commands

import (
	"math"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// summariesBilled is what /prune-stats says was sent for summaries, in thousands of tokens.
func (p *piAgent) summariesBilled(leaf string) (sent float64) {
	p.t.Helper()
	text := p.command(leaf, "prune-stats", "").Result.Text
	if m := regexp.MustCompile(`(?m)^  summaries +([\d.]+)K tokens sent`).FindStringSubmatch(text); m != nil {
		sent, _ = strconv.ParseFloat(m[1], 64)
	}
	return sent
}

// compacted adds a compaction that was made to the session, as pi does, and returns its entry.
func (p *piAgent) compacted(leaf, kept string, r compactReply) string {
	p.t.Helper()
	own := r.Result.Compaction.Details.Pictx
	p.append(`{"type":"compaction","id":"c0c0c0c0","parentId":%q,"timestamp":%q,"summary":"short","firstKeptEntryId":%q,"tokensBefore":9,"details":{"pictx":{"requests":9,"usage":{"input":%v,"output":%v},"began":%d}}}`,
		leaf, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), kept, own.Usage.Input, own.Usage.Output, own.Began)
	return "c0c0c0c0"
}

func TestSummariesThatNoCompactionPaidForAreInTheBill(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(p *piAgent, leaf, kept string){
		"written at the shell": func(p *piAgent, _, _ string) {
			code, out := p.shell("compact", "--yes", "--command", "echo", "--command", "It went well.", p.file)
			must.Stop(t, code != 0, "exit %d: %s", code, out)
		},
		"of a compaction that was cancelled": func(p *piAgent, leaf, kept string) {
			first := p.compact(leaf, kept)
			reply := written(1, "")
			reply["id"] = first.Ask[0].ID
			p.compact(leaf, kept, "replies", []any{reply}, "state", first.State)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, leaf, kept := shop(t)
			before := p.summariesBilled(leaf) // of the compaction that was recorded
			write(p, leaf, kept)
			after := p.summariesBilled(leaf)
			must.Not(t, before == 0 || after <= before, "%vK tokens, before %vK", after, before)
		})
	}
}

func TestWhatACompactionPaidForIsBilledOnce(t *testing.T) {
	t.Parallel()
	p, leaf, kept := shop(t)
	before := p.summariesBilled(leaf) // of the compaction that was recorded
	r, asked := compactRounds(t, p, leaf, kept, func(n int, prompt string) map[string]any {
		reply := written(n, prompt)
		if n == 2 {
			reply = map[string]any{"error": "a/b: overloaded"}
		}
		reply["spent"] = []map[string]any{{"input": 1000, "output": 1}} // of a model that was asked before
		return reply
	})
	want := float64(1000*len(asked) + 100*(len(asked)-1))
	if got := r.Result.Compaction.Usage.Input; got != want {
		t.Errorf("%v tokens were sent, want %v: what failed was paid for", got, want)
	}
	at := p.compacted(leaf, kept, r)
	// A shell counts it as soon as it is over, not only after the next turn.
	p.once("session_compact", p.request("session_compact", at, map[string]any{}))
	code, text := p.shell("expand", at)
	must.Not(t, code != 0, "the compaction is not stored when it is over: exit %d: %s", code, text)
	if got := p.summariesBilled(at) - before; math.Abs(got-want/1000) > 0.11 {
		t.Errorf("%.1fK tokens are billed, want %v", got, want)
	}
}
