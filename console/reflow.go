package console

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Reflow breaks help for a terminal that is narrower than it was written for. Paragraphs
// and descriptions beside a term are filled again. Examples stay as they are: a terminal
// breaks them without spoiling what is copied.
func Reflow(help string, width int) string {
	terms := regexp.MustCompile(described)
	var parts []paragraph
	for line := range strings.Lines(help) {
		p := readParagraph(terms, strings.TrimRight(line, "\n"))
		if n := len(parts) - 1; n >= 0 && parts[n].filled() && p.filled() && p.term == "" && p.indent == parts[n].hang {
			parts[n].said += " " + p.said
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

// paragraph is a part of help that is filled as one.
type paragraph struct {
	term, said   string // "" for a paragraph without a term
	indent, hang int    // of the first line, and of those that follow
}

// described matches a line that begins with a term, with the number of a list or with the
// mark of a remark.
const described = `^( *)(\S+(?: \S+)*  +|\d\. |- |# )(\S.*)$`

// readParagraph reads a line; terms matches those that are described.
func readParagraph(terms *regexp.Regexp, line string) paragraph {
	if m := terms.FindStringSubmatch(line); m != nil {
		return paragraph{term: m[2], said: m[3], indent: len(m[1]), hang: len(m[1]) + ansi.StringWidth(m[2])}
	}
	said := strings.TrimLeft(line, " ")
	indent := len(line) - len(said)
	return paragraph{said: said, indent: indent, hang: indent}
}

// filled reports whether lines of p may be broken elsewhere: examples stand two spaces in.
func (p *paragraph) filled() bool {
	const example = 2
	return p.said != "" && (p.term != "" || p.indent != example)
}

// write writes p into lines of a width. A description without room beside its term
// stands below it.
func (p *paragraph) write(b *strings.Builder, width int) {
	const narrowest, below = 24, 8 // columns
	said, indent, hang := p.said, p.indent, p.hang
	switch {
	case !p.filled():
		b.WriteString(strings.Repeat(" ", indent) + said + "\n")
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
	said = ansi.Wordwrap(strings.ReplaceAll(said, hyphen, unbroken), max(width-hang, narrowest), "")
	b.WriteString(strings.ReplaceAll(strings.ReplaceAll(said, unbroken, hyphen), "\n", margin) + "\n")
}
