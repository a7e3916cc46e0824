package pi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
)

// seen is what a reader says of one line, with the position after it.
type seen struct {
	Raw             string
	ID              string
	Offset          int64
	Number, Ordinal int
	Torn, Bad       bool
	After           message.Position
}

func readAll(t testing.TB, src io.Reader, from message.Position) []seen {
	t.Helper()
	r := NewReader(src, from)
	var out []seen
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			if n := len(out); n > 0 {
				out[n-1].After = r.Position() // blank lines at the end
			}
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, seen{
			string(l.Raw), l.Entry.ID, l.Offset, l.Number, l.Ordinal,
			errors.Is(l.Err, message.ErrTorn), l.Err != nil, r.Position(),
		})
	}
}

func entry(id string) string { return `{"type":"label","id":"` + id + `"}` }

func TestLinesAreNumberedAndBadOnesReported(t *testing.T) {
	data := "\xef\xbb\xbf" + entry("a") + "\r\n\n  \n" + "garbage\n" + entry("b") + "\n[1]\n\t" + entry("c") + " \n\x00\x00\n" + `{"type":"la`
	type short struct {
		ID              string
		Number, Ordinal int
		Torn, Bad       bool
	}
	var got []short
	all := readAll(t, strings.NewReader(data), message.Position{})
	for _, l := range all {
		got = append(got, short{l.ID, l.Number, l.Ordinal, l.Torn, l.Bad})
		if data[l.Offset:int(l.Offset)+len(l.Raw)] != l.Raw {
			t.Errorf("line %d is not at %d", l.Number, l.Offset)
		}
	}
	want := []short{{"a", 1, 0, false, false}, {"", 4, 1, false, true}, {"b", 5, 1, false, false}, {"", 6, 2, false, true}, {"c", 7, 2, false, false}, {"", 8, 3, false, true}, {"", 9, 3, true, true}}
	must.Match(t, got, want, "got")
	last := all[len(all)-1]
	must.Equal(t, last.After, (message.Position{Offset: int64(len(data) - len(`{"type":"la`)), Lines: 8, Entries: 3}), "after a torn line the position")
}

// Holds prune 11.
func TestATornLineIsReadOnceItIsComplete(t *testing.T) {
	whole := entry("a") + "\n" + entry("b") + "\n" + entry("c") + "\n"
	want := readAll(t, strings.NewReader(whole), message.Position{})
	for cut := 1; cut < len(whole); cut++ {
		first := readAll(t, strings.NewReader(whole[:cut]), message.Position{})
		var got []seen
		pos := message.Position{}
		for _, l := range first {
			if pos = l.After; !l.Bad {
				got = append(got, l)
			}
			if l.Bad != l.Torn {
				t.Fatalf("cut at %d: line %d is bad and not torn", cut, l.Number)
			}
		}
		rest := readAll(t, strings.NewReader(whole[pos.Offset:]), pos)
		got = append(got, rest...)
		for i := range got {
			got[i].After = want[min(i, len(want)-1)].After
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("cut at %d (-want +got)\n%s", cut, diff)
		}
	}
}

// pi mends a last line without its end by writing the end before the next entry.
func TestALineEndThatComesLaterIsNotALine(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		before, after := entry("a"), end+entry("b")+end
		first := readAll(t, strings.NewReader(before), message.Position{})
		if len(first) != 1 || first[0].Bad || first[0].After.Offset != int64(len(before)) {
			t.Fatalf("a complete line without its end: %+v", first)
		}
		rest := readAll(t, strings.NewReader(after), first[0].After)
		whole := readAll(t, strings.NewReader(before+after), message.Position{})
		must.Match(t, rest, whole[1:], "read in two runs")
	}
}

func TestReadingCanBeResumedAfterEveryLine(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, corpus.Write(&b, corpus.Session{ID: "s", CWD: "/w", Messages: 60, Size: 3000, Seed: 1}))
	data := bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n"))
	data = append(data, "\n\ngarbage\n\n{\"type\":"...)
	all := readAll(t, bytes.NewReader(data), message.Position{})
	if len(all) != 63 {
		t.Fatalf("%d lines", len(all))
	}
	for i, l := range all {
		rest := readAll(t, iotest.HalfReader(bytes.NewReader(data[l.After.Offset:])), l.After)
		want := all[i+1:]
		if l.Torn {
			want = all[i:]
		}
		if len(rest)+len(want) > 0 && !cmp.Equal(want, rest) {
			t.Fatalf("resumed after line %d (-want +got)\n%s", l.Number, cmp.Diff(want, rest))
		}
	}
}

func TestALineOfTenMegabytesIsRead(t *testing.T) {
	long := strings.Repeat("wörd ", 2<<20)
	line := `{"type":"message","id":"big","message":{"role":"user","content":"` + long + `end"}}`
	all := readAll(t, strings.NewReader(entry("a")+"\n"+line+"\n"+entry("z")), message.Position{})
	if len(all) != 3 || all[1].ID != "big" || all[1].Raw != line || all[2].ID != "z" {
		t.Fatalf("%d lines", len(all))
	}
}

func TestALineWithoutEndDoesNotTakeAllMemory(t *testing.T) {
	const limit = 1 << 20
	for name, c := range map[string]struct {
		zeros int64
		tail  string
		want  []string
		err   error
		torn  bool
	}{
		"in the middle": {3 * limit, "\n" + entry("z") + "\n", []string{"a", "", "z"}, errLongLine, false},
		"at the end":    {3 * limit, "", []string{"a", ""}, errLongLine, true},
		"of a terabyte": {1 << 40, "", []string{"a", ""}, errEndlessLine, false},
	} {
		zeros := io.LimitReader(zeroes{}, c.zeros)
		r := NewReader(io.MultiReader(strings.NewReader(entry("a")+"\n"), zeros, strings.NewReader(c.tail)), message.Position{})
		r.limit = limit
		var got []string
		var long message.Line
		for {
			l, err := r.Next()
			if err != nil {
				break
			}
			if got = append(got, l.Entry.ID); l.Err != nil {
				long = l
			}
		}
		if !cmp.Equal(got, c.want) || !errors.Is(long.Err, c.err) || errors.Is(long.Err, message.ErrTorn) != c.torn || long.Number != 2 {
			t.Errorf("%s: lines %q; the long one is %d: %v", name, got, long.Number, long.Err)
		}
		if cap(r.long) > 2*limit {
			t.Errorf("%s: the buffer grew to %d bytes", name, cap(r.long))
		}
	}
}

type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestAFailingSourceIsAnError(t *testing.T) {
	r := NewReader(io.MultiReader(strings.NewReader(entry("a")+"\n{\"ty"), iotest.ErrReader(errors.New("disk on fire"))), message.Position{})
	if l, err := r.Next(); err != nil || l.Entry.ID != "a" {
		t.Fatalf("%+v, %v", l, err)
	}
	if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Fatalf("error %v", err)
	}
	must.Equal(t, r.Position().Lines, 1, "position %+v", r.Position())
}

// The heap does not grow with the file: 10 MB are read in a buffer of a few
// lines.
func TestReadingKeepsTheHeapFlat(t *testing.T) {
	data := corpusOf(t, 10<<20)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := NewReader(bytes.NewReader(data), message.Position{})
	var peak uint64
	for n := 0; ; n++ {
		if _, err := r.Next(); err != nil {
			break
		}
		if n%500 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
		}
	}
	if r.Position().Offset != int64(len(data)) {
		t.Fatalf("read %d of %d bytes", r.Position().Offset, len(data))
	}
	if peak > 2<<20 {
		t.Errorf("the heap grew by %d KB", peak>>10)
	}
}

// corpusOf makes a session file of about size bytes.
func corpusOf(tb testing.TB, size int) []byte {
	tb.Helper()
	var b bytes.Buffer
	must.Do(tb, corpus.Write(&b, corpus.Session{ID: "s", CWD: "/w", Messages: size / 2200, Size: 2000, Seed: 7}))
	return b.Bytes()
}

func BenchmarkReadSession(b *testing.B) {
	data := corpusOf(b, 10<<20)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := NewReader(bytes.NewReader(data), message.Position{})
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
}

// Whatever the bytes: every one of them is in exactly one line, or white space
// between lines, or the byte order mark; and reading goes on from any position as
// if it had not stopped.
func FuzzReader(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbf"+entry("a")+"\r\n\n \ngarbage\n"+entry("b")), uint8(1))
	f.Add([]byte(entry("a")+"\n"+`{"type":"message","id`), uint8(2))
	f.Add([]byte("\n\n\r\n \t\n"), uint8(0))
	f.Add([]byte(entry("a")+entry("b")+"\n\x00\x00\n{}\n{}"), uint8(3))
	f.Add(corpusOf(f, 8<<10), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, stop uint8) {
		all := readAll(t, bytes.NewReader(data), message.Position{})
		at := int64(0)
		for i, l := range all {
			if l.Offset < at || string(data[l.Offset:l.Offset+int64(len(l.Raw))]) != l.Raw {
				t.Fatalf("line %d is not at %d, after %d", i, l.Offset, at)
			}
			onlySpace(t, data, at, l.Offset)
			at = l.Offset + int64(len(l.Raw))
			if l.Torn && i != len(all)-1 {
				t.Fatalf("line %d is torn and not the last", i)
			}
		}
		onlySpace(t, data, at, int64(len(data)))
		if len(all) == 0 {
			return
		}
		i := int(stop) % len(all)
		pos := all[i].After
		if i < len(all)-1 && pos.Offset < all[i].Offset+int64(len(all[i].Raw)) {
			t.Fatalf("after line %d the position is %d", i, pos.Offset)
		}
		want := all[i+1:]
		if all[i].Torn {
			want = all[i:]
		}
		rest := readAll(t, bytes.NewReader(data[pos.Offset:]), pos)
		if fmt.Sprint(rest) != fmt.Sprint(append([]seen(nil), want...)) {
			t.Fatalf("resumed after line %d\n got %+v\nwant %+v", i, rest, want)
		}
	})
}

// onlySpace checks that nothing but white space is between two lines.
func onlySpace(t *testing.T, data []byte, from, to int64) {
	t.Helper()
	gap := data[from:to]
	if from == 0 {
		gap = bytes.TrimPrefix(gap, []byte("\xef\xbb\xbf"))
	}
	if rest := bytes.Trim(gap, " \t\r\n"); len(rest) > 0 {
		t.Fatalf("bytes %d to %d are in no line: %q", from, to, rest)
	}
}
