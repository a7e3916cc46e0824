package excerpt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Part is a part of a file as a tool has shown it.
type Part struct {
	// From is the number of its first line, Lines are its lines.
	From  int
	Lines []string
	// Ends is set when it reaches to the end of the file.
	Ends bool
}

const (
	// mostLines bounds the parts that are compared.
	mostLines = 5000
	// news is the share of a part that its changes may have: else they are not worth it.
	news = 0.6
)

// Changes are the lines of a part that an earlier one has not, and those that it had in their
// place, in the unified form without context. The text is empty when there are none. It
// reports false when they are too many.
func Changes(before, now Part) (Excerpt, bool) {
	size := 0
	for _, line := range now.Lines {
		size += len(line) + 1
	}
	limit := int(news * float64(size))
	if len(before.Lines) > mostLines || len(now.Lines) > mostLines || newBytes(before, now) > limit {
		return Excerpt{}, false
	}
	all := text.DiffLines(joined(before.Lines), joined(now.Lines))
	if before.From < now.From {
		n := max(0, slices.IndexFunc(all, func(l text.Change) bool { return l.Op != "-" }))
		all, before.From = all[n:], before.From+n
	}
	if !before.Ends || !now.Ends {
		for len(all) > 0 && all[len(all)-1].Op == "-" {
			all = all[:len(all)-1]
		}
	}
	e := Excerpt{Lines: len(now.Lines), Left: len(now.Lines)}
	var b strings.Builder
	for _, h := range text.Hunks(all, 0) {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", before.From+h.From-1, h.FromLines, now.From+h.To-1, h.ToLines)
		for _, l := range h.Lines {
			b.WriteString(l.Op + l.Text)
		}
		e.Left -= h.ToLines
	}
	e.Text = strings.TrimSuffix(b.String(), "\n")
	return e, len(e.Text) < limit
}

func joined(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// newBytes is the size of the lines that the earlier part does not have anywhere.
func newBytes(before, now Part) (n int) {
	has := make(map[string]bool, len(before.Lines))
	for _, line := range before.Lines {
		has[line] = true
	}
	for _, line := range now.Lines {
		if !has[line] {
			n += len(line) + 1
		}
	}
	return n
}
