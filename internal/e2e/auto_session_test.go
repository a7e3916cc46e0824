//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// told counts the notices that something was pruned.
func (p *rpc) told() int {
	n := 0
	for _, text := range p.notices() {
		if strings.Contains(text, "pictx pruned") {
			n++
		}
	}
	return n
}

func TestTheOriginalOfASessionInMemoryComesBackInTheShell(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.noSession = true
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one"))
		wantMarks(t, "between turns", p.ask("More.", say("more")), 1)
		id, _ := marked(h.model.last(t).results()[0])
		p.ask("Two.", use("bash", object{"command": h.bin + " expand " + id}), say("two"))
		all := h.model.turns()
		must.Equal(t, h.model.last(t).results()[3], original(all, 0), "the model")
		p.finish()
	})
}
