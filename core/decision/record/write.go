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

// The forms of records, a Markdown file each.
const (
	FormADR  = "adr"  // as Nygard's
	FormMADR = "madr" // as MADR 4
)

// File is a decision as a file.
type File struct {
	// Name is the name of the file, which stays the same when the decision changes.
	Name string
	Text string
}

// sealMark begins the last line of a record, which has the hash of everything before
// it: a record that was changed by hand is known by that.
const sealMark = "<!-- pictx "

// Files returns decisions as files of a form. s has the decisions that they refer to, known
// the names of the files that there are, by the ids in them: those names stay, and new files
// are numbered after them, as adr-tools does.
func Files(s *decision.State, list []*decision.Decision, form string, known map[string]string) []File {
	names := make(map[string]string)
	next := 1
	for _, name := range known {
		next = max(next, numberOf(name)+1)
	}
	for _, d := range s.Decisions {
		name, ok := known[d.ID]
		if !ok && !slices.Contains(list, d) {
			continue
		}
		if !ok {
			name = fmt.Sprintf("%04d%s.md", next, slug(d.Heading()))
			next++
		}
		names[d.ID] = name
	}
	out := make([]File, len(list))
	for i, d := range list {
		text := madr
		if form == FormADR {
			text = nygard
		}
		body := text(d, names)
		out[i] = File{names[d.ID], body + sealMark + seal(body) + " -->\n"}
	}
	return out
}

// numberOf is the number that the name of a record begins with, 0 for none.
func numberOf(name string) int {
	digits := name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// Sealed reports whether a record is as it was written.
func Sealed(text string) bool {
	i := strings.LastIndex(text, sealMark)
	return i >= 0 && strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[i+len(sealMark):]), "-->")) == seal(text[:i])
}

func seal(body string) string {
	const digits = 16
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])[:digits]
}

// slug makes a title fit for the name of a file, with a hyphen before each word.
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

// statusWords is a status in the words of records.
func statusWords(s decision.Status) string {
	switch s {
	case decision.Active:
		return "accepted"
	case decision.Draft:
		return "proposed"
	}
	return string(s)
}

// capital is a word with a capital.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// link is a link to the record of another decision.
func link(id string, names map[string]string) string {
	if names[id] == "" {
		return id + " (purged)"
	}
	return "[" + id + "](" + names[id] + ")"
}

// mdText is a text as paragraphs: a line that would be a heading is escaped.
func mdText(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "#") || strings.HasPrefix(strings.TrimSpace(l), sealMark) {
			lines[i] = `\` + strings.TrimSpace(l)
		}
	}
	return strings.Join(lines, "\n")
}

// links are the lines that name the records that one supersedes and is superseded by.
func links(d *decision.Decision, names map[string]string) []string {
	var out []string
	if d.Supersedes != "" {
		out = append(out, "Supersedes: "+link(d.Supersedes, names))
	}
	if d.SupersededBy != "" {
		out = append(out, "Superseded by: "+link(d.SupersededBy, names))
	}
	return out
}

// meta are the lines of a record that no other program reads.
func meta(d *decision.Decision) []string {
	var out []string
	for _, m := range [][2]string{{"Tags", strings.Join(d.Tags, ", ")}, {"Paths", strings.Join(d.Paths, ", ")}, {"Review", d.Review}} {
		if m[1] != "" {
			out = append(out, m[0]+": "+m[1])
		}
	}
	return out
}

// nygard is a decision as Nygard's records are.
func nygard(d *decision.Decision, names map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %d. %s\n\nDate: %s\n\nId: %s\n\n## Status\n\n%s\n", numberOf(names[d.ID]), text.Line(d.Heading()), day(d), d.ID, capital(statusWords(d.Status)))
	for _, l := range links(d, names) {
		fmt.Fprintf(&b, "\n%s\n", l)
	}
	if d.StatusReason != "" {
		fmt.Fprintf(&b, "\n%s\n", mdText(d.StatusReason))
	}
	fmt.Fprintf(&b, "\n## Context\n\n%s\n\n## Decision\n\n%s\n\n## Consequences\n\n%s\n", mdText(d.Reason), mdText(d.Text), mdText(d.Consequences))
	if lines := meta(d); len(lines) > 0 {
		fmt.Fprintf(&b, "\n## More Information\n\n%s\n", strings.Join(lines, "\n\n"))
	}
	return b.String() + "\n"
}

// madr is a decision as MADR has it.
func madr(d *decision.Decision, names map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nstatus: %s\ndate: %s\nid: %s\n", statusWords(d.Status), day(d), d.ID)
	if d.By != "" {
		fmt.Fprintf(&b, "decision-makers: %q\n", d.By)
	}
	fmt.Fprintf(&b, "---\n\n# %s\n\n## Context and Problem Statement\n\n%s\n\n## Decision Outcome\n\n%s\n", text.Line(d.Heading()), mdText(d.Reason), mdText(d.Text))
	if d.Consequences != "" {
		fmt.Fprintf(&b, "\n### Consequences\n\n%s\n", mdText(d.Consequences))
	}
	if lines := append(links(d, names), meta(d)...); len(lines) > 0 {
		fmt.Fprintf(&b, "\n## More Information\n\n%s\n", strings.Join(lines, "\n\n"))
	}
	return b.String() + "\n"
}

// day is the day of a decision: that of the record it came from, else when it was added.
func day(d *decision.Decision) string {
	switch {
	case d.Decided != "":
		return d.Decided
	case d.Created.IsZero():
		return "unknown"
	}
	return d.Created.UTC().Format(time.DateOnly)
}

// Page returns decisions as one page of Markdown.
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
			fmt.Fprintf(&b, "\n\n%s\n", mdText(d.Text))
			if d.Reason != "" {
				fmt.Fprintf(&b, "\nReason: %s\n", mdText(d.Reason))
			}
			if d.SupersededBy != "" {
				fmt.Fprintf(&b, "\nSuperseded by %s.\n", d.SupersededBy)
			}
		}
	}
	return b.String()
}

// CSV returns decisions as a table with a header.
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

// cell keeps a spreadsheet from taking a text for a formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t", rune(s[0])) {
		return "'" + s
	}
	return s
}
