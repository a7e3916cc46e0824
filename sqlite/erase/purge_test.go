package erase_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// fileHolds returns those of some words whose bytes are in the files of a store.
func fileHolds(t *testing.T, path string, words ...string) []string {
	t.Helper()
	var out []string
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, w := range words {
			if bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(w))) {
				out = append(out, w+" in the file"+end)
			}
		}
	}
	return out
}

const secretLines = `{"type":"session","version":3,"id":"keeper","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"The password is Xylophone9Quagmire and the port 5432.","timestamp":1}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"I shall not repeat it."}],"timestamp":2}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-03-02T09:00:03.000Z","message":{"role":"user","content":"Say xylophone9quagmire again, \"quoted\" too.","timestamp":3}}
`

// secretStore returns a store in which two entries have a secret, with all indexes.
func secretStore(t *testing.T) (st *store.Store, file string) {
	t.Helper()
	return secretStoreWith(t, storetest.Sessions(t)...)
}

func secretStoreWith(t *testing.T, sessions ...string) (st *store.Store, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "s.jsonl")
	must.Do(t, os.WriteFile(file, []byte(secretLines), 0o600))
	st = storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	for _, f := range sessions {
		storetest.Ingest(t, st, f)
	}
	storetest.Ingest(t, st, file)
	must.Do(t, st.Checkpoint(t.Context()))
	if len(fileHolds(t, st.Path(), "Xylophone9Quagmire")) == 0 {
		t.Fatal("the secret is not in the file to begin with")
	}
	return st, file
}

func TestPurgedBytesAreGoneAndDoNotComeBack(t *testing.T) {
	st, file := secretStore(t)
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Match: regexp.MustCompile(`(?i)xylophone9\w+`)})
	if err != nil || c.Entries != 2 || c.Texts != 2 || len(c.Sessions) != 1 || c.Sessions[0].ID != "keeper" {
		t.Fatalf("%+v, %v", c, err)
	}
	must.Do(t, st.Eraser.Purge(t.Context(), c))
	left, err := st.Eraser.Scrub(t.Context())
	if err != nil || len(left.Files) > 0 {
		t.Errorf("%+v, %v", left, err)
	}
	// xylophone and quagmire are parts of the word, which an index had.
	if found := fileHolds(t, st.Path(), "Xylophone", "quagmire"); len(found) > 0 {
		t.Error(found)
	}
	gone := func(when string) {
		t.Helper()
		for _, q := range []history.Query{{Text: "xylophone9quagmire"}, {Text: "Quagmire"}, {Text: "phone9quag"}, {Text: "xylophone.quag", Regex: true}} {
			if res, err := history.Search(t.Context(), st.Search, q); err != nil || len(res.Hits) > 0 {
				t.Errorf("%s, %q: %d hits, %v", when, q.Text, len(res.Hits), err)
			}
		}
		if res, err := history.Search(t.Context(), st.Search, history.Query{Text: `"shall not repeat"`}); err != nil || len(res.Hits) != 1 {
			t.Errorf("%s: what was not chosen: %d hits, %v", when, len(res.Hits), err)
		}
	}
	gone("purged")
	// The session file still has it. Importing the file again must not restore it.
	copied := filepath.Join(t.TempDir(), "copy.jsonl")
	must.Do(t, os.WriteFile(copied, []byte(secretLines), 0o600))
	for _, f := range []string{copied, file} {
		if rep := storetest.Ingest(t, st, f); rep.Added != 0 {
			t.Errorf("%s: %+v", f, rep)
		}
	}
	gone("imported again")
	if h, err := st.Check(t.Context(), false); err != nil || len(h.Problems) > 0 {
		t.Errorf("%v, %v", h.Problems, err)
	}
}

// Holds history 68.
func TestAPurgeWorksInBatchesAndShrinksTheFile(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	texts := make([]string, 600)
	for i := range texts {
		var b strings.Builder
		for j := range 40 {
			fmt.Fprintf(&b, "%x ", sha256.Sum256(fmt.Appendf(nil, "%d %d", i, j)))
		}
		texts[i] = b.String()
	}
	storetest.Ingest(t, st, storetest.Session(t, "ab", texts...))
	db := storetest.DB(t, st.Path())
	must.Get(db.Exec(`CREATE TRIGGER stuck BEFORE DELETE ON messages WHEN old.entry_id = 'ab0450' BEGIN SELECT raise(ABORT, 'stuck'); END`))(t)
	purge := func() error {
		t.Helper()
		c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Filter: history.Filter{Sessions: []string{"ab"}}}))(t)
		return st.Eraser.Purge(t.Context(), c)
	}
	if purge() == nil {
		t.Fatal("no error: the test stops nothing")
	}
	if n := storetest.Count(t, db, `SELECT count(*) FROM messages WHERE type <> 'session'`); n == 600 || n < 150 {
		t.Errorf("%d of 600 are left after a purge that got stuck at the 450th", n)
	}
	must.Get(db.Exec(`DROP TRIGGER stuck`))(t)
	must.Do(t, purge())
	size := func() int64 {
		t.Helper()
		must.Do(t, st.Checkpoint(t.Context()))
		info := must.Get(os.Stat(st.Path()))(t)
		return info.Size()
	}
	before := size()
	must.Get(st.Eraser.Scrub(t.Context()))(t)
	if after := size(); after > before/4 || before < 1<<20 {
		t.Errorf("the file had %d bytes and has %d", before, after)
	}
}

// Purging only one session leaves what its fork shares with it in the fork.
//
// Holds history 68.
func TestPurgingASessionLeavesWhatItsForkHas(t *testing.T) {
	st := storetest.Filled(t)
	rows := must.Get(st.Entries.Sessions(t.Context()))(t)
	var main, fork entries.Session
	for _, r := range rows {
		switch filepath.Base(r.File) {
		case "shop-main.jsonl":
			main = r
		case "shop-fork.jsonl":
			fork = r
		}
	}
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Filter: history.Filter{Sessions: []string{main.ID}}})
	if err != nil || c.Entries < 100 || c.Texts >= c.Entries {
		t.Fatalf("%+v, %v", c, err)
	}
	must.Do(t, st.Eraser.Purge(t.Context(), c))
	if rep := storetest.Ingest(t, st, storetest.Recorded(t, "shop-main.jsonl")); rep.Added != 0 {
		t.Errorf("%+v", rep)
	}
	in := func(id string) int {
		res := must.Get(history.Search(t.Context(), st.Search, history.Query{Text: "checkout", Filter: history.Filter{Sessions: []string{id}}, Limit: 500}))(t)
		return len(res.Hits)
	}
	if in(main.ID) != 0 || in(fork.ID) < 5 {
		t.Errorf("%d in the purged session, %d in its fork", in(main.ID), in(fork.ID))
	}
}

func TestRedactedTextIsMaskedEverywhereAndKeepsItsEntry(t *testing.T) {
	st, file := secretStore(t)
	re := regexp.MustCompile(`(?i)xylophone9\w+`)
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Match: re}))(t)
	must.Do(t, st.Eraser.Redact(t.Context(), c, re))
	left, err := st.Eraser.Scrub(t.Context())
	if err != nil || len(left.Files) > 0 {
		t.Errorf("%+v, %v", left, err)
	}
	if found := fileHolds(t, st.Path(), "Xylophone", "quagmire"); len(found) > 0 {
		t.Error(found)
	}
	for range 2 {
		x, err := history.Expand(t.Context(), st.Search, "aaaa0003", nil)
		if err != nil || string(x.Text()) != `Say [redacted] again, "quoted" too.` || x.ParentID != "aaaa0002" {
			t.Errorf("%q, %v", x.Text(), err)
		}
		res, err := history.Search(t.Context(), st.Search, history.Query{Text: `"port 5432"`})
		if err != nil || len(res.Hits) != 1 || !strings.Contains(res.Hits[0].Snippet, "is [redacted] and") {
			t.Errorf("%+v, %v", res.Hits, err)
		}
		// The session file still has it. Importing the file again changes nothing.
		must.Do(t, os.Chtimes(file, time.Now(), time.Now().Add(time.Hour)))
		copied := filepath.Join(t.TempDir(), "copy.jsonl")
		must.Do(t, os.WriteFile(copied, []byte(secretLines), 0o600))
		if rep := storetest.Ingest(t, st, copied); rep.Added != 0 {
			t.Errorf("%+v", rep)
		}
	}
}

// Holds history 69, 73.
func TestABackupMadeWhileOthersWriteGivesTheSameResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	for _, f := range storetest.Sessions(t)[:3] {
		storetest.Ingest(t, st, f)
	}
	ctx, stop := context.WithCancel(t.Context())
	writing := make(chan error, 1)
	go func() { writing <- writeUntil(ctx, path) }()
	backup := filepath.Join(t.TempDir(), "backup.db")
	err := st.Backup(t.Context(), backup)
	stop()
	if werr := <-writing; err != nil || werr != nil {
		t.Fatal(err, werr)
	}
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := st.Backup(t.Context(), backup); err == nil {
		t.Error("a backup was overwritten")
	}
	q := history.Query{Text: "checkout", Limit: 300}
	want, err := history.Search(t.Context(), st.Search, q)
	if err != nil || len(want.Hits) < 10 {
		t.Fatalf("%d, %v", len(want.Hits), err)
	}
	st.Close()
	kept, err := sqlite.Restore(t.Context(), backup, path, time.Now)
	if err != nil || kept == "" {
		t.Fatalf("%q, %v", kept, err)
	}
	again := storetest.Open(t, path, sqlite.Write)
	got, err := history.Search(t.Context(), again.Search, q)
	if err != nil || strings.Join(storetest.IDs(got), " ") != strings.Join(storetest.IDs(want), " ") {
		t.Errorf("%d results, want %d, %v", len(got.Hits), len(want.Hits), err)
	}
	if found, err := again.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// writeUntil stores marks until it is stopped.
func writeUntil(ctx context.Context, path string) error {
	st, err := store.Open(context.Background(), path, sqlite.Write, time.Now)
	if err != nil {
		return err
	}
	defer st.Close()
	for ctx.Err() == nil {
		if err := st.SeenFrom(context.Background(), "k", "/r"); err != nil {
			return err
		}
	}
	return nil
}

func TestAFileThatIsNotAStoreIsNotRestored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	storetest.Ingest(t, st, storetest.Sessions(t)[0])
	st.Close()
	bad := filepath.Join(t.TempDir(), "bad.db")
	must.Do(t, os.WriteFile(bad, []byte(strings.Repeat("no store\n", 900)), 0o600))
	if _, err := sqlite.Restore(t.Context(), bad, path, time.Now); err == nil {
		t.Error("it was restored")
	}
	other := filepath.Join(t.TempDir(), "other.db")
	must.Get(storetest.DB(t, other).Exec(`CREATE TABLE conversations (id)`))(t)
	if _, err := sqlite.Restore(t.Context(), other, path, time.Now); err == nil || !strings.Contains(err.Error(), "of another program") {
		t.Error(err)
	}
	if res, err := history.Search(t.Context(), storetest.Open(t, path, sqlite.Read).Search, history.Query{Text: "the"}); err != nil || len(res.Hits) == 0 {
		t.Errorf("the store suffered: %v", err)
	}
}

func TestVacuumDeletesTextsThatNothingRefersTo(t *testing.T) {
	st := storetest.Filled(t)
	db := storetest.DB(t, st.Path())
	before := storetest.Count(t, db, `SELECT count(*) FROM content`)
	must.Get(db.Exec(`DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE role = 'toolResult' LIMIT 30)`))(t)
	found, err := st.Examine(t.Context())
	if err != nil || len(found) == 0 || !strings.Contains(found[0].Name, "nothing refers to") {
		t.Errorf("%+v, %v", found, err)
	}
	n, err := st.Eraser.Vacuum(t.Context())
	if err != nil || n == 0 || storetest.Count(t, db, `SELECT count(*) FROM content`) != before-n {
		t.Errorf("%d went, %v", n, err)
	}
	must.Equal(t, storetest.Count(t, db, `SELECT count(*) FROM purged`), 0, "tombstones: what nothing refers to may come back")
}

// A purge that is killed before the file is rewritten leaves bytes behind. The store reports
// that, and whoever writes next completes the purge, although nothing matches any more.
func TestAnInterruptedPurgeIsFinishedByWhoeverWritesNext(t *testing.T) {
	st, _ := secretStore(t)
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Match: regexp.MustCompile(`(?i)xylophone9`)})
	must.Do(t, err)
	err = st.Eraser.Purge(t.Context(), c)
	must.Do(t, err)
	if found, err := st.Examine(t.Context()); err != nil || len(found) != 1 || found[0].Remedy != "pictx history vacuum" {
		t.Errorf("%+v, %v", found, err)
	}
	if len(fileHolds(t, st.Path(), "Xylophone", "quagmire")) == 0 {
		t.Fatal("the test has nothing to finish")
	}
	must.Equal(t, must.Get(st.Eraser.Due(t.Context()))(t), true, "an erase is due")
	must.Get(st.Eraser.Scrub(t.Context()))(t)
	if found := fileHolds(t, st.Path(), "Xylophone", "quagmire"); len(found) > 0 {
		t.Error(found)
	}
	if found, err := st.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	must.Equal(t, must.Get(st.Eraser.Due(t.Context()))(t), false, "an erase is due still")
}

// What is deleted while the file is rewritten is not taken for gone.
func TestAnEraseBesideARewriteIsStillDue(t *testing.T) {
	st, _ := secretStore(t)
	other := storetest.DB(t, st.Path())
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Match: regexp.MustCompile(`(?i)xylophone9`)})
	must.Do(t, err)
	err = st.Eraser.Purge(t.Context(), c)
	must.Do(t, err)
	mark := func() (value string) {
		must.Do(t, other.QueryRow(`SELECT value FROM meta WHERE key = ?`, erase.Unscrubbed).Scan(&value))
		return value
	}
	before := mark()
	must.Do(t, st.Eraser.Prepare(t.Context()))
	if mark() == before {
		t.Error("a second erase cannot be told from the first")
	}
}

// Texts deleted before deletions overwrote, and copies that SQLite left when it moved rows,
// go with the next purge.
func TestAPurgeLeavesNothingInFreeSpace(t *testing.T) {
	st, _ := secretStore(t)
	db := storetest.DB(t, st.Path())
	for _, query := range []string{
		`PRAGMA secure_delete = OFF`,
		`CREATE TABLE old (id INTEGER PRIMARY KEY, text TEXT)`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
			INSERT INTO old SELECT (i * 97) % 60, replace(hex(zeroblob(i * 12)), '00', 'gnu-veldt ') FROM n`,
		`DELETE FROM old WHERE id > 3`,
		`PRAGMA wal_checkpoint(TRUNCATE)`,
	} {
		must.Get(db.Exec(query))(t)
	}
	must.Get(db.Exec(`UPDATE old SET text = 'short'`))(t)
	if len(fileHolds(t, st.Path(), "gnu-veldt")) == 0 {
		t.Fatal("the test has nothing to overwrite")
	}
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Entries: []string{"aaaa0001"}}))(t)
	must.Do(t, st.Eraser.Purge(t.Context(), c))
	if left, err := st.Eraser.Scrub(t.Context()); err != nil || len(left.Files) > 0 {
		t.Errorf("%+v, %v", left, err)
	}
	if found := fileHolds(t, st.Path(), "gnu-veldt", "eldt gnu"); len(found) > 0 {
		t.Error(found)
	}
	if found, err := st.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// What an entry is to the model has much of its text.
func TestAPurgedEntryLeavesNoEditOfIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	const edits = `{"type":"context_edit","id":"aaaa0004","parentId":"aaaa0003","timestamp":"2026-03-02T09:00:04.000Z","targetId":"aaaa0001","replacement":{"content":"The password is Xylophone9Quagmire"}}
{"type":"context_edit","id":"aaaa0005","parentId":"aaaa0004","timestamp":"2026-03-02T09:00:04.000Z","targetId":"aaaa0002","replacement":{"content":"I shall not."}}
{"type":"custom","customType":"pictx.marks","id":"aaaa0006","parentId":"aaaa0005","timestamp":"2026-03-02T09:00:05.000Z","data":{"marks":[{"id":"aaaa0001","marker":"Xylophone9Quagmire"}]}}
`
	must.Do(t, os.WriteFile(file, []byte(secretLines+edits), 0o600))
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	storetest.Ingest(t, st, file)
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Entries: []string{"aaaa0001"}}))(t)
	var got []string
	c.Each(func(_, entry string) { got = append(got, entry) })
	must.Equal(t, strings.Join(got, " "), "aaaa0001 aaaa0004 aaaa0006", "chosen are")
}
