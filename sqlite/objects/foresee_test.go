package objects_test

import (
	"crypto/sha256"
	"os"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/chat"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite/store"
)

// linesOf are the lines of the entries of a session.
func linesOf(t testing.TB, file string) [][]byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
		out = append(out, []byte(line))
	}
	return out
}

// resultWith puts a result together with its line.
func resultWith(session, entry, text string, line []byte) object.Op {
	doc := &object.Document{Kind: object.KindToolcall, Content: []byte(text), Toolcall: &object.Toolcall{Tool: "read", Status: object.StatusOK}}
	return object.Op{Do: object.Put, Key: object.ToolcallKey(session, entry, "c"), Doc: doc, Line: line}
}

func TestResultsBeforeAndAfterAChatInOneTransactionKeepTheirTexts(t *testing.T) {
	st, path := storetest.OpenClocked(t, startClock())
	want := []string{aResult("quagmire"), aResult("xylophone"), aResult("vellum")}
	file := resultSession(t, "s", want...)
	storetest.Ingest(t, st, file)
	lines := linesOf(t, file)
	b := chat.New("s")
	var hashes [][sha256.Size]byte
	for _, line := range lines {
		if err := b.AddLine(line); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, sha256.Sum256(line))
	}
	said := object.Op{Do: object.Put, Key: object.ChatKey("s"), Lines: hashes, Doc: &object.Document{Kind: object.KindChat, Content: b.Text(), Chat: b.Chat()}}
	got := storetest.Submit(t, st.Objects,
		resultWith("s", "s0000", want[0], lines[0]), said,
		resultWith("s", "s0001", want[1], lines[1]), resultWith("s", "again", want[0], lines[0]), resultWith("s", "s0002", want[2], lines[2])).Results
	for i, text := range []string{want[0], string(b.Text()), want[1], want[0], want[2]} {
		if has := contentAt(t, st, got[i].ID, object.At{}); has != text {
			t.Errorf("object %d says %q, want %q", i, has, text)
		}
	}
	if n := storetest.Count(t, storetest.DB(t, path), wholes+` AND codec <> 5`); n != 0 {
		t.Errorf("%d results are stored again", n)
	}
	if bad := verify(t, st); len(bad) > 0 {
		t.Error(bad)
	}
}

func TestAResultWhoseLineTheStoreLacksIsStoredWhole(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	want := []string{aResult("quagmire"), aResult("xylophone")}
	file := resultSession(t, "s", want...)
	lines := linesOf(t, file) // not ingested
	got := storetest.Submit(t, st.Objects, resultWith("s", "s0000", want[0], lines[0]), resultWith("s", "s0001", want[1], lines[1])).Results
	for i, text := range want {
		if has := contentAt(t, st, got[i].ID, object.At{}); has != text {
			t.Errorf("result %d is %q, want %q", i, has, text)
		}
	}
}

func TestAFileMovedWithinATransactionFreesItsPathAndTakesTheOther(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	put := func(path, text string) object.Op {
		return object.Op{Do: object.Put, Key: object.FileKey("", path), Doc: storetest.FileDoc(path, text)}
	}
	first := storetest.Submit(t, st.Objects, put("/old", "one")).Results[0].ID
	move := put("/new", "two")
	move.ID = first
	got := storetest.Submit(t, st.Objects, move, put("/new", "three"), put("/old", "another"), put("/old", "another still")).Results
	if got[0].ID != first || got[1].ID != first || got[2].ID == first || got[3].ID != got[2].ID {
		t.Errorf("the changes were of %s, %s, %s and %s; the file moved is %s", got[0].ID, got[1].ID, got[2].ID, got[3].ID, first)
	}
	for path, text := range map[string]string{"/new": "three", "/old": "another still"} {
		if has := contentOfFile(t, st, path); has != text {
			t.Errorf("%s is %q, want %q", path, has, text)
		}
	}
}

func contentOfFile(t testing.TB, st *store.Store, path string) string {
	t.Helper()
	o, err := st.Objects.ByKey(t.Context(), object.FileKey("", path))
	if err != nil {
		t.Fatal(err)
	}
	return contentAt(t, st, o.ID, object.At{})
}
