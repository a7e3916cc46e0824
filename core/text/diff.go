package text

import (
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Change is a part of a text that was kept, deleted or inserted.
type Change struct {
	Op   string `json:"op"` // =, - or +
	Text string `json:"text"`
}

// Diff compares two texts line by line. It is deterministic.
func Diff(before, after string) []Change {
	m := diffmatchpatch.New()
	m.DiffTimeout = 0
	a, b, lines := m.DiffLinesToRunes(before, after)
	var out []Change
	for _, d := range m.DiffCharsToLines(m.DiffMainRunes(a, b, false), lines) {
		op := map[diffmatchpatch.Operation]string{diffmatchpatch.DiffEqual: "=", diffmatchpatch.DiffDelete: "-", diffmatchpatch.DiffInsert: "+"}[d.Type]
		out = append(out, Change{op, d.Text})
	}
	return out
}

// DiffLines compares two texts line by line: each change is one line.
func DiffLines(before, after string) []Change {
	var out []Change
	for _, c := range Diff(before, after) {
		for line := range strings.Lines(c.Text) {
			out = append(out, Change{Op: c.Op, Text: line})
		}
	}
	return out
}

// Hunk is a group of changed lines with the lines around them.
type Hunk struct {
	// From and To are the numbers of its first line in the old and the new text, FromLines
	// and ToLines how many lines of each it has.
	From, FromLines, To, ToLines int
	Lines                        []Change
}

// Hunks groups the changes of a diff, with up to around unchanged lines before and after.
func Hunks(all []Change, around int) []Hunk {
	var out []Hunk
	from, to := 1, 1
	for i := 0; i < len(all); {
		if all[i].Op == "=" && !slices.ContainsFunc(all[i:min(i+around+1, len(all))], changed) {
			i, from, to = i+1, from+1, to+1
			continue
		}
		h := Hunk{From: from, To: to}
		for i < len(all) && (all[i].Op != "=" || slices.ContainsFunc(all[max(0, i-around):i], changed) || slices.ContainsFunc(all[i:min(i+around+1, len(all))], changed)) {
			if all[i].Op != "+" {
				from, h.FromLines = from+1, h.FromLines+1
			}
			if all[i].Op != "-" {
				to, h.ToLines = to+1, h.ToLines+1
			}
			h.Lines = append(h.Lines, all[i])
			i++
		}
		out = append(out, h)
	}
	return out
}

func changed(l Change) bool { return l.Op != "=" }
