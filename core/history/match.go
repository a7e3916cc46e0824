package history

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Matcher decides whether texts match a query, and what of them to show.
type Matcher interface {
	// Held returns a bit for each part of the query that a text contains, 0 when the text
	// does not match.
	Held(text string) uint64
	// Place returns the best span of a matching text to show; reach is how many bytes are
	// shown on each side. It is 0, 0 for a text that does not match.
	Place(text string, reach int) (start, end int)
}

// Held implements Matcher: one bit for each phrase that the text contains, 0 when it contains
// too few.
func (x Expr) Held(text string) uint64 {
	var held uint64
	for at := 0; ; {
		start, end, ok := nextWord(text, at)
		if !ok {
			break
		}
		for i, p := range x.Phrases {
			if bit := uint64(1) << (i % 64); held&bit == 0 && p.at(text, start, end) >= 0 {
				held |= bit
			}
		}
		at = end
	}
	if !x.Any && held != x.All() {
		return 0
	}
	return held
}

// All returns the bits of all phrases.
func (x Expr) All() (all uint64) {
	for i := range x.Phrases {
		all |= 1 << (i % 64)
	}
	return all
}

// Parts matches texts that contain all of some strings, inside words or across them. The
// strings are folded.
type Parts []string

// PartsOf returns the parts that a query consists of: its phrases as written, or all of it when
// it has no words.
func PartsOf(phrases []Phrase, query string) Parts {
	if len(phrases) == 0 {
		return Parts{text.FoldLetters(strings.Trim(strings.TrimSpace(query), `"`))}
	}
	var out Parts
	for _, p := range phrases {
		out = append(out, text.FoldLetters(p.written))
	}
	return out
}

// Held implements Matcher.
func (ps Parts) Held(body string) uint64 {
	folded := text.FoldLetters(body)
	var held uint64
	for i, p := range ps {
		if !strings.Contains(folded, p) {
			return 0
		}
		held |= 1 << (i % 64)
	}
	return held
}

// Place implements Matcher: the longest part, which is the most specific.
func (ps Parts) Place(body string, _ int) (start, end int) {
	best := longest(ps)
	at := strings.Index(text.FoldLetters(body), best)
	if at < 0 {
		return 0, 0
	}
	return text.Unfolded(body, at), text.Unfolded(body, at+len(best))
}

// Regex matches by a regular expression.
type Regex struct {
	*regexp.Regexp
	needs Needs
	quick *automaton // nil without one
	plain bool       // whether quick can tell by a line, too
}

// NewRegex compiles an expression as CompileRegex does.
func NewRegex(pattern string, caseSensitive bool) (*Regex, error) {
	re, err := CompileRegex(pattern, caseSensitive)
	if err != nil {
		return nil, err
	}
	out := &Regex{Regexp: re, needs: NeedsOf(re)}
	if prefix, _ := re.LiteralPrefix(); prefix == "" { // otherwise the expression itself is as quick
		out.quick = newAutomaton(re)
		out.plain = apart(out.quick)
	}
	return out, nil
}

// Rejects reports whether the text of a line certainly does not match, without parsing the
// line.
func (re *Regex) Rejects(line []byte) bool {
	return re.needs.RuleOut(line) || re.plain && !re.quick.admitsJSON(line) && !oddArguments(line)
}

// apart reports whether every match in the text of an entry is in one of its strings or in
// the arguments of a call, which its line has too, rather than in the labels and line breaks
// between these. Those of message.Entry.AppendText are [name] and a blank, $ and a blank,
// [image], and [tool: name({arguments})].
func apart(a *automaton) bool {
	return a != nil && !a.takes("[] \n{") && !a.endsWith("$:()")
}

// oddArguments reports whether a line may have a call with arguments that are not an object.
func oddArguments(raw []byte) bool {
	const name = `"arguments"`
	return bytes.Count(raw, []byte(name)) != bytes.Count(raw, []byte(name+":{"))
}

// Dismisses reports, faster than Held, that most texts that do not match do not.
func (re *Regex) Dismisses(text []byte) bool { return re.quick != nil && !re.quick.admits(text) }

// Held implements Matcher.
func (re *Regex) Held(text string) uint64 {
	if re.MatchString(text) {
		return 1
	}
	return 0
}

// Place implements Matcher.
func (re *Regex) Place(text string, _ int) (start, end int) {
	m := re.FindStringIndex(text)
	if m == nil {
		return 0, 0
	}
	return m[0], m[1]
}
