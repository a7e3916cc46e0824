package search

import (
	"cmp"
	"context"
	"encoding/json"
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
	maxSpelled   = 16 // stems of which a word is read
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
			if len(known) > 0 || unknown == maxUnknown {
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

// correct returns a word of the index that differs from another by one mistake, better in its
// second half and at least not in its first letter; "" when there is none.
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
	stems, err := s.known(ctx, others...)
	// A word that is not one may have the stem of another: "alus" that of "alu".
	first := ""
	for _, stem := range stems[:min(len(stems), maxSpelled)] {
		spelled, err := s.spelled(ctx, stem)
		if err != nil || slices.Contains(others, spelled) {
			return spelled, err
		}
		first = cmp.Or(first, spelled)
	}
	return first, err
}

// known returns those stems of some words that the index has, in their order.
func (s *Store) known(ctx context.Context, words ...string) (known []string, err error) {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = text.Porter(w)
	}
	asked, err := json.Marshal(stems)
	if err == nil {
		err = s.db.SelectContext(ctx, &known, `SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM temp.vocabulary WHERE term = value) ORDER BY key`, string(asked))
	}
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	return slices.Compact(known), nil
}

// spelled returns a word of the first text that has a stem. A search for a stem would find the
// stem of that.
func (s *Store) spelled(ctx context.Context, stem string) (string, error) {
	var id int64
	err := s.db.GetContext(ctx, &id, `SELECT doc FROM temp.vocabulary WHERE term = ? LIMIT 1`, stem)
	if err != nil {
		return "", fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	d, _, err := s.documentOf(ctx, s.db, id)
	if err != nil && !sqlite.NoRows(err) {
		return "", err
	}
	for _, w := range history.Words(d.text) {
		if text.Porter(w) == stem {
			return strings.Clone(w), nil // w may keep the whole text in memory
		}
	}
	return stem, nil
}
