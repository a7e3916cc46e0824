package decision

import (
	"cmp"
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

// Search returns the decisions of list that match a query, best first and among equals the
// latest first. A match in the title weighs 3, a tag 2, the text 1, the reason 0.5.
func Search(list []*Decision, q Query) []*Decision {
	type hit struct {
		d     *Decision
		score float64
	}
	var hits []hit
	for _, d := range list {
		if score, ok := q.match(d); ok {
			hits = append(hits, hit{d, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return strings.Compare(b.d.Created, a.d.Created)
	})
	out := make([]*Decision, len(hits))
	for i, h := range hits {
		out[i] = h.d
	}
	return out
}

// match reports whether a decision matches, and its score.
func (q Query) match(d *Decision) (float64, bool) {
	total := 0.0
	for _, t := range q.terms {
		score := t.score(d)
		if (score > 0) == t.not {
			return 0, false
		}
		total += score
	}
	return total, true
}

func (t term) score(d *Decision) float64 {
	switch t.field {
	case "status":
		return yes(string(d.Status) == t.text)
	case "tag":
		return yes(slices.ContainsFunc(d.Tags, func(tag string) bool { return text.FoldSigns(tag) == strings.TrimPrefix(t.text, "#") }))
	case "id":
		return yes(strings.Contains(text.FoldSigns(d.ID), t.text))
	case "author":
		return yes(strings.Contains(text.FoldSigns(d.By+" "+d.Actor), t.text))
	case "before":
		return yes(d.Created < t.text)
	case "after":
		return yes(d.Created >= t.text)
	case "path":
		return yes(d.Governs(path.Clean(t.text)) || slices.ContainsFunc(d.Paths, func(g string) bool { return strings.Contains(text.FoldSigns(g), t.text) }))
	}
	score := 0.0
	if strings.Contains(text.FoldSigns(d.Title), t.text) {
		score += 3
	}
	if slices.ContainsFunc(d.Tags, func(tag string) bool { return text.FoldSigns(tag) == t.text }) {
		score += 2
	}
	if strings.Contains(text.FoldSigns(d.Text), t.text) {
		score++
	}
	if strings.Contains(text.FoldSigns(d.Reason), t.text) {
		score += 0.5
	}
	if strings.Contains(text.FoldSigns(d.ID+" "+string(d.Status)), t.text) {
		score += 0.25
	}
	return score
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
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
