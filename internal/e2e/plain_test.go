//go:build unix

package e2e

import (
	"bytes"
	"regexp"
	"testing"
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
	if len(want) != len(got) {
		t.Fatalf("%d requests, want %d", len(got), len(want))
	}
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
