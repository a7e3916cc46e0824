package object

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// DiffLines compares two texts line by line: each change is one line.
func DiffLines(before, after string) []text.Change {
	var out []text.Change
	for _, c := range text.Diff(before, after) {
		for line := range strings.Lines(c.Text) {
			out = append(out, text.Change{Op: c.Op, Text: line})
		}
	}
	return out
}

// Hunk is a group of changed lines with the lines around them.
type Hunk struct {
	// From and To are the numbers of its first line in the old and the new text, FromLines
	// and ToLines how many lines of each it has.
	From, FromLines, To, ToLines int
	Lines                        []text.Change
}

// Hunks groups the changes of a diff, with up to around unchanged lines before and after.
func Hunks(all []text.Change, around int) []Hunk {
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

func changed(l text.Change) bool { return l.Op != "=" }

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
