package object

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Comparison is how the contents of two versions differ in the lines that both have.
type Comparison struct {
	// Before and After are the lines compared of each, nil when that is all of the file.
	Before, After *Lines
	Lines         []text.Change
}

// Compare compares the contents of two versions. Of versions that have only some lines of a
// file it compares those that both have: what a version lacks was not deleted.
func Compare(a, b *Version, before, after string) (c Comparison) {
	if a.Part() != nil || b.Part() != nil {
		// A read of a part leaves out its last line break.
		before, after = strings.TrimSuffix(before, "\n")+"\n", strings.TrimSuffix(after, "\n")+"\n"
		x, y := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
		of, to := Lines{1, len(x)}, Lines{1, len(y)}
		for l, part := range map[*Lines]*Lines{&of: a.Part(), &to: b.Part()} {
			if part != nil {
				*l = Lines{part.First, part.First + l.Last - 1}
			}
		}
		i, j := common(of, to, text.DiffLines(before, after))
		c.Before, c.After = &Lines{of.First + i.First, of.First + i.Last - 1}, &Lines{to.First + j.First, to.First + j.Last - 1}
		before, after = strings.Join(x[i.First:i.Last], ""), strings.Join(y[j.First:j.Last], "")
	}
	if c.Lines = []text.Change{}; before != after {
		c.Lines = text.DiffLines(before, after)
	}
	return c
}

// common returns which lines two parts of a file have in common, by their half-open indices
// in both. all are the differences. What is above the parts may have grown: common lines need
// not have the same numbers.
func common(of, to Lines, all []text.Change) (i, j Lines) {
	from, end := max(of.First, to.First), min(of.Last, to.Last)
	if from > end {
		return Lines{}, Lines{}
	}
	i, j = Lines{-1, 0}, Lines{-1, 0}
	before, after := 0, 0
	for _, c := range all {
		same := c.Op == "=" && strings.TrimSpace(c.Text) != "" // blank lines are everywhere
		if same && i.First < 0 {
			i.First, j.First = before, after
		}
		if c.Op != "+" {
			before++
		}
		if c.Op != "-" {
			after++
		}
		if same {
			i.Last, j.Last = before, after
		}
	}
	if i.First < 0 { // nothing is the same: the numbers have to do
		return Lines{from - of.First, end - of.First + 1}, Lines{from - to.First, end - to.First + 1}
	}
	above, below := min(i.First, j.First), min(before-i.Last, after-j.Last)
	if of.First == 1 && to.First == 1 { // nothing is missing above
		return Lines{0, i.Last + below}, Lines{0, j.Last + below}
	}
	return Lines{i.First - above, i.Last + below}, Lines{j.First - above, j.Last + below}
}

// Differing names the fields, apart from the content, in which two versions differ.
func Differing(a, b *Document) []string {
	x, y := a.fields(), b.fields()
	return slices.DeleteFunc([]string{"deleted", "path", "file_type", "lines", "status", "file_refs", "turns"}, func(name string) bool {
		return string(x[name]) == string(y[name])
	})
}

// fields are the members of a document and of what it describes, as JSON.
func (d *Document) fields() map[string]json.RawMessage {
	out := make(map[string]json.RawMessage)
	for _, part := range []any{d, d.File, d.Toolcall, d.Chat} {
		if data, err := json.Marshal(part); err == nil && string(data) != "null" {
			_ = json.Unmarshal(data, &out)
		}
	}
	return out
}
