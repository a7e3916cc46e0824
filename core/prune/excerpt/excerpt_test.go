package excerpt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune/excerpt"
)

func TestAnExcerptSaysWhichLinesAreLeftOut(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "ok the %dth of many lines that say nothing\n", i+1)
		if i == 200 {
			b.WriteString("main.go:3: error: it is broken\n")
		}
	}
	whole := strings.Split(strings.TrimSpace(b.String()), "\n")
	e, ok := excerpt.Of(b.String())
	if !ok || e.Lines != len(whole) || !strings.Contains(e.Text, "main.go:3: error: it is broken") {
		t.Fatalf("%v %+v", ok, e)
	}
	at, left := 1, 0
	for _, line := range strings.Split(e.Text, "\n") {
		var from, to int
		switch n, _ := fmt.Sscanf(line, "[lines %d-%d left out]", &from, &to); {
		case n == 2 && from == at:
			left, at = left+to-from+1, to+1
		case line == whole[at-1]:
			at++
		default:
			t.Fatalf("%q stands where line %d is %q", line, at, whole[at-1])
		}
	}
	if at != len(whole)+1 || left != e.Left {
		t.Errorf("the lines end at %d of %d, %d of %d left out", at, len(whole), left, e.Left)
	}
}

func TestAShortTextHasNoExcerpt(t *testing.T) {
	for _, text := range []string{"", "\n", strings.Repeat("a line\n", 100), strings.Repeat("one error: is broken\n", 40)} {
		if e, ok := excerpt.Of(text); ok {
			t.Errorf("%d bytes became %q", len(text), e.Text)
		}
	}
}

func TestChangesOfAFileThatWasShownBefore(t *testing.T) {
	numbered := func(from, to int) (out []string) {
		for i := from; i <= to; i++ {
			out = append(out, fmt.Sprintf("this is line %d of the file", i))
		}
		return out
	}
	changed := func(lines []string, i int, by ...string) []string {
		return append(append(append([]string(nil), lines[:i]...), by...), lines[i+1:]...)
	}
	whole := numbered(1, 40)
	for name, c := range map[string]struct {
		before, now excerpt.Part
		want        string
		tooMany     bool
	}{
		"the same":              {excerpt.Part{1, whole, true}, excerpt.Part{1, whole, true}, "", false},
		"a part of it":          {excerpt.Part{1, whole, true}, excerpt.Part{11, whole[10:20], false}, "", false},
		"one line":              {excerpt.Part{1, whole, true}, excerpt.Part{1, changed(whole, 9, "new", "newer"), true}, "@@ -10,1 +10,2 @@\n-this is line 10 of the file\n+new\n+newer", false},
		"in a part":             {excerpt.Part{1, whole, true}, excerpt.Part{11, changed(whole[10:20], 4, "new"), false}, "@@ -15,1 +15,1 @@\n-this is line 15 of the file\n+new", false},
		"lines that go":         {excerpt.Part{1, whole, true}, excerpt.Part{1, whole[3:], true}, "@@ -1,3 +1,0 @@\n-this is line 1 of the file\n-this is line 2 of the file\n-this is line 3 of the file", false},
		"lines behind it":       {excerpt.Part{1, whole[:30], false}, excerpt.Part{1, whole, true}, "@@ -31,0 +31,10 @@\n+" + strings.Join(whole[30:], "\n+"), false},
		"more than was shown":   {excerpt.Part{1, whole[:10], false}, excerpt.Part{1, whole, true}, "", true},
		"another file under it": {excerpt.Part{1, whole, true}, excerpt.Part{1, strings.Split(strings.Repeat("x\n", 40), "\n"), true}, "", true},
	} {
		e, ok := excerpt.Changes(c.before, c.now)
		if ok == c.tooMany || ok && e.Text != c.want {
			t.Errorf("%s: %v %q", name, ok, e.Text)
		}
	}
}

// What is kept stands in the text in this order, and nothing panics.
func FuzzOf(f *testing.F) {
	f.Add(strings.Repeat("src/a.go:3:1: undefined: x\n", 300))
	f.Add(strings.Repeat("diff --git a/x b/x\n@@ -1,2 +1,3 @@\n-a\n+b\n c\n", 200))
	f.Add(strings.Repeat("\x1b[31mnot ok\x1b[0m\r", 600))
	f.Add(strings.Repeat(`{"a":[1,2,"error"]},`, 400))
	f.Fuzz(func(t *testing.T, text string) {
		e, ok := excerpt.Of(text)
		if ok && (len(e.Text) >= len(text) || e.Left > e.Lines) {
			t.Errorf("%d of %d lines, %d of %d bytes", e.Left, e.Lines, len(e.Text), len(text))
		}
		lines := strings.Split(text, "\n")
		half := excerpt.Part{From: 1, Lines: lines[:len(lines)/2]}
		excerpt.Changes(half, excerpt.Part{From: 1, Lines: lines, Ends: true})
	})
}

func BenchmarkOf(b *testing.B) {
	for _, n := range []int{5_000, 50_000, 1_000_000} {
		text := strings.Repeat("2026-11-28 21:14:03 INFO  request 4711 of /items/37 answered with 200 in 34ms\n", n/78)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				excerpt.Of(text)
			}
		})
	}
}
