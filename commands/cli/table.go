package cli

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/coctostan/pictx/core/text"
)

// gap is the space between columns of a table.
const gap = 2

// aligned formats rows in aligned columns. right lists the right-aligned ones. width is that
// of the terminal in columns, 0 for any: a long first column is shortened for figures, and
// what does not fit is cut at the end of the line. Cells may contain SGR sequences.
func aligned(rows [][]string, width int, right ...int) string {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	if width > 0 && len(right) > 0 && !slices.Contains(right, 0) {
		const shortest = 16
		over := gap*(len(widths)-1) - width
		for i, w := range widths {
			if i > 0 && i == len(widths)-1 && !slices.Contains(right, i) {
				w = min(w, 10, width/3) // of text at the end, its beginning is enough
			}
			over += w
		}
		widths[0] = min(widths[0], max(shortest, widths[0]-max(0, over)))
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, c := range row {
			if i == 0 && strings.Contains(c, "/") {
				c = CutFront(c, widths[0])
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

// Hang wraps a text at the width of the terminal, with every line but the first indented.
// Widths that leave too little room wrap nothing.
func Hang(said string, indent, width int) string {
	const narrowest = 20
	if width < indent+narrowest {
		return said
	}
	return strings.ReplaceAll(ansi.Wordwrap(said, width-indent, ""), "\n", "\n"+strings.Repeat(" ", indent))
}

// HangLines is Hang for every line of a text.
func HangLines(said string, width int) string {
	lines := strings.Split(said, "\n")
	for i, line := range lines {
		lines[i] = Hang(line, 4, width)
	}
	return strings.Join(lines, "\n")
}

// CutFront shortens a line to width columns at its front. Paths and names of models differ
// at their end.
func CutFront(line string, width int) string {
	if over := ansi.StringWidth(line) - width; over > 0 {
		return ansi.TruncateLeft(line, over+1, "…")
	}
	return line
}

// Cut shortens a line to width columns and marks that with "…". A width of 0 means any.
func Cut(line string, width int) string {
	if width <= 0 {
		return line
	}
	return ansi.Truncate(line, width, "…")
}

// PrintDiff prints two texts line by line: what only the first has, only the second, or both.
func PrintDiff(w *Out, before, after string) {
	styles := map[string]string{"-": StyleRed, "+": StyleGreen}
	for _, l := range text.DiffLines(before, after) {
		mark := strings.Replace(l.Op, "=", " ", 1)
		w.Printf("%s\n", w.Style(styles[l.Op], mark+text.Printable(strings.TrimRight(l.Text, "\r\n"))))
	}
}
