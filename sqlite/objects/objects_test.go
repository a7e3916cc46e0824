package objects_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite/store"
)

func verify(t testing.TB, st *store.Store) []string {
	t.Helper()
	found := must.Get(st.Objects.Verify(t.Context()))(t)
	return found
}

func startClock() *storetest.Clock {
	return &storetest.Clock{Time: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

func versions(t testing.TB, st *store.Store, id string) []object.Version {
	t.Helper()
	all := must.Get(st.Objects.History(t.Context(), id))(t)
	return all
}

func contentAt(t testing.TB, st *store.Store, id string, at object.Time) string {
	t.Helper()
	v := must.Get(st.Objects.Get(t.Context(), id, at))(t)
	raw := must.Get(st.Objects.Content(t.Context(), v))(t)
	return string(raw)
}

// Holds objects 1, 2, 3.
func TestWhatDoesNotChangeMakesNoVersionAndWhatComesBackIsTheSame(t *testing.T) {
	clock := startClock()
	st, _ := storetest.OpenClocked(t, clock)
	a := storetest.Put(t, st.Objects, "/a", "A")
	for range 3 {
		clock.Time = clock.Time.Add(time.Minute)
		if again := storetest.Put(t, st.Objects, "/a", "A"); again.Changed || again.Version != 1 {
			t.Errorf("the same again: %+v", again)
		}
	}
	storetest.Put(t, st.Objects, "/a", "B")
	storetest.Put(t, st.Objects, "/a", "A")
	all := versions(t, st, a.ID)
	if len(all) != 3 || all[0].Hashes != all[2].Hashes || all[0].Hashes.Object == all[1].Hashes.Object {
		t.Errorf("A, B, A: %+v", all)
	}
	empty := storetest.Put(t, st.Objects, "/e", "")
	d := storetest.FileDoc("/e", "")
	d.Content = nil
	storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.FileKey("", "/e"), Doc: d})
	all = versions(t, st, empty.ID)
	if len(all) != 2 || all[0].Hashes.Content == all[1].Hashes.Content || all[0].Size != 0 || all[1].Size != -1 {
		t.Errorf("no content and an empty one are the same: %+v", all)
	}
}

// Holds objects 10.
func TestBeforeTheFirstVersionAnObjectWasNotKnown(t *testing.T) {
	clock := startClock()
	st, _ := storetest.OpenClocked(t, clock)
	id := storetest.Put(t, st.Objects, "/a", "A").ID
	if _, err := st.Objects.Get(t.Context(), id, object.TimeOf(clock.Time)-1); !errors.Is(err, object.ErrNotYet) {
		t.Errorf("%v, want not yet", err)
	}
	if _, err := st.Objects.Get(t.Context(), "o-000000000000", 0); !errors.Is(err, object.ErrUnknown) {
		t.Errorf("an id of nothing: %v", err)
	}
}

// Holds objects 16.
func TestTimeNeverGoesBack(t *testing.T) {
	clock := startClock()
	st, _ := storetest.OpenClocked(t, clock)
	last := object.Time(0)
	for i := range 20 {
		r := storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.FileKey("", "/a"), Doc: storetest.FileDoc("/a", fmt.Sprint(i))})
		if r.At <= last {
			t.Fatalf("%d after %d", r.At, last)
		}
		last = r.At
		clock.Time = clock.Time.Add(time.Duration(3-i) * time.Hour)
	}
}

func TestDeletingKeepsHistory(t *testing.T) {
	clock := startClock()
	st, _ := storetest.OpenClocked(t, clock)
	a := storetest.Put(t, st.Objects, "/a", "A")
	clock.Time = clock.Time.Add(time.Hour)
	gone := storetest.Submit(t, st.Objects, object.Op{Do: object.Delete, ID: a.ID}).Results[0]
	if again := storetest.Submit(t, st.Objects, object.Op{Do: object.Delete, ID: a.ID}).Results[0]; !gone.Changed || again.Changed {
		t.Errorf("deleted: %+v, again: %+v", gone, again)
	}
	v, err := st.Objects.Get(t.Context(), a.ID, 0)
	if err != nil || !v.Doc.Deleted || v.Size != -1 || v.Doc.File.Path != "" || v.Label() != "/a" {
		t.Errorf("deleted: %+v, %v", v, err)
	}
	must.Equal(t, contentAt(t, st, a.ID, object.TimeOf(clock.Time)-1), "A", "before")
}

// Holds objects 7, 8.
func TestAnObjectIsFoundByNicknameAndByTheBeginningOfItsID(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	var ids []string
	for i := range 300 {
		ids = append(ids, storetest.Put(t, st.Objects, fmt.Sprint("/f", i), "x").ID)
	}
	name := func(id, nick string) error {
		_, err := st.Objects.Submit(t.Context(), object.Tx{Ops: []object.Op{{Do: object.Name, ID: id, Nickname: nick}}})
		return err
	}
	must.Do(t, name(ids[0], "Plan"))
	for _, bad := range []string{"plan", "9x", "o-12", "a b", "über", ""} {
		if err := name(ids[1], bad); bad != "" && !errors.Is(err, object.ErrNickname) {
			t.Errorf("nickname %q: %v", bad, err)
		}
	}
	for _, text := range []string{"plan", "PLAN", ids[0], ids[0][2:]} {
		if o, err := st.Objects.Resolve(t.Context(), text); err != nil || o.ID != ids[0] || o.Nickname != "Plan" {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
	var many *object.AmbiguousError
	if _, err := st.Objects.Resolve(t.Context(), "o-"+ids[5][2:3]); !errors.As(err, &many) || len(many.Candidates) < 2 {
		t.Errorf("a digit: %v", err)
	}
	if _, err := st.Objects.Resolve(t.Context(), "nobody"); !errors.Is(err, object.ErrUnknown) {
		t.Errorf("an unknown name: %v", err)
	}
	// What is captured knows no nickname, and takes none away.
	if r := storetest.Put(t, st.Objects, "/f0", "y"); !r.Changed {
		t.Error("not written")
	}
	v, err := st.Objects.Get(t.Context(), ids[0], 0)
	if err != nil || v.Nickname != "Plan" {
		t.Errorf("after a change: %+v, %v", v, err)
	}
	must.Do(t, name(ids[0], ""))
	if err := name(ids[1], "plan"); err != nil {
		t.Errorf("a nickname that was given up: %v", err)
	}
}

// Holds objects 5.
func TestAChangeOfWhatACatalogueShowsLeavesTheContentsHash(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	id := storetest.Put(t, st.Objects, "/a", "A").ID
	storetest.Submit(t, st.Objects, object.Op{Do: object.Put, ID: id, Key: object.FileKey("", "/b"), Doc: storetest.FileDoc("/b", "A")})
	all := versions(t, st, id)
	if len(all) != 2 || all[0].Hashes.Content != all[1].Hashes.Content || all[0].Hashes.Meta == all[1].Hashes.Meta || all[0].Hashes.Object == all[1].Hashes.Object {
		t.Errorf("%+v", all)
	}
}

// Holds objects 35, 42.
func TestIdentityIsOfTheSessionAndAFileMayMove(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	call := func(session string) string {
		d := &object.Document{Kind: object.KindToolcall, Content: []byte(session), Toolcall: &object.Toolcall{Tool: "bash", Status: object.StatusOK}}
		return storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ToolcallKey(session, "e1", "call_0"), Doc: d}).Results[0].ID
	}
	if one, two := call("s1"), call("s2"); one == two {
		t.Errorf("call_0 of two sessions: %s, %s", one, two)
	}
	a, b := storetest.Put(t, st.Objects, "/a", "A").ID, storetest.Put(t, st.Objects, "/b", "B").ID
	moved := storetest.Submit(t, st.Objects, object.Op{Do: object.Put, ID: a, Key: object.FileKey("", "/b"), Doc: storetest.FileDoc("/b", "A")}).Results[0]
	if moved.ID != a || moved.Version != 2 {
		t.Errorf("moved: %+v", moved)
	}
	if o, err := st.Objects.ByKey(t.Context(), object.FileKey("", "/b")); err != nil || o.ID != a {
		t.Errorf("at its new place: %+v, %v", o, err)
	}
	over, err := st.Objects.Get(t.Context(), b, 0)
	if err != nil || !over.Doc.Deleted || over.Label() != "/b" {
		t.Errorf("what was there before: %+v, %v", over, err)
	}
	if raw, err := st.Objects.Content(t.Context(), &versions(t, st, b)[0]); err != nil || string(raw) != "B" {
		t.Errorf("what was there before had %q, %v", raw, err)
	}
	if fresh := storetest.Put(t, st.Objects, "/a", "new"); fresh.ID == a || fresh.Version != 1 {
		t.Errorf("another file at the old place: %+v", fresh)
	}
	held, err := st.Objects.Holding(t.Context(), []byte("A"))
	if err != nil || len(held) != 1 || held[0].ID != a {
		t.Errorf("who has A: %+v, %v", held, err)
	}
}

func TestATransactionIsAllOrNothing(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	id := storetest.Put(t, st.Objects, "/a", "A").ID
	_, err := st.Objects.Submit(t.Context(), object.Tx{Ops: []object.Op{
		{Do: object.Put, Key: object.FileKey("", "/a"), Doc: storetest.FileDoc("/a", "B")},
		{Do: object.Put, Key: object.FileKey("", "/c"), Doc: storetest.FileDoc("/c", "C")},
		{Do: object.Name, ID: id, Nickname: "no nickname"},
	}})
	if !errors.Is(err, object.ErrNickname) {
		t.Errorf("an invalid nickname was taken: %v", err)
	}
	must.Equal(t, contentAt(t, st, id, 0), "A", "after half a transaction")
	if _, err := st.Objects.ByKey(t.Context(), object.FileKey("", "/c")); !errors.Is(err, object.ErrUnknown) {
		t.Errorf("after half a transaction: %v", err)
	}
}
