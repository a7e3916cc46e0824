package history

import (
	"slices"
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
	best := slices.MaxFunc(ps, func(a, b string) int { return len(a) - len(b) })
	at := strings.Index(text.FoldLetters(body), best)
	if at < 0 {
		return 0, 0
	}
	return text.Unfolded(body, at), text.Unfolded(body, at+len(best))
}
