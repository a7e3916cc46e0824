// Package spelling corrects the typing errors of a query by the words that an index has. It
// must not know what they are searched for in.
package spelling

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Vocabulary lists the words of an index.
type Vocabulary interface {
	// WordsFrom returns the words that begin with a prefix, in order, no more than most.
	WordsFrom(ctx context.Context, prefix string, most int) ([]string, error)
}

const (
	minCorrected  = 5   // minimum letters: shorter words resemble too many others
	longCorrected = 8   // letters from which on two mistakes are corrected
	maxCorrected  = 40  // maximum letters: a longer word is a hash or a path
	startingAlike = 500 // words with the same beginning to compare with
	startingOther = 8   // words with a beginning that has one mistake
)

// Correct returns the word of the vocabulary that a word resembles most, or the word
// itself when it is known or resembles none.
func Correct(ctx context.Context, words Vocabulary, word string) (string, error) {
	if len(word) < minCorrected || len(word) > maxCorrected || !text.IsASCII(word) || strings.ContainsAny(word, "0123456789") {
		return word, nil
	}
	known, err := words.WordsFrom(ctx, text.StemPrefix(word), 1)
	if err != nil || len(known) > 0 {
		return word, err
	}
	mistakes := 1
	if len(word) >= longCorrected {
		mistakes = 2
	}
	start := word[:len(word)/2]
	near, err := words.WordsFrom(ctx, start, startingAlike)
	if err != nil {
		return word, err
	}
	if best := text.Closest(word, near, mistakes); best != "" {
		return best, nil
	}
	near = nil
	for _, other := range text.Mistyped(start) {
		list, err := words.WordsFrom(ctx, other, startingOther)
		if err != nil {
			return word, err
		}
		near = append(near, list...)
	}
	if best := text.Closest(word, near, mistakes); best != "" {
		return best, nil
	}
	return word, nil
}
