package record

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	take := func(id, name string) {
		n := numberOf(name)
		names[id], taken[n], last = name, true, max(last, n)
	}
	file := func(n int, d *decision.Decision) string { return fmt.Sprintf("%04d%s.md", n, slug(d.Heading())) }
	for id, name := range known {
		take(id, name)
	}
	for _, d := range list {
		if d.Record != nil && d.Record.Number > 0 && !taken[d.Record.Number] && names[d.ID] == "" {
			take(d.ID, file(d.Record.Number, d))
		}
	}
	for _, d := range list {
		if names[d.ID] == "" {
			take(d.ID, file(last+1, d))
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

// slug turns a title into a hyphenated suffix for a file name, cut at the end of a word.
func slug(title string) string {
	const limit = 48
	words := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(title), "-")
	s := "-" + strings.Trim(words, "-")
	if len(s) > limit {
		end, _, _ := strings.Cut(s[limit:], "-")
		s = s[:limit] + end
	}
	return strings.TrimRight(s, "-")
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
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// entry is a decision together with the decisions that it may link to.
type entry struct {
	*decision.Decision
	state *decision.State
	names map[string]string
}

// link returns a link to the record of another decision, with a label in the style of adr-tools
// or of MADR, or its id when that has no record.
func (e *entry) link(form string, o *decision.Decision) string {
	name := e.names[o.ID]
	label := fmt.Sprintf("ADR-%04d", numberOf(name))
	if form == FormADR {
		label = fmt.Sprintf("%d. %s", numberOf(name), text.Line(o.Heading()))
	}
	if name == "" {
		return o.ID
	}
	return "[" + label + "](" + name + ")"
}

// links returns links to the decisions that this one supersedes, and to those that supersede it.
func (e *entry) links(form string) (olds, nexts []string) {
	for _, o := range e.state.Decisions {
		if o.Removed || o == e.Decision {
			continue
		}
		if o.SupersededBy == e.ID || e.Supersedes == o.ID {
			olds = append(olds, e.link(form, o))
		}
		if e.SupersededBy == o.ID || o.Supersedes == e.ID && e.Status == decision.Superseded {
			nexts = append(nexts, e.link(form, o))
		}
	}
	return olds, nexts
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

// page writes the sections of a record, each a heading and its text. One without a heading is
// written as it is, and an empty one with a ? before its heading is left out.
func page(b *strings.Builder, sections ...[2]string) string {
	for _, s := range sections {
		heading, optional := strings.CutPrefix(s[0], "?")
		switch {
		case optional && s[1] == "":
		case heading == "":
			b.WriteString("\n" + s[1] + "\n")
		default:
			b.WriteString("\n" + heading + "\n\n" + s[1] + "\n")
		}
	}
	return b.String()
}

// more returns the section of what no field of a decision can hold of an imported record.
func (e *entry) more() [2]string {
	if e.Record == nil {
		return [2]string{"?", ""}
	}
	return [2]string{"?", e.Record.More}
}

// nygard writes a decision in Nygard's form, with links that adr-tools can read.
func nygard(e *entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %d. %s\n\nDate: %s\n", numberOf(e.names[e.ID]), text.Line(e.Heading()), day(e.Decision))
	for _, f := range e.header() {
		fmt.Fprintf(&b, "\n%s: %s\n", capital(f[0]), f[1])
	}
	status := capital(statusWords(e.Status))
	olds, nexts := e.links(FormADR)
	for _, o := range olds {
		status += "\n\nSupersedes " + o
	}
	for _, o := range nexts {
		status += "\n\nSuperseded by " + o
	}
	return page(
		&b, [2]string{"## Status", status}, [2]string{"?", escaped(e.StatusReason, 2)}, [2]string{"## Context", escaped(e.Reason, 2)},
		[2]string{"## Decision", escaped(e.Text, 3)}, [2]string{"## Consequences", escaped(e.Consequences, 3)}, e.more(),
	)
}

// madr writes a decision in MADR's form.
func madr(e *entry) string {
	olds, nexts := e.links(FormMADR)
	status := statusWords(e.Status)
	if len(nexts) > 0 {
		status += " by " + strings.Join(nexts, ", ")
	}
	front := [][2]string{{"status", status}, {"date", day(e.Decision)}, {"supersedes", strings.Join(olds, ", ")}}
	front = append(front, e.header()...)
	if e.Record == nil {
		front = append(front, [2]string{"decision-makers", e.By})
	}
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range front {
		if f[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", f[0], quoted(f[1]))
		}
	}
	fmt.Fprintf(&b, "---\n\n# %s\n", text.Line(e.Heading()))
	return page(
		&b, [2]string{"?## Status", escaped(e.StatusReason, 2)}, [2]string{"## Context and Problem Statement", escaped(e.Reason, 2)},
		[2]string{"## Decision Outcome", escaped(e.Text, 3)}, [2]string{"?### Consequences", escaped(e.Consequences, 3)}, e.more(),
	)
}

// day returns the day of a decision: that of the imported record, else of its addition.
func day(d *decision.Decision) string {
	added, _, _ := strings.Cut(d.Created, "T")
	return cmp.Or(d.Decided, added, "unknown")
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
	if regexp.MustCompile(`^[\w./()][\w ,./()-]*$`).MatchString(v) {
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
