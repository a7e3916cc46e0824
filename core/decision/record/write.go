package record

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
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

// Files returns decisions as files of a form. s has the decisions that they refer to.
func Files(s *decision.State, list []*decision.Decision, form string) []File {
	names := make(map[string]string)
	for _, d := range s.Decisions {
		names[d.ID] = fileName(d)
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

// fileName is the id and some words of the first title.
func fileName(d *decision.Decision) string {
	first := ""
	if title := d.Events()[0].Data.Title; title != nil {
		first = *title
	}
	return strings.ToLower(strings.ReplaceAll(d.ID, decision.SuffixMark, "-")) + slug(first) + ".md"
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

// meta are the lines of a record that no other program reads.
func meta(d *decision.Decision, names map[string]string) []string {
	var out []string
	add := func(name, v string) {
		if v != "" {
			out = append(out, name+": "+v)
		}
	}
	if d.Supersedes != "" {
		add("Supersedes", link(d.Supersedes, names))
	}
	if d.SupersededBy != "" {
		add("Superseded by", link(d.SupersededBy, names))
	}
	add("Tags", strings.Join(d.Tags, ", "))
	add("Paths", strings.Join(d.Paths, ", "))
	add("Review", d.Review)
	return out
}

// nygard is a decision as Nygard's records are.
func nygard(d *decision.Decision, names map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nDate: %s\n\nId: %s\n\n## Status\n\n%s\n", text.Line(decision.TitleOf(d.Text)), day(d.Created), d.ID, capital(statusWords(d.Status)))
	if d.StatusReason != "" {
		fmt.Fprintf(&b, "\n%s\n", mdText(d.StatusReason))
	}
	fmt.Fprintf(&b, "\n## Context\n\n%s\n\n## Decision\n\n%s\n", mdText(d.Reason), mdText(d.Text))
	if lines := meta(d, names); len(lines) > 0 {
		fmt.Fprintf(&b, "\n## More Information\n\n%s\n", strings.Join(lines, "\n\n"))
	}
	return b.String() + "\n"
}

// madr is a decision as MADR has it.
func madr(d *decision.Decision, names map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nstatus: %s\ndate: %s\nid: %s\n", statusWords(d.Status), day(d.Created), d.ID)
	if d.By != "" {
		fmt.Fprintf(&b, "decision-makers: %q\n", d.By)
	}
	fmt.Fprintf(&b, "---\n\n# %s\n\n## Context and Problem Statement\n\n%s\n\n## Decision Outcome\n\n%s\n", text.Line(decision.TitleOf(d.Text)), mdText(d.Reason), mdText(d.Text))
	if lines := meta(d, names); len(lines) > 0 {
		fmt.Fprintf(&b, "\n## More Information\n\n%s\n", strings.Join(lines, "\n\n"))
	}
	return b.String() + "\n"
}

func day(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format(time.DateOnly)
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
			fmt.Fprintf(&b, "\n### %s\n\n%s, %s", text.Line(decision.TitleOf(d.Text)), d.ID, day(d.Created))
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
