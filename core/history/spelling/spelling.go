// Package spelling corrects the typing errors of a query by the words that an index has. It
// must not know what they are searched for in.
package spelling

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Vocabulary knows the words of an index.
type Vocabulary interface {
	// WordFrom returns the first word that is not before a string, "" when there is none.
	WordFrom(ctx context.Context, from string) (string, error)
}

const (
	minCorrected  = 5   // minimum letters: shorter words resemble too many others
	longCorrected = 8   // letters from which on two mistakes are corrected
	maxCorrected  = 40  // maximum letters: a longer word is a hash or a path
	startingAlike = 200 // words with the same beginning to compare with
	startingOther = 8   // words with a beginning that has one mistake

	// maxLookups bounds what correcting a query costs: a large index takes 50 microseconds to
	// find a word.
	maxLookups = 400
)

// errSpent ends a correction after maxLookups.
var errSpent = errors.New("too many words were looked up")

// Corrector corrects the words of a query. Those after maxLookups stay as they are.
type Corrector struct {
	Words Vocabulary

	lookups    int
	from, word string // no word is from the one on and before the other, at all if that is ""
}

// Correct returns the word of the vocabulary that a word resembles most, or the word
// itself when it is known or resembles none.
func (c *Corrector) Correct(ctx context.Context, word string) (string, error) {
	if len(word) < minCorrected || len(word) > maxCorrected || !text.IsASCII(word) || strings.ContainsAny(word, "0123456789") {
		return word, nil
	}
	known, err := c.with(ctx, text.StemPrefix(word), 1)
	best := ""
	switch {
	case err == nil && len(known) > 0:
	case err == nil && len(word) < longCorrected:
		best, err = c.oneMistake(ctx, word)
	case err == nil:
		best, err = c.twoMistakes(ctx, word)
	}
	if errors.Is(err, errSpent) {
		err = nil
	}
	return cmp.Or(best, word), err
}

// oneMistake returns a word that differs from another by one mistake, better in its second
// half; "" when there is none.
func (c *Corrector) oneMistake(ctx context.Context, word string) (string, error) {
	others := slices.Sorted(slices.Values(text.Mistyped(word)))
	start := word[:len(word)/2]
	for _, alike := range []bool{true, false} {
		for _, other := range others {
			if strings.HasPrefix(other, start) != alike {
				continue
			}
			if w, err := c.wordFrom(ctx, other); w == other || err != nil {
				return w, err
			}
		}
	}
	return "", nil
}

// twoMistakes returns the word that is closest to another, with one mistake at most in its
// first half; "" when there is none.
func (c *Corrector) twoMistakes(ctx context.Context, word string) (string, error) {
	start := word[:len(word)/2]
	near, err := c.with(ctx, start, startingAlike)
	if best := text.Closest(word, near, 2); best != "" || err != nil {
		return best, err
	}
	for _, other := range slices.Sorted(slices.Values(text.Mistyped(start))) {
		list, err := c.with(ctx, other, startingOther)
		if near = append(near, list...); err != nil {
			return text.Closest(word, near, 2), err
		}
	}
	return text.Closest(word, near, 2), nil
}

// with returns the words that begin with a prefix, in order, no more than most.
func (c *Corrector) with(ctx context.Context, prefix string, most int) (out []string, err error) {
	for from := prefix; len(out) < most; {
		word, err := c.wordFrom(ctx, from)
		if err != nil || !strings.HasPrefix(word, prefix) {
			return out, err
		}
		out = append(out, word)
		from = word + "\x01" // the next word: none has this character
	}
	return out, nil
}

// wordFrom looks up the first word that is not before a string. When strings are looked up
// in their order, the last answer is often that for the next ones too: few of the ways to
// mistype a word are near others.
func (c *Corrector) wordFrom(ctx context.Context, from string) (string, error) {
	if c.lookups > 0 && c.from <= from && (from <= c.word || c.word == "") {
		return c.word, nil
	}
	if c.lookups == maxLookups {
		return "", errSpent
	}
	c.lookups++
	word, err := c.Words.WordFrom(ctx, from)
	if err == nil {
		c.from, c.word = from, word
	}
	return word, err
}
