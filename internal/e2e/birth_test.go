//go:build unix

package e2e

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// What is new is shortened between the tool's result and the first request that would carry it: no
// request has ever had the whole, and the session keeps it. That no thinking becomes invalid by
// it, TestPruningInvalidatesNoThinking holds.
func TestNewOutputIsShortenedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		h := newHome(t, version)
		h.tools = ""
		h.write(t, "one.txt", strings.Repeat("note 1: what was found out about the shop\n", 220))
		h.write(t, "two.txt", strings.Repeat("note 2: what was found out about the shop\n", 220))
		h.real(t, "serve")
		p := h.start(t)
		log := use("bash", object{"command": `seq -f "step %g went as planned" 800; echo "main.go:7: error: it is broken"; seq -f "step %g was skipped" 800; exit 3`})
		read := use("read", object{"path": "one.txt"})
		h.model.play(log, read, read, read, log, use("bash", object{"command": "cat two.txt"}), say("It is broken."))
		p.prompt("Why does it fail?")
		p.close()
		checkShortened(t, h)
	})
}

// checkShortened checks the requests of a session that read one.txt three times, ran a command twice
// that prints much, and showed two.txt.
func checkShortened(t *testing.T, h *home) {
	t.Helper()
	requests := h.model.turns()
	last := string(requests[len(requests)-1].Raw)
	for _, want := range []string{
		"main.go:7: error: it is broken", "Command exited with code 3", "of this output; full text: pictx expand ",
		"as read before; full text: pictx expand ",
	} {
		must.Contain(t, last, want, "the last request lacks")
	}
	for i, r := range requests {
		n := bytes.Count(r.Raw, []byte("step 700 went"))
		must.Not(t, n > 1 || n == 1 && i < 5, "request %d has the output %d times: only its repetition is answered in full", i+1, n)
	}
	for line, want := range map[string]int{"note 1: what": 2 * 220, "note 2: what": 220} {
		n := strings.Count(last, line)
		must.Not(t, n != want, "%d lines of %q, want %d: a third read and what a command was to show are whole", n, line, want)
	}
	if n := bytes.Count(must.Get(os.ReadFile(h.session(t)))(t), []byte("step 700 went")); n < 2 {
		t.Error("the session does not keep the whole")
	}
}
