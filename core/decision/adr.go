package decision

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/coctostan/pictx/core/text"
)

// The forms of decision records, a Markdown file each.
const (
	FormADR  = "adr"  // as Nygard's
	FormMADR = "madr" // as MADR 4
)

// Record is a decision as a file.
type Record struct {
	// Name is the file's, which stays the same whatever is changed later.
	Name string
	Text string
}

// sealMark begins the last line of a record, which reports whether it was changed by
// hand: the hash of everything before it.
const sealMark = "<!-- pictx "

// Records writes decisions as files of a form.
func Records(s *State, list []*Decision, form string) []Record {
	names := make(map[string]string)
	for _, d := range s.Decisions {
		names[d.ID] = recordName(d)
	}
	out := make([]Record, len(list))
	for i, d := range list {
		text := madr
		if form == FormADR {
			text = nygard
		}
		body := text(d, names)
		out[i] = Record{names[d.ID], body + sealMark + seal(body) + " -->\n"}
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

// recordName is the id and some words of the first title.
func recordName(d *Decision) string {
	first := value(d.events[0].Data.Title)
	return strings.ToLower(strings.ReplaceAll(d.ID, suffixMark, "-")) + slug(first) + ".md"
}

// slug makes words of a title fit for a file's name, with a hyphen before them.
func slug(title string) string {
	const most = 48
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
		if b.Len() >= most && gap {
			break
		}
	}
	return strings.TrimRight(b.String(), "-")
}

// statusWords are the statuses as records have them.
func statusWords(s Status) string {
	switch s {
	case Active:
		return "accepted"
	case Draft:
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

// mdText is a text as paragraphs: what would be a heading is none.
func mdText(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "#") || strings.HasPrefix(strings.TrimSpace(l), sealMark) {
			lines[i] = `\` + strings.TrimSpace(l)
		}
	}
	return strings.Join(lines, "\n")
}

// meta are the lines of a record that only we read, besides links.
func meta(d *Decision, names map[string]string) []string {
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
func nygard(d *Decision, names map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nDate: %s\n\nId: %s\n\n## Status\n\n%s\n", text.Line(TitleOf(d.Text)), day(d.Created), d.ID, capital(statusWords(d.Status)))
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
func madr(d *Decision, names map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nstatus: %s\ndate: %s\nid: %s\n", statusWords(d.Status), day(d.Created), d.ID)
	if d.By != "" {
		fmt.Fprintf(&b, "decision-makers: %q\n", d.By)
	}
	fmt.Fprintf(&b, "---\n\n# %s\n\n## Context and Problem Statement\n\n%s\n\n## Decision Outcome\n\n%s\n", text.Line(TitleOf(d.Text)), mdText(d.Reason), mdText(d.Text))
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

// Markdown writes decisions as one page.
func Markdown(list []*Decision) string {
	var b strings.Builder
	b.WriteString("# Decisions\n")
	for _, s := range Statuses() {
		head := false
		for _, d := range list {
			if d.Status != s {
				continue
			}
			if !head {
				fmt.Fprintf(&b, "\n## %s\n", capital(string(s)))
				head = true
			}
			fmt.Fprintf(&b, "\n### %s\n\n%s, %s", text.Line(TitleOf(d.Text)), d.ID, day(d.Created))
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
