package pi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}` + "\n"

func write(t *testing.T, path, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestInfoFollowsLinksAndRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.jsonl"), header)
	link := filepath.Join(dir, "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	want, err := pi.File{Path: path}.Info()
	if err != nil || want.Size != int64(len(header)) || want.ModTime == 0 || want.Path != path {
		t.Fatalf("%+v, %v", want, err)
	}
	got, err := pi.File{Path: link}.Info()
	if got.Path, want.Path = "", ""; err != nil || got != want {
		t.Errorf("through a link %+v, want %+v, %v", got, want, err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "gone")} {
		if info, err := (pi.File{Path: bad}).Info(); err == nil || info.Path != bad {
			t.Errorf("%s: %+v, %v", bad, info, err)
		}
	}
}

func TestARewrittenFileHasAnotherIdentityOrState(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), header)
	before := must.Get(pi.File{Path: path}.Info())(t)
	os.Rename(write(t, path+".new", header), path)
	after, err := pi.File{Path: path}.Info()
	if err != nil || before == after {
		t.Errorf("a replaced file looks the same: %+v, %v", after, err)
	}
}

func TestBeforeGivesTheLastBytesBeforeAPosition(t *testing.T) {
	long := strings.Repeat("x", 5000)
	f := pi.File{Path: write(t, filepath.Join(t.TempDir(), "a"), "0123456789"+long)}
	for offset, want := range map[int64]string{10: "0123456789", 4: "0123", 0: "", 5000: long[:4096], 5010: long[:4096]} {
		if b, err := f.Before(message.Position{Offset: offset}); err != nil || string(b) != want {
			t.Errorf("Before(%d) = %q, %v", offset, b, err)
		}
	}
	if b, err := f.Before(message.Position{Offset: 9200}); err == nil && !bytes.Equal(b, make([]byte, 4096)) {
		t.Errorf("behind the end: %q, %v", b, err)
	}
}

func TestReadHeader(t *testing.T) {
	dir := t.TempDir()
	pad := strings.Repeat(" ", 1<<20)
	for name, c := range map[string]struct{ text, id string }{
		"plain":           {header + "x", "s"},
		"no line end":     {strings.TrimSpace(header), "s"},
		"byte order mark": {"\ufeff" + header, "s"},
		"junk before":     {"junk\n\n" + header, "s"},
		"large":           {`{"type":"session","id":"s","cwd":"` + strings.Repeat("x", 900<<10) + `"}` + "\n", "s"},
		"too large":       {`{"type":"session","id":"s","cwd":"` + pad + `"}` + "\n", ""},
		"too far":         {pad + "\n" + header, ""},
		"not first":       {`{"type":"label","id":"x"}` + "\n" + header, "s"},
		"empty":           {"", ""},
		"binary":          {"\x00\xff\x1f\x8b" + strings.Repeat("\x00", 4096), ""},
		"other JSON":      {"[1,2]\n{\"a\":1}\n", ""},
		"torn":            {`{"type":"session","id":"s"`, ""},
	} {
		path := write(t, filepath.Join(dir, strings.ReplaceAll(name, " ", "-")), c.text)
		h, err := pi.Sessions{}.Head(path)
		if h.ID != c.id || (err == nil) != (c.id != "") {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error does not name the file: %v", name, err)
		}
	}
	for _, bad := range []string{dir, filepath.Join(dir, "gone")} {
		if _, err := (pi.Sessions{}).Head(bad); err == nil || !strings.HasPrefix(err.Error(), "open session") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A sparse file of a terabyte, as `truncate` makes one, is not read.
func TestReadHeaderOfAHugeFileReadsOnlyItsBeginning(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "huge"), "")
	must.Do(t, os.Truncate(path, 1<<40))
	if _, err := (pi.Sessions{}).Head(path); err == nil {
		t.Error("a file of zeros has a header")
	}
}

func TestAnOpenedSessionHasItsEntriesAndNamesBadLines(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), header+
		`{"type":"message","id":"aa01","parentId":null,"message":{"role":"user","content":"hi"}}`+"\n"+
		"garbage\n"+
		`{"type":"message","id":"aa02","parentId":"aa01","message":{"role":"toolResult","toolName":"read","isError":true,"content":"x"}}`+"\n"+
		`{"type":"message","id":"aa`)
	s := must.Get(pi.Open(path))(t)
	defer s.Close()
	if s.Header.CWD != "/w" || s.Leaf() != "aa02" || len(s.Nodes) != 3 || s.Nodes[2].Line != 4 {
		t.Errorf("header %+v, leaf %s, %d nodes", s.Header, s.Leaf(), len(s.Nodes))
	}
	var issues []string
	for _, i := range s.Problems() {
		issues = append(issues, fmt.Sprintf("%d %v %s", i.Line, i.Torn, strings.SplitN(i.String(), ":", 2)[0]))
	}
	must.Match(t, issues, []string{"3 false line 3", "5 true line 5"}, "issues")
	line, err := s.Line(s.Lookup("aa01"))
	if err != nil || !strings.Contains(string(line), `"content":"hi"`) {
		t.Errorf("line %s, %v", line, err)
	}
	x, err := history.Expand(context.Background(), history.InSession(s), "aa02", nil)
	if err != nil || string(x.Text()) != "x" || x.Tool != "read" || !x.IsError || x.Session != "s" {
		t.Errorf("expanded %+v, %v", x, err)
	}
	var ambiguous *history.AmbiguousError
	if _, err := history.Expand(context.Background(), history.InSession(s), "aa", nil); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 {
		t.Errorf("a shared prefix: %v", err)
	}
	if _, err := history.Expand(context.Background(), history.InSession(s), "s", nil); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("the header can be expanded: %v", err)
	}
}

// With more entries that share a prefix than a list of candidates holds, the one
// whose id it is must still be found.
func TestAnExactIDIsFoundAmongManyThatBeginWithIt(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	for i := range 80 {
		fmt.Fprintf(&b, `{"type":"label","id":"ab%d","label":"%d"}`+"\n", i, i)
	}
	b.WriteString(`{"type":"session_info","id":"ab","name":"it"}` + "\n")
	s := must.Get(pi.Open(write(t, filepath.Join(t.TempDir(), "a.jsonl"), b.String())))(t)
	defer s.Close()
	x, err := history.Expand(context.Background(), history.InSession(s), "ab", nil)
	if err != nil || x.EntryID != "ab" || string(x.Text()) != "it" {
		t.Fatalf("%+v, %v", x, err)
	}
}

func TestAFileWithoutEntriesIsNoSession(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "blank": "\n \n", "junk": "a\nb\n"} {
		if _, err := pi.Open(write(t, filepath.Join(dir, name), text)); !errors.Is(err, history.ErrNoSession) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pi.Open(dir); err == nil || errors.Is(err, history.ErrNoSession) {
		t.Errorf("a directory: %v", err)
	}
}

// records is a store that keeps what Ingest hands it.
type records map[string]history.Record

func (records) FileState(context.Context, string) (*history.FileState, error) { return nil, nil }
func (records) Encode(*history.Batch) error                                   { return nil }
func (r records) Append(_ context.Context, b *history.Batch) (int, error) {
	for _, rec := range b.Records {
		rec.Raw = bytes.Clone(rec.Raw)
		r[b.State.Header.ID+" "+rec.EntryID+" "+rec.ParentID] = rec
	}
	return len(b.Records), nil
}

// The ids that are made up for entries without ids must be the same whether a
// session is read from its file or from a store.
func TestMadeUpIDsAreTheSameInFileAndStore(t *testing.T) {
	body := `{"type":"message","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"hi"}}` + "\n"
	for name, text := range map[string]string{
		"version 1":      `{"type":"session","id":"s"}` + "\n" + body + body + body,
		"headerless":     body + "junk\n" + body + body,
		"broken header":  `{"type":"session","id":` + "\n" + body + body,
		"header without": `{"type":"session","version":3}` + "\n" + body + body,
	} {
		path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), text)
		s := must.Get(pi.Open(path))(t)
		defer s.Close()
		kept := records{}
		rep, err := history.Ingest(context.Background(), kept, pi.File{Path: path}, history.Options{})
		if err != nil || rep.Session != s.Header.ID || rep.Session == "" {
			t.Fatalf("%s: %+v, %v, want session %q", name, rep, err, s.Header.ID)
		}
		for i := range s.Nodes {
			n := &s.Nodes[i]
			if _, ok := kept[s.Header.ID+" "+n.ID+" "+n.ParentID]; !ok && n.Type != message.EntrySession {
				t.Errorf("%s: entry %s after %s is not in the store", name, n.ID, n.ParentID)
			}
		}
	}
}

func TestOpenLinesBeginAtThePosition(t *testing.T) {
	second := `{"type":"label","id":"b"}`
	f := pi.File{Path: write(t, filepath.Join(t.TempDir(), "a.jsonl"), header+second)}
	lines := must.Get(f.Open(message.Position{Offset: int64(len(header)), Lines: 1, Entries: 1}))(t)
	defer lines.Close()
	l, err := lines.Next()
	if err != nil || l.Entry.ID != "b" || l.Number != 2 || l.Ordinal != 1 || l.Offset != int64(len(header)) {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := lines.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// within fails when f does not return soon: what waits for another process waits
// for ever.
func within(t *testing.T, what string, f func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "not a file") {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("%s waits", what)
	}
}

// A file that is written over while it is open has other bytes where its entries were.
func TestAnEntryOfAFileThatWasWrittenOverIsNotWhatLiesThereNow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	entry := func(id string) string { return `{"type":"label","id":"` + id + `"}` }
	write(t, file, header+entry("a")+"\n"+entry("bbbb")+"\n"+entry("cccc")+"\n")
	s := must.Get(pi.Open(file))(t)
	defer s.Close()
	b := s.Tree.Lookup("bbbb")
	if raw, err := s.Line(b); err != nil || string(raw) != entry("bbbb") {
		t.Fatalf("%s, %v", raw, err)
	}
	write(t, file, header+entry("a longer one")+"\n"+entry("bbbb")+"\n"+entry("cccc")+"\n")
	if raw, err := s.Line(b); !errors.Is(err, history.ErrReplaced) {
		t.Errorf("%s, %v", raw, err)
	}
}
