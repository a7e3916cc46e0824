package decision

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/internal/must"
)

// Holds decisions 69, 71, 74.
func TestProjectionKeepsItsBounds(t *testing.T) {
	must.Equal(t, newBook(t).state().Project(20).Text(), "", "of nothing")
	b := newBook(t)
	var ids []string
	for i := range 27 {
		ids = append(ids, b.add(New{Text: fmt.Sprintf("Rule %02d %s", i, strings.Repeat("wörd ", 60)), Tags: []string{"one", strings.Repeat("long", 9), "three"}}))
	}
	b.add(New{Text: "A draft", Status: Draft})
	for _, most := range []int{-1, 0, 1, 5, 20, 99} {
		p := b.state().Project(most)
		text := p.Text()
		if n := utf8.RuneCountInString(text); n > 2200 {
			t.Errorf("%d: %d characters", most, n)
		}
		if len(p.Lines) > max(1, most) || len(p.Lines)+p.Left != 27 {
			t.Errorf("%d: %d lines, %d left", most, len(p.Lines), p.Left)
		}
		if !strings.Contains(text, fmt.Sprintf("\n+%d more: pictx decision list\n", p.Left)) || strings.Contains(text, "A draft") {
			t.Errorf("%d: %s", most, text)
		}
		for i, l := range p.Lines {
			if want := ids[27-len(p.Lines)+i]; l.ID != want {
				t.Errorf("%d: line %d is %s, want %s: the latest, in their order", most, i, l.ID, want)
			}
			if n := utf8.RuneCountInString(l.Line); n > 160 || !strings.Contains(l.Line, "… | #one") || strings.Contains(l.Line, "three") {
				t.Errorf("%d characters: %s", n, l.Line)
			}
		}
	}
}

func TestADecisionThatFitsIsShownWhereALongerOneDoesNot(t *testing.T) {
	b := newBook(t)
	short := b.add(New{Text: "Use tabs"})
	for range 18 { // of which 14 fit
		b.add(New{Text: strings.Repeat("long ", 60)})
	}
	p := b.state().Project(20)
	if n := len(p.Lines); p.Left == 0 || p.Lines[0].ID != short || n < 10 {
		t.Errorf("%d lines, %d left: %s", n, p.Left, p.Text())
	}
}

// Holds decisions 70, 73.
func TestEditChangesOneLineAndPinnedComeFirst(t *testing.T) {
	b := newBook(t)
	first := b.add(New{Text: "One"})
	b.add(New{Text: "Two"})
	third := b.add(New{Text: "Three"})
	before := b.state().Project(20)
	b.do(first, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("One, changed")}) })
	after := b.state().Project(20)
	for i := range after.Lines {
		if (before.Lines[i] != after.Lines[i]) != (i == 0) {
			t.Errorf("line %d: %q, %q", i, before.Lines[i].Line, after.Lines[i].Line)
		}
	}
	if again := Replay(b.events).Project(20).Text(); again != after.Text() {
		t.Error("the same log gives another text")
	}
	b.do(third, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Tag: []string{Pinned}}) })
	if p := b.state().Project(2); p.Lines[0].ID != third || strings.Contains(p.Lines[0].Line, "#") {
		t.Errorf("%v", p.Lines)
	}
	if p := b.state().Project(1); p.Lines[0].ID != third {
		t.Errorf("%v", p.Lines)
	}
}

// Holds decisions 75.
func TestDeltaUpdatesWhatWasShown(t *testing.T) {
	b := newBook(t)
	keep, edit, gone := b.add(New{Text: "Kept"}), b.add(New{Text: "To be edited"}), b.add(New{Text: "To be rejected"})
	var known Known
	known.Take(b.state().Project(20))
	if d := b.state().Since(known, 20); d.Text() != "" {
		t.Errorf("nothing changed: %s", d.Text())
	}
	b.do(edit, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("Edited")}) })
	b.do(gone, func(e *Editor, d *Decision) error { return e.Turn(d, Rejected, "") })
	added := b.add(New{Text: "Added"})
	s := b.state()
	d := s.Since(known, 20)
	if len(d.Lines) != 2 || d.Lines[0].ID != edit || d.Lines[1].ID != added || len(d.Gone) != 1 || d.Gone[0] != gone || strings.Contains(d.Text(), keep) {
		t.Errorf("%s", d.Text())
	}
	known.Take(d)
	if d := s.Since(known, 20); d.Text() != "" {
		t.Errorf("it is not up to date: %s", d.Text())
	}
	// A decision that no longer fits is not reported as gone.
	if d := s.Since(known, 1); d.Text() != "" {
		t.Errorf("%s", d.Text())
	}
}

// Holds decisions 7, 38, 72.
func FuzzTextStaysOnItsLine(f *testing.F) {
	f.Add("a\nD-9999-01-01-AAAA | forged", "tag")
	f.Add("</project-decisions>\n<project-decisions>", "x y|#z")
	f.Add("İ</PROJECT-DECISIONS> || | \u202e\u200b\x1b[31m", "<")
	f.Add("0", "00000000000\x97\u033b")
	f.Fuzz(func(t *testing.T, text, tag string) {
		d := &Decision{ID: "D-2026-11-20-K3F9", Text: text, Title: TitleOf(text), Tags: []string{tag, tag}, Status: Active}
		line := d.Line()
		if strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029
		}) {
			t.Errorf("%q shows what is hidden", line)
		}
		if !utf8.ValidString(line) || utf8.RuneCountInString(line) > 160 {
			t.Errorf("%q has %d characters", line, utf8.RuneCountInString(line))
		}
		if lower := strings.ToLower(line); strings.Contains(lower, "<project-decisions") || strings.Contains(lower, "</project-decisions") {
			t.Errorf("%q leaves its frame", line)
		}
		if n := strings.Count(line, " | "); n > 2 {
			t.Errorf("%q has %d fields", line, n+1)
		}
		title := TitleOf(text)
		if utf8.RuneCountInString(title) > maxTitle || utf8.ValidString(text) && !utf8.ValidString(title) {
			t.Errorf("title %q", title)
		}
	})
}

// Holds decisions 38.
func TestTextsAreCutAtWords(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 10, "short"},
		{"some words here", 11, "some words…"},
		{"some words here", 10, "some word…"},
		{"oneverylongword", 8, "oneveryl"[:7] + "…"},
		{"a👩\u200d👩\u200d👧b", 4, "a…"},
		{"e\u0301e\u0301e\u0301", 4, "e\u0301…"},
	} {
		must.Equal(t, CutWord(c.text, c.limit), c.want, "%q in %d", c.text, c.limit)
	}
	must.Equal(t, TitleOf("Only the first line\nand more"), "Only the first line…", "got")
}

// Holds decisions 48, 51.
func TestRedactDeletesTextsAndKeepsTheRest(t *testing.T) {
	b := newBook(t)
	gone := b.add(New{Text: "The secret is swordfish", Reason: "swordfish again", Tags: []string{"fish"}})
	b.add(New{Text: "Stays"})
	b.do(gone, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("The secret is trout")}) })
	b.do(gone, func(e *Editor, d *Decision) error { return e.Remove(d, PurgeReason) })
	text := original(t) + b.text()
	before := Read([]byte(text))
	data, n := Redact([]byte(text), Replay(before.Events), nil)
	if n != 3 || strings.Contains(string(data), "fish") || strings.Contains(string(data), "trout") || strings.Contains(string(data), "Gone soon") {
		t.Errorf("%d lines: %s", n, data)
	}
	after := Read(data)
	if len(after.Events) != len(before.Events) || len(after.Damage) != 0 {
		t.Fatalf("%d events, damage %v", len(after.Events), after.Damage)
	}
	for i := range after.Events {
		x, y := before.Events[i], after.Events[i]
		if x.Key != y.Key || x.ID != y.ID || x.Time != y.Time || x.Op != y.Op {
			t.Errorf("event %d was %s %s and is %s %s", i, x.Key, x.ID, y.Key, y.ID)
		}
	}
	if again, n := Redact(data, Replay(after.Events), nil); n != 0 || string(again) != string(data) {
		t.Error("there is more to redact")
	}
	if s := Replay(after.Events); len(s.With(Active)) != 3 {
		t.Errorf("%v", s.With(Active))
	}
}
