package history_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
)

// busyStore cannot be written to.
type busyStore struct{ *memory }

var errBusy = errors.New("another process is writing")

func (busyStore) Append(context.Context, *history.Batch) (int, error) { return 0, errBusy }

func recallPorts(m *memory, f history.File) history.RecallPorts {
	return history.RecallPorts{File: f, Store: m, Entries: m, Busy: func(err error) bool { return errors.Is(err, errBusy) }}
}

func TestRecallStoresWhatTheFileHasBeyondTheStore(t *testing.T) {
	m := newMemory()
	m.add(t, "old", "an older text")
	file := writeFile(t, `{"type":"session","version":3,"id":"new","cwd":"/w"}`+"\n"+
		`{"type":"message","id":"e1","message":{"role":"user","content":"the okapi"}}`+"\n")
	a, stored, err := recallPorts(m, file).Recall(t.Context(), []byte(`{"id":"e1"}`), history.ExpandRequest{First: []string{"new"}})
	if err != nil || stored != 2 || !strings.Contains(a.Text, "the okapi") {
		t.Errorf("%q, %d stored, %v", a.Text, stored, err)
	}
	for what, ports := range map[string]history.RecallPorts{
		"without a file":        recallPorts(m, nil),
		"before the file comes": recallPorts(m, pi.File{Path: file.Path + ".later"}),
		"while others write":    {File: file, Store: busyStore{m}, Entries: m, Busy: func(err error) bool { return errors.Is(err, errBusy) }},
	} {
		if a, _, err := ports.Recall(t.Context(), []byte(`{"id":"old0"}`), history.ExpandRequest{}); err != nil || !strings.Contains(a.Text, "an older text") {
			t.Errorf("%s: %q, %v", what, a.Text, err)
		}
	}
}

func TestRecallLooksElsewhereOnlyForWhatItDoesNotFind(t *testing.T) {
	own, project := newMemory(), newMemory()
	own.add(t, "own", "mine")
	project.add(t, "other", "theirs")
	asked := 0
	p := recallPorts(own, nil)
	p.Elsewhere = func(context.Context) (history.Expander, error) { asked++; return project, nil }
	for id, want := range map[string]string{"own0": "mine", "other0": "theirs"} {
		a, _, err := p.Recall(t.Context(), []byte(`{"id":"`+id+`"}`), history.ExpandRequest{})
		if err != nil || !strings.Contains(a.Text, want) {
			t.Errorf("%s: %q, %v", id, a.Text, err)
		}
	}
	if asked != 1 {
		t.Errorf("it looked elsewhere %d times", asked)
	}
	if _, _, err := p.Recall(t.Context(), []byte(`{"id":"nowhere"}`), history.ExpandRequest{Note: "indexing 40 %"}); err == nil || !strings.Contains(err.Error(), "indexing 40 %") {
		t.Errorf("an id that none has: %v", err)
	}
}
