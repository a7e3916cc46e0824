//go:build unix

package e2e

import (
	"bytes"
	"regexp"
	"sync"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// errand is a session that has something of everything a provider sees.
func errand(t *testing.T, h *home) {
	t.Helper()
	h.empty(t)
	doErrand(t, h)
}

// doErrand is errand in a project with something in it.
func doErrand(t *testing.T, h *home) {
	t.Helper()
	h.write(t, "notes.txt", "first\nsecond\n")
	h.model.play(
		turn{Thinking: "Look around.", Text: "I look.", Tools: []call{{"ls", nil}, {"read", object{"path": "notes.txt"}}}},
		use("bash", object{"command": "echo out; exit 3"}),
		use("edit", object{"path": "notes.txt", "edits": []object{{"oldText": "first", "newText": "1st"}}}),
		say("Done: ünïcödé 😀 and \\ \" quotes."),
		use("write", object{"path": "new.txt", "content": "new\n"}),
		say("Written."),
	)
	p := h.start(t)
	p.prompt("Look at the notes.")
	p.do(object{"type": "bash", "command": "echo from the user"})
	p.prompt("Write something.")
	p.finish()
}

// freeErrand is errand with the tools that pi and extensions choose.
func freeErrand(t *testing.T, h *home) {
	t.Helper()
	h.tools = ""
	errand(t, h)
}

// plainRun is a session of pi without the extension that several tests compare with.
type plainRun struct {
	mu   sync.Mutex
	sent [][]byte
}

// plainly is what a version of pi sends without the extension in the session that play plays.
// Tests that compare with a session of the same name share one run of it.
func plainly(t *testing.T, version, session string, play func(*testing.T, *home)) [][]byte {
	t.Helper()
	found, _ := common.plain.LoadOrStore(version+" "+session, new(plainRun))
	run := found.(*plainRun)
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.sent == nil {
		h := newHome(t, version)
		play(t, h)
		run.sent = h.sent()
	}
	return run.sent
}

// sent are the request bodies of a session as any home would have them.
func (h *home) sent() [][]byte {
	all := bodies(h.model)
	for i := range all {
		all[i] = bytes.ReplaceAll(all[i], []byte(h.dir), []byte("/home/dev"))
	}
	return all
}

// bodies are the request bodies of a session.
func bodies(m *model) [][]byte {
	var all [][]byte
	for _, r := range m.all() {
		all = append(all, r.Raw)
	}
	return all
}

func TestRequestsAreThoseOfPlainPiWhenPictxChangesNothing(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		h := newHome(t, version)
		m := h.model
		errand(t, h)
		plain := bodies(m)
		for _, transport := range transports(version) {
			with := newModel(t)
			h.model = with
			h.fake(t, "listens", transport)
			errand(t, h)
			same(t, plain, bodies(with))
		}
	})
}

// today is what changes in a prompt at midnight.
var today = regexp.MustCompile(`Current date: \d{4}-\d\d-\d\d`)

// same fails a test when two lists of bodies differ, but for the day.
func same(t *testing.T, want, got [][]byte) {
	t.Helper()
	must.Stop(t, len(want) != len(got), "%d requests, want %d", len(got), len(want))
	for i := range want {
		if a, b := today.ReplaceAll(want[i], nil), today.ReplaceAll(got[i], nil); !bytes.Equal(a, b) {
			t.Errorf("request %d differs:\n%s", i, difference(a, b))
		}
	}
}

// difference shows where two texts part.
func difference(a, b []byte) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-120)
	return string(a[from:min(len(a), i+200)]) + "\n--- but got\n" + string(b[from:min(len(b), i+200)])
}
