package objects_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// source is a text of a size that looks like code.
func source(r *rand.Rand, size int) []string {
	words := strings.Fields("func return if err nil range value store object version content hash time string int64 bytes append len make map struct type package import const")
	var lines []string
	for n := 0; n < size; {
		var b strings.Builder
		b.WriteString("\t")
		for range 3 + r.IntN(6) {
			fmt.Fprintf(&b, "%s%d ", words[r.IntN(len(words))], r.IntN(5000))
		}
		lines = append(lines, b.String())
		n += b.Len() + 1
	}
	return lines
}

// edited is a text with a few lines changed.
func edited(r *rand.Rand, lines []string) []string {
	out := append([]string(nil), lines...)
	for range 3 + r.IntN(2) {
		out[r.IntN(len(out))] = fmt.Sprintf("\tchanged%d := value%d", r.IntN(1e9), r.IntN(1e9))
	}
	return out
}

func fileSize(tb testing.TB, path string) int64 {
	tb.Helper()
	st := must.Get(os.Stat(path))(tb)
	return st.Size()
}

// However a text is damaged, it is reported, and never given in a wrong form; the others are read.
//
// Holds objects 20, 21.
func TestDamagedTextsAreReportedAndNeverGivenWrong(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	r := rand.New(rand.NewPCG(1, 2))
	lines := source(r, 5000)
	var all []string
	for range 40 {
		clock.Time = clock.Time.Add(time.Minute)
		lines = edited(r, lines)
		all = append(all, strings.Join(lines, "\n"))
		storetest.Put(t, st.Objects, "/a", all[len(all)-1])
	}
	id := storetest.Put(t, st.Objects, "/a", all[39]).ID
	storetest.Put(t, st.Objects, "/other", "untouched")
	damages := map[string]string{
		"a missing text":    `PRAGMA foreign_keys = OFF; DELETE FROM content WHERE id = (SELECT content FROM object_versions WHERE number = 5 LIMIT 1)`,
		"a text of another": `UPDATE content SET data = (SELECT data FROM content WHERE id = (SELECT content FROM object_versions WHERE number = 7 LIMIT 1)) WHERE id = (SELECT content FROM object_versions WHERE number = 5 LIMIT 1)`,
		"a cut text":        `UPDATE content SET data = substr(data, 1, length(data) / 2) WHERE id = (SELECT content FROM object_versions WHERE number = 5 LIMIT 1)`,
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			copied := storetest.Copy(t, path)
			execSQL(t, copied, damage)
			bad := storetest.Open(t, copied, sqlite.Write)
			wrong, read := 0, 0
			for i, v := range versions(t, bad, id) {
				raw, err := bad.Objects.Content(t.Context(), &v)
				if err == nil && string(raw) != all[i] {
					wrong++
				}
				if err == nil {
					read++
				}
			}
			if wrong > 0 || read == 0 || read == 40 {
				t.Errorf("%d wrong and %d read of 40", wrong, read)
			}
			if found := verify(t, bad); !strings.Contains(strings.Join(found, " "), id) {
				t.Errorf("verify: %v", found)
			}
			if r := storetest.Put(t, bad.Objects, "/a", "and on"); !r.Changed || contentAt(t, bad, id, 0) != "and on" {
				t.Errorf("a new version: %+v", r)
			}
			o, err := bad.Objects.ByKey(t.Context(), object.FileKey("", "/other"))
			if err != nil || contentAt(t, bad, o.ID, 0) != "untouched" {
				t.Errorf("another object: %v", err)
			}
		})
	}
}

func execSQL(t testing.TB, path, query string) {
	t.Helper()
	db := must.Get(sql.Open(sqlhook.Driver, path))(t)
	defer db.Close()
	must.Get(db.Exec(query))(t)
}

// What is purged is in no file of the store any more, in no version and no index;
// its hashes are, and it is not stored again. A version that was a difference to it
// is whole.
//
// Holds objects 15.
func TestPurgedTextIsInNoByteOfTheStore(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	const secret = "xylophoneQuagmire"
	filler := strings.Repeat("something that is the same in all versions\n", 30)
	a := storetest.Put(t, st.Objects, "/secret", secret+"One "+filler).ID
	clock.Time = clock.Time.Add(time.Hour)
	storetest.Put(t, st.Objects, "/secret", secret+"Two "+filler)
	call := &object.Document{Kind: object.KindToolcall, Content: []byte("ran"), Toolcall: &object.Toolcall{Tool: "bash", Status: object.StatusOK, ArgsDisplay: secret}}
	b := storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ToolcallKey("s1", "e1", "c1"), Doc: call}).Results[0].ID
	kept := storetest.Put(t, st.Objects, "/kept", "kept "+filler).ID
	was := versions(t, st, a)
	ids, err := st.Objects.Of(t.Context(), &erase.Chosen{}, regexp.MustCompile(secret))
	slices.Sort(ids)
	if want := []string{min(a, b), max(a, b)}; err != nil || !slices.Equal(ids, want) {
		t.Fatalf("%v, %v; want %v", ids, err, want)
	}
	purge(t, st, ids...)
	for i, v := range versions(t, st, a) {
		if _, err := st.Objects.Content(t.Context(), &v); !errors.Is(err, object.ErrPurged) || v.Hashes != was[i].Hashes || !v.Purged {
			t.Errorf("version %d: %+v, %v", v.Number, v, err)
		}
	}
	if again := storetest.Put(t, st.Objects, "/secret", secret+"Two "+filler); again.Changed {
		t.Errorf("stored again: %+v", again)
	}
	third := storetest.Put(t, st.Objects, "/third", secret+"Two "+filler).ID
	if v, err := st.Objects.Get(t.Context(), third, 0); err != nil || !v.Purged {
		t.Errorf("stored again for another object: %+v, %v", v, err)
	}
	must.Equal(t, contentAt(t, st, kept, 0), "kept "+filler, "kept")
	if found := verify(t, st); len(found) > 0 {
		t.Errorf("verify: %v", found)
	}
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err != nil && end == "" {
			t.Fatal(err)
		}
		for _, w := range []string{secret, strings.ToLower(secret), strings.ToLower(secret)[:12]} {
			if bytes.Contains(data, []byte(w)) {
				t.Errorf("%s has %s still", filepath.Base(path+end), w)
			}
		}
	}
}

// purge purges objects and scrubs the store.
func purge(t testing.TB, st *store.Store, ids ...string) {
	t.Helper()
	must.Do(t, st.Objects.Purge(t.Context(), ids))
	if left, err := st.Eraser.Scrub(t.Context()); err != nil || len(left.Files) > 0 {
		t.Fatalf("%+v, %v", left, err)
	}
}

// What history and objects have in common stays while one of them has it.
func TestATextThatHistoryHasStays(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	storetest.Ingest(t, st, storetest.Session(t, "cccc", "one marmaladeJar here", "two fetchUserName"))
	line := `{"type":"message","id":"cccc0000","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"one marmaladeJar here"}}`
	id := storetest.Put(t, st.Objects, "/line", line).ID
	other := storetest.Put(t, st.Objects, "/other", "a text that only an object has, and that goes").ID
	if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM content WHERE size = `+fmt.Sprint(len(line))+` AND codec <> 3`); n != 1 {
		t.Fatalf("%d texts of the line, want one", n)
	}
	purge(t, st, id, other)
	found, err := history.Search(context.Background(), st.Search, history.Query{Text: "marmaladeJar"})
	if err != nil || len(found.Hits) != 1 {
		t.Errorf("history finds %d: %v", len(found.Hits), err)
	}
	// And the other way: what is purged from history stays with the object.
	id = storetest.Put(t, st.Objects, "/line2", strings.Replace(line, "cccc0000", "cccc0000", 1)+"\n").ID
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Match: regexp.MustCompile("marmalade")}))(t)
	must.Do(t, st.Eraser.Purge(t.Context(), c))
	must.Equal(t, contentAt(t, st, id, 0), line+"\n", "the object")
	if n, err := st.Eraser.Vacuum(t.Context()); err != nil || n != 0 {
		t.Errorf("vacuum takes %d texts: %v", n, err)
	}
	must.Equal(t, contentAt(t, st, id, 0), line+"\n", "the object")
}

// Holds objects 48.
func TestAThousandDiscoveriesTakeLessThanAMegabyte(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	before := fileSize(t, path)
	for i := range 1000 {
		clock.Time = clock.Time.Add(time.Second)
		p := fmt.Sprintf("/home/somebody/projects/shop/src/components/part%03d/Component%04d.tsx", i/10, i)
		d := &object.Document{Kind: object.KindFile, File: &object.File{Path: p, FileType: "tsx"}}
		k := object.FileKey("", p)
		_, err := st.Objects.Submit(t.Context(), object.Tx{Actor: object.ActorCapture, Session: "01a1fe4b-7c1e-7d3a-b1a4-5e0f6a7b8c9d", Ops: []object.Op{
			{Do: object.Put, Key: k, Doc: d}, {Do: object.Record, Key: k, Event: object.Discovered, Leaf: fmt.Sprintf("%08x", i)},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, st.Checkpoint(t.Context()))
	if grown := fileSize(t, path) - before; grown >= 1<<20 {
		t.Errorf("1,000 discoveries take %d bytes", grown)
	} else {
		t.Logf("1,000 discoveries take %d bytes", grown)
	}
	events, err := st.Objects.Events(t.Context(), "01a1fe4b-7c1e-7d3a-b1a4-5e0f6a7b8c9d")
	if err != nil || len(events) != 1000 {
		t.Fatalf("%d events, %v", len(events), err)
	}
}
