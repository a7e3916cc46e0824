package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// vocabulary lists the stems of the index of words in order, one row per occurrence, so that
// whether there is one is found in one step without counting.
const vocabulary = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words_fts', 'instance')`

const (
	minCorrected = 5  // minimum letters: shorter words resemble too many others
	maxCorrected = 40 // maximum letters: a longer word is a hash or a path
	maxUnknown   = 2  // words of a query that are corrected: each asks for some 500 others
)

// suggest sets the query with its typing errors corrected, if it has words that are not in
// the index and differ by one mistake from words that are.
func (r *run) suggest(ctx context.Context) error {
	if r.q.Regex {
		return nil
	}
	phrases, err := history.ParseText(r.q.Text)
	if err != nil {
		return nil
	}
	if _, err := r.store.db.ExecContext(ctx, vocabulary); err != nil {
		return fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	corrected, unknown := r.q.Text, 0
	for _, p := range history.Content(phrases) {
		for _, word := range p.Words {
			if len(word) < minCorrected || len(word) > maxCorrected || !text.IsASCII(word) || strings.ContainsAny(word, "0123456789") {
				continue
			}
			known, err := r.store.known(ctx, word)
			if err != nil {
				return err
			}
			if known != "" || unknown == maxUnknown {
				continue
			}
			unknown++
			better, err := r.store.correct(ctx, word)
			if err != nil {
				return err
			}
			corrected = history.ReplaceWord(corrected, word, cmp.Or(better, word))
		}
	}
	if corrected != r.q.Text {
		r.res.Suggestion = corrected
	}
	return nil
}

// correct returns a word that differs from another by one mistake, better in its second half and
// at least not in its first letter, and of which the index has the stem; "" when there is none.
func (s *Store) correct(ctx context.Context, word string) (string, error) {
	others := text.Mistyped(word)
	likely := func(other string) int {
		switch {
		case strings.HasPrefix(other, word[:len(word)/2]):
			return 0
		case other[0] == word[0]:
			return 1
		}
		return 2
	}
	slices.SortFunc(others, func(a, b string) int { return cmp.Or(cmp.Compare(likely(a), likely(b)), cmp.Compare(a, b)) })
	return s.known(ctx, others...)
}

// known returns the first of some words of which the index has the stem, "" for none.
func (s *Store) known(ctx context.Context, words ...string) (known string, err error) {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = text.Porter(w)
	}
	var at []int
	err = s.selectFor(ctx, &at, `SELECT key FROM json_each(?) WHERE EXISTS (SELECT 1 FROM temp.vocabulary WHERE term = value) ORDER BY key LIMIT 1`, stems)
	if err != nil {
		return "", fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	if len(at) == 0 {
		return "", nil
	}
	return words[at[0]], nil
}
