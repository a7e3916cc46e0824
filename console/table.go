package console

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// Table writes rows in aligned columns, those numbered in right at their right end.
// On a terminal of this width, in columns, a long first column is shortened, and
// lines are cut at its end; 0 cuts nothing. Cells may be styled.
func Table(rows [][]string, width int, right ...int) string {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	if len(widths) > 0 && width > 0 && !slices.Contains(right, 0) {
		const shortest, gap = 16, 2
		over := gap*(len(widths)-1) - width
		for _, w := range widths {
			over += w
		}
		widths[0] = min(widths[0], max(shortest, widths[0]-max(0, over)))
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, c := range row {
			if wide := ansi.StringWidth(c); i == 0 && wide > widths[0] && strings.Contains(c, "/") {
				c = ansi.TruncateLeft(c, wide-widths[0]+1, "…") // paths and models differ at their end
			}
			c = Cut(c, widths[i])
			pad := strings.Repeat(" ", widths[i]-ansi.StringWidth(c))
			if slices.Contains(right, i) {
				line.WriteString(pad + c + "  ")
			} else {
				line.WriteString(c + pad + "  ")
			}
		}
		b.WriteString(Cut(strings.TrimRight(line.String(), " "), width) + "\n")
	}
	return b.String()
}

// Hang breaks a text between words where a terminal of this width ends, in columns, with
// every line but the first indented; 0 breaks nothing.
func Hang(said string, indent, width int) string {
	const narrowest = 20
	if width < indent+narrowest {
		return said
	}
	return strings.ReplaceAll(ansi.Wordwrap(said, width-indent, ""), "\n", "\n"+strings.Repeat(" ", indent))
}

// Cut cuts a line to a width in columns, 0 for any, and marks that it did.
func Cut(line string, width int) string {
	if width <= 0 {
		return line
	}
	return ansi.Truncate(line, width, "…")
}

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
