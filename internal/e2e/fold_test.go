//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Once the cache is lost the beginning of a conversation becomes an extract, in the request of the
// prompt that comes back: no model is asked, nothing is refused, and /tree goes back to before.
func TestALostCacheFoldsTheConversation(t *testing.T) {
	t.Parallel()
	b := newBound(t, refusing)
	b.h.keeps = 0.2
	b.h.configure(t, "prune.fold = \"auto\"\n")
	b.h.real(t, "serve")
	b.p = b.h.start(t)
	var turns []turn
	for i := range 28 {
		one := use("bash", object{"command": fmt.Sprintf("echo step-%d; cat notes-%d.txt", i, i%6)})
		one.Thinking = thought(i)
		turns = append(turns, one)
	}
	b.h.model.replay(append(turns, say("The cause is in checkout.go:7."))...)
	b.p.prompt("Find out why the shop is slow, and do not touch its prices.")
	time.Sleep(time.Second)
	before := len(b.h.model.checks.verdicts())
	b.h.model.replay(say("Done."))
	b.p.prompt("Go on.")
	b.p.close()

	var fold []byte
	for _, line := range b.raw() {
		if bytes.Contains(line, []byte(`"type":"compaction"`)) {
			fold = line
		}
	}
	for _, want := range []string{`"fold":true`, "do not touch its prices"} {
		if !bytes.Contains(fold, []byte(want)) {
			t.Errorf("the fold lacks %s: %.600s", want, fold)
		}
	}
	v := b.h.model.checks.verdicts()
	last := v[len(v)-1]
	if n := len(v) - before; n != 1 || last.read+last.written > v[before-1].read+v[before-1].written {
		t.Errorf("%d requests after the pause; the last has %d tokens, the one before %d", n, last.read+last.written, v[before-1].read+v[before-1].written)
	}
	if out := b.h.ok(t, "replay", b.h.session(t)); !strings.Contains(out, "instead of") {
		t.Error(out)
	}
	newTable(t).want(t, b.row("fold"))
}
