package recall_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/internal/historytest"
)

// busyStore cannot be written to.
type busyStore struct{ *historytest.Memory }

var errBusy = errors.New("another process is writing")

func (busyStore) Append(context.Context, *history.Batch) (int, error) { return 0, errBusy }

func recallPorts(m *historytest.Memory, f history.File) recall.Ports {
	return recall.Ports{File: f, Store: m, Entries: m, Busy: func(err error) bool { return errors.Is(err, errBusy) }}
}

func TestRecallStoresWhatTheFileHasBeyondTheStore(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "old", "an older text")
	file := historytest.WriteFile(t, `{"type":"session","version":3,"id":"new","cwd":"/w"}`+"\n"+
		`{"type":"message","id":"e1","message":{"role":"user","content":"the okapi"}}`+"\n")
	a, stored, err := recallPorts(m, file).Recall(t.Context(), []byte(`{"id":"e1"}`), recall.ExpandRequest{First: []string{"new"}})
	if err != nil || stored != 2 || !strings.Contains(a.Text, "the okapi") {
		t.Errorf("%q, %d stored, %v", a.Text, stored, err)
	}
	for what, ports := range map[string]recall.Ports{
		"without a file":        recallPorts(m, nil),
		"before the file comes": recallPorts(m, pi.File{Path: file.Path + ".later"}),
		"while others write":    {File: file, Store: busyStore{m}, Entries: m, Busy: func(err error) bool { return errors.Is(err, errBusy) }},
	} {
		if a, _, err := ports.Recall(t.Context(), []byte(`{"id":"old0"}`), recall.ExpandRequest{}); err != nil || !strings.Contains(a.Text, "an older text") {
			t.Errorf("%s: %q, %v", what, a.Text, err)
		}
	}
}

func TestRecallLooksElsewhereOnlyForWhatItDoesNotFind(t *testing.T) {
	own, project := historytest.NewMemory(t), historytest.NewMemory(t)
	own.Add(t, "own", "mine")
	project.Add(t, "other", "theirs")
	asked := 0
	p := recallPorts(own, nil)
	p.Elsewhere = func(context.Context) (history.Expander, error) { asked++; return project, nil }
	for id, want := range map[string]string{"own0": "mine", "other0": "theirs"} {
		a, _, err := p.Recall(t.Context(), []byte(`{"id":"`+id+`"}`), recall.ExpandRequest{})
		if err != nil || !strings.Contains(a.Text, want) {
			t.Errorf("%s: %q, %v", id, a.Text, err)
		}
	}
	if asked != 1 {
		t.Errorf("it looked elsewhere %d times", asked)
	}
	if _, _, err := p.Recall(t.Context(), []byte(`{"id":"nowhere"}`), recall.ExpandRequest{Note: "indexing 40 %"}); err == nil || !strings.Contains(err.Error(), "indexing 40 %") {
		t.Errorf("an id that none has: %v", err)
	}
}
