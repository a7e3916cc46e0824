package history

import (
	"context"

	"github.com/coctostan/pictx/core/history/spelling"
)

// suggest sets the query with its typing errors corrected, if it has words that are not in
// the index but resemble words that are.
func (s *search) suggest(ctx context.Context) error {
	words, ok := s.st.(spelling.Vocabulary)
	if !ok || s.q.Regex || !s.st.FullText() {
		return nil
	}
	phrases, err := parseText(s.q.Text)
	if err != nil {
		return nil
	}
	corrector := spelling.Corrector{Words: words}
	corrected := s.q.Text
	for _, p := range withoutStopWords(phrases) {
		for _, word := range p.Words {
			better, err := corrector.Correct(ctx, word)
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

// replaceWord replaces the first occurrence of a folded word in a text.
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
