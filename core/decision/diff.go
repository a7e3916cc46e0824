package decision

import (
	"slices"
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Difference is the change of a decision between two states of a log.
type Difference struct {
	// Kind is added, edited, status, superseded, removed or gone. Gone means that the later
	// log does not have the decision at all.
	Kind   string
	ID     string
	Before *Decision // nil when it was added
	After  *Decision // nil when it is gone
	// Words is the word diff of the text, nil when that did not change.
	Words []Word
	// Fields are the names of the other changed fields.
	Fields []string
}

// Word is a run of a text that was kept, deleted or inserted.
type Word struct {
	Op   string `json:"op"` // =, - or +
	Text string `json:"text"`
}

// Diff lists the changes between two states in the order in which the decisions were added.
func Diff(before, after *State) []Difference {
	was := make(map[string]*Decision)
	for _, d := range before.Decisions {
		was[d.Key] = d
	}
	var out []Difference
	is := make(map[string]bool)
	for _, d := range after.Decisions {
		is[d.Key] = true
		if c, ok := compareDecisions(was[d.Key], d); ok {
			out = append(out, c)
		}
	}
	for _, d := range before.Decisions {
		if !is[d.Key] && !d.Removed {
			out = append(out, Difference{Kind: "gone", ID: d.ID, Before: d})
		}
	}
	return out
}

// Touched returns the ids of the decisions about which the later log has events that the
// earlier one lacks.
func Touched(before, after *Log) map[string]bool {
	known := make(map[string]bool, len(before.Events))
	for i := range before.Events {
		known[before.Events[i].Key] = true
	}
	out := make(map[string]bool)
	for _, d := range Replay(after.Events).Decisions {
		for _, e := range d.Events() {
			if e.Line > 0 && !known[e.Key] {
				out[d.ID] = true
			}
		}
	}
	return out
}

// compareDecisions compares a decision with its earlier state (nil when there was none) and
// reports whether they differ.
func compareDecisions(was, is *Decision) (Difference, bool) {
	c := Difference{ID: is.ID, Before: was, After: is}
	switch {
	case was == nil:
		c.Kind = "added"
		return c, !is.Removed
	case was.Removed:
		return c, false
	case is.Removed:
		c.Kind = "removed"
		return c, true
	}
	if was.Text != is.Text {
		c.Words = WordDiff(was.Text, is.Text)
	}
	c.Fields = differing(was, is)
	switch {
	case was.Status != is.Status && is.Status == Superseded:
		c.Kind = "superseded"
	case was.Status != is.Status:
		c.Kind = "status"
	case c.Words != nil || len(c.Fields) > 0:
		c.Kind = "edited"
	}
	return c, c.Kind != ""
}

// differing returns the names of the fields that differ, besides text and status.
func differing(a, b *Decision) []string {
	var out []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"reason", a.Reason == b.Reason},
		{"tags", slices.Equal(a.Tags, b.Tags)},
		{"paths", slices.Equal(a.Paths, b.Paths)},
		{"review", a.Review == b.Review},
		{"conflicts", slices.Equal(a.Conflicts, b.Conflicts)},
	} {
		if !f.same {
			out = append(out, f.name)
		}
	}
	return out
}

// WordDiff returns the word diff of two texts.
func WordDiff(a, b string) []Word {
	m := diffmatchpatch.New()
	m.DiffTimeout = 0 // texts are short, and the result must be deterministic
	words := map[string]rune{}
	var list []string
	encode := func(s string) []rune {
		var out []rune
		for _, w := range pieces(s) {
			r, ok := words[w]
			if !ok {
				r = rune(len(list) + 1)
				if r >= 0xd800 {
					r += 0x800 // skip the surrogates
				}
				words[w] = r
				list = append(list, w)
			}
			out = append(out, r)
		}
		return out
	}
	var out []Word
	for _, d := range m.DiffMainRunes(encode(a), encode(b), false) {
		op := map[diffmatchpatch.Operation]string{diffmatchpatch.DiffEqual: "=", diffmatchpatch.DiffDelete: "-", diffmatchpatch.DiffInsert: "+"}[d.Type]
		var text strings.Builder
		for _, r := range d.Text {
			if r >= 0xe000 {
				r -= 0x800
			}
			text.WriteString(list[r-1])
		}
		out = append(out, Word{op, text.String()})
	}
	return out
}

// pieces splits a text into words and the space between them.
func pieces(s string) []string {
	var out []string
	start, word := 0, false
	for i, r := range s {
		is := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if i > start && (is != word || !is) {
			out = append(out, s[start:i])
			start = i
		}
		word = is
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
