package decision

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/text"
)

// Query is a parsed search query.
type Query struct {
	terms []term
}

// term is one condition of a query.
type term struct {
	field string // "" searches all texts
	text  string // folded
	not   bool
}

// ParseQuery parses a query. Words and "phrases" must all occur, -word must not. The fields
// status: tag: id: author: path: before: after: take a value.
func ParseQuery(body string) (Query, error) {
	form := regexp.MustCompile(`(-?)(?:(\w+):(?:"([^"]*)"|(\S*))|"([^"]*)"|(\S+))`)
	var q Query
	for _, m := range form.FindAllStringSubmatch(body, -1) {
		t, said := term{not: m[1] != ""}, m[3]+m[4]+m[5]+m[6]
		switch field := strings.ToLower(m[2]); {
		case field == "":
		case slices.Contains(queryFields(), field):
			t.field = field
		case meantField(field) != "":
			return q, &TextError{"query", fmt.Sprintf("there is no %s: before a colon, but %s:; for the words, quote it", field, meantField(field))}
		default: // such as a URL
			said = m[2] + ":" + said
		}
		t.text = text.FoldSigns(said)
		if err := t.check(said); err != nil {
			return q, err
		}
		if t.text != "" {
			q.terms = append(q.terms, t)
		}
	}
	return q, nil
}

func queryFields() []string {
	return []string{"status", "tag", "id", "author", "before", "after", "path"}
}

// meantField guesses the field that a word before a colon abbreviates or extends, such as
// "tags" for "tag". It returns "" for other words, as in a URL.
func meantField(word string) string {
	for _, f := range queryFields() {
		if len(word) >= 3 && (strings.HasPrefix(f, word) || strings.HasPrefix(word, f)) {
			return f
		}
	}
	return ""
}

// check parses the value of a term and rejects invalid ones.
func (t *term) check(text string) error {
	switch t.field {
	case "before", "after":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return &TextError{"query", fmt.Sprintf("invalid day in %s:%s: want one such as 2026-12-31", t.field, text)}
		}
	case "status":
		if !Status(t.text).Valid() {
			return &TextError{"query", fmt.Sprintf("there is no status %q: want active, draft, rejected or superseded", text)}
		}
	case "":
		return nil
	}
	if t.text == "" {
		return &TextError{"query", t.field + ": wants a value"}
	}
	return nil
}

// Search returns the decisions of list that match a query, the latest first.
func Search(list []*Decision, q Query) []*Decision {
	out := slices.DeleteFunc(slices.Clone(list), func(d *Decision) bool { return !q.matches(d) })
	slices.SortStableFunc(out, func(a, b *Decision) int { return strings.Compare(b.Created, a.Created) })
	return out
}

// matches reports whether a decision meets all conditions.
func (q Query) matches(d *Decision) bool {
	return !slices.ContainsFunc(q.terms, func(t term) bool { return t.holds(d) == t.not })
}

// holds reports whether a condition holds, ignoring not.
func (t term) holds(d *Decision) bool {
	has := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(text.FoldSigns(s), t.text) })
	}
	switch t.field {
	case "status":
		return string(d.Status) == t.text
	case "tag":
		return slices.ContainsFunc(d.Tags, func(tag string) bool { return text.FoldSigns(tag) == strings.TrimPrefix(t.text, "#") })
	case "id":
		return has(d.ID)
	case "author":
		return has(d.By + " " + d.Actor)
	case "before":
		return d.Created < t.text
	case "after":
		return d.Created >= t.text
	case "path":
		return d.Governs(path.Clean(t.text)) || has(d.Paths...)
	}
	return has(d.Title, d.Text, d.Reason, d.ID, string(d.Status)) || has(d.Tags...)
}

// Answer returns the reply to a model that searches the decisions: matching active ones,
// then drafts, one line each, as many as fit. The error is a TextError.
func (s *State) Answer(query string) (string, error) {
	q, err := ParseQuery(query)
	if err != nil {
		return "", err
	}
	var lines []string
	room, more := maxSection, 0
	for _, status := range []Status{Active, Draft} {
		for _, d := range Search(s.With(status), q) {
			line := d.Line()
			if status != Active {
				line += " (" + string(status) + ")"
			}
			if room -= utf8.RuneCountInString(line) + 1; room < 0 {
				more++
				continue
			}
			lines = append(lines, line)
		}
	}
	switch {
	case len(lines) == 0:
		return "no matching decisions", nil
	case more > 0:
		lines = append(lines, fmt.Sprintf("%d more: narrow the query", more))
	}
	return strings.Join(lines, "\n"), nil
}
