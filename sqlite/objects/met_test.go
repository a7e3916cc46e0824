package objects_test

import (
	"errors"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// met is what a capture says of a file of the session: it is there, and was met.
func met(path, content string) []object.Op {
	k := object.FileKey("", path)
	return []object.Op{
		{Do: object.Put, Key: k, Doc: storetest.FileDoc(path, content), Once: true},
		{Do: object.Record, Key: k, Event: object.Discovered, Leaf: "e", Once: true},
	}
}

func eventsOf(t *testing.T, st *store.Store, session string) int {
	t.Helper()
	events, err := st.Objects.Events(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return len(events)
}

// Whatever another process wrote in between, what is to be done once is done once.
func TestWhatSeveralProcessesDoOnceIsDoneOnce(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	other, err := store.Open(t.Context(), path, sqlite.Hook, clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range []*store.Store{st, other, st, other} {
		r := storetest.Submit(t, at.Objects, append(met("/a", "x"), met("/b", "y")...)...)
		if changed := r.Results[0].Changed || r.Results[1].Changed || r.Results[3].Changed; changed != (i == 0) {
			t.Errorf("time %d: %+v", i, r.Results)
		}
	}
	storetest.Submit(t, other.Objects, met("/c", "z")...)
	if r := storetest.Submit(t, st.Objects, met("/c", "other")...); r.Results[0].Changed || r.Results[1].Changed || r.Results[0].Version != 1 {
		t.Errorf("what another process met is met again: %+v", r.Results)
	}
	if n := eventsOf(t, st, "s1"); n != 3 {
		t.Errorf("%d events", n)
	}
	// Another session meets it itself.
	if _, err := st.Objects.Submit(t.Context(), object.Tx{Actor: object.ActorCapture, Session: "s2", Ops: met("/a", "x")}); err != nil || eventsOf(t, st, "s2") != 1 {
		t.Errorf("%v, %d events of the other session", err, eventsOf(t, st, "s2"))
	}
	// What a person says is said as often as they say it.
	storetest.Submit(t, st.Objects, object.Op{Do: object.Record, Key: object.FileKey("", "/a"), Event: object.Activated})
	if n := eventsOf(t, st, "s1"); n != 4 {
		t.Errorf("%d events", n)
	}
}

// What a transaction told that came to nothing is not taken for told.
func TestAnEventThatWasRolledBackIsToldTheNextTime(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	storetest.Submit(t, st.Objects, met("/a", "x")...)
	bad := append(met("/b", "y"), object.Op{Do: object.Record, ID: "o-000000000000", Event: object.Activated})
	if _, err := st.Objects.Submit(t.Context(), object.Tx{Actor: object.ActorCapture, Session: "s1", Ops: bad}); !errors.Is(err, object.ErrUnknown) {
		t.Fatal(err)
	}
	if r := storetest.Submit(t, st.Objects, met("/b", "y")...); !r.Results[0].Changed || !r.Results[1].Changed {
		t.Errorf("%+v", r.Results)
	}
	if n := eventsOf(t, st, "s1"); n != 2 {
		t.Errorf("%d events", n)
	}
}
