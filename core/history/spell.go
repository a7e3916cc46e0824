package history

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Vocabulary is a SearchStore that can list the words of its index.
type Vocabulary interface {
	// WordsFrom returns the words that begin with a prefix, in order, at most so many.
	WordsFrom(ctx context.Context, prefix string, most int) ([]string, error)
}

const (
	minCorrected  = 5   // letters of a word that is corrected: shorter ones are like too many others
	longCorrected = 8   // letters of a word in which two mistakes are corrected
	maxCorrected  = 40  // letters: a longer one is a hash or a path
	startingAlike = 500 // words that begin as the word does, which are compared with it
	startingOther = 8   // words that begin as the word does but for one mistake
)

// suggest notes the query with its typing errors corrected, when it has words that the
// index does not know and that are nearly words that it knows.
func (s *search) suggest(ctx context.Context) error {
	words, ok := s.st.(Vocabulary)
	if !ok || s.q.Regex || !s.st.FullText() {
		return nil
	}
	phrases, err := parseText(s.q.Text)
	if err != nil {
		return nil
	}
	corrected := s.q.Text
	for _, p := range withoutStopWords(phrases) {
		for _, word := range p.Words {
			better, err := correction(ctx, words, word)
			if err != nil {
				return err
			}
			corrected = replaceWord(corrected, word, better)
		}
	}
	if corrected != s.q.Text {
		s.res.Suggestion = corrected
	}
	return nil
}

// replaceWord replaces a word of a text, which is given as words are compared.
func replaceWord(body, word, by string) string {
	for at := 0; by != word; {
		start, end, ok := nextWord(body, at)
		if !ok {
			break
		}
		if isWord(body[start:end], word, false) {
			return body[:start] + by + body[end:]
		}
		at = end
	}
	return body
}

// correction is the word of the vocabulary that a word is most like, or the word itself
// when it is known, or like none.
func correction(ctx context.Context, words Vocabulary, word string) (string, error) {
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
