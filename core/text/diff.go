package text

import "github.com/sergi/go-diff/diffmatchpatch"

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
