package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/internal/must"
)

// twoStores opens one store twice: as a hook that stays, and as a shell command.
func twoStores(t testing.TB) (hook, shell *store.Store) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.db")
	shell = must.Get(store.Open(t.Context(), path, sqlite.Write, time.Now))(t)
	t.Cleanup(func() { shell.Close() })
	hook = must.Get(store.Open(t.Context(), path, sqlite.Hook, time.Now))(t)
	return hook, shell
}

func marksIn(t testing.TB, s *store.Store, session string) int {
	t.Helper()
	m := must.Get(s.Marks.Marks(t.Context(), session))(t)
	return len(m)
}

func TestAHookSeesMarksAndPinsThatItOrAnotherProcessWrote(t *testing.T) {
	hook, shell := twoStores(t)
	for i := range 6 {
		writer := hook
		if i%2 == 1 {
			writer = shell
		}
		mark := prune.Mark{EntryID: fmt.Sprint("e", i), Leaf: "l", Marker: "m"}
		must.Do(t, writer.Marks.AddMarks(t.Context(), "s", []prune.Mark{mark}))
		// One that is there is not there twice.
		must.Do(t, writer.Marks.AddMarks(t.Context(), "s", []prune.Mark{mark}))
		must.Do(t, writer.Marks.AddPin(t.Context(), "s", prune.Pin{Target: mark.EntryID}))
		for range 2 { // read, then remembered
			must.Equal(t, marksIn(t, hook, "s"), i+1, "after %d marks the hook sees", i+1)
			if pins, err := hook.Marks.Pins(t.Context(), "s"); err != nil || len(pins) != i+1 {
				t.Errorf("after %d pins the hook sees %d, %v", i+1, len(pins), err)
			}
			if n := marksIn(t, hook, "other"); n != 0 {
				t.Errorf("another session has %d marks", n)
			}
		}
	}
	for id, writer := range map[string]*store.Store{"e0": shell, "e1": hook} {
		must.Do(t, writer.Marks.AddPin(t.Context(), "s", prune.Pin{Target: id, Removed: true}))
	}
	pins, err := hook.Marks.Pins(t.Context(), "s")
	removed := 0
	for _, p := range pins {
		if p.Removed {
			removed++
		}
	}
	if err != nil || len(pins) != 6 || removed != 2 {
		t.Errorf("after two pins were removed the hook sees %+v, %v", pins, err)
	}
}

// BenchmarkMarks compares what a hook remembers with what a command reads.
func BenchmarkMarks(b *testing.B) {
	hook, shell := twoStores(b)
	var marks []prune.Mark
	for i := range 250 {
		marks = append(marks, prune.Mark{EntryID: fmt.Sprint("entry", i), Leaf: "leaf", Marker: "[pruned: read src/app.ts]", Source: "auto", Reason: "edited"})
	}
	must.Do(b, shell.Marks.AddMarks(b.Context(), "s", marks))
	for name, s := range map[string]*store.Store{"remembered": hook, "read": shell} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				marksIn(b, s, "s")
			}
		})
	}
}
