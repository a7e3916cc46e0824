package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// captured is a project with a session that is captured into a store.
type captured struct {
	testing.TB
	root  string
	store *store.Store
	lines []string
	n     int
	clock time.Time
}

func newCaptured(t testing.TB) *captured {
	t.Helper()
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	st := must.Get(store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), sqlite.Write, time.Now))(t)
	t.Cleanup(func() { st.Close() })
	return &captured{TB: t, root: root, store: st, clock: time.Now().Add(-time.Hour), lines: []string{
		fmt.Sprintf(`{"type":"session","version":3,"id":"s-1","timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`, root),
	}}
}

func (c *captured) path(name string) string { return filepath.Join(c.root, name) }

func (c *captured) write(name, text string) {
	c.Helper()
	must.Do(c, errors.Join(os.MkdirAll(filepath.Dir(c.path(name)), 0o700), os.WriteFile(c.path(name), []byte(text), 0o600)))
}

// add writes an entry, and returns its id.
func (c *captured) add(body string) string {
	parent := "null"
	if c.n > 0 {
		parent = fmt.Sprintf("%q", fmt.Sprintf("%08x", c.n))
	}
	c.n++
	c.clock = c.clock.Add(time.Second)
	id := fmt.Sprintf("%08x", c.n)
	c.lines = append(c.lines, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{%s,"timestamp":%d}}`,
		id, parent, c.clock.UTC().Format(time.RFC3339Nano), body, c.clock.UnixMilli()))
	return id
}

// call writes a call and its result, and returns the result's entry.
func (c *captured) call(id, tool, args, content string, failed bool) string {
	c.add(fmt.Sprintf(`"role":"assistant","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":%s}],"stopReason":"toolUse"`, id, tool, args))
	return c.add(fmt.Sprintf(`"role":"toolResult","toolCallId":%q,"toolName":%q,"content":%s,"isError":%v`, id, tool, content, failed))
}

func (c *captured) read(name string) string {
	data := must.Get(os.ReadFile(c.path(name)))(c)
	return c.call("call_0", "read", fmt.Sprintf(`{"path":%q}`, name), string(message.TextContent(string(data))), false)
}

// work is a capture as a process that was just started has it.
func (c *captured) work(session string) *object.Capture {
	return &object.Capture{Store: c.store.Objects.Ports(), Files: workspace.NewProjectFiles(context.Background(), c.root), Session: session, CWD: c.root}
}

// turn captures what is new, and returns how many results that were.
func (c *captured) turn() int {
	c.Helper()
	s := c.open()
	defer s.Close()
	return must.Get(c.work("s-1").Turn(c.Context(), s.Tree, s.Leaf(), s.Line))(c)
}

// sessionFile writes the session's file.
func (c *captured) sessionFile() string {
	c.Helper()
	file := filepath.Join(c.TempDir(), "s.jsonl")
	must.Do(c, os.WriteFile(file, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600))
	return file
}

func (c *captured) open() *pi.Session {
	c.Helper()
	return must.Get(pi.Open(c.sessionFile()))(c)
}

func (c *captured) refresh() int {
	c.Helper()
	return must.Get(c.work("s-1").Refresh(c.Context()))(c)
}

// file is the object of a file, and its latest version.
func (c *captured) file(name string) (object.Object, *object.Version) {
	c.Helper()
	o, err := c.store.Objects.ByKey(c.Context(), object.FileKey("", c.path(name)))
	if errors.Is(err, object.ErrUnknown) {
		return o, nil
	}
	if err != nil {
		c.Fatal(err)
	}
	return o, must.Get(c.store.Objects.Get(c.Context(), o.ID, 0))(c)
}

func (c *captured) content(v *object.Version) string {
	c.Helper()
	storetest.Ingest(c, c.store, c.sessionFile())
	return string(must.Get(c.store.Objects.Content(c.Context(), v))(c))
}

// versions is how many versions the object of a file has.
func (c *captured) versions(name string) int {
	o, _ := c.file(name)
	return o.Versions
}

// Holds objects 33, 36.
func TestToolCallsAndFilesAreCapturedOnce(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.write("a.go", "package a\n")
	first := c.read("a.go")
	bad := c.call("call_0", "bash", `{"command":"make all\nmore"}`, `[{"type":"text","text":"no"}]`, true)
	must.Equal(t, c.turn(), 2, "results are captured")
	for range 3 {
		must.Equal(t, c.turn(), 0, "results are captured again")
	}
	_, v := c.file("a.go")
	must.Not(t, v == nil || c.content(v) != "package a\n" || v.Doc.File.Chars != 10 || v.Doc.File.FileType != "go" || v.Doc.File.Lines != nil || c.versions("a.go") != 1, "%+v", v)
	o := must.Get(c.store.Objects.ByKey(t.Context(), object.ToolcallKey("s-1", bad, "call_0")))(t)
	call, err := c.store.Objects.Get(t.Context(), o.ID, 0)
	must.Not(t, err != nil || call.Doc.Toolcall.Status != object.StatusFail || call.Doc.Toolcall.ArgsDisplay != "make all" || c.content(call) != "no", "%+v, %v", call, err)
	got := call.From
	must.Not(t, int64(got)/1_000_000 != c.clock.Unix(), "it is true from %v", got.Std())
	// The same id of the provider, two calls.
	other, err := c.store.Objects.ByKey(t.Context(), object.ToolcallKey("s-1", first, "call_0"))
	must.Not(t, err != nil || other.ID == o.ID, "%v, %v", other, err)
}

// Holds objects 46.
func TestAPartialReadIsNotTakenForTheWholeFile(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.write("a.txt", "one\ntwo\nthree\nfour\n")
	c.call("1", "read", `{"path":"a.txt","offset":2,"limit":2}`, string(message.TextContent("two\nthree\n\n[1 more lines in file. Use offset=4 to continue.]")), false)
	c.turn()
	_, v := c.file("a.txt")
	must.Stop(t, v == nil || c.content(v) != "two\nthree" || v.Doc.File.Lines == nil || *v.Doc.File.Lines != (object.Lines{First: 2, Last: 3}), "%+v", v)
	c.read("a.txt")
	c.turn()
	_, v = c.file("a.txt")
	must.Not(t, c.content(v) != "one\ntwo\nthree\nfour\n" || v.Doc.File.Lines != nil, "%+v", v.Doc.File)
	// A part of what is known whole says nothing new.
	c.call("1", "read", `{"path":"a.txt","limit":1}`, string(message.TextContent("one\n\n[3 more lines in file. Use offset=2 to continue.]")), false)
	c.turn()
	must.Equal(t, c.versions("a.txt"), 2, "versions")
}

func TestWritesAndEditsMakeVersions(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.write("a.txt", "one")
	c.call("1", "write", `{"path":"a.txt","content":"one"}`, string(message.TextContent("ok")), false)
	c.turn()
	c.write("a.txt", "two")
	c.call("2", "edit", `{"path":"a.txt","edits":[{"oldText":"one","newText":"two"}]}`, string(message.TextContent("ok")), false)
	c.turn()
	_, v := c.file("a.txt")
	must.Not(t, c.versions("a.txt") != 2 || c.content(v) != "two", "%d versions, %q", c.versions("a.txt"), c.content(v))
	c.call("3", "edit", `{"path":"a.txt","edits":[]}`, string(message.TextContent("no such text")), true)
	c.turn()
	must.Not(t, c.versions("a.txt") != 2, "an edit that failed made a version")
}

// Holds objects 44, 45.
func TestListingsNameFilesOfTheProjectOnly(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.write(".gitignore", "*.log\nout/\n")
	for _, name := range []string{"src/a.go", "src/b-1.go", "x.log", "out/y.go", "plain"} {
		c.write(name, "text")
	}
	outside := filepath.Join(t.TempDir(), "secret.txt")
	must.Do(t, os.WriteFile(outside, []byte("x"), 0o600))
	listing := func(tool, args, text string) {
		c.call(tool, tool, args, string(message.TextContent(text)), false)
	}
	listing("ls", `{"path":"src"}`, "a.go\nb-1.go\nsub/\n")
	listing("bash", `{"command":"cat plain src/a.go > /dev/null; head `+outside+`"}`, "1.5 ok... https://example.com/a.b x.log ./out/y.go nothing.go")
	listing("grep", `{"pattern":"text"}`, "src/b-1.go:12: text\nplain-3- text")
	c.call("outside", "read", fmt.Sprintf(`{"path":%q}`, outside), string(message.TextContent("x")), false)
	c.turn()
	for name, want := range map[string]bool{"src/a.go": true, "src/b-1.go": true, "x.log": false, "out/y.go": false, "plain": true, "1.5": false, "nothing.go": false} {
		_, v := c.file(name)
		must.Not(t, (v != nil) != want, "%s is known: %v", name, v != nil)
		must.Not(t, v != nil && v.Size >= 0, "%s has content", name)
	}
	found, err := c.store.Objects.FindObjects(t.Context(), object.Query{})
	must.Not(t, err != nil || slices.ContainsFunc(found, func(v object.Version) bool { return v.Key.Part(1) == outside }), "%v, %v", found, err)
	// Who reads what is ignored wants it.
	c.read("x.log")
	c.turn()
	if _, v := c.file("x.log"); v == nil || c.content(v) != "text" {
		t.Errorf("%+v", v)
	}
}

// Holds objects 43.
func TestOnlyRegularFilesInsideTheProjectBecomeObjects(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	c := newCaptured(t)
	for from, to := range map[string]string{"loop": "loop", "device": "/dev/zero", "up": "..", "dangling": "nowhere"} {
		must.Do(t, os.Symlink(to, c.path(from)))
	}
	if out, err := exec.Command("mkfifo", c.path("pipe")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"loop", "device", "up", "dangling", "pipe", "/dev/zero"} {
		c.call(name, "read", fmt.Sprintf(`{"path":%q}`, name), string(message.TextContent("x")), false)
	}
	must.Equal(t, c.turn(), 6, "calls are captured")
	found, err := c.store.Objects.FindObjects(t.Context(), object.Query{Kind: object.KindFile})
	must.Not(t, err != nil || len(found) != 0, "%+v, %v", found, err)
}

// Holds objects 47.
func TestFilesThatAreNotTextHaveNoContent(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.write("a.png", "\x89PNG\r\n\x1a\n\x00\x00")
	c.write("data", "a\x00b")
	c.write("latin.txt", "caf\xe9\n")
	c.write("big.txt", strings.Repeat("x", object.MaxContent+1))
	c.call("1", "read", `{"path":"a.png"}`, `[{"type":"text","text":"Read image file"},{"type":"image","data":"AAAA","mimeType":"image/png"}]`, false)
	for i, name := range []string{"data", "latin.txt", "big.txt"} {
		c.call(fmt.Sprint(i+2), "read", fmt.Sprintf(`{"path":%q}`, name), string(message.TextContent("caf\ufffd\n")), false)
	}
	c.turn()
	for name, kind := range map[string]string{"a.png": "png", "data": "binary"} {
		_, v := c.file(name)
		must.Not(t, v == nil || v.Size >= 0 || v.Doc.File.FileType != kind, "%s: %+v", name, v)
	}
	if _, v := c.file("latin.txt"); v == nil || c.content(v) != "caf\xe9\n" && v.Doc.File.Lines == nil {
		t.Errorf("%+v", v)
	}
	if _, v := c.file("big.txt"); v == nil || v.Size >= 0 {
		t.Errorf("%+v", v)
	}
}

// Holds objects 40, 41, 42.
func TestOutsideChangesAreCapturedAtTheNextLook(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	for _, name := range []string{"edited", "deleted", "sub/moved", "same"} {
		c.write(name, "text of "+name)
		c.read(name)
	}
	c.turn()
	moved, _ := c.file("sub/moved")
	deleted, _ := c.file("deleted")
	must.Equal(t, c.refresh(), 0, "changes where nothing changed")
	at := time.Now().Add(-time.Minute).Truncate(time.Second)
	c.write("edited", "other text")
	must.Do(t, errors.Join(os.Chtimes(c.path("edited"), at, at), os.Remove(c.path("deleted")), os.Rename(c.path("sub/moved"), c.path("there"))))
	now := time.Now()
	must.Do(t, os.Chtimes(c.path("same"), now, now))
	c.refresh()
	_, v := c.file("edited")
	must.Not(t, c.content(v) != "other text" || c.versions("edited") != 2, "%+v", v)
	gone, err := c.store.Objects.Get(t.Context(), deleted.ID, 0)
	must.Not(t, err != nil || !gone.Doc.Deleted, "%+v, %v", gone, err)
	there, v := c.file("there")
	must.Not(t, there.ID != moved.ID || v == nil || v.Doc.File.Path != c.path("there"), "%+v is not %+v", there, moved)
	must.Not(t, c.versions("same") != 1, "touching made a version")
	must.Equal(t, c.refresh(), 0, "changes where nothing changed")
}

// A file that was changed is valid from when it was.
func TestAVersionIsValidFromTheModificationTimeOfItsFile(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	old := time.Now().Add(-3 * time.Hour).Truncate(time.Second)
	c.write("a", "one")
	must.Do(t, os.Chtimes(c.path("a"), old, old))
	c.read("a")
	c.turn()
	later := time.Now().Add(-time.Hour).Truncate(time.Second)
	c.write("a", "two")
	must.Do(t, os.Chtimes(c.path("a"), later, later))
	c.refresh()
	o, v := c.file("a")
	must.Not(t, v.From != object.TimeOf(later), "it is true from %v, not %v", v.From.Std(), later)
	was, err := c.store.Objects.Get(t.Context(), o.ID, object.TimeOf(later)-1)
	must.Not(t, err != nil || c.content(was) != "one", "%+v, %v", was, err)
	// An older file in its place is what there is now, whatever its time says.
	c.write("a", "three")
	must.Do(t, os.Chtimes(c.path("a"), old.Add(-time.Hour), old.Add(-time.Hour)))
	c.refresh()
	if _, v := c.file("a"); c.content(v) != "three" {
		t.Errorf("%q", c.content(v))
	}
}

func TestTheChatIsOneDocument(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.add(`"role":"user","content":[{"type":"text","text":"look"}]`)
	entry := c.call("1", "bash", `{"command":"x"}`, `[{"type":"text","text":"out"}]`, false)
	c.add(`"role":"assistant","api":"a","provider":"p","model":"m","usage":{"input":1},"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"done"}],"stopReason":"stop"`)
	for range 2 {
		s := c.open()
		w := c.work("s-1")
		must.Do(t, errors.Join(w.SystemPrompt(t.Context(), s.Leaf(), "be kind"), w.Chat(t.Context(), s.Tree, s.Leaf(), s.Line)))
		s.Close()
	}
	o, err := c.store.Objects.ByKey(t.Context(), object.ChatKey("s-1"))
	must.Stop(t, err != nil || o.Versions != 1, "%+v, %v", o, err)
	v := must.Get(c.store.Objects.Get(t.Context(), o.ID, 0))(t)
	id := object.NewID(object.ToolcallKey("s-1", entry, "1"), 0)
	want := "--- user\nlook\n--- toolcall [ref:" + id + "] tool=bash status=ok\n--- assistant\ndone\n"
	must.Equal(t, c.content(v), want, "got")
	chat := v.Doc.Chat
	must.Not(t, chat.Turns != 1 || chat.Leaf != "00000004", "%+v", chat)
	for _, k := range []object.Key{object.SessionKey("s-1"), object.SystemPromptKey("s-1")} {
		o, err := c.store.Objects.ByKey(t.Context(), k)
		must.Not(t, err != nil || o.Versions != 1, "%s: %+v, %v", k, o, err)
	}
}

// BenchmarkCaptureTurn captures a turn of a session of 500 results: a read, an edit and
// a command that names files.
func BenchmarkCaptureTurn(b *testing.B) {
	c := newCaptured(b)
	for i := range 50 {
		c.write(fmt.Sprintf("f%d.go", i), strings.Repeat("a line of the file\n", 200))
	}
	for i := range 500 {
		c.read(fmt.Sprintf("f%d.go", i%50))
	}
	c.turn()
	s := c.open()
	defer func() { s.Close() }()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		name := fmt.Sprintf("f%d.go", i%50)
		c.write(name, strings.Repeat("a line of the file\n", 200+i))
		c.read(name)
		c.call("e", "edit", fmt.Sprintf(`{"path":%q,"edits":[]}`, name), string(message.TextContent("ok")), false)
		c.call("b", "bash", `{"command":"go test ./..."}`, string(message.TextContent(strings.Repeat("f1.go:12: a line\nok\n", 20))), false)
		s.Close()
		s = c.open()
		b.StartTimer()
		must.Get(c.work("s-1").Turn(b.Context(), s.Tree, s.Leaf(), s.Line))(b)
	}
}
