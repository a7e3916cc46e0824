package cli

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// WrapTree wraps the lines of a drawn tree at the width of the terminal. The parts of a long
// line stand to the right of its branch, and the strokes to the nodes below go on beside
// them. Widths that leave too little room wrap nothing.
func WrapTree(drawn string, width int) string {
	const (
		strokes   = "│├└─ "
		hang      = "    "
		narrowest = 20
	)
	lines := strings.Split(drawn, "\n")
	for i, line := range lines {
		said := strings.TrimLeft(line, strokes)
		branch := line[:len(line)-len(said)]
		beside := strings.NewReplacer("├", "│", "└", " ", "─", " ").Replace(branch) + hang
		room := width - ansi.StringWidth(beside)
		if room < narrowest || ansi.StringWidth(line) <= width {
			continue
		}
		first, rest := firstOf(said, width-ansi.StringWidth(branch))
		lines[i] = branch + first
		for rest != "" {
			first, rest = firstOf(rest, room)
			lines[i] += "\n" + beside + first
		}
	}
	return strings.Join(lines, "\n")
}

// firstOf cuts off the beginning of a line that fits a width: between words, or within one
// that is wider.
func firstOf(line string, width int) (first, rest string) {
	const hyphen, unbroken = "-", "\u2011" // an id must not break after its hyphen
	first, _, _ = strings.Cut(ansi.Wrap(strings.ReplaceAll(line, hyphen, unbroken), width, ""), "\n")
	first = strings.ReplaceAll(first, unbroken, hyphen)
	return first, strings.TrimLeft(line[min(len(line), len(first)):], " ")
}
