//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// spent is what a compaction took: the requests for summaries, and the next request of
// the session.
type spent struct {
	requests, bytes int
	models          map[string]bool
	after           request
}

// summaryText is what the model writes, whoever asks.
const summaryText = "Goal: pay once.\nDone: the plan was read and the outputs were looked at. The quokka was chosen, because it is small."

// compactedBy plays a session with long outputs that ends in a compaction, and goes on.
func (h *home) compactedBy(t *testing.T, kind string) spent {
	t.Helper()
	s := spent{models: make(map[string]bool)}
	h.keepRecent = 50
	h.model.answer(func(r request) *turn {
		if !r.Summary {
			return nil
		}
		s.requests++
		s.bytes += len(r.Raw)
		var body struct{ Model string }
		if err := json.Unmarshal(r.Raw, &body); err != nil {
			t.Error(err)
		}
		s.models[body.Model] = true
		reply := say(summaryText)
		return &reply
	})
	h.write(t, "log.txt", strings.Repeat("2026-11-20 request served in 12 ms by worker 7\n", 400))
	if kind != "manual" {
		h.compaction, h.window = true, 60_000
	}
	p := h.start(t)
	p.ask("Please find out why customers are charged twice. Never touch the directory vendor.",
		use("read", object{"path": "log.txt"}), use("bash", object{"command": "cat log.txt log.txt"}), say("Nothing in the log."))
	p.talk(1, 8)
	if kind == "manual" {
		p.compact()
	} else {
		straw := h.lastStraw(t, kind)
		if straw.Prompt > 0 {
			straw.Prompt = 59_000
		}
		h.model.play(straw, say("after"), say("and on"))
		p.prompt("Go on.")
		p.idle()
	}
	p.prompt("And now?")
	p.idle()
	p.close()
	s.after = h.model.last(t)
	return s
}

// Holds history 42, 62.
func TestACompactionCostsWhatPisOwnDoes(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"manual", "threshold"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			plain := newHome(t, newest).compactedBy(t, kind)
			own := realHome(t, newest, "serve").compactedBy(t, kind)
			if plain.requests == 0 || own.requests == 0 || own.requests > plain.requests {
				t.Fatalf("%d requests for summaries, plain pi makes %d", own.requests, plain.requests)
			}
			t.Logf("%d requests of %d bytes, plain pi %d of %d; the next request has %d bytes, plain pi %d", own.requests, own.bytes, plain.requests, plain.bytes, len(own.after.Raw), len(plain.after.Raw))
			must.Not(t, own.bytes*10 > plain.bytes*12, "the requests have %d bytes, those of plain pi %d", own.bytes, plain.bytes)
			must.Not(t, fmt.Sprint(own.models) != fmt.Sprint(plain.models), "asked of %v, plain pi asks %v", own.models, plain.models)
			text := own.after.text()
			more := len(text) - len(plain.after.text())
			must.Not(t, more > 4*1500, "the context after it is %d characters longer than that of plain pi", more)
			contains(t, "the context after it", text, "Never touch the directory vendor.")
			contains(t, "the context after it", text, "The quokka was chosen")
		})
	}
}
