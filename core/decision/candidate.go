package decision

import (
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Candidate is a text that a user marked as a
type Candidate string

// markedLine matches a marked line: the word "decision", perhaps with a bullet or emphasis,
// and a colon.
const markedLine = `(?i)^[ \t]{0,3}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?(?:\*\*|__)?decisions?(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*(.*)$`

// Candidates returns the decisions that a user marked in a prompt by lines that begin with
// "Decision:". Quotes, code blocks and pasted files are skipped. Repeated texts and texts
// that are too long are left out.
func Candidates(prompt string) []Candidate {
	form := regexp.MustCompile(markedLine)
	var out []Candidate
	list := false // inside the list after "Decisions:"
	for _, line := range own(prompt) {
		m := form.FindStringSubmatch(line)
		body := ""
		switch {
		case m != nil:
			body = m[1]
			list = strings.TrimSpace(body) == ""
		case list && text.ListItem(line) != "":
			body = text.ListItem(line)
		default:
			list = list && strings.TrimSpace(line) == ""
		}
		body, err := Clean(strings.Trim(strings.TrimSpace(body), "*_"))
		if err == nil && !slices.ContainsFunc(out, func(c Candidate) bool { return TextKey(string(c)) == TextKey(body) }) {
			out = append(out, Candidate(body))
		}
	}
	return out
}

// own returns the lines of a prompt that its user typed, without quotes, code blocks and
// pasted files.
func own(prompt string) []string {
	var out []string
	fence, closing := "", ""
	for line := range strings.Lines(prompt) {
		line = strings.TrimRight(line, "\r\n")
		t := strings.TrimSpace(line)
		switch {
		case closing != "":
			if strings.Contains(t, closing) {
				closing = ""
			}
		case fence != "":
			if strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == "" {
				fence = ""
			}
		case text.CodeFence(t) != "":
			fence = text.CodeFence(t)
		case closingOf(t) != "":
			closing = closingOf(t)
			if strings.Contains(t, closing) {
				closing = ""
			}
		case strings.HasPrefix(t, ">"), strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"):
		default:
			out = append(out, line)
		}
	}
	return out
}

// closingOf returns the closing tag of a part that an agent inserts into a prompt for a
// file or a skill, if the line opens one; "" for any other line.
func closingOf(line string) string {
	for _, tag := range []string{"file", "skill", "document", "attachment"} {
		if rest, ok := strings.CutPrefix(line, "<"+tag); ok && (rest == "" || strings.ContainsAny(rest[:1], " >\t")) {
			return "</" + tag + ">"
		}
	}
	return ""
}

// Fresh returns the candidates that no active decision or draft says yet.
func (s *State) Fresh(all []Candidate) []Candidate {
	known := func(c Candidate) bool { return s.Same(string(c), Active, Draft) != nil }
	return slices.DeleteFunc(slices.Clone(all), known)
}
