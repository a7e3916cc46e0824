package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// The forms of records, one Markdown file per decision.
const (
	FormADR  = "adr"  // Nygard's
	FormMADR = "madr" // MADR 4
)

// File is a decision written as a file.
type File struct {
	// Name is the file name. It stays the same when the decision changes.
	Name string
	Text string
}

// Files writes decisions as files of a form. s resolves references to other decisions.
// known maps ids to the names of existing files: those names stay, and new files get the
// next numbers, as with adr-tools.
func Files(s *decision.State, list []*decision.Decision, format string, known map[string]string) []File {
	names := named(s, list, known)
	out := make([]File, len(list))
	for i, d := range list {
		form := madr
		if format == FormADR {
			form = nygard
		}
		out[i] = File{names[d.ID], form(&entry{d, s, names})}
	}
	return out
}

// named returns the file names of decisions by id. An imported record keeps its number,
// unless that is taken.
func named(s *decision.State, list []*decision.Decision, known map[string]string) map[string]string {
	names, taken, last := make(map[string]string), make(map[int]bool), 0
	take := func(d *decision.Decision, n int, name string) {
		names[d.ID], taken[n], last = name, true, max(last, n)
	}
	for _, name := range known {
		taken[numberOf(name)], last = true, max(last, numberOf(name))
	}
	for _, d := range s.Decisions {
		if name, ok := known[d.ID]; ok {
			take(d, numberOf(name), name)
		}
	}
	file := func(n int, d *decision.Decision) string { return fmt.Sprintf("%04d%s.md", n, slug(d.Heading())) }
	for _, d := range list {
		if d.Record != nil && d.Record.Number > 0 && !taken[d.Record.Number] && names[d.ID] == "" {
			take(d, d.Record.Number, file(d.Record.Number, d))
		}
	}
	for _, d := range list {
		if names[d.ID] == "" {
			take(d, last+1, file(last+1, d))
		}
	}
	return names
}

// numberOf returns the number at the beginning of a record's name, 0 for none.
func numberOf(name string) int {
	digits := name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// slug turns a title into a hyphenated suffix for a file name.
func slug(title string) string {
	const limit = 48
	var b strings.Builder
	gap := true
	for _, r := range strings.ToLower(title) {
		switch {
		case r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if gap {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
		if b.Len() >= limit && gap {
			break
		}
	}
	return strings.TrimRight(b.String(), "-")
}

// statusWords returns the word for a status in records.
func statusWords(s decision.Status) string {
	switch s {
	case decision.Active:
		return "accepted"
	case decision.Draft:
		return "proposed"
	}
	return string(s)
}

// capital capitalizes a word.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// entry is a decision together with the decisions that it may link to.
type entry struct {
	*decision.Decision
	state *decision.State
	names map[string]string
}

// link returns a link to the record of another decision, or its id when that has no record.
func (e *entry) link(o *decision.Decision, label string) string {
	if e.names[o.ID] == "" {
		return o.ID
	}
	return "[" + label + "](" + e.names[o.ID] + ")"
}

// numberedLink returns a link in the style of adr-tools.
func (e *entry) numberedLink(o *decision.Decision) string {
	return e.link(o, fmt.Sprintf("%d. %s", numberOf(e.names[o.ID]), text.Line(o.Heading())))
}

// shortLink returns a link in the style of MADR.
func (e *entry) shortLink(o *decision.Decision) string {
	return e.link(o, fmt.Sprintf("ADR-%04d", numberOf(e.names[o.ID])))
}

// others returns the decisions that this one supersedes, and those that supersede it.
func (e *entry) others() (olds, nexts []*decision.Decision) {
	for _, o := range e.state.Decisions {
		if o.Removed || o == e.Decision {
			continue
		}
		if o.SupersededBy == e.ID || e.Supersedes == o.ID {
			olds = append(olds, o)
		}
		if e.SupersededBy == o.ID || o.Supersedes == e.ID && e.Status == decision.Superseded {
			nexts = append(nexts, o)
		}
	}
	return olds, nexts
}

// linked joins links to decisions.
func linked(list []*decision.Decision, link func(o *decision.Decision) string) string {
	all := make([]string, len(list))
	for i, o := range list {
		all[i] = link(o)
	}
	return strings.Join(all, ", ")
}

// moreHeading heads the text of a foreign record that stood before its first section.
const moreHeading = "## More Information"

// header returns the name-value pairs at the beginning of a record that both forms have: the
// id, tags, paths and review day of the decision, and those of the imported record.
func (e *entry) header() [][2]string {
	all := [][2]string{{"id", e.ID}, {"tags", strings.Join(e.Tags, ", ")}, {"paths", strings.Join(e.Paths, ", ")}, {"review", e.Review}}
	if e.Record != nil {
		all = append(all, e.Record.Facts...)
	}
	return slices.DeleteFunc(all, func(f [2]string) bool { return f[1] == "" })
}

// rest writes what no field of a decision can hold of the imported record.
func (e *entry) rest(b *strings.Builder) {
	if e.Record != nil && e.Record.More != "" {
		b.WriteString("\n" + e.Record.More + "\n")
	}
}

// nygard writes a decision in Nygard's form, with links that adr-tools can read.
func nygard(e *entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %d. %s\n\nDate: %s\n", numberOf(e.names[e.ID]), text.Line(e.Heading()), day(e.Decision))
	for _, f := range e.header() {
		fmt.Fprintf(&b, "\n%s: %s\n", capital(f[0]), f[1])
	}
	fmt.Fprintf(&b, "\n## Status\n\n%s\n", capital(statusWords(e.Status)))
	olds, nexts := e.others()
	for _, o := range olds {
		fmt.Fprintf(&b, "\nSupersedes %s\n", e.numberedLink(o))
	}
	for _, o := range nexts {
		fmt.Fprintf(&b, "\nSuperseded by %s\n", e.numberedLink(o))
	}
	if e.StatusReason != "" {
		fmt.Fprintf(&b, "\n%s\n", escaped(e.StatusReason, 2))
	}
	fmt.Fprintf(&b, "\n## Context\n\n%s\n", escaped(e.Reason, 2))
	fmt.Fprintf(&b, "\n## Decision\n\n%s\n\n## Consequences\n\n%s\n", escaped(e.Text, 3), escaped(e.Consequences, 3))
	e.rest(&b)
	return b.String()
}

// madr writes a decision in MADR's form.
func madr(e *entry) string {
	var b strings.Builder
	olds, nexts := e.others()
	status := statusWords(e.Status)
	if len(nexts) > 0 {
		status += " by " + linked(nexts, e.shortLink)
	}
	front := [][2]string{{"status", status}, {"date", day(e.Decision)}, {"supersedes", linked(olds, e.shortLink)}}
	front = append(front, e.header()...)
	if e.Record == nil {
		front = append(front, [2]string{"decision-makers", e.By})
	}
	b.WriteString("---\n")
	for _, f := range front {
		if f[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", f[0], quoted(f[1]))
		}
	}
	fmt.Fprintf(&b, "---\n\n# %s\n", text.Line(e.Heading()))
	if e.StatusReason != "" {
		fmt.Fprintf(&b, "\n## Status\n\n%s\n", escaped(e.StatusReason, 2))
	}
	fmt.Fprintf(&b, "\n## Context and Problem Statement\n\n%s\n", escaped(e.Reason, 2))
	fmt.Fprintf(&b, "\n## Decision Outcome\n\n%s\n", escaped(e.Text, 3))
	if e.Consequences != "" {
		fmt.Fprintf(&b, "\n### Consequences\n\n%s\n", escaped(e.Consequences, 3))
	}
	e.rest(&b)
	return b.String()
}

// day returns the day of a decision: that of the imported record, else of its addition.
func day(d *decision.Decision) string {
	switch {
	case d.Decided != "":
		return d.Decided
	case d.Created == "":
		return "unknown"
	}
	return d.Created[:len(time.DateOnly)]
}

// escaped returns a text as paragraphs of a record. A backslash goes before each line that
// would read as a heading of at most the given level, or as a code block without an end.
func escaped(s string, level int) string {
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); i++ {
		t := strings.TrimSpace(lines[i])
		if fence := text.CodeFence(t); fence != "" {
			end := slices.IndexFunc(lines[i+1:], func(l string) bool { return closes(strings.TrimSpace(l), fence) })
			if end >= 0 {
				i += end + 1
				continue
			}
		} else if signs := len(t) - len(strings.TrimLeft(t, "#")); !startsEscape(t) &&
			(signs == 0 || signs > level || !strings.HasPrefix(t[signs:], " ")) {
			continue
		}
		at := strings.Index(lines[i], t)
		lines[i] = lines[i][:at] + `\` + t
	}
	return strings.Join(lines, "\n")
}

// startsEscape reports whether a line begins with a backslash that reading would remove.
func startsEscape(t string) bool {
	return len(t) > 1 && t[0] == '\\' && strings.IndexByte("\\#`~", t[1]) >= 0
}

// unescaped removes the backslash that escapes the beginning of a line.
func unescaped(line string) string {
	t := strings.TrimSpace(line)
	if !startsEscape(t) {
		return line
	}
	at := strings.Index(line, t)
	return line[:at] + line[at+1:]
}

// quoted returns a value of front matter, quoted where YAML needs that.
func quoted(v string) string {
	plain := v != "" && strings.IndexFunc(v, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ,.-_/()", r))
	}) < 0
	if plain && v[0] != '-' && v[0] != ' ' && v[0] != ',' {
		return v
	}
	return strconv.Quote(v)
}

// unquoted removes the quotes of a front matter value.
func unquoted(v string) string {
	v = strings.TrimSpace(v)
	if plain, err := strconv.Unquote(v); err == nil && strings.HasPrefix(v, `"`) {
		return plain
	}
	if len(v) > 1 && (v[0] == '\'' || v[0] == '"') && v[len(v)-1] == v[0] {
		return v[1 : len(v)-1]
	}
	return v
}
