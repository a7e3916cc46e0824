package sqlite_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

func verify(t testing.TB, st *sqlite.Store) []sqlite.ObjectFinding {
	t.Helper()
	r, err := st.VerifyObjects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings
}

func startClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

// put writes a file as it is from now on.
func put(t testing.TB, st object.Writer, path, content string) object.Result {
	t.Helper()
	return submit(t, st, object.Op{Do: object.Put, Key: object.FileKey("", path), Doc: fileDoc(path, content)}).Results[0]
}

func versions(t testing.TB, st *sqlite.Store, id string) []object.Version {
	t.Helper()
	all, err := st.History(t.Context(), id, true)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func contentAt(t testing.TB, st *sqlite.Store, id string, at object.At) string {
	t.Helper()
	v, err := st.Get(t.Context(), id, at)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := st.Content(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Holds objects 1, 2, 3.
func TestWhatDoesNotChangeMakesNoVersionAndWhatComesBackIsTheSame(t *testing.T) {
	clock := startClock()
	st, _ := openClocked(t, clock)
	a := put(t, st, "/a", "A")
	for range 3 {
		clock.now = clock.now.Add(time.Minute)
		if again := put(t, st, "/a", "A"); again.Changed || again.Version != 1 || again.Hashes != a.Hashes {
			t.Errorf("the same again: %+v", again)
		}
	}
	b := put(t, st, "/a", "B")
	c := put(t, st, "/a", "A")
	if !b.Changed || !c.Changed || c.Version != 3 || c.Hashes != a.Hashes || b.Hashes.Object == a.Hashes.Object {
		t.Errorf("A, B, A: %+v, %+v, %+v", a, b, c)
	}
	empty := submit(t, st, object.Op{Do: object.Put, Key: object.FileKey("", "/e"), Doc: fileDoc("/e", "")}).Results[0]
	d := fileDoc("/e", "")
	d.Content = nil
	none := submit(t, st, object.Op{Do: object.Put, Key: object.FileKey("", "/e"), Doc: d}).Results[0]
	if !none.Changed || none.Hashes.Content == empty.Hashes.Content {
		t.Errorf("no content and an empty one are the same: %+v, %+v", none, empty)
	}
	v, err := st.Get(t.Context(), none.ID, object.At{})
	if err != nil || v.Size != -1 {
		t.Errorf("no content: %+v, %v", v, err)
	}
}

// Holds objects 10.
func TestBeforeTheFirstVersionAnObjectWasNotKnown(t *testing.T) {
	clock := startClock()
	st, _ := openClocked(t, clock)
	id := put(t, st, "/a", "A").ID
	for _, at := range []object.At{{Valid: object.TimeOf(clock.now) - 1}, {Known: object.TimeOf(clock.now) - 1}} {
		if _, err := st.Get(t.Context(), id, at); !errors.Is(err, object.ErrNotYet) {
			t.Errorf("%+v: %v, want not yet", at, err)
		}
	}
	if _, err := st.Get(t.Context(), "o-000000000000", object.At{}); !errors.Is(err, object.ErrUnknown) {
		t.Errorf("an id of nothing: %v", err)
	}
}

// Holds objects 16.
func TestTimeNeverGoesBack(t *testing.T) {
	clock := startClock()
	st, _ := openClocked(t, clock)
	last := object.Time(0)
	for i := range 20 {
		r := submit(t, st, object.Op{Do: object.Put, Key: object.FileKey("", "/a"), Doc: fileDoc("/a", fmt.Sprint(i))})
		if r.At <= last {
			t.Fatalf("%d after %d", r.At, last)
		}
		last = r.At
		clock.now = clock.now.Add(time.Duration(3-i) * time.Hour)
	}
}

func TestDeletingKeepsHistoryAndAMatchComparesFirst(t *testing.T) {
	clock := startClock()
	st, _ := openClocked(t, clock)
	a := put(t, st, "/a", "A")
	clock.now = clock.now.Add(time.Hour)
	was := object.TimeOf(clock.now)
	b := put(t, st, "/a", "B")
	match := func(expect *object.Hash) error {
		_, err := st.Submit(t.Context(), object.Tx{Ops: []object.Op{
			{Do: object.Match, ID: a.ID, Expect: expect},
			{Do: object.Put, ID: a.ID, Doc: fileDoc("/a", "C")},
		}})
		return err
	}
	if err := match(&a.Hashes.Object); !errors.Is(err, object.ErrConflict) {
		t.Errorf("a match of what it was: %v", err)
	}
	if err := match(nil); !errors.Is(err, object.ErrConflict) {
		t.Errorf("a match of nothing: %v", err)
	}
	if n := len(versions(t, st, a.ID)); n != 3 {
		t.Errorf("%d facts after conflicts", n)
	}
	if err := match(&b.Hashes.Object); err != nil {
		t.Error(err)
	}
	clock.now = clock.now.Add(time.Hour)
	gone := submit(t, st, object.Op{Do: object.Delete, ID: a.ID}).Results[0]
	if again := submit(t, st, object.Op{Do: object.Delete, ID: a.ID}).Results[0]; !gone.Changed || again.Changed {
		t.Errorf("deleted: %+v, again: %+v", gone, again)
	}
	v, err := st.Get(t.Context(), a.ID, object.At{})
	if err != nil || !v.Doc.Deleted || v.Size != -1 || v.Doc.File.Path != "" || v.Doc.Label(v.Key) != "/a" {
		t.Errorf("deleted: %+v, %v", v, err)
	}
	if got := contentAt(t, st, a.ID, object.At{Valid: was - 1}); got != "A" {
		t.Errorf("before: %q", got)
	}
	if err := match(nil); err != nil {
		t.Errorf("a match of nothing, deleted: %v", err)
	}
}

// Holds objects 7, 8.
func TestAnObjectIsFoundByNicknameAndByTheBeginningOfItsID(t *testing.T) {
	st, _ := openClocked(t, startClock())
	var ids []string
	for i := range 300 {
		ids = append(ids, put(t, st, fmt.Sprint("/f", i), "x").ID)
	}
	name := func(id, nick string) error {
		_, err := st.Submit(t.Context(), object.Tx{Ops: []object.Op{{Do: object.Name, ID: id, Nickname: nick}}})
		return err
	}
	if err := name(ids[0], "Plan"); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"plan", "9x", "o-12", "a b", "über", ""} {
		if err := name(ids[1], bad); bad != "" && !errors.Is(err, object.ErrNickname) {
			t.Errorf("nickname %q: %v", bad, err)
		}
	}
	for _, text := range []string{"plan", "PLAN", ids[0], ids[0][2:]} {
		if o, err := st.Resolve(t.Context(), text); err != nil || o.ID != ids[0] || o.Nickname != "Plan" {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
	var many *object.AmbiguousError
	if _, err := st.Resolve(t.Context(), "o-"+ids[5][2:3]); !errors.As(err, &many) || len(many.Candidates) < 2 {
		t.Errorf("a digit: %v", err)
	}
	if _, err := st.Resolve(t.Context(), "nobody"); !errors.Is(err, object.ErrUnknown) {
		t.Errorf("an unknown name: %v", err)
	}
	// What is captured knows no nickname, and takes none away.
	if r := put(t, st, "/f0", "y"); !r.Changed {
		t.Error("not written")
	}
	v, err := st.Get(t.Context(), ids[0], object.At{})
	if err != nil || v.Doc.Nickname != "Plan" {
		t.Errorf("after a change: %+v, %v", v, err)
	}
	if err := name(ids[0], ""); err != nil {
		t.Fatal(err)
	}
	if err := name(ids[1], "plan"); err != nil {
		t.Errorf("a nickname that was given up: %v", err)
	}
}

// Holds objects 5.
func TestAChangeOfWhatACatalogueShowsLeavesTheContentsHash(t *testing.T) {
	st, _ := openClocked(t, startClock())
	a := put(t, st, "/a", "A")
	r := submit(t, st, object.Op{Do: object.Name, ID: a.ID, Nickname: "n"}).Results[0]
	if r.Hashes.Content != a.Hashes.Content || r.Hashes.Meta == a.Hashes.Meta || r.Hashes.Object == a.Hashes.Object {
		t.Errorf("%+v, then %+v", a.Hashes, r.Hashes)
	}
	if got := contentAt(t, st, a.ID, object.At{}); got != "A" {
		t.Errorf("content %q", got)
	}
}

// Holds objects 35, 42.
func TestIdentityIsOfTheSessionAndAFileMayMove(t *testing.T) {
	st, _ := openClocked(t, startClock())
	call := func(session string) string {
		d := &object.Document{Kind: object.KindToolcall, Content: []byte(session), Toolcall: &object.Toolcall{Tool: "bash", Status: object.StatusOK}}
		return submit(t, st, object.Op{Do: object.Put, Key: object.ToolcallKey(session, "e1", "call_0"), Doc: d}).Results[0].ID
	}
	if one, two := call("s1"), call("s2"); one == two || contentAt(t, st, one, object.At{}) != "s1" {
		t.Errorf("call_0 of two sessions: %s, %s", one, two)
	}
	a, b := put(t, st, "/a", "A").ID, put(t, st, "/b", "B").ID
	moved := submit(t, st, object.Op{Do: object.Put, ID: a, Key: object.FileKey("", "/b"), Doc: fileDoc("/b", "A")}).Results[0]
	if moved.ID != a || moved.Version != 2 {
		t.Errorf("moved: %+v", moved)
	}
	if o, err := st.ByKey(t.Context(), object.FileKey("", "/b")); err != nil || o.ID != a {
		t.Errorf("at its new place: %+v, %v", o, err)
	}
	over, err := st.Get(t.Context(), b, object.At{})
	if err != nil || !over.Doc.Deleted || over.Doc.Label(over.Key) != "/b" {
		t.Errorf("what was there before: %+v, %v", over, err)
	}
	if raw, err := st.Content(t.Context(), &versions(t, st, b)[0]); err != nil || string(raw) != "B" {
		t.Errorf("what was there before had %q, %v", raw, err)
	}
	if fresh := put(t, st, "/a", "new"); fresh.ID == a || fresh.Version != 1 {
		t.Errorf("another file at the old place: %+v", fresh)
	}
	held, err := st.Holding(t.Context(), []byte("A"))
	if err != nil || len(held) != 1 || held[0].ID != a {
		t.Errorf("who has A: %+v, %v", held, err)
	}
}

func TestATransactionIsDoneOnceAndAllOrNothing(t *testing.T) {
	st, _ := openClocked(t, startClock())
	tx := object.Tx{Request: "r1", Ops: []object.Op{{Do: object.Put, Key: object.FileKey("", "/a"), Doc: fileDoc("/a", "A")}}}
	first, err := st.Submit(t.Context(), tx)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := st.Submit(t.Context(), tx); err != nil || !again.Repeated || again.Tx != first.Tx {
		t.Errorf("again: %+v, %v", again, err)
	}
	_, err = st.Submit(t.Context(), object.Tx{Ops: []object.Op{
		{Do: object.Put, Key: object.FileKey("", "/a"), Doc: fileDoc("/a", "B")},
		{Do: object.Put, Key: object.FileKey("", "/c"), Doc: &object.Document{Kind: object.KindChat, Chat: &object.Chat{}}},
	}})
	if err == nil {
		t.Error("a chat in the place of a file was taken")
	}
	if got := contentAt(t, st, first.Results[0].ID, object.At{}); got != "A" {
		t.Errorf("after half a transaction: %q", got)
	}
	if _, err := st.ByKey(t.Context(), object.FileKey("", "/c")); !errors.Is(err, object.ErrUnknown) {
		t.Errorf("after half a transaction: %v", err)
	}
}
