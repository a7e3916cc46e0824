package decision

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/text"
)

// Difference is the change of a decision between two states of a log, in its JSON form.
type Difference struct {
	V int `json:"v"`
	// Kind is added, edited, status, superseded, removed or gone. Gone means that the later
	// log does not have the decision at all.
	Kind   string    `json:"kind"`
	ID     string    `json:"id"`
	Before *Decision `json:"before"` // nil when it was added
	After  *Decision `json:"after"`  // nil when it is gone
	// Words is the word diff of the text, empty when that did not change.
	Words []text.Change `json:"words"`
	// Fields are the names of the other changed fields.
	Fields []string `json:"fields"`
}

// difference returns a Difference between two states of a decision, nil for none.
func difference(kind string, was, is *Decision) Difference {
	return Difference{V: 1, Kind: kind, ID: cmp.Or(is, was).ID, Before: was, After: is, Words: []text.Change{}, Fields: []string{}}
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
			out = append(out, difference("gone", d, nil))
		}
	}
	return out
}

// Touched returns the ids of the decisions about which the later log has events that the
// earlier one lacks.
func Touched(before, after *Log) map[string]bool {
	out := make(map[string]bool)
	for _, e := range after.Events {
		if _, known := before.keys[e.Key]; !known {
			out[e.ID] = true
		}
	}
	return out
}

// compareDecisions compares a decision with its earlier state (nil when there was none) and
// reports whether they differ.
func compareDecisions(was, is *Decision) (Difference, bool) {
	switch {
	case was == nil:
		return difference("added", nil, is), !is.Removed
	case was.Removed:
		return Difference{}, false
	case is.Removed:
		return difference("removed", was, is), true
	}
	fields, kind := differing(was, is), ""
	switch {
	case was.Status != is.Status && is.Status == Superseded:
		kind = "superseded"
	case was.Status != is.Status:
		kind = "status"
	case was.Text != is.Text || len(fields) > 0:
		kind = "edited"
	default:
		return Difference{}, false
	}
	c := difference(kind, was, is)
	c.Fields = append(c.Fields, fields...)
	if was.Text != is.Text {
		c.Words = WordDiff(was.Text, is.Text)
	}
	return c, true
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
func WordDiff(a, b string) []text.Change {
	plain := strings.NewReplacer("\n", "", lineBreak, "\n")
	out := text.Diff(onLines(a), onLines(b))
	for i := range out {
		out[i].Text = plain.Replace(out[i].Text)
	}
	return out
}

// lineBreak is a line break of a text that has a word per line. Texts have no such character.
const lineBreak = "\v"

// onLines puts every word of a text, and every other character, on a line of its own.
func onLines(s string) string {
	var b strings.Builder
	word := false
	for i, r := range strings.ReplaceAll(s, "\n", lineBreak) {
		is := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if i > 0 && (is != word || !is) {
			b.WriteByte('\n')
		}
		b.WriteRune(r)
		word = is
	}
	return b.String() + "\n"
}
