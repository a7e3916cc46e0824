//go:build unix

package e2e

import (
	"fmt"
	"testing"
)

// asking plays turns of somebody who explores code: each asks long questions and a
// short one. It returns the first request of each turn, and how many bytes of answers
// came in all.
func (p *rpc) asking(t *testing.T, turns int) (firsts []request, answered int) {
	t.Helper()
	for i := range turns {
		file := fmt.Sprintf("a-user-of-the-hub-%d.ts", 100+i)
		all := p.ask(fmt.Sprintf("Question %d.", i),
			use("kota_deps", object{"file": "src/hub.ts", "depth": 1 + i%3}),
			use("kota_search", object{"query": "hub", "output": "snippet", "limit": 50, "filters": object{"exclude": file}}),
			use("kota_usages", object{"symbol": "hub"}),
			use("kota_deps", object{"file": "src/users/" + file}),
			say("seen"))
		firsts = append(firsts, all[0])
		before := len(all[0].results())
		for k, r := range all[1:] { // as the model saw each first
			text := r.results()[before+k]
			answered += len(text)
			if len(text) > 5000 {
				t.Errorf("turn %d: an answer has %d bytes", i, len(text))
			}
		}
	}
	grows(t, p.h.model.turns())
	return firsts, answered
}

// long counts the results of a request that are longer than a marker.
func (r request) long() int {
	n := 0
	for _, text := range r.results() {
		if len(text) > 1200 {
			n++
		}
	}
	return n
}

// Holds kota 54.
func TestTheContextDoesNotGrowOverManyQuestionsAboutCode(t *testing.T) {
	t.Parallel()
	const turns = 6
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.shop(t)
		h.index(t)
		p := h.start(t)
		firsts, answered := p.asking(t, turns)
		p.finish()
		last, middle := firsts[turns-1], firsts[turns/2]
		grown := len(last.Raw) - len(middle.Raw)
		t.Logf("%d bytes of answers; requests of %d, %d and %d bytes, the last with %d long results", answered, len(firsts[0].Raw), len(middle.Raw), len(last.Raw), last.long())
		if answered < turns*8000 {
			t.Fatalf("only %d bytes of answers: there was nothing to stay flat", answered)
		}
		// What stays of a turn is its questions and a line for each answer.
		if grown > (turns-turns/2)*2000 || last.long() > 8 || len(last.Raw) > answered/2 {
			t.Errorf("the last request has %d bytes and %d long results, %d bytes more than the one %d turns before", len(last.Raw), last.long(), grown, turns-turns/2)
		}
	})
}
