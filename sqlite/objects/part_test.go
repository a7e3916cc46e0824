package objects_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// resultSession writes a session with a result of the tool read for each text.
func resultSession(t testing.TB, id string, texts ...string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}`+"\n", id)
	for i, text := range texts {
		fmt.Fprintf(&b, `{"type":"message","id":"%s%04d","timestamp":"2026-03-02T09:00:%02d.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":%q}]}}`+"\n", id, i, i, text)
	}
	file := filepath.Join(t.TempDir(), id+".jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// resultOf captures a result as an object, with the files that it is about.
func resultOf(t testing.TB, st *store.Store, session, entry, text string, files ...string) string {
	t.Helper()
	doc := &object.Document{Kind: object.KindToolcall, Content: []byte(text), Toolcall: &object.Toolcall{Tool: "read", Status: object.StatusOK, Files: files}}
	return storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ToolcallKey(session, entry, "c"), Doc: doc}).Results[0].ID
}

// wholes counts the contents of objects that are stored as texts of their own.
const wholes = `SELECT count(*) FROM content WHERE codec <> 4 AND id NOT IN (SELECT content FROM messages)`

// found are the ids of the objects that a query finds, sorted.
func found(t testing.TB, st *store.Store, query string) []string {
	t.Helper()
	q, err := object.ParseQuery(query, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	all, err := st.Objects.FindObjects(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range all {
		out = append(out, v.ID)
	}
	slices.Sort(out)
	return out
}

// aResult is a text that is long enough not to be stored beside its line.
func aResult(word string) string {
	return "the lease of " + word + "\n" + strings.Repeat("and a \"line\" of the file\n", 8)
}

func TestAResultWhoseEntryIsStoredIsNotStoredAgain(t *testing.T) {
	st, path := storetest.OpenClocked(t, startClock())
	want := []string{aResult("quagmire"), aResult("xylophone"), `{"type":"session"}` + strings.Repeat(" ", 80), "short"}
	storetest.Ingest(t, st, resultSession(t, "s", want...))
	var ids []string
	for i, text := range want {
		ids = append(ids, resultOf(t, st, "s", fmt.Sprintf("s%04d", i), text))
	}
	other := resultOf(t, st, "elsewhere", "s0000", aResult("vellum")) // of a session that is not stored
	for i, id := range append(ids, other) {
		if got := contentAt(t, st, id, object.At{}); got != append(want, aResult("vellum"))[i] {
			t.Errorf("result %d is %q", i, got)
		}
	}
	if n := storetest.Count(t, storetest.DB(t, path), wholes); n != 3 { // what may be a line, what is short, and the other
		t.Errorf("%d results are stored again, want 3", n)
	}
	for query, want := range map[string][]string{
		"quagmire": {ids[0]}, `"lease of xylophone"`: {ids[1]}, "vellum": {other}, "xylo*": {ids[1]},
		`"read the"`: nil, "toolresult": nil, "tool*": nil, "quagmire -lease": nil, "-quagmire lease": {ids[1], other},
	} {
		slices.Sort(want)
		if got := found(t, st, query); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}
	if st.Search.FullText() { // otherwise there is no such index
		if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM objects_fts_docsize`); n != 3 {
			t.Errorf("%d results are in the index of objects, want 3", n)
		}
	}
	if bad := verify(t, st); len(bad) > 0 {
		t.Error(bad)
	}
}

// A page of the table of texts that has nothing but lines stays as it is when objects are stored.
func TestPartsOfLinesAreKeptApartFromLines(t *testing.T) {
	st, path := storetest.OpenClocked(t, startClock())
	want := []string{aResult("quagmire"), aResult("xylophone"), aResult("vellum")}
	file := resultSession(t, "s", want...)
	storetest.Ingest(t, st, file)
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Split(string(lines), "\n")[1:]
	line[2] = strings.Replace(line[2], "vellum", "paper", 1) // not as it is stored
	for i, text := range want {
		doc := &object.Document{Kind: object.KindToolcall, Content: []byte(text), Toolcall: &object.Toolcall{Tool: "read", Status: object.StatusOK}}
		put := object.Op{Do: object.Put, Key: object.ToolcallKey("s", fmt.Sprintf("s%04d", i), "c"), Doc: doc, Line: []byte(line[i])}
		id := storetest.Submit(t, st.Objects, put).Results[0].ID
		if got := contentAt(t, st, id, object.At{}); got != text {
			t.Errorf("result %d is %q", i, got)
		}
	}
	db := storetest.DB(t, path)
	if n := storetest.Count(t, db, `SELECT count(*) FROM content WHERE codec = 4 AND id < 0`); n != len(want) {
		t.Errorf("%d results are kept as parts apart from lines, want %d", n, len(want))
	}
	if n := storetest.Count(t, db, `SELECT count(*) FROM content WHERE codec <> 4 AND id < 0`); n != 0 {
		t.Errorf("%d other texts are where parts are", n)
	}
	if bad := verify(t, st); len(bad) > 0 {
		t.Error(bad)
	}
}

func TestAFileThatWasReadWholeSharesTheTextOfItsResultAndIsEdited(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	text := strings.Repeat(aResult("quagmire"), 40)
	storetest.Ingest(t, st, resultSession(t, "s", text))
	resultOf(t, st, "s", "s0000", text)
	storetest.Put(t, st.Objects, "/a", text)
	clock.Time = clock.Time.Add(time.Minute)
	file := storetest.Put(t, st.Objects, "/a", strings.Replace(text, "quagmire", "xylophone", 1)).ID
	if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM content a JOIN content b ON b.id = a.base WHERE a.codec = 3 AND b.codec = 4`); n != 1 {
		t.Errorf("%d differences to a part of a line, want 1", n)
	}
	for _, s := range []*store.Store{st, storetest.Open(t, path, sqlite.Read)} {
		v, err := s.Objects.Get(t.Context(), file, object.At{})
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := s.Objects.Content(t.Context(), v); err != nil || !strings.HasPrefix(string(raw), "the lease of xylophone") {
			t.Errorf("%.40q, %v", raw, err)
		}
	}
}

func TestWhatALineHadIsKeptAndFoundWhenThatIsPurged(t *testing.T) {
	st, path := storetest.OpenClocked(t, startClock())
	text := aResult("quagmire")
	storetest.Ingest(t, st, resultSession(t, "s", text))
	storetest.Ingest(t, st, resultSession(t, "r", aResult("xylophone")))
	file := storetest.Put(t, st.Objects, "/a", "").ID
	gone := resultOf(t, st, "s", "s0000", text, file)
	resultOf(t, st, "r", "r0000", aResult("xylophone"), file) // also refers to the file, which stays therefore
	storetest.Put(t, st.Objects, "/a", text)
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Entries: []string{"s0000"}})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := st.Objects.Of(t.Context(), c, nil)
	if err != nil || !slices.Equal(ids, []string{gone}) {
		t.Fatalf("%v, %v", ids, err)
	}
	if _, err := st.Objects.EvictAll(t.Context(), object.Tx{Actor: object.ActorPerson}, ids); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Eraser.Purge(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := contentAt(t, st, file, object.At{}); got != text {
		t.Errorf("the file is %q", got)
	}
	if got := found(t, st, "quagmire"); !slices.Equal(got, []string{file}) {
		t.Errorf("found %v, want %s", got, file)
	}
	if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM content WHERE codec = 4 AND base NOT IN (SELECT id FROM content)`); n > 0 {
		t.Errorf("%d texts are part of what is not there", n)
	}
	if bad := verify(t, st); len(bad) > 0 {
		t.Error(bad)
	}
}

func TestAResultWhoseLineIsDamagedOrMissingIsReportedAsDamaged(t *testing.T) {
	for name, damage := range map[string]string{
		"another line":  `UPDATE content SET base = (SELECT content FROM messages WHERE entry_id = 's0001') WHERE codec = 4`,
		"itself":        `UPDATE content SET base = id WHERE codec = 4`,
		"no line":       `UPDATE content SET base = NULL WHERE codec = 4`,
		"a line it had": `DELETE FROM content WHERE id = (SELECT content FROM messages WHERE entry_id = 's0000')`,
	} {
		t.Run(name, func(t *testing.T) {
			st, path := storetest.OpenClocked(t, startClock())
			storetest.Ingest(t, st, resultSession(t, "s", aResult("quagmire"), aResult("xylophone")))
			id := resultOf(t, st, "s", "s0000", aResult("quagmire"))
			if _, err := storetest.DB(t, path).Exec(damage); err != nil {
				t.Fatal(err)
			}
			v, err := st.Objects.Get(t.Context(), id, object.At{})
			if err != nil {
				t.Fatal(err)
			}
			if raw, err := st.Objects.Content(t.Context(), v); !errors.Is(err, sqlite.ErrDamaged) {
				t.Errorf("%q, %v", raw, err)
			}
			if len(verify(t, st)) == 0 {
				t.Error("verify finds nothing")
			}
		})
	}
}

func TestALineWhoseTextAnObjectHadBeforeIsReadAndFound(t *testing.T) {
	for name, blank := range map[string]string{"as pi writes it": "", "after a blank": " "} {
		t.Run(name, func(t *testing.T) {
			st, _ := storetest.OpenClocked(t, startClock())
			file := resultSession(t, "s", aResult("quagmire"))
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(raw), "\n")
			line := blank + strings.TrimSuffix(lines[1], "\n")
			if err := os.WriteFile(file, []byte(lines[0]+line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			storetest.Put(t, st.Objects, "/a", strings.Repeat(line, 3))
			storetest.Put(t, st.Objects, "/a", line)
			storetest.Ingest(t, st, file)
			rep, err := history.Search(t.Context(), st.Search, history.Query{Text: "quagmire"})
			if err != nil || len(rep.Hits) != 1 {
				t.Errorf("%v, %v", rep.Hits, err)
			}
		})
	}
}

func TestAPhraseIsFoundWhereItsWordsFollowEachOther(t *testing.T) {
	st, _ := storetest.OpenClocked(t, startClock())
	a := storetest.Put(t, st.Objects, "/1", "the lease of the quagmire ends").ID
	b := storetest.Put(t, st.Objects, "/2", "a quagmire ends no lease of the house").ID
	for query, want := range map[string][]string{
		`"lease of the"`: {a, b}, `"the quagmire ends"`: {a}, `"quagmire lease"`: nil, `-"the quagmire" ends`: {b}, `"the quagm*"`: {a}, `"ends lease"`: nil,
	} {
		slices.Sort(want)
		if got := found(t, st, query); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}
}

func TestTheDocumentOfAConversationIsADifferenceToItsTextAndOutlivesIt(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	var text strings.Builder
	chat := &object.Chat{Session: object.NewID(object.SessionKey("s"), 0)}
	for i := range 40 {
		said := fmt.Sprintf("message %d asks for %x and for %x of it", i, i*i*7919, i*104729)
		chat.Turns = append(chat.Turns, object.Turn{User: said})
		fmt.Fprintf(&text, "--- user\n%s\n", said)
	}
	put := func() string {
		doc := &object.Document{Kind: object.KindChat, Content: []byte(text.String()), Chat: chat}
		return storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ChatKey("s"), Doc: doc}).Results[0].ID
	}
	id := put()
	db := storetest.DB(t, path)
	if n := storetest.Count(t, db, `SELECT count(*) FROM object_versions v JOIN content d ON d.id = v.doc WHERE d.codec = 3 AND d.base = v.content`); n != 1 {
		t.Errorf("%d documents are differences to their texts, want 1", n)
	}
	first := clock.Time
	clock.Time = clock.Time.Add(time.Minute)
	chat.Turns = append(chat.Turns, object.Turn{User: "and the last one"})
	text.WriteString("--- user\nand the last one\n")
	put()
	if _, err := st.Objects.Collect(t.Context(), object.TimeOf(clock.Time), false); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[object.At]int{{Valid: object.TimeOf(first)}: 40, {}: 41} {
		v, err := st.Objects.Get(t.Context(), id, at)
		if err != nil || v.Doc.Chat == nil || len(v.Doc.Chat.Turns) != want {
			t.Errorf("%+v, %v", v, err)
		}
	}
	if bad := verify(t, st); len(bad) > 0 {
		t.Error(bad)
	}
}
