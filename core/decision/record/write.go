package record

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
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

// sealMark begins the last line of a record, which has the hash of everything before it.
// The hash reveals a record that was edited by hand.
const sealMark = "<!-- pictx "

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
		body := form(&entry{d, s, names})
		out[i] = File{names[d.ID], body + sealMark + seal(body) + " -->\n"}
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

// Sealed reports whether a record is unchanged since it was written.
func Sealed(text string) bool {
	i := strings.LastIndex(text, sealMark)
	return i >= 0 && strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[i+len(sealMark):]), "-->")) == seal(text[:i])
}

func seal(body string) string {
	const digits = 16
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])[:digits]
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

// moreHeading heads the section that no other program parses.
const moreHeading = "## More Information"

// sections writes the sections of the imported record that belong before the decision, or
// those that belong after it.
func (e *entry) sections(b *strings.Builder, before bool) {
	if e.Record == nil {
		return
	}
	for _, s := range e.Record.Sections {
		switch strings.ToLower(strings.TrimPrefix(s[0], "## ")) {
		case "", strings.ToLower(moreHeading[3:]):
		case "decision drivers", "considered options":
			if before {
				fmt.Fprintf(b, "\n%s\n\n%s\n", s[0], escaped(s[1], 2))
			}
		default:
			if !before {
				fmt.Fprintf(b, "\n%s\n\n%s\n", s[0], escaped(s[1], 2))
			}
		}
	}
}

// section returns the text of a section of the imported record, "" for none.
func (e *entry) section(heading string) string {
	if e.Record != nil {
		for _, s := range e.Record.Sections {
			if s[0] == heading {
				return s[1]
			}
		}
	}
	return ""
}

// more writes the section that no other program parses: the given lines, tags, paths and
// the review day.
func (e *entry) more(b *strings.Builder, lines []string) {
	for _, m := range [][2]string{{"Tags", strings.Join(e.Tags, ", ")}, {"Paths", strings.Join(e.Paths, ", ")}, {"Review", e.Review}} {
		if m[1] != "" {
			lines = append(lines, m[0]+": "+m[1])
		}
	}
	if free := e.section(moreHeading); free != "" {
		lines = append(lines, escaped(free, 2))
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s\n\n%s\n", moreHeading, strings.Join(lines, "\n\n"))
	}
	b.WriteByte('\n')
}

// facts returns the facts of the imported record.
func (e *entry) facts() [][2]string {
	if e.Record == nil {
		return nil
	}
	return e.Record.Facts
}

// nygard writes a decision in Nygard's form, with links that adr-tools can read.
func nygard(e *entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %d. %s\n\nDate: %s\n\nId: %s\n", numberOf(e.names[e.ID]), text.Line(e.Heading()), day(e.Decision), e.ID)
	for _, f := range e.facts() {
		fmt.Fprintf(&b, "\n%s: %s\n", f[0], f[1])
	}
	if intro := e.section(""); intro != "" {
		fmt.Fprintf(&b, "\n%s\n", escaped(intro, 2))
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
	e.sections(&b, true)
	fmt.Fprintf(&b, "\n## Decision\n\n%s\n\n## Consequences\n\n%s\n", escaped(e.Text, 3), escaped(e.Consequences, 3))
	e.sections(&b, false)
	e.more(&b, nil)
	return b.String()
}

// madr writes a decision in MADR's form.
func madr(e *entry) string {
	var b strings.Builder
	olds, nexts := e.others()
	status := statusWords(e.Status)
	if len(nexts) > 0 {
		status = quoted(status + " by " + linked(nexts, e.shortLink))
	}
	fmt.Fprintf(&b, "---\nstatus: %s\ndate: %s\nid: %s\n", status, day(e.Decision), e.ID)
	if e.By != "" && e.Record == nil {
		fmt.Fprintf(&b, "decision-makers: %s\n", quoted(e.By))
	}
	for _, f := range e.facts() {
		fmt.Fprintf(&b, "%s: %s\n", f[0], quoted(f[1]))
	}
	fmt.Fprintf(&b, "---\n\n# %s\n", text.Line(e.Heading()))
	if intro := e.section(""); intro != "" {
		fmt.Fprintf(&b, "\n%s\n", escaped(intro, 2))
	}
	if e.StatusReason != "" {
		fmt.Fprintf(&b, "\n## Status\n\n%s\n", escaped(e.StatusReason, 2))
	}
	fmt.Fprintf(&b, "\n## Context and Problem Statement\n\n%s\n", escaped(e.Reason, 2))
	e.sections(&b, true)
	fmt.Fprintf(&b, "\n## Decision Outcome\n\n%s\n", escaped(e.Text, 3))
	if e.Consequences != "" {
		fmt.Fprintf(&b, "\n### Consequences\n\n%s\n", escaped(e.Consequences, 3))
	}
	e.sections(&b, false)
	var lines []string
	if len(olds) > 0 {
		lines = append(lines, "Supersedes: "+linked(olds, e.shortLink))
	}
	e.more(&b, lines)
	return b.String()
}

// day returns the day of a decision: that of the imported record, else of its addition.
func day(d *decision.Decision) string {
	switch {
	case d.Decided != "":
		return d.Decided
	case d.Created.IsZero():
		return "unknown"
	}
	return d.Created.UTC().Format(time.DateOnly)
}

// Page writes decisions as one Markdown page.
func Page(list []*decision.Decision) string {
	var b strings.Builder
	b.WriteString("# Decisions\n")
	for _, s := range decision.Statuses() {
		head := false
		for _, d := range list {
			if d.Status != s {
				continue
			}
			if !head {
				fmt.Fprintf(&b, "\n## %s\n", capital(string(s)))
				head = true
			}
			fmt.Fprintf(&b, "\n### %s\n\n%s, %s", text.Line(d.Heading()), d.ID, day(d))
			for _, t := range d.Tags {
				fmt.Fprintf(&b, " #%s", t)
			}
			fmt.Fprintf(&b, "\n\n%s\n", escaped(d.Text, 3))
			if d.Reason != "" {
				fmt.Fprintf(&b, "\nReason: %s\n", escaped(d.Reason, 3))
			}
			if d.SupersededBy != "" {
				fmt.Fprintf(&b, "\nSuperseded by %s.\n", d.SupersededBy)
			}
		}
	}
	return b.String()
}

// CSV writes decisions as a table with a header.
func CSV(list []*decision.Decision) (string, error) {
	rows := [][]string{{"id", "status", "title", "text", "reason", "tags", "paths", "supersedes", "superseded_by", "created", "updated", "by"}}
	for _, d := range list {
		v := d.View()
		rows = append(rows, []string{
			v.ID, string(v.Status), cell(v.Title), cell(v.Text), cell(v.Reason), strings.Join(v.Tags, " "), strings.Join(v.Paths, " "),
			v.Supersedes, v.SupersededBy, v.Created, v.Updated, cell(v.By),
		})
	}
	var b strings.Builder
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.String(), err
}

// cell keeps a spreadsheet from interpreting a text as a formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t", rune(s[0])) {
		return "'" + s
	}
	return s
}

// escaped returns a text as paragraphs of a record. A backslash goes before each line that
// would read as a heading of at most the given level, as the seal, or as a code block
// without an end.
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
		} else if signs := len(t) - len(strings.TrimLeft(t, "#")); !strings.HasPrefix(t, sealMark) && !startsEscape(t) &&
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
	return len(t) > 1 && t[0] == '\\' && strings.IndexByte("\\#<`~", t[1]) >= 0
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
