package object_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/internal/must"
)

// objects is a store of objects in memory. It has one version of each.
type objects struct {
	object.Versions
	object.Finder
	object.Journal
	all     []object.Version
	content map[string]string // by id
	met     []string          // the ids of those of the session
	done    []object.Tx
}

func (s *objects) Submit(_ context.Context, tx object.Tx) (object.Receipt, error) {
	s.done = append(s.done, tx)
	return object.Receipt{Tx: int64(len(s.done)), At: 5_000_000}, nil
}

func (s *objects) find(is func(object.Version) bool) (object.Object, error) {
	for _, v := range s.all {
		if is(v) {
			return v.Object, nil
		}
	}
	return object.Object{}, object.ErrUnknown
}

func (s *objects) Resolve(_ context.Context, name string) (object.Object, error) {
	if name == "o-" {
		return object.Object{}, &object.AmbiguousError{Name: name, Candidates: []string{"o-1", "o-2"}}
	}
	return s.find(func(v object.Version) bool { return v.ID == name || v.Nickname == name })
}

func (s *objects) ByKey(_ context.Context, k object.Key) (object.Object, error) {
	return s.find(func(v object.Version) bool { return v.Key.String() == k.String() })
}

func (s *objects) FindObjects(_ context.Context, q object.Query) ([]object.Version, error) {
	return slices.DeleteFunc(slices.Clone(s.all), func(v object.Version) bool {
		return q.Session != "" && !slices.Contains(s.met, v.ID)
	}), nil
}

func (s *objects) Get(_ context.Context, id string, _ object.Time) (*object.Version, error) {
	for i := range s.all {
		if s.all[i].ID == id {
			return &s.all[i], nil
		}
	}
	return nil, object.ErrUnknown
}

func (s *objects) Content(_ context.Context, v *object.Version) ([]byte, error) {
	return []byte(s.content[v.ID]), nil
}

// put adds an object. Its id is its nickname after "o-".
func (s *objects) put(nickname string, k object.Key, content string, edit func(v *object.Version)) {
	v := object.Version{Object: object.Object{ID: "o-" + nickname, Key: k, Nickname: nickname}, Number: 1, Size: int64(len(content)), Doc: object.Document{Kind: k.Kind}}
	switch k.Kind {
	case object.KindFile:
		v.Doc.File = &object.File{Path: k.Part(1)}
	case object.KindToolcall:
		v.Doc.Toolcall = &object.Toolcall{Tool: "bash", Status: object.StatusOK}
	}
	if edit != nil {
		edit(&v)
	}
	s.all = append(s.all, v)
	s.content[v.ID] = content
}

// files are files in memory, by their paths.
type files map[string]string

func (f files) Look(path string) object.Look {
	_, ok := f[path]
	return object.Look{Path: path, File: ok}
}

func (f files) Read(path string, limit int64) ([]byte, error) {
	content, ok := f[path]
	switch {
	case !ok:
		return nil, fs.ErrNotExist
	case int64(len(content)) > limit:
		return nil, errors.New("too long")
	}
	return []byte(content), nil
}

func (files) Moved([]object.Stat) []string { return nil }

// session is a session whose model ran a command, entry "result-ran", and read the
// file /w/seen, entry "result-read".
const session = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}
{"type":"message","id":"u","parentId":null,"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"go on"}}
{"type":"message","id":"a1","parentId":"u","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"make"}}],"stopReason":"toolUse"}}
{"type":"message","id":"result-ran","parentId":"a1","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"built it"}],"isError":false}}
{"type":"message","id":"a2","parentId":"result-ran","timestamp":"2026-03-02T09:00:03.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c2","name":"read","arguments":{"path":"/w/seen"}}],"stopReason":"toolUse"}}
{"type":"message","id":"result-read","parentId":"a2","timestamp":"2026-03-02T09:00:04.000Z","message":{"role":"toolResult","toolCallId":"c2","toolName":"read","content":[{"type":"text","text":"seen text"}],"isError":false}}
{"type":"message","id":"a3","parentId":"result-read","timestamp":"2026-03-02T09:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop"}}
`

// newControl answers for the session above, which met some objects of every kind.
func newControl(t *testing.T) (*object.Control, *objects) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := pi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b, err := prune.NewBranch("s", s.Tree, s.Leaf(), s.Line, nil)
	if err != nil {
		t.Fatal(err)
	}
	st := &objects{content: map[string]string{}}
	st.put("ran", object.ToolcallKey("s", "result-ran", "c1"), "built it", nil)
	st.put("old", object.ToolcallKey("s", "result-old", "c0"), "old output", nil)
	st.put("seen", object.FileKey("", "/w/seen"), "seen text", nil)
	st.put("other", object.FileKey("", "/w/other"), "other text", nil)
	st.put("part", object.FileKey("", "/w/part"), "line 3", func(v *object.Version) { v.Doc.File.Lines = &object.Lines{First: 3, Last: 3} })
	st.put("deleted", object.FileKey("", "/w/deleted"), "", func(v *object.Version) { v.Doc.Deleted, v.Size = true, -1 })
	st.put("purged", object.FileKey("", "/w/purged"), "", func(v *object.Version) { v.Purged = true })
	st.put("unread", object.FileKey("", "/w/unread"), "", func(v *object.Version) { v.Size = -1 })
	st.put("picture", object.FileKey("", "/w/picture"), "", func(v *object.Version) { v.Size, v.Doc.File.FileType = -1, "binary" })
	st.put("chat", object.ChatKey("s"), "all of it", nil)
	c := &object.Control{
		Store: object.Store{Writer: st, Finder: st, Versions: st, Journal: st}, Branch: b,
		Files:   files{"/w/seen": "seen text", "/w/unread": "text", "/w/picture": "\x89PNG\r\n\x1a\n", "/w/zero": "a\x00b", "/w/lines": "1\n2\n3\n"},
		Session: "s", Leaf: s.Leaf(), CWD: "/w",
		Now: func() time.Time { return time.UnixMilli(3000) },
	}
	c.View, _, err = object.See(b, object.Sight{CWD: c.CWD, Canonical: func(path string) string { return path }})
	if err != nil {
		t.Fatal(err)
	}
	return c, st
}

// checkAnswer fails unless the answer or the refusal has a text with want in it.
func checkAnswer(t *testing.T, what string, a object.Answer, err error, want string, refused bool) {
	t.Helper()
	got := a.Text
	var refusal *object.Refusal
	if errors.As(err, &refusal) {
		got = refusal.Text
	} else if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if (refusal != nil) != refused || !strings.Contains(got, want) {
		t.Errorf("%s: refused %v, %q\nwant refused %v, %q", what, refusal != nil, got, refused, want)
	}
}

func TestActivateBringsBackContentOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		refused    bool
	}{
		{"other", "o-other (other) other:\nother text", false},
		{"/w/other", "other text", false},
		{"other/../other", "other text", false},
		{"o-old", "old output", false},
		{"part", "o-part (part) part lines 3-3 (the rest was never read):\nline 3", false},
		{"seen", "is already active: its content is above.", false},
		{"result-r", "there is no object result-r", true}, // two entries begin with it
		{"result-ran", "o-ran (ran) bash is already active", false},
		{"[pruned: pictx expand result-ran]", "o-ran (ran) bash is already active", false},
		{"id=o-ran", "is already active", false},
		{"deleted", "it is deleted; its versions are kept: pictx object history o-deleted", true},
		{"purged", "its content was purged", true},
		{"unread", "its content is not available: it is not text, it was never read", true},
		{"picture", "its content is not available: it is not text", true},
		{"chat", "o-chat is a chat: it is always in the context as it is", true},
		{"nothing", "there is no object nothing; objects lists what there is", true},
		{"o-", "o- is ambiguous: o-1, o-2", true},
		{" ", "want an id", true},
	} {
		c, _ := newControl(t)
		a, err := c.Activate(t.Context(), tt.name, "call")
		checkAnswer(t, "activate "+tt.name, a, err, tt.want, tt.refused)
	}
}

func TestActivateTellsTheSessionWhichCallBroughtTheContent(t *testing.T) {
	t.Parallel()
	c, st := newControl(t)
	a, err := c.Activate(t.Context(), "old", "call")
	if err != nil || len(a.Changes) != 1 || a.Changes[0].Call != "call" || a.Changes[0].Object != "o-old" || a.Changes[0].Time != 3000 || a.Note != "activated o-old" {
		t.Errorf("%+v, %v", a, err)
	}
	must.Equal(t, len(st.done), 0, "stored %+v although nothing may be stored", st.done)
	c.Keep = true
	a, err = c.Activate(t.Context(), "ran", "call")
	if err != nil || len(a.Changes) != 1 || a.Changes[0].Call != "" || a.Changes[0].Tx != 1 || a.Changes[0].Time != 5000 {
		t.Errorf("a content that is visible: %+v, %v", a, err)
	}
	if len(st.done) != 1 || st.done[0].Actor != object.ActorAgent || st.done[0].Ops[0].Event != object.Activated || st.done[0].Ops[0].Leaf != c.Leaf {
		t.Errorf("stored %+v", st.done)
	}
}

func TestActivateAfterDeactivateFindsTheContentStillAbove(t *testing.T) {
	t.Parallel()
	c, _ := newControl(t)
	c.View.States.Inactive = []string{"result-ran"}
	a, err := c.Activate(t.Context(), "ran", "call")
	checkAnswer(t, "activate", a, err, "is active again: its content is still above.", false)
	c.View.Shown[0].Pruned = true
	a, err = c.Activate(t.Context(), "ran", "call")
	checkAnswer(t, "activate what was pruned", a, err, "o-ran (ran) bash:\nbuilt it", false)
	c.Pools = true
	a, err = c.Activate(t.Context(), "ran", "call")
	checkAnswer(t, "activate in the layout pools", a, err, "its content comes after the chat.", false)
}

func TestALongContentIsCutAndSaysWhereAllOfItIs(t *testing.T) {
	t.Parallel()
	c, st := newControl(t)
	st.content["o-other"] = strings.Repeat("ä", 40<<10)
	a, err := c.Activate(t.Context(), "other", "call")
	if err != nil || len(a.Text) > 51<<10 || !strings.Contains(a.Text, "the first 51200 of 81920 bytes (pictx object show o-other has all)") {
		t.Errorf("%d bytes, %.200s, %v", len(a.Text), a.Text, err)
	}
}

func TestDeactivateLetsContentGoOrSaysWhyItStays(t *testing.T) {
	t.Parallel()
	pinned := []prune.Pin{{Target: "result-ran", Time: 1}}
	for _, tt := range []struct {
		name, want string
		pins       []prune.Pin
		pools      bool
		refused    bool
		changes    int
	}{
		{"ran", "tok): it leaves the context when rewriting the prompt costs less than it saves.", nil, false, false, 1},
		{"ran", "tok): a reference stays. activate brings it back.", nil, true, false, 1},
		{"ran", "o-ran (ran) stays: ", pinned, false, true, 0},
		{"seen", "o-seen (seen) is inactive (", pinned, false, false, 1},
		{"other", "o-other (other) is inactive already.", nil, false, false, 0},
		{"chat", "o-chat is locked: a chat stays in the context", nil, false, true, 0},
		{"nothing", "there is no object nothing", nil, false, true, 0},
	} {
		c, _ := newControl(t)
		c.Pins, c.Pools = tt.pins, tt.pools
		a, err := c.Deactivate(t.Context(), tt.name)
		checkAnswer(t, "deactivate "+tt.name, a, err, tt.want, tt.refused)
		if len(a.Changes) != tt.changes || tt.changes > 0 && a.Changes[0].Op != state.Deactivate {
			t.Errorf("deactivate %s: changes %+v", tt.name, a.Changes)
		}
	}
}

func TestPinNamesTheEntryOfACallAndThePathOfAFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]prune.Pin{
		"ran":  {Target: "result-ran", Time: 3000},
		"seen": {Target: prune.PathTarget("/w/seen"), IsPath: true, Time: 3000},
	} {
		c, _ := newControl(t)
		a, err := c.Pin(t.Context(), name)
		if err != nil || len(a.Pins) != 1 || a.Pins[0] != want {
			t.Errorf("pin %s: %+v, %v; want %+v", name, a.Pins, err, want)
		}
	}
	c, _ := newControl(t)
	a, err := c.Pin(t.Context(), "chat")
	checkAnswer(t, "pin chat", a, err, "o-chat is a chat: it always stays", true)
}

func TestListShowsTheObjectsOfTheSessionWithSizeAndState(t *testing.T) {
	t.Parallel()
	c, st := newControl(t)
	st.met = []string{"o-ran", "o-old", "o-chat", "o-deleted", "o-purged", "o-unread", "o-inner", "o-outer"}
	st.put("inner", object.FileKey("", "/w/src/inner.go"), "package src", nil)
	st.put("outer", object.FileKey("", "/web/outer.go"), "package web", nil)
	st.all[1].Doc.Toolcall.Status = object.StatusFail
	a, err := c.List(t.Context(), "")
	want := `8 objects:
o-ran (ran) bash, 8 bytes, active
o-old (old) bash fail, 10 bytes, inactive
o-deleted (deleted) deleted, deleted, inactive
o-purged (purged) purged, purged, inactive
o-unread (unread) unread, no text, inactive
o-chat chat (chat) s, 9 bytes, active
o-inner (inner) src/inner.go, 11 bytes, inactive
o-outer (outer) /web/outer.go, 11 bytes, inactive`
	if err != nil || a.Text != want {
		t.Errorf("%s\nwant\n%s\n%v", a.Text, want, err)
	}
	a, err = c.List(t.Context(), "state:active")
	checkAnswer(t, "a query for a state", a, err, "2 objects:\no-ran (ran) bash, 8 bytes, active\no-chat chat (chat) s, 9 bytes, active", false)
	a, err = c.List(t.Context(), "-state:active -state:inactive")
	checkAnswer(t, "a query that nothing matches", a, err, "no matching objects", false)
	a, err = c.List(t.Context(), "session:other")
	checkAnswer(t, "a query that names a session", a, err, "12 objects:", false)
	a, err = c.List(t.Context(), "type:nonsense")
	checkAnswer(t, "a query with an unknown type", a, err, "nonsense", true)
	for range 60 {
		st.all = append(st.all, st.all[0])
	}
	a, err = c.List(t.Context(), "")
	checkAnswer(t, "many", a, err, "68 objects, the last 50 of them:", false)
	if n := strings.Count(a.Text, "\n"); n != 50 {
		t.Errorf("%d lines, want 50", n)
	}
}

func TestBringAddsOnlyContentThatTheModelCannotSee(t *testing.T) {
	t.Parallel()
	c, _ := newControl(t)
	var changes []state.Change
	for _, id := range []string{"o-seen", "o-other", "o-deleted", "o-purged", "o-unread"} {
		changes = append(changes, state.Change{Op: state.Activate, Object: id})
	}
	changes = append(changes, state.Change{Op: state.Deactivate, Object: "o-old"})
	got, err := c.Bring(t.Context(), changes)
	if want := object.BroughtHead + "o-other (other) other:\nother text"; err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	got, err = c.Bring(t.Context(), append(changes[1:2:2], state.Change{Op: state.Activate, Object: "o-unknown"}))
	if !errors.Is(err, object.ErrUnknown) || len(got) != 1 {
		t.Errorf("with an unknown object: %q, %v; want the message before it, and the error", got, err)
	}
}
