package history_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/historytest"
	"github.com/coctostan/pictx/internal/must"
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
func ids(m *historytest.Memory) []string {
	var out []string
	for _, r := range m.Rows {
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

// A change that leaves the end of what was read as it was is seen when the file is another.
func TestAFileInThePlaceOfTheOneThatWasReadIsReadInFull(t *testing.T) {
	text := header + line("a", "one") + lines(0, 200)
	f := historytest.WriteFile(t, text)
	m := historytest.NewMemory(t)
	m.Ingest(t, f)
	next := historytest.WriteFile(t, strings.Replace(text, "one", "two", 1)+line("b", "3"))
	must.Do(t, os.Rename(next.Path, f.Path))
	if rep := m.Ingest(t, f); !rep.Replaced || rep.Entries != 203 {
		t.Errorf("%+v", rep)
	}
}

// Holds history 10.
func TestOnlyWhatWasAppendedIsRead(t *testing.T) {
	f := &watched{File: historytest.WriteFile(t, header+line("a", "1")+line("b", "2"))}
	m := historytest.NewMemory(t)
	wantReport(t, m.Ingest(t, f), history.Report{Session: "s", Entries: 3, Added: 3, Bytes: int64(len(header + line("a", "1") + line("b", "2")))})

	f.opens, f.tails = 0, 0
	wantReport(t, m.Ingest(t, f), history.Report{Session: "s", Unchanged: true})
	if f.opens+f.tails > 0 {
		t.Errorf("an unchanged file is read: %d times opened, %d tails", f.opens, f.tails)
	}

	historytest.AppendTo(t, f.File, line("c", "3"))
	wantReport(t, m.Ingest(t, f), history.Report{Session: "s", Entries: 1, Added: 1, Bytes: int64(len(line("c", "3")))})
	must.Match(t, ids(m), []string{"a", "b", "c"}, "what differs")
	if r := m.Batches[len(m.Batches)-1].Records[0]; r.Ordinal != 3 {
		t.Errorf("the appended entry has ordinal %d", r.Ordinal)
	}
}

func TestRawIsTheExactLine(t *testing.T) {
	odd := `{ "type":"message", "id":"o","n":1e400,"message":{"role":"user","content":"\ud83d \u0041"} }`
	m := historytest.NewMemory(t)
	m.Ingest(t, historytest.WriteFile(t, header+odd+"\r\n"+line("b", "2")))
	must.Equal(t, string(m.Batches[0].Records[1].Raw), odd, "stored")
	must.Equal(t, m.Batches[0].Records[2].Text, "2", "text")
}

// Holds history 10.
func TestAReplacedFileIsReadInFull(t *testing.T) {
	for name, text := range map[string]string{
		"longer":  strings.Replace(header, `"s"`, `"t"`, 1) + lines(100, 40),
		"shorter": header + line("z", "only"),
		"empty":   "",
	} {
		f := historytest.WriteFile(t, header+lines(0, 20))
		m := historytest.NewMemory(t)
		m.Ingest(t, f)
		historytest.Rewrite(t, f, text)
		rep := m.Ingest(t, f)
		if !rep.Replaced || rep.Entries != strings.Count(text, "\n") || rep.Bytes != int64(len(text)) {
			t.Errorf("%s: %+v", name, rep)
		}
		if m.Ingest(t, f); !m.Ingest(t, f).Unchanged {
			t.Errorf("%s: it is read again and again", name)
		}
	}
}

func TestInterruptedIngestContinuesWhereItStopped(t *testing.T) {
	const n = 9000
	text := header + lines(0, n)
	whole := historytest.NewMemory(t)
	f := historytest.WriteFile(t, text)
	whole.Ingest(t, f)
	if len(whole.Batches) < 4 {
		t.Fatalf("only %d batches", len(whole.Batches))
	}
	for k, b := range whole.Batches {
		if last := k == len(whole.Batches)-1; (b.State.Size == -1) == last {
			t.Errorf("batch %d of %d says the size %d", k+1, len(whole.Batches), b.State.Size)
		}
	}
	for _, k := range []int{1, len(whole.Batches) / 2, len(whole.Batches)} {
		m := historytest.NewMemory(t)
		m.FailAt = k
		_, err := history.Ingest(context.Background(), m, f, history.Options{})
		var store *history.StoreError
		if !errors.Is(err, historytest.ErrDisk) || !errors.As(err, &store) {
			t.Fatalf("batch %d fails: %v", k, err)
		}
		before := len(m.Rows)
		m.FailAt = 0
		rep := m.Ingest(t, f)
		if rep.Replaced || rep.Added != n+1-before || rep.Entries != rep.Added {
			t.Errorf("after %d rows: %+v", before, rep)
		}
		if diff := cmp.Diff(ids(whole), ids(m)); diff != "" {
			t.Fatalf("batch %d failed (-whole +interrupted)\n%s", k, diff)
		}
		if !m.Ingest(t, f).Unchanged {
			t.Error("a complete file is read again")
		}
	}
}

func TestCancellingKeepsWhatIsStored(t *testing.T) {
	f := &watched{File: historytest.WriteFile(t, header+lines(0, 9000))}
	m := historytest.NewMemory(t)
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
	m.Ingest(t, f)
	must.Equal(t, len(ids(m)), 9000, "entries")
}

func TestAFileThatGrowsWhileItIsReadLosesNothing(t *testing.T) {
	f := &watched{File: historytest.WriteFile(t, header+lines(0, 600))}
	f.onLine = func(n int) {
		if n == 300 {
			historytest.AppendTo(t, f.File, lines(600, 50)+`{"type":"message","id":"torn`)
		}
	}
	m := historytest.NewMemory(t)
	m.Ingest(t, f)
	f.onLine = nil
	historytest.AppendTo(t, f.File, `","message":{"role":"user","content":"late"}}`+"\n"+line("z", "1"))
	m.Ingest(t, f)
	var want []string
	for i := range 650 {
		want = append(want, fmt.Sprintf("e%d", i))
	}
	must.Match(t, ids(m), append(want, "torn", "z"), "what differs")
}

// An agent rewrites a session in place when its format changes.
func TestAFileThatIsRewrittenInPlaceWhileItIsReadIsReadAgain(t *testing.T) {
	old, rewritten := line("b", "as it was"), line("b", "as it is now")
	for name, c := range map[string]struct {
		stored, read string
		at           int // the line before which the file is rewritten
	}{
		"what was just read":     {header + line("a", "1"), old + line("c", "3"), 3},
		"what was read before":   {header + line("a", "1") + old, line("c", "3"), 1},
		"all that was ever read": {"", header + line("a", "1") + old + line("c", "3"), 5},
	} {
		t.Run(name, func(t *testing.T) {
			f := &watched{File: historytest.WriteFile(t, c.stored)}
			m := historytest.NewMemory(t)
			if c.stored != "" {
				m.Ingest(t, f)
			}
			historytest.AppendTo(t, f.File, c.read)
			f.onLine = func(n int) {
				if n != c.at {
					return
				}
				must.Do(t, os.WriteFile(f.Path, []byte(strings.Replace(c.stored+c.read, old, rewritten, 1)), 0o600))
			}
			m.Ingest(t, f)
			f.onLine = nil
			historytest.AppendTo(t, f.File, line("e", "5"))
			m.Ingest(t, f)
			found := false
			for _, b := range m.Batches {
				for _, r := range b.Records {
					found = found || strings.Contains(string(r.Raw), "as it is now")
				}
			}
			if !found {
				t.Error("what it has now is not stored")
			}
		})
	}
}

// Holds prune 11.
func TestATornLineIsStoredOnceItIsComplete(t *testing.T) {
	torn := line("b", "2")
	f := historytest.WriteFile(t, header+line("a", "1")+torn[:20])
	m := historytest.NewMemory(t)
	rep := m.Ingest(t, f)
	if len(rep.Problems) != 1 || !rep.Problems[0].Torn || rep.Problems[0].Line != 3 || rep.Added != 2 {
		t.Fatalf("%+v", rep)
	}
	historytest.AppendTo(t, f, torn[20:len(torn)-1]) // complete, its line end still to come
	wantReport(t, m.Ingest(t, f), history.Report{Session: "s", Entries: 1, Added: 1, Bytes: int64(len(torn) - 1)})
	historytest.AppendTo(t, f, "\n"+line("c", "3")+"bad\n")
	rep = m.Ingest(t, f)
	if rep.Entries != 1 || rep.Added != 1 || len(rep.Problems) != 1 || rep.Problems[0].Line != 5 {
		t.Errorf("%+v", rep)
	}
}

// Holds history 9.
func TestBadLinesAreReportedWithTheirNumbers(t *testing.T) {
	m := historytest.NewMemory(t)
	rep := m.Ingest(t, historytest.WriteFile(t, header+"\n"+"garbage\n"+line("a", "1")+"[1]\n"+line("b", "2")))
	var got []string
	for _, p := range rep.Problems {
		got = append(got, fmt.Sprintf("%d at %d %v", p.Line, p.Offset, p.Torn))
		if p.Cause == "" {
			t.Errorf("line %d: no cause", p.Line)
		}
	}
	want := []string{fmt.Sprintf("3 at %d false", len(header)+1), fmt.Sprintf("5 at %d false", len(header)+9+len(line("a", "1")))}
	must.Match(t, got, want, "got")
	must.Match(t, ids(m), []string{"a", "b"}, "what differs")
}

func TestADryRunStoresNothing(t *testing.T) {
	m := historytest.NewMemory(t)
	f := historytest.WriteFile(t, header+lines(0, 9000))
	var read int64
	rep, err := history.Ingest(context.Background(), m, f, history.Options{DryRun: true, Progress: func(n int64) { read += n }})
	if err != nil || rep.Added != 9001 || len(m.Batches) != 0 || rep.Bytes != read || read == 0 {
		t.Errorf("%+v, %v; %d batches, progress %d", rep, err, len(m.Batches), read)
	}
}

func TestAFileWithoutHeaderHasAStableSession(t *testing.T) {
	for _, text := range []string{line("a", "1"), "garbage\n" + line("a", "1"), line("a", "1") + header} {
		f := historytest.WriteFile(t, text)
		m := historytest.NewMemory(t)
		first := m.Ingest(t, f)
		historytest.AppendTo(t, f, line("b", "2"))
		second := m.Ingest(t, f)
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
		m := historytest.NewMemory(t)
		m.Ingest(t, historytest.WriteFile(t, header+c.raw))
		must.Equal(t, m.Batches[0].Records[1].Text, c.want, "%s", name)
	}
}

func TestMissingFileIsAFileError(t *testing.T) {
	_, err := history.Ingest(context.Background(), historytest.NewMemory(t), pi.File{Path: "/nowhere/s.jsonl"}, history.Options{})
	var store *history.StoreError
	if err == nil || errors.As(err, &store) {
		t.Errorf("error %v", err)
	}
}

// watched counts what is read of a file, and may change it while it is read.
type watched struct {
	pi.File
	opens, tails int
	onLine       func(n int)
}

func (w *watched) Before(at message.Position) ([]byte, error) {
	w.tails++
	return w.File.Before(at)
}

func (w *watched) Open(from message.Position) (history.Lines, error) {
	w.opens++
	l, err := w.File.Open(from)
	return &watchedLines{Lines: l, w: w}, err
}

type watchedLines struct {
	history.Lines
	w *watched
	n int
}

func (l *watchedLines) Next() (message.Line, error) {
	if l.n++; l.w.onLine != nil {
		l.w.onLine(l.n)
	}
	return l.Lines.Next()
}
