package history

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Vocabulary knows the stems of the words of an index.
type Vocabulary interface {
	// StemFrom returns the first stem that is not before a string, "" when there is none.
	StemFrom(ctx context.Context, from string) (string, error)
	// Known returns those of some stems that the index has, in their order.
	Known(ctx context.Context, stems []string) ([]string, error)
	// Spelled returns a word that has a stem.
	Spelled(ctx context.Context, stem string) (string, error)
}

const (
	minCorrected  = 5   // minimum letters: shorter words resemble too many others
	longCorrected = 8   // letters from which on two mistakes are corrected
	maxCorrected  = 40  // maximum letters: a longer word is a hash or a path
	startingAlike = 200 // words with the same beginning to compare with
	startingOther = 8   // words with a beginning that has one mistake
	maxSpelled    = 16  // stems of which a word is read

	// What a query may have cost before its next word is not corrected: it asks whether words are known, and looks up others
	// that begin alike. In a large index the former takes a hundredth of a millisecond. The latter
	// takes ten times as long, and a hundred times after a word that is in most texts.
	maxAsked   = 600
	maxLookups = 120
)

// errSpent ends a correction that would cost too much.
var errSpent = errors.New("too many words were looked up")

// Corrector corrects the words of a query, as many as the limits allow.
type Corrector struct {
	Words Vocabulary

	asked int
	found []gap
}

// gap is what a lookup tells: no stem is between what was asked for and what was found, none
// at all after it if that is "".
type gap struct{ from, stem string }

// Correct returns the word of the vocabulary that a word resembles most, or the word
// itself when it is known or resembles none.
func (c *Corrector) Correct(ctx context.Context, word string) (string, error) {
	if len(word) < minCorrected || len(word) > maxCorrected || !text.IsASCII(word) || strings.ContainsAny(word, "0123456789") {
		return word, nil
	}
	known, err := c.Words.Known(ctx, []string{text.Porter(word)})
	best := ""
	if err == nil && len(known) == 0 {
		if best, err = c.oneMistake(ctx, word); best == "" && err == nil && len(word) >= longCorrected {
			best, err = c.twoMistakes(ctx, word)
		}
	}
	if errors.Is(err, errSpent) {
		err = nil
	}
	return cmp.Or(best, word), err
}

// oneMistake returns a word that differs from another by one mistake, better in its second
// half and at least not in its first letter; "" when there is none.
func (c *Corrector) oneMistake(ctx context.Context, word string) (string, error) {
	others := inOrder(text.Mistyped(word), word[:len(word)/2], word[:1])
	if c.asked >= maxAsked {
		return "", errSpent
	}
	c.asked += len(others)
	stems := make([]string, len(others))
	for i, o := range others {
		stems[i] = text.Porter(o)
	}
	known, err := c.Words.Known(ctx, stems)
	if err != nil || len(known) == 0 {
		return "", err
	}
	// A word that is not one may have the stem of another: "alus" that of "alu".
	first := ""
	for _, stem := range known[:min(len(known), maxSpelled)] {
		word, err := c.Words.Spelled(ctx, stem)
		if err != nil || slices.Contains(others, word) {
			return word, err
		}
		first = cmp.Or(first, word)
	}
	return first, nil
}

// twoMistakes returns the word that is closest to another, with at most one mistake in its
// first half and none in its first letter; "" when there is none.
func (c *Corrector) twoMistakes(ctx context.Context, word string) (string, error) {
	start := word[:len(word)/2]
	near, err := c.with(ctx, start, startingAlike)
	if err != nil {
		return "", err
	}
	if best, err := c.closest(ctx, word, near); best != "" || err != nil {
		return best, err
	}
	for _, other := range inOrder(text.Mistyped(start)) {
		if other[0] != word[0] {
			continue
		}
		list, err := c.with(ctx, other, startingOther)
		near = append(near, list...)
		if errors.Is(err, errSpent) {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return c.closest(ctx, word, near)
}

// closest returns the word with one of some stems that differs from another by at most two
// mistakes, "" for none.
func (c *Corrector) closest(ctx context.Context, word string, stems []string) (string, error) {
	var words []string
	for _, stem := range stems {
		// A stem with more mistakes than the word may have is that of another.
		if text.Closest(word[:min(len(word), len(stem))], []string{stem}, 2) == "" || len(words) == maxSpelled {
			continue
		}
		w, err := c.Words.Spelled(ctx, stem)
		if err != nil {
			return "", err
		}
		words = append(words, w)
	}
	return text.Closest(word, words, 2), nil
}

// inOrder sorts strings, each once: those with the first of some prefixes before those with the
// next, before the others.
func inOrder(list []string, prefixes ...string) []string {
	rank := func(s string) int {
		for i, p := range prefixes {
			if strings.HasPrefix(s, p) {
				return i
			}
		}
		return len(prefixes)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return slices.Compact(list)
}

// with returns the stems that begin with a prefix, in order, no more than most.
func (c *Corrector) with(ctx context.Context, prefix string, most int) (out []string, err error) {
	for from := prefix; len(out) < most; {
		stem, err := c.stemFrom(ctx, from)
		if err != nil || !strings.HasPrefix(stem, prefix) {
			return out, err
		}
		out = append(out, stem)
		from = stem + "\x01" // the next one: none has this character
	}
	return out, nil
}

// stemFrom looks up the first stem that is not before a string. Most of the ways to mistype a
// word are in gaps that are known from others.
func (c *Corrector) stemFrom(ctx context.Context, from string) (string, error) {
	for _, g := range c.found {
		if g.from <= from && (from <= g.stem || g.stem == "") {
			return g.stem, nil
		}
	}
	if len(c.found) == maxLookups {
		return "", errSpent
	}
	stem, err := c.Words.StemFrom(ctx, from)
	c.found = append(c.found, gap{from, stem})
	return stem, err
}
