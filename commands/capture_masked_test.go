package commands

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// masks stand for a store in which a word was redacted.
func masks(from, to string) history.Masks {
	return func(_ string, line []byte) ([]byte, error) {
		return bytes.ReplaceAll(line, []byte(from), []byte(to)), nil
	}
}

// What the tree says of a line holds for the line as it was: the arguments of a call lie
// elsewhere in the redacted one.
func TestTheArgumentsOfACallAreReadFromTheRedactedLine(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.add(`"role":"assistant","content":[{"type":"text","text":"hunter2-plum, hunter2-plum"},` +
		`{"type":"toolCall","id":"call_9","name":"bash","arguments":{"command":"echo hunter2-plum","timeout":9}}],"stopReason":"toolUse"`)
	entry := c.add(`"role":"toolResult","toolCallId":"call_9","toolName":"bash","content":[{"type":"text","text":"plum"}],"isError":false`)
	for _, with := range []string{"[redacted]", "*", strings.Repeat("longer ", 20)} {
		s := c.open()
		masked := history.MaskedSession(s, masks("hunter2-plum", with))
		session := "s-" + with[:1]
		_, err := c.work(session).Turn(c.Context(), s.Tree, s.Leaf(), masked.Line)
		must.Stop(t, err != nil, "%q: %v", with, err)
		o := must.Get(c.store.Objects.ByKey(c.Context(), object.ToolcallKey(session, entry, "call_9")))(t)
		v := must.Get(c.store.Objects.Get(c.Context(), o.ID, 0))(t)
		got, want := v.Doc.Toolcall.ArgsDisplay, "echo "+with
		must.Not(t, !strings.HasPrefix(want, strings.TrimSuffix(got, "...")), "the arguments are %s, want %s", got, want)
		must.Do(t, s.Close())
	}
}

// fixed finds a word.
type fixed string

func (f fixed) Suspect(line []byte) bool { return bytes.Contains(line, []byte(f)) }

func (f fixed) FindAllStringIndex(text string, _ int) (out [][]int) {
	for from := 0; ; {
		i := strings.Index(text[from:], string(f))
		if i < 0 {
			return out
		}
		out = append(out, []int{from + i, from + i + len(f)})
		from += i + len(f)
	}
}

func TestObjectsHoldNothingThatIsMasked(t *testing.T) {
	t.Parallel()
	const key = "hunter2-plum"
	c := newCaptured(t)
	for name, text := range map[string]string{"conf.go": "token = " + key + "\n", key + ".go": "package plum\n"} {
		must.Do(t, os.WriteFile(c.path(name), []byte(text), 0o600))
	}
	c.read("conf.go")
	c.read(key + ".go")
	c.call(key, "ls", `{"path":"."}`, `[{"type":"text","text":"`+key+`.go"}]`, false)
	masked := workspace.MaskedObjects(c.store, fixed(key))
	work := func() *object.Capture { w := c.work("s-1"); w.Store = masked; return w }
	s := c.open()
	defer s.Close()
	lines := history.MaskedSession(s, masks(key, history.Masked))
	for range 2 { // a process that starts again finds what the first one made
		must.Get(work().Turn(c.Context(), s.Tree, s.Leaf(), lines.Line))(t)
		must.Get(work().Refresh(c.Context()))(t)
		must.Do(t, work().SystemPrompt(c.Context(), s.Leaf(), "the token is "+key))
	}
	_, v := c.file("conf.go")
	must.Stop(t, v == nil || v.Number != 1, "conf.go is %+v, want one version", v)
	if text, err := masked.Content(c.Context(), v); err != nil || string(text) != "token = [redacted]\n" {
		t.Errorf("it holds %q, %v", text, err)
	}
	for _, v := range must.Get(c.store.Objects.FindObjects(c.Context(), object.Query{}))(t) {
		text, err := c.store.Objects.Content(c.Context(), &v)
		if err != nil && !errors.Is(err, object.ErrPurged) { // calls, whose session is not in the history
			t.Fatal(err)
		}
		fields, err := v.Doc.Encode()
		said := v.Key.String() + string(text) + string(fields)
		must.Not(t, err != nil || strings.Contains(said, key), "%s holds it: %s, %v", v.ID, said, err)
	}
	for _, file := range []string{"", "-wal"} {
		raw, err := os.ReadFile(filepath.Clean(c.store.Path() + file))
		must.Not(t, err == nil && bytes.Contains(raw, []byte(key)), "the store's file%s holds it", file)
	}
}

func TestAFileThatWasOnlyNamedIsReadWhenItIsWanted(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.write("src/a.go", "package a\n")
	c.write("logo.bin", "\x00")
	c.call("call_1", "find", `{"pattern":"**/*"}`, `[{"type":"text","text":"src/a.go\nlogo.bin"}]`, false)
	c.turn()
	for name, want := range map[string]string{"src/a.go": "package a\n", "logo.bin": ""} {
		o, v := c.file(name)
		must.Stop(t, v == nil || !v.Unread(), "%s is %+v, want a name alone", name, v)
		v = must.Get(c.work("s-1").Latest(c.Context(), v.ID))(t)
		text, err := c.store.Objects.Content(c.Context(), v)
		must.Not(t, err != nil || string(text) != want || v.ID != o.ID, "%s holds %q, %v", name, text, err)
		n := v.Number
		if v = must.Get(c.work("s-1").Latest(c.Context(), v.ID))(t); v.Number != n {
			t.Errorf("%s was read once more: version %d", name, v.Number)
		}
	}
}
