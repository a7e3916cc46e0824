package record

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// status parses a status section: its first line, its links, and any remaining text.
func (f *Item) status(body string) {
	gone := regexp.MustCompile(`(?s)<!--.*?-->|~~.*?~~|</?[a-z]+(?:\s[^>]*)?>`) // comments, words that are struck through, tags
	linked := regexp.MustCompile(`(?i)^super[cs]ede(s|d by)\b:?\s*(.*)$`)       // as adr-tools and others write it
	lines := strings.Split(gone.ReplaceAllString(body, ""), "\n")
	told := false
	for i, l := range lines {
		t := strings.TrimSpace(l)
		m := linked.FindStringSubmatch(t)
		switch {
		case t == "", !told && saysNoStatus(t):
		case m != nil && len(refs(m[2])) > 0 && strings.EqualFold(m[1], "s"):
			f.Replaces = append(f.Replaces, refs(m[2])...)
		case m != nil && len(refs(m[2])) > 0:
			f.ReplacedBy, f.Was = append(f.ReplacedBy, refs(m[2])...), decision.Superseded
		case !told && f.firstStatus(t):
			told = true
		default:
			if f.hasOtherStatus(lines[i:]) {
				// Histories run either way and templates list every status: a person decides.
				f.Was, f.Unknown = "", text.Line(strings.Join(lines, " "))
			}
			f.StatusReason = strings.TrimSpace(strings.Join(lines[i:], "\n"))
			return
		}
	}
}

// firstStatus takes the status from the first line of a section, and reports whether the line
// says no more than that.
func (f *Item) firstStatus(line string) bool {
	was := statusOf(line)
	if was == "" {
		if f.Was == "" {
			f.Unknown = line
		}
		return false
	}
	if f.Was == "" {
		f.Was = was
	}
	more := slices.ContainsFunc(statusText(line), func(w string) bool { return w != statusWords(was) && w != string(was) })
	return was == f.Was && !more
}

// hasOtherStatus reports whether a line consists of words for a status that is not the one
// found, while no link to a successor decides.
func (f *Item) hasOtherStatus(lines []string) bool {
	return f.Was != "" && len(f.ReplacedBy) == 0 && slices.ContainsFunc(lines, func(l string) bool {
		is := statusOf(l)
		return is != "" && is != f.Was && !slices.ContainsFunc(statusText(l), func(w string) bool { return statusNamed(w) == "" })
	})
}

// saysNoStatus reports whether a line is an empty check box, or the head or rule of a table.
func saysNoStatus(t string) bool {
	box := strings.HasPrefix(t, "- [ ] ") || strings.HasPrefix(t, "* [ ] ")
	rule := strings.Trim(t, "|:- ") == ""
	head := strings.HasPrefix(strings.ToLower(strings.ReplaceAll(t, " ", "")), "|status|") && statusOf(t) == ""
	return box || rule || head
}

// statusText returns the words of a status line in lower case, without what surrounds the
// status: the label, a check box, the address of a badge, an earlier status before an arrow.
func statusText(line string) []string {
	line = strings.ToLower(line)
	if _, badge, ok := strings.Cut(line, "status-"); ok {
		line, _, _ = strings.Cut(badge, "-")
	}
	for _, arrow := range []string{"→", "->", "=>"} {
		line = line[strings.LastIndex(line, arrow)+1:]
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.DeleteFunc(words, func(w string) bool { return w == "status" || w == "x" })
}

// maxStatusWords is the number of words among which the first known one must be: a sentence
// further on tells a story.
const maxStatusWords = 3

// statusOf translates a status line of a record. It is "" for one without a known word, with
// words for different statuses, or that denies one.
func statusOf(line string) decision.Status {
	var found decision.Status
	for i, w := range statusText(line) {
		is := statusNamed(w)
		switch {
		case w == "not":
			return ""
		case is == "" || found == "" && i >= maxStatusWords || found == decision.Superseded:
		case found != "" && is != found:
			return ""
		default:
			found = is
		}
	}
	return found
}

// statusNamed translates a word for a status, "" for any other.
func statusNamed(word string) decision.Status {
	switch word {
	case "accepted", "approved", "decided", "active", "done", "implemented":
		return decision.Active
	case "proposed", "draft", "pending":
		return decision.Draft
	case "rejected", "declined":
		return decision.Rejected
	case "superseded", "superceded", "deprecated", "replaced":
		return decision.Superseded
	}
	return ""
}

// refs returns the records that a line names by links, plain numbers or ids.
func refs(line string) []Ref {
	var out []Ref
	link := regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]*)\)`)
	for _, m := range link.FindAllStringSubmatch(line, -1) {
		r := plainRef(m[1])
		r.Name = path.Base(m[2])
		if n := numberOf(r.Name); n > 0 {
			r.Number = n
		}
		out = append(out, r)
	}
	if len(out) > 0 {
		return out
	}
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		if r := plainRef(word); r != (Ref{}) {
			out = append(out, r)
		}
	}
	return out
}

// plainRef parses a reference: ADR-0005, 0005, "3. Use tabs", or the id of a decision.
func plainRef(label string) Ref {
	if id := strings.TrimSpace(label); strings.HasPrefix(id, "D-") {
		id, _, _ = strings.Cut(id, " ")
		return Ref{ID: id}
	}
	m := regexp.MustCompile(`(?i)^(?:M?ADR[- ]?)?#?(\d{1,6})\b`).FindStringSubmatch(strings.TrimSpace(label))
	if m == nil {
		return Ref{}
	}
	return Ref{Number: numberOf(m[1])}
}
