package cli

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Reflow wraps help for a terminal narrower than the help was written for: paragraphs are
// filled, longer lines of lists and tables go on below. Examples stay as they are: lines that
// the terminal wraps can still be copied.
func Reflow(help string, width int) string {
	const hyphen, unbroken = "-", "\u2011" // a flag must not break after its dashes
	prose := regexp.MustCompile(`(?m)^(\S.*)\n(\S)`)
	for again := true; again; {
		joined := prose.ReplaceAllString(help, "$1 $2")
		again, help = joined != help, joined
	}
	var b strings.Builder
	for line := range strings.Lines(help) {
		if example := strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   "); !example {
			line = strings.ReplaceAll(ansi.Wordwrap(strings.ReplaceAll(line, hyphen, unbroken), width, ""), unbroken, hyphen)
		}
		b.WriteString(line)
	}
	return b.String()
}
