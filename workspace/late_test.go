package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
)

// overtaken is a source whose sessions another process stores while they are looked up.
type overtaken struct {
	history.Source
	store func()
}

// Read implements history.Source.
func (s overtaken) Read(place string) history.File {
	s.store()
	return pi.File{Path: place}
}

func TestANoteThatAnotherProcessHasTakenUpMeanwhileIsNoError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, late := filepath.Join(dir, "x.db"), filepath.Join(dir, "late")
	if err := LeaveLate(path, filepath.Join(dir, "s.jsonl")); err != nil {
		t.Fatal(err)
	}
	took := 0
	other := overtaken{store: func() {
		notes, err := filepath.Glob(filepath.Join(late, "*"+taken))
		if err != nil || len(notes) != 1 {
			t.Fatal(notes, err)
		}
		took++
		if err := os.Remove(notes[0]); err != nil {
			t.Fatal(err)
		}
	}}
	err := TakeUpLate(t.Context(), path, history.Sources{other}, func() (history.Store, error) { return nil, nil })
	if err != nil || took != 1 {
		t.Errorf("taken up %d times: %v", took, err)
	}
}
