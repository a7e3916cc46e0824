package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/historytest"
	"github.com/coctostan/pictx/internal/must"
)

func TestLineRanges(t *testing.T) {
	for s, want := range map[string]history.LineRange{
		"10-20": {From: 10, To: 20}, "10-": {From: 10}, "-20": {From: 1, To: 20}, "10": {From: 10, To: 10}, "1-1": {From: 1, To: 1},
	} {
		if got, err := history.ParseLineRange(s); err != nil || got != want {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
	for _, bad := range []string{"", "-", "0", "0-3", "5-3", "a", "1-b", "--3", "3--1", "1-2-3", "1:2", "99999999999999999999", " 1"} {
		if got, err := history.ParseLineRange(bad); err == nil || !strings.Contains(err.Error(), "FROM-TO") {
			t.Errorf("%q: %+v, %v", bad, got, err)
		}
	}
}

// Holds prune 43, 44.
func TestASliceHoldsTheLinesBytesOrMatchesAskedFor(t *testing.T) {
	lines := func(s string) *history.LineRange {
		r := must.Get(history.ParseLineRange(s))(t)
		return &r
	}
	grep := regexp.MustCompile
	const text = "one\r\ntwo\n\nfour\nfive é"
	for _, c := range []struct {
		name  string
		slice history.Slice
		want  string
	}{
		{"all", history.Slice{}, text},
		{"a line with CRLF", history.Slice{Lines: lines("1")}, "one\r\n"},
		{"a range", history.Slice{Lines: lines("2-3")}, "two\n\n"},
		{"the end without a line end", history.Slice{Lines: lines("4-")}, "four\nfive é"},
		{"behind the end", history.Slice{Lines: lines("6-9")}, ""},
		{"matching lines", history.Slice{Grep: grep("^(one|five.*)$")}, "one\r\nfive é"},
		{"an empty line", history.Slice{Grep: grep("^$")}, "\n"},
		{"matches in a range", history.Slice{Lines: lines("2-4"), Grep: grep("o")}, "two\nfour\n"},
		{"the first matches", history.Slice{Grep: grep("o"), Head: 2}, "one\r\ntwo\n"},
		{"the first lines", history.Slice{Head: 2}, "one\r\ntwo\n"},
		{"more lines than there are", history.Slice{Head: 99}, text},
		{"bytes", history.Slice{MaxBytes: 4}, "one\r"},
		{"not half a character", history.Slice{MaxBytes: len(text) - 1}, "one\r\ntwo\n\nfour\nfive "},
		{"just all bytes", history.Slice{MaxBytes: len(text)}, text},
		{"bytes of some lines", history.Slice{Lines: lines("4"), MaxBytes: 2}, "fo"},
	} {
		got, left := c.slice.Of([]byte(text))
		if string(got) != c.want || left != len(text)-len(c.want) {
			t.Errorf("%s: %q and %d left, want %q", c.name, got, left, c.want)
		}
	}
	binary := bytes.Repeat([]byte{0x80}, 100)
	if got, _ := (history.Slice{MaxBytes: 50}).Of(binary); len(got) < 46 {
		t.Errorf("of bytes that are no text %d are shown", len(got))
	}
}

func FuzzSlice(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), uint8(2), uint8(3), "b")
	f.Add([]byte("äöü\n€"), uint8(1), uint8(4), ".")
	f.Add([]byte{0x80, 0x80, '\n'}, uint8(1), uint8(1), "")
	f.Fuzz(func(t *testing.T, text []byte, step, limit uint8, pattern string) {
		n := int(step)%5 + 1
		var all []byte
		for from := 1; ; from += n {
			part, left := history.Slice{Lines: &history.LineRange{From: from, To: from + n - 1}}.Of(text)
			if left != len(text)-len(part) {
				t.Fatalf("%d bytes shown of %d, %d left", len(part), len(text), left)
			}
			if all = append(all, part...); len(part) == 0 {
				break
			}
		}
		if !bytes.Equal(all, text) {
			t.Fatalf("pages of %d lines make %q of %q", n, all, text)
		}
		cut, _ := history.Slice{MaxBytes: int(limit)}.Of(text)
		if !bytes.HasPrefix(text, cut) || limit > 0 && len(cut) > int(limit) || utf8.Valid(text) && !utf8.Valid(cut) {
			t.Fatalf("%q cut to %d bytes is %q", text, limit, cut)
		}
		if re, err := history.CompileRegex(pattern, false); err == nil {
			history.Slice{Grep: re, Head: int(limit)}.Of(text)
		}
	})
}

func FuzzLineRange(f *testing.F) {
	for _, s := range []string{"1-2", "-", "5", "7-", "-3", "0-0", "a-b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := history.ParseLineRange(s)
		if err != nil {
			return
		}
		if r.From < 1 || r.To != 0 && r.To < r.From {
			t.Fatalf("%q is %+v", s, r)
		}
		canonical := fmt.Sprintf("%d-%d", r.From, r.To)
		if r.To == 0 {
			canonical = fmt.Sprintf("%d-", r.From)
		}
		if again, err := history.ParseLineRange(canonical); err != nil || again != r {
			t.Fatalf("%q is %+v, %q is %+v, %v", s, r, canonical, again, err)
		}
	})
}

// expandStore holds two sessions that share an entry, and others with like ids.
func expandStore(t *testing.T) *historytest.Memory {
	m := historytest.NewMemory(t)
	entry := func(id, text string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"message":{"role":"toolResult","toolName":"read","content":%q}}`+"\n", id, text)
	}
	m.Ingest(t, historytest.WriteFile(t, `{"type":"session","version":3,"id":"one"}`+"\n"+entry("ab", "exact")+entry("ab12", "longer")+entry("cd34", "shared")+entry("ef56", "mine")))
	m.Ingest(t, historytest.WriteFile(t, `{"type":"session","version":3,"id":"two"}`+"\n"+entry("cd34", "shared")+entry("ef56", "yours")))
	m.Ingest(t, historytest.WriteFile(t, `{"type":"session","version":3,"id":"fork"}`+"\n"+entry("ef56", "yours")))
	return m
}

func TestExpand(t *testing.T) {
	m := expandStore(t)
	for id, want := range map[string]string{"ab": "exact", "ab1": "longer", "cd34": "shared", "cd": "shared"} {
		x, err := history.Expand(context.Background(), m, id, nil)
		if err != nil || string(x.Text()) != want || x.Tool != "read" || !bytes.Contains(x.Raw, []byte(want)) {
			t.Errorf("%s: %+v, %v", id, x, err)
		}
	}
	for _, id := range []string{"", "zz", "ab123", "one"} {
		if x, err := history.Expand(context.Background(), m, id, nil); !errors.Is(err, history.ErrNotFound) {
			t.Errorf("%q: %+v, %v", id, x, err)
		}
	}
	if x, err := history.Expand(context.Background(), m, "ef56", []string{"two"}); err != nil || string(x.Text()) != "yours" {
		t.Errorf("in one session: %+v, %v", x, err)
	}
}

func TestAnAmbiguousIDListsItsCandidates(t *testing.T) {
	m := expandStore(t)
	for id, want := range map[string][]string{"ef56": {"ef56 one", "ef56 two"}, "a": {"ab one", "ab12 one"}} {
		_, err := history.Expand(context.Background(), m, id, nil)
		var ambiguous *history.AmbiguousError
		if !errors.As(err, &ambiguous) {
			t.Fatalf("%s: %v", id, err)
		}
		var got []string
		for _, c := range ambiguous.Candidates {
			got = append(got, c.EntryID+" "+c.Session)
			if !strings.Contains(err.Error(), c.EntryID+" (session "+c.Session+")") {
				t.Errorf("%s: %v", id, err)
			}
		}
		must.Match(t, got, want, "%s", id)
	}
	rows := make([]history.Row, 60)
	if n := len((&history.AmbiguousError{Prefix: "a", Candidates: rows}).Error()); n > 400 {
		t.Errorf("an error of %d bytes", n)
	}
}
