package console

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Reflow wraps help for a terminal narrower than the help was written for. It refills
// paragraphs and the descriptions of terms. Examples stay as they are: lines that the
// terminal wraps can still be copied.
func Reflow(help string, width int) string {
	terms := regexp.MustCompile(described)
	var parts []paragraph
	for line := range strings.Lines(help) {
		p := readParagraph(terms, strings.TrimRight(line, "\n"))
		if n := len(parts) - 1; n >= 0 && parts[n].filled() && p.filled() && p.term == "" && p.indent == parts[n].hang {
			parts[n].text += " " + p.text
			continue
		}
		parts = append(parts, p)
	}
	var b strings.Builder
	for i := range parts {
		parts[i].write(&b, width)
	}
	return b.String()
}

// paragraph is a part of help that is filled as a unit.
type paragraph struct {
	term, text   string // term is "" for a plain paragraph
	indent, hang int    // the indents of the first line and of the others
}

// described matches a line that begins with a term, a list number or a mark: "  --all
// every session", "1. first", "- item", "# remark".
const described = `^( *)(\S+(?: \S+)*  +|\d\. |- |# )(\S.*)$`

// readParagraph parses a line. terms is the compiled pattern described.
func readParagraph(terms *regexp.Regexp, line string) paragraph {
	if m := terms.FindStringSubmatch(line); m != nil {
		return paragraph{term: m[2], text: m[3], indent: len(m[1]), hang: len(m[1]) + ansi.StringWidth(m[2])}
	}
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	return paragraph{text: text, indent: indent, hang: indent}
}

// filled reports whether p may be refilled. Examples, which are indented by two spaces, may
// not.
func (p *paragraph) filled() bool {
	const example = 2
	return p.text != "" && (p.term != "" || p.indent != example)
}

// write writes p in lines of a width. A description goes below its term if there is no room
// beside it.
func (p *paragraph) write(b *strings.Builder, width int) {
	const narrowest, below = 24, 8 // columns
	text, indent, hang := p.text, p.indent, p.hang
	switch {
	case !p.filled():
		b.WriteString(strings.Repeat(" ", indent) + text + "\n")
		return
	case width-hang >= narrowest:
		b.WriteString(strings.Repeat(" ", indent) + p.term)
	case p.term != "":
		hang = below
		b.WriteString(strings.Repeat(" ", indent) + strings.TrimRight(p.term, " ") + "\n" + strings.Repeat(" ", hang))
	default:
		hang = below
		b.WriteString(strings.Repeat(" ", hang))
	}
	margin := "\n" + strings.Repeat(" ", hang)
	if p.term == "# " {
		margin = "\n" + strings.Repeat(" ", indent) + p.term
	}
	const hyphen, unbroken = "-", "\u2011" // a flag must not break after its dashes
	text = ansi.Wordwrap(strings.ReplaceAll(text, hyphen, unbroken), max(width-hang, narrowest), "")
	b.WriteString(strings.ReplaceAll(strings.ReplaceAll(text, unbroken, hyphen), "\n", margin) + "\n")
}
