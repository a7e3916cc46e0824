package object

import (
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
		x, y := partOf(a, before).common(partOf(b, after), text.DiffLines(before, after))
		c.Before, c.After = &Lines{x.first, x.last()}, &Lines{y.first, y.last()}
		before, after = strings.Join(x.lines, ""), strings.Join(y.lines, "")
	}
	if c.Lines = []text.Change{}; before != after {
		c.Lines = text.DiffLines(before, after)
	}
	return c
}

// common returns the lines that two parts of a file have in common, of which all are the
// differences. What is above them may have grown: their numbers need not be the same.
func (n numbered) common(o numbered, all []text.Change) (a, b numbered) {
	from, to := max(n.first, o.first), min(n.last(), o.last())
	i, j, ok := shared(all)
	if from > to {
		return n.cut(0, 0), o.cut(0, 0)
	}
	if !ok {
		return n.cut(from-n.first, to-n.first+1), o.cut(from-o.first, to-o.first+1)
	}
	begin, end := min(i[0], j[0]), min(len(n.lines)-i[1], len(o.lines)-j[1])
	if n.first == 1 && o.first == 1 {
		begin = max(i[0], j[0])
	}
	return n.cut(i[0]-begin, i[1]+end), o.cut(j[0]-begin, j[1]+end)
}

// shared returns the indices of the first line that two texts share, and those behind the
// last one, in both. Blank lines are everywhere and do not count; ok is false without others.
func shared(all []text.Change) (i, j [2]int, ok bool) {
	before, after := 0, 0
	for _, c := range all {
		same := c.Op == "=" && strings.TrimSpace(c.Text) != ""
		if same && !ok {
			i[0], j[0], ok = before, after, true
		}
		if c.Op != "+" {
			before++
		}
		if c.Op != "-" {
			after++
		}
		if same {
			i[1], j[1] = before, after
		}
	}
	return i, j, ok
}

// numbered are lines of a file, and the number of the first.
type numbered struct {
	first int
	lines []string
}

// partOf returns the lines that a version has of a file.
func partOf(v *Version, content string) numbered {
	n := numbered{1, slices.Collect(strings.Lines(content))}
	if l := v.Part(); l != nil {
		n.first = l.First
	}
	return n
}

func (n numbered) last() int { return n.first + len(n.lines) - 1 }

// cut returns the lines with indices from i, which may be negative, to below j.
func (n numbered) cut(i, j int) numbered {
	i = max(0, i)
	return numbered{n.first + i, n.lines[i:j]}
}

// Differing names the fields, apart from the content, in which two versions differ.
func Differing(a, b *Document) []string {
	var out []string
	add := func(name string, differs bool) {
		if differs {
			out = append(out, name)
		}
	}
	add("deleted", a.Deleted != b.Deleted)
	if a.File != nil && b.File != nil {
		add("path", a.File.Path != b.File.Path)
		add("file_type", a.File.FileType != b.File.FileType)
		x, y := a.File.Lines, b.File.Lines
		add("lines", (x == nil) != (y == nil) || x != nil && *x != *y)
	}
	if x, y := a.Toolcall, b.Toolcall; x != nil && y != nil {
		add("status", x.Status != y.Status)
		add("file_refs", !slices.Equal(x.Files, y.Files))
	}
	if a.Chat != nil && b.Chat != nil {
		add("turns", a.Chat.Turns != b.Chat.Turns)
	}
	return out
}
