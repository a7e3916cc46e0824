package history_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}` + "\n"

func line(id, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":%q}}`+"\n", id, text)
}

// lines makes n entries with ids from a number on.
func lines(from, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(fmt.Sprintf("e%d", from+i), strings.Repeat("x", i%50)))
	}
	return b.String()
}

// ids are the entries of a store in the order they were added, headers left out.
func (m *memory) ids() []string {
	var out []string
	for _, r := range m.rows {
		if r.EntryID != "s" {
			out = append(out, r.EntryID)
		}
	}
	return out
}

func wantReport(t *testing.T, got, want history.Report) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(history.Report{}, "Path"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("report (-want +got)\n%s", diff)
	}
}

// Holds history 10.
func TestOnlyWhatWasAppendedIsRead(t *testing.T) {
	f := &watched{File: writeFile(t, header+line("a", "1")+line("b", "2"))}
	m := newMemory()
	wantReport(t, m.ingest(t, f), history.Report{Session: "s", Entries: 3, Added: 3, Bytes: int64(len(header + line("a", "1") + line("b", "2")))})

	f.opens, f.tails = 0, 0
	wantReport(t, m.ingest(t, f), history.Report{Session: "s", Unchanged: true})
	if f.opens+f.tails > 0 {
		t.Errorf("an unchanged file is read: %d times opened, %d tails", f.opens, f.tails)
	}

	appendTo(t, f.File, line("c", "3"))
	wantReport(t, m.ingest(t, f), history.Report{Session: "s", Entries: 1, Added: 1, Bytes: int64(len(line("c", "3")))})
	if diff := cmp.Diff([]string{"a", "b", "c"}, m.ids()); diff != "" {
		t.Error(diff)
	}
	if r := m.batches[len(m.batches)-1].Records[0]; r.Ordinal != 3 {
		t.Errorf("the appended entry has ordinal %d", r.Ordinal)
	}
}

// Holds history 1.
func TestIngestingAgainAddsNothing(t *testing.T) {
	text := header + lines(0, 30)
	m := newMemory()
	m.ingest(t, writeFile(t, text))
	rows := fmt.Sprint(m.rows)
	rep := m.ingest(t, writeFile(t, text)) // the same session in another file
	if rep.Added != 0 || rep.Entries != 31 || fmt.Sprint(m.rows) != rows {
		t.Errorf("%+v", rep)
	}
}

func TestRawIsTheExactLine(t *testing.T) {
	odd := `{ "type":"message", "id":"o","n":1e400,"message":{"role":"user","content":"\ud83d \u0041"} }`
	m := newMemory()
	m.ingest(t, writeFile(t, header+odd+"\r\n"+line("b", "2")))
	if got := string(m.batches[0].Records[1].Raw); got != odd {
		t.Errorf("stored %q", got)
	}
	if got := m.batches[0].Records[2].Text; got != "2" {
		t.Errorf("text %q", got)
	}
}

// Holds history 10.
func TestAReplacedFileIsReadInFull(t *testing.T) {
	for name, text := range map[string]string{
		"longer":  strings.Replace(header, `"s"`, `"t"`, 1) + lines(100, 40),
		"shorter": header + line("z", "only"),
		"empty":   "",
	} {
		f := writeFile(t, header+lines(0, 20))
		m := newMemory()
		m.ingest(t, f)
		rewrite(t, f, text)
		rep := m.ingest(t, f)
		if !rep.Replaced || rep.Entries != strings.Count(text, "\n") || rep.Bytes != int64(len(text)) {
			t.Errorf("%s: %+v", name, rep)
		}
		if m.ingest(t, f); !m.ingest(t, f).Unchanged {
			t.Errorf("%s: it is read again and again", name)
		}
	}
}

func TestInterruptedIngestContinuesWhereItStopped(t *testing.T) {
	const n = 9000
	text := header + lines(0, n)
	whole := newMemory()
	f := writeFile(t, text)
	whole.ingest(t, f)
	if len(whole.batches) < 4 {
		t.Fatalf("only %d batches", len(whole.batches))
	}
	for k, b := range whole.batches {
		if last := k == len(whole.batches)-1; (b.State.Size == -1) == last {
			t.Errorf("batch %d of %d says the size %d", k+1, len(whole.batches), b.State.Size)
		}
	}
	for k := 1; k <= len(whole.batches); k++ {
		m := newMemory()
		m.failAt = k
		_, err := history.Ingest(context.Background(), m, f, history.Options{})
		var store *history.StoreError
		if !errors.Is(err, errDisk) || !errors.As(err, &store) {
			t.Fatalf("batch %d fails: %v", k, err)
		}
		before := len(m.rows)
		m.failAt = 0
		rep := m.ingest(t, f)
		if rep.Replaced || rep.Added != n+1-before || rep.Entries != rep.Added {
			t.Errorf("after %d rows: %+v", before, rep)
		}
		if diff := cmp.Diff(whole.ids(), m.ids()); diff != "" {
			t.Fatalf("batch %d failed (-whole +interrupted)\n%s", k, diff)
		}
		if !m.ingest(t, f).Unchanged {
			t.Error("a complete file is read again")
		}
	}
}

func TestCancellingKeepsWhatIsStored(t *testing.T) {
	f := &watched{File: writeFile(t, header+lines(0, 9000))}
	m := newMemory()
	ctx, cancel := context.WithCancel(context.Background())
	f.onLine = func(n int) {
		if n == 5000 {
			cancel()
		}
	}
	if _, err := history.Ingest(ctx, m, f, history.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	f.onLine = nil
	m.ingest(t, f)
	if len(m.ids()) != 9000 {
		t.Errorf("%d entries", len(m.ids()))
	}
}

func TestAFileThatGrowsWhileItIsReadLosesNothing(t *testing.T) {
	f := &watched{File: writeFile(t, header+lines(0, 600))}
	f.onLine = func(n int) {
		if n == 300 {
			appendTo(t, f.File, lines(600, 50)+`{"type":"message","id":"torn`)
		}
	}
	m := newMemory()
	m.ingest(t, f)
	f.onLine = nil
	appendTo(t, f.File, `","message":{"role":"user","content":"late"}}`+"\n"+line("z", "1"))
	m.ingest(t, f)
	var want []string
	for i := range 650 {
		want = append(want, fmt.Sprintf("e%d", i))
	}
	if diff := cmp.Diff(append(want, "torn", "z"), m.ids()); diff != "" {
		t.Error(diff)
	}
}

// Holds prune 11.
func TestATornLineIsStoredOnceItIsComplete(t *testing.T) {
	torn := line("b", "2")
	f := writeFile(t, header+line("a", "1")+torn[:20])
	m := newMemory()
	rep := m.ingest(t, f)
	if len(rep.Problems) != 1 || !rep.Problems[0].Torn || rep.Problems[0].Line != 3 || rep.Added != 2 {
		t.Fatalf("%+v", rep)
	}
	appendTo(t, f, torn[20:len(torn)-1]) // complete, its line end still to come
	wantReport(t, m.ingest(t, f), history.Report{Session: "s", Entries: 1, Added: 1, Bytes: int64(len(torn) - 1)})
	appendTo(t, f, "\n"+line("c", "3")+"bad\n")
	rep = m.ingest(t, f)
	if rep.Entries != 1 || rep.Added != 1 || len(rep.Problems) != 1 || rep.Problems[0].Line != 5 {
		t.Errorf("%+v", rep)
	}
}

// Holds history 9.
func TestBadLinesAreReportedWithTheirNumbers(t *testing.T) {
	m := newMemory()
	rep := m.ingest(t, writeFile(t, header+"\n"+"garbage\n"+line("a", "1")+"[1]\n"+line("b", "2")))
	var got []string
	for _, p := range rep.Problems {
		got = append(got, fmt.Sprintf("%d at %d %v", p.Line, p.Offset, p.Torn))
		if p.Cause == "" {
			t.Errorf("line %d: no cause", p.Line)
		}
	}
	want := []string{fmt.Sprintf("3 at %d false", len(header)+1), fmt.Sprintf("5 at %d false", len(header)+9+len(line("a", "1")))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, m.ids()); diff != "" {
		t.Error(diff)
	}
}

func TestADryRunStoresNothing(t *testing.T) {
	m := newMemory()
	f := writeFile(t, header+lines(0, 9000))
	var read int64
	rep, err := history.Ingest(context.Background(), m, f, history.Options{DryRun: true, Progress: func(n int64) { read += n }})
	if err != nil || rep.Added != 9001 || len(m.batches) != 0 || rep.Bytes != read || read == 0 {
		t.Errorf("%+v, %v; %d batches, progress %d", rep, err, len(m.batches), read)
	}
}

func TestVersion1FileKeepsItsEntriesWhenPiRewritesIt(t *testing.T) {
	const n = 9000
	old, renewed := &strings.Builder{}, &strings.Builder{}
	old.WriteString(`{"type":"session","id":"s","timestamp":"2026-03-02T09:00:00.000Z"}` + "\n")
	renewed.WriteString(`{"type":"session","id":"s","timestamp":"2026-03-02T09:00:00.000Z","version":3}` + "\n")
	for i := range n {
		rest := fmt.Sprintf(`"timestamp":"2026-03-02T09:00:00.%03dZ","message":{"role":"user","content":"%d"}}`+"\n", i%1000, i)
		old.WriteString(`{"type":"message",` + rest)
		fmt.Fprintf(renewed, `{"type":"message","id":"new%d",%s`, i, rest)
	}
	for failAt := range 4 { // 0: not at all
		m := newMemory()
		f := writeFile(t, old.String())
		if rep := m.ingest(t, f); rep.Added != n+1 || m.files[rep.Path].Header.Version != 1 {
			t.Fatalf("%+v", rep)
		}
		first := m.ids()
		if len(first[0]) != 8 || first[0] == first[1] {
			t.Fatalf("made up ids %q", first[:2])
		}
		rewrite(t, f, renewed.String())
		if failAt > 0 {
			m.failAt = len(m.batches) + failAt
			if _, err := history.Ingest(context.Background(), m, f, history.Options{}); !errors.Is(err, errDisk) {
				t.Fatal(err)
			}
			m.failAt = 0
		}
		rep := m.ingest(t, f)
		if got := m.ids(); len(got) != n || got[0] != "new0" || got[n-1] != fmt.Sprintf("new%d", n-1) {
			t.Errorf("failing at batch %d: %d entries, %s to %s", failAt, len(got), got[0], got[len(got)-1])
		}
		if rep.Added > 1 { // the header has an id of its own
			t.Errorf("failing at batch %d: %d added", failAt, rep.Added)
		}
		if last := m.batches[len(m.batches)-1]; !last.Adopt || last.State.Size <= 0 {
			t.Errorf("the last batch: adopt %v, size %d", last.Adopt, last.State.Size)
		}
	}
	m := newMemory()
	f := writeFile(t, header+line("a", "1"))
	m.ingest(t, f)
	rewrite(t, f, header+line("b", "1"))
	if m.ingest(t, f); m.batches[1].Adopt {
		t.Error("a file that had ids is taken for one that had none")
	}
}

func TestAFileWithoutHeaderHasAStableSession(t *testing.T) {
	for _, text := range []string{line("a", "1"), "garbage\n" + line("a", "1"), line("a", "1") + header} {
		f := writeFile(t, text)
		m := newMemory()
		first := m.ingest(t, f)
		appendTo(t, f, line("b", "2"))
		second := m.ingest(t, f)
		if !strings.HasPrefix(first.Session, "file-") || first.Session != second.Session || second.Added != 1 {
			t.Errorf("%.20q: %+v then %+v", text, first, second)
		}
	}
}

func TestSearchTextOfEachKindOfEntry(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"own tool":      {`{"type":"message","message":{"role":"toolResult","toolName":"lcm_grep","content":"found"}}`, ""},
		"other tool":    {`{"type":"message","message":{"role":"toolResult","toolName":"bash","content":"found"}}`, "[bash] found"},
		"system prompt": {`{"type":"message","message":{"role":"system","content":"be brief"}}`, ""},
		"thinking":      {`{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"}]}}`, "yes"},
	} {
		m := newMemory()
		m.ingest(t, writeFile(t, header+c.raw))
		if got := m.batches[0].Records[1].Text; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMissingFileIsAFileError(t *testing.T) {
	_, err := history.Ingest(context.Background(), newMemory(), pi.File{Path: "/nowhere/s.jsonl"}, history.Options{})
	var store *history.StoreError
	if err == nil || errors.As(err, &store) {
		t.Errorf("error %v", err)
	}
}
