package console

import (
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Diff calls line with each line of two texts, in order: marked - when only before has
// it, + when only after has it, and with a space when both do.
func Diff(before, after string, line func(mark, line string)) {
	d := diffmatchpatch.New()
	x, y, lines := d.DiffLinesToRunes(before, after)
	for _, part := range d.DiffCharsToLines(d.DiffMainRunes(x, y, false), lines) {
		mark := map[diffmatchpatch.Operation]string{diffmatchpatch.DiffDelete: "-", diffmatchpatch.DiffEqual: " ", diffmatchpatch.DiffInsert: "+"}[part.Type]
		for l := range strings.SplitAfterSeq(part.Text, "\n") {
			if l != "" {
				line(mark, strings.TrimRight(l, "\r\n"))
			}
		}
	}
}
