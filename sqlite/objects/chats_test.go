package objects_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// talk is a session that grows by turns of a question, an answer with a call, its result,
// and an answer.
type talk struct {
	t       testing.TB
	st      *store.Store
	id      string
	file    string
	turns   int
	parent  string
	entries int
	texts   []string // what each version of the chat has to say
	times   []object.Time
	clock   *storetest.Clock
}

func newTalk(t testing.TB, st *store.Store, clock *storetest.Clock, id string) *talk {
	s := &talk{t: t, st: st, id: id, file: filepath.Join(t.TempDir(), id+".jsonl"), clock: clock, parent: "null"}
	s.append(fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}`, id))
	return s
}

func (s *talk) append(line string) {
	s.t.Helper()
	f, err := os.OpenFile(s.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(line + "\n")
	}
	if err = errors.Join(err, f.Close()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *talk) entry(message string) string {
	s.entries++
	id := fmt.Sprintf("%s%04d", s.id, s.entries)
	s.append(fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-02T09:%02d:%02d.000Z","message":%s}`, id, s.parent, s.entries/60, s.entries%60, message))
	s.parent = `"` + id + `"`
	return id
}

// turn adds a turn, stores it and captures the chat.
func (s *talk) turn(word string) {
	s.t.Helper()
	s.say(word)
	storetest.Ingest(s.t, s.st, s.file)
	s.capture()
}

func (s *talk) say(word string) {
	s.turns++
	call := fmt.Sprintf("call_%d", s.turns)
	s.entry(fmt.Sprintf(`{"role":"user","content":"what of %s?\nin \"short\""}`, word))
	s.entry(fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"pondering%s"},{"type":"text","text":"I look\tat %s."},{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":"argue%s"}}],"api":"a","provider":"p","model":"m","usage":{"input":1, "output":2},"stopReason":"toolUse","timestamp":1}`, word, word, call, word))
	result := s.entry(fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"bash","content":[{"type":"text","text":"output%s"}],"isError":true}`, call, word))
	s.entry(fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"It is %s."},{"type":"text","text":"Done."}],"api":"a","provider":"p","model":"m","usage":{"input":3},"stopReason":"stop","timestamp":2}`, word))
	last := ""
	if len(s.texts) > 0 {
		last = s.texts[len(s.texts)-1]
	}
	s.texts = append(s.texts, last+fmt.Sprintf("--- user\nwhat of %s?\nin \"short\"\n--- assistant\nI look\tat %s.\n--- toolcall [ref:%s] tool=bash status=fail\n--- assistant\nIt is %s.\nDone.\n",
		word, word, object.NewID(object.ToolcallKey(s.id, result, call), 0), word))
}

func (s *talk) capture() {
	s.t.Helper()
	s.clock.Time = s.clock.Time.Add(time.Minute)
	f, err := pi.Open(s.file)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	c := &capture.Capture{Store: s.st.Objects.Ports(), Session: s.id, CWD: "/w"}
	if err := c.Chat(s.t.Context(), f.Entries(), f.Entries().Leaf(), f.Line); err != nil {
		s.t.Fatal(err)
	}
	s.times = append(s.times, object.TimeOf(s.clock.Time))
}

func (s *talk) object() string { return object.NewID(object.ChatKey(s.id), 0) }

// check reads every version.
func (s *talk) check() {
	s.t.Helper()
	for i, at := range s.times {
		if got := contentAt(s.t, s.st, s.object(), object.At{Valid: at}); got != s.texts[i] {
			s.t.Errorf("version %d is %q, want %q", i+1, got, s.texts[i])
		}
		v, err := s.st.Objects.Get(s.t.Context(), s.object(), object.At{Valid: at})
		if err != nil || len(v.Doc.Chat.Turns) != i+1 || len(v.Doc.Chat.Toolcalls) != i+1 || len(v.Doc.Chat.Turns[i].Meta) != 2 {
			s.t.Errorf("version %d: %+v, %v", i+1, v, err)
		}
	}
	if bad := verify(s.t, s.st); len(bad) > 0 {
		s.t.Error(bad)
	}
}

// ownTexts counts the texts that only objects have and that are stored as such.
const ownTexts = `SELECT count(*) FROM content WHERE codec NOT IN (4, 5) AND id NOT IN (SELECT content FROM messages)`

func TestAConversationIsKeptAsReferencesToItsLines(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	s := newTalk(t, st, clock, "s")
	for i := range 70 {
		s.turn(fmt.Sprintf("word%d", i))
	}
	db := storetest.DB(t, path)
	if n := storetest.Count(t, db, ownTexts); n != 0 {
		t.Errorf("%d texts of the conversation are stored again", n)
	}
	if n := storetest.Count(t, db, `SELECT max(length(data)) FROM content WHERE codec = 5 AND base IS NOT NULL`); n > 40 {
		t.Errorf("a version that goes on from another takes %d bytes", n)
	}
	if n := storetest.Count(t, db, `SELECT count(*) FROM content WHERE codec = 5 AND base IS NULL`); n != 3 {
		t.Errorf("%d of 70 versions have the whole list of lines, want 3", n)
	}
	s.check()
}

func TestAConversationThatWentAnotherWayIsComposedAnew(t *testing.T) {
	clock := startClock()
	st, _ := storetest.OpenClocked(t, clock)
	s := newTalk(t, st, clock, "s")
	s.turn("quagmire")
	branch, texts := s.parent, s.texts
	s.turn("xylophone")
	s.parent, s.texts = branch, append(slices.Clone(s.texts), texts[0])
	s.say("vellum") // its text goes on from the first turn
	s.texts = slices.Delete(s.texts, 2, 3)
	storetest.Ingest(t, st, s.file)
	s.capture()
	if got := contentAt(t, st, s.object(), object.At{}); got != s.texts[2] || strings.Contains(got, "xylophone") {
		t.Errorf("%q, want %q", got, s.texts[2])
	}
	if got := contentAt(t, st, s.object(), object.At{Valid: s.times[1]}); got != s.texts[1] {
		t.Errorf("%q, want %q", got, s.texts[1])
	}
	if bad := verify(t, st); len(bad) > 0 {
		t.Error(bad)
	}
}

func TestAConversationWhoseLinesAreNotStoredIsKeptAsAText(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	s := newTalk(t, st, clock, "s")
	s.turn("quagmire")
	s.say("xylophone")
	s.capture()
	s.turn("vellum")
	if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM content WHERE codec = 5`); n != 2 {
		t.Errorf("%d versions are composed, want 2", n)
	}
	s.check()
}

func TestWhatWasSaidInAConversationIsFoundThroughTheIndexOfHistory(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	a, b := newTalk(t, st, clock, "a"), newTalk(t, st, clock, "b")
	a.turn("quagmire")
	a.turn("vellum")
	b.turn("xylophone")
	plain := newTalk(t, st, clock, "c")
	plain.say("quagmire")
	plain.capture()
	id := plain.object()
	ref := regexp.MustCompile(`o-[0-9a-f]{12}`).FindString(a.texts[0])
	for query, want := range map[string][]string{
		"quagmire": {a.object(), id}, "quag*": {a.object(), id}, `"what of xylophone"`: {b.object()}, `"of quagmire in"`: {a.object(), id},
		"quagmire vellum": {a.object()}, "type:chat -quagmire": {b.object()}, `"done user what of vellum"`: {a.object()}, `"short assistant i look at xylophone"`: {b.object()},
		"toolcall": {a.object(), b.object(), id}, "type:chat status -vellum": {b.object(), id}, `"` + ref + `"`: {a.object()}, `"done assistant"`: nil, "bash": {a.object(), b.object(), id},
		"pondering*": nil, "argue*": nil, "output*": nil, `"quagmire done"`: {a.object(), id}, "type:chat vellum": {a.object()}, "type:toolcall vellum": nil,
	} {
		slices.Sort(want)
		if got := found(t, st, query); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}
	if st.Search.FullText() { // otherwise there is no such index
		if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM objects_fts_docsize`); n != 1 {
			t.Errorf("%d conversations are in the index of objects, want the one that history lacks", n)
		}
	}
}

func TestAConversationIsEvictedWhenALineOfItIsErased(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	s := newTalk(t, st, clock, "s")
	s.turn("quagmire")
	raw, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	fork := newTalk(t, st, clock, "f")
	fork.append(strings.SplitN(strings.TrimSpace(string(raw)), "\n", 2)[1])
	fork.parent = s.parent
	fork.texts = nil
	storetest.Ingest(t, st, fork.file)
	fork.capture()
	other := newTalk(t, st, clock, "o")
	other.turn("vellum")
	erased := func(chosen erase.Selection, re history.Finder) {
		t.Helper()
		c, err := st.Eraser.Choose(t.Context(), chosen)
		if err != nil || c.Entries == 0 {
			t.Fatalf("%+v, %v", c, err)
		}
		ids, err := st.Objects.Of(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		traces, err := st.Objects.EvictAll(t.Context(), object.Tx{Actor: object.ActorPerson}, ids)
		if err != nil {
			t.Fatal(err)
		}
		var of *erase.Traces
		if re == nil {
			of, err = st.Eraser.Purge(t.Context(), c)
		} else {
			of, err = st.Eraser.Redact(t.Context(), c, re)
		}
		if err != nil {
			t.Fatal(err)
		}
		traces.Add(of)
		if left, err := st.Eraser.Scrub(t.Context(), traces); err != nil || len(left.Files) > 0 {
			t.Errorf("%+v, %v", left, err)
		}
		if bad := verify(t, st); len(bad) > 0 {
			t.Error(bad)
		}
	}
	evicted := func(s *talk) bool {
		t.Helper()
		v, err := st.Objects.Get(t.Context(), s.object(), object.At{})
		if err != nil {
			t.Fatal(err)
		}
		o, err := st.Objects.ByKey(t.Context(), object.ChatKey(s.id))
		if err != nil || v.Evicted != (o.Evicted != 0) {
			t.Errorf("%+v, %+v, %v", v, o, err)
		}
		return v.Evicted
	}
	// A purge leaves the entries of the fork.
	erased(erase.Selection{Entries: []string{"s0001"}, Filter: history.Filter{Sessions: []string{"s"}}}, nil)
	if !evicted(s) || evicted(fork) || evicted(other) {
		t.Errorf("after a purge: %t, %t, %t", evicted(s), evicted(fork), evicted(other))
	}
	// A mask changes the line of every chat, but the conversation had nothing of the text it hides.
	erased(erase.Selection{Filter: history.Filter{Sessions: []string{"s"}}, Match: regexp.MustCompile("argue")}, regexp.MustCompile("arguequagmire"))
	if !evicted(s) || !evicted(fork) || evicted(other) {
		t.Errorf("after a mask: %t, %t, %t", evicted(s), evicted(fork), evicted(other))
	}
	if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM chat_lines WHERE chat NOT IN (SELECT doc FROM object_versions WHERE doc IS NOT NULL)`); n != 0 {
		t.Errorf("%d references of conversations that are gone", n)
	}
	other.check()
	fork.turn("xylophone")
	if !evicted(fork) {
		t.Error("an evicted conversation is captured again")
	}
}

func TestAConversationOutlivesItsEarlierVersions(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	s := newTalk(t, st, clock, "s")
	for _, word := range []string{"quagmire", "xylophone", "vellum"} {
		s.turn(word)
	}
	if c, err := st.Objects.Collect(t.Context(), object.TimeOf(clock.Time), false); err != nil || c.Versions != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	for i, at := range s.times {
		if v, err := st.Objects.Get(t.Context(), s.object(), object.At{Valid: at}); err != nil || len(v.Doc.Chat.Turns) != i+1 || v.Evicted != (i < 2) {
			t.Errorf("version %d: %+v, %v", i+1, v, err)
		}
	}
	db := storetest.DB(t, path)
	if _, err := db.Exec(`UPDATE object_versions SET doc = NULL WHERE number < 3`); err != nil {
		t.Fatal(err)
	}
	if n, err := st.Eraser.Vacuum(t.Context()); err != nil || n != 2 {
		t.Errorf("%d texts, %v", n, err)
	}
	if got := contentAt(t, st, s.object(), object.At{}); got != s.texts[2] {
		t.Errorf("%q, want %q", got, s.texts[2])
	}
	if got := found(t, st, "quagmire"); !slices.Equal(got, []string{s.object()}) {
		t.Errorf("found %v", got)
	}
	if n := storetest.Count(t, db, `SELECT count(*) FROM chat_lines`); n != s.entries {
		t.Errorf("%d references to %d lines", n, s.entries)
	}
}
