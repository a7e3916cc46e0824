package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// maxExpansions is how many words a prefix is expanded to. FTS5 reads every occurrence of
// every word with a prefix before it returns the first result, while a few explicit words
// cost nothing. A prefix of more words is left to FTS5.
const maxExpansions = 64

// maxExpansionsOfAny is the same for an expression of which any phrase suffices.
const maxExpansionsOfAny = 8

// expand renders an expression with prefixes expanded to words of the index. The result is
// empty if a required prefix has none.
func (s *Store) expand(ctx context.Context, x history.Expr) (ftsQuery, error) {
	out := ftsQuery{any: x.Any}
	plain := literal(x)
	if !x.Any {
		if all, err := hasWords(ctx, s, x); err != nil || !all {
			return ftsQuery{}, err
		}
	}
	for i, p := range x.Phrases {
		if !p.Prefix {
			out.list = append(out.list, plain.list[i])
			continue
		}
		last := len(p.Words) - 1
		expand := expansions
		if x.Any {
			expand = expansionsOfAny
		}
		words, all, err := expand(ctx, s, p.Words[last])
		if err != nil {
			return out, err
		}
		// A prefix without words stays, so that phrases keep their numbers; one with too many
		// words is left to FTS5.
		var alternatives []string
		if len(words) == 0 || !all && !x.Any {
			alternatives = append(alternatives, string(plain.list[i]))
			words = nil
		}
		for _, w := range slices.Concat(words, p.Also) {
			alternatives = append(alternatives, Quoted(append(p.Words[:last:last], w)))
		}
		out.list = append(out.list, clause("("+strings.Join(alternatives, " OR ")+")"))
	}
	return out, nil
}

// expansions returns the words that a prefix is expanded to, and whether these are all
// words with it.
func expansions(ctx context.Context, s *Store, prefix string) (words []string, all bool, err error) {
	words, err = s.WordsFrom(ctx, prefix, maxExpansions+1)
	return words, len(words) <= maxExpansions, err
}

// expansionsOfAny is expansions for an expression of which any phrase suffices, where each
// word is looked up with every other phrase. A prefix of many words, which says little, is
// expanded to its own forms and the shortest others, and a common word to its forms.
func expansionsOfAny(ctx context.Context, s *Store, prefix string) (words []string, all bool, err error) {
	// Finding the word after a common one takes reading all its occurrences.
	if common, err := isCommon(ctx, s, prefix); common || err != nil {
		return text.Forms(prefix), false, err
	}
	words, err = s.WordsFrom(ctx, prefix, maxExpansionsOfAny+1)
	if err != nil || len(words) <= maxExpansionsOfAny {
		return words, true, err
	}
	var own []string
	for _, form := range text.Forms(prefix) {
		has, err := s.WordsFrom(ctx, form, 1)
		if err != nil {
			return nil, false, err
		}
		if len(has) > 0 && has[0] == form {
			own = append(own, form)
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	for _, w := range words {
		if len(own) < maxExpansionsOfAny && !slices.Contains(own, w) {
			own = append(own, w)
		}
	}
	return own, false, nil
}

// isCommon reports whether more texts contain a word than a ranking weighs.
func isCommon(ctx context.Context, s *Store, word string) (bool, error) {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM (SELECT 1 FROM words_fts WHERE words_fts MATCH ? LIMIT ?)`,
		`{text} : `+Quoted([]string{word}), maxWeighed)
	if err != nil {
		return false, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	return n == maxWeighed, nil
}

// vocabulary lists the words of the index in order, one row per occurrence, so that the
// next word is found in one step without counting.
const vocabulary = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words_fts', 'instance')`

// hasWords reports whether the index has a word for every prefix, which is much cheaper
// than listing the words.
func hasWords(ctx context.Context, s *Store, x history.Expr) (bool, error) {
	for _, p := range x.Phrases {
		if !p.Prefix {
			continue
		}
		words, err := s.WordsFrom(ctx, p.Words[len(p.Words)-1], 1)
		if err != nil || len(words) == 0 {
			return false, err
		}
	}
	return true, nil
}

// WordsFrom returns the words that begin with a prefix, in order, no more than most.
func (s *Store) WordsFrom(ctx context.Context, prefix string, most int) ([]string, error) {
	var out []string
	from := prefix
	for len(out) < most {
		word, err := s.words.between(ctx, s.db, from, prefix+"\U0010ffff")
		if word == "" || err != nil {
			return out, err
		}
		out = append(out, word)
		from = word + "\x01" // the next word: no word has this character
	}
	return out, nil
}

// WordFrom implements spelling.Vocabulary.
func (s *Store) WordFrom(ctx context.Context, from string) (string, error) {
	return s.words.between(ctx, s.db, from, "\U0010ffff")
}

// Known implements spelling.Vocabulary. Whether the vocabulary has a word is found without
// passing the occurrences of the one before it.
func (s *Store) Known(ctx context.Context, words []string) (known []string, err error) {
	if _, err := s.words.statement(ctx, s.db); err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	asked, err := json.Marshal(words)
	if err == nil {
		err = s.db.SelectContext(ctx, &known, `SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM temp.vocabulary WHERE term = value) ORDER BY key`, string(asked))
	}
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	return known, nil
}

// between returns the first word from one string on and before another, "" for none.
func (w *wordList) between(ctx context.Context, db *sqlite.DB, from, to string) (word string, err error) {
	next, err := w.statement(ctx, db)
	if err == nil {
		err = next.GetContext(ctx, &word, from, to)
	}
	if err != nil && !sqlite.NoRows(err) {
		return "", fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	return word, nil
}

// wordList holds the prepared statement that reads the vocabulary.
type wordList struct {
	sync.Mutex
	next *sqlx.Stmt
}

// statement returns the statement that finds the next word of the vocabulary. It is prepared
// once, because a search looks up hundreds of words.
func (w *wordList) statement(ctx context.Context, db *sqlite.DB) (*sqlx.Stmt, error) {
	w.Lock()
	defer w.Unlock()
	if w.next == nil {
		if _, err := db.ExecContext(ctx, vocabulary); err != nil {
			return nil, err
		}
		next, err := db.PreparexContext(ctx, `SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT 1`)
		if err != nil {
			return nil, err
		}
		w.next = next
	}
	return w.next, nil
}

// WordsLeft counts those of words that the index still lists although no text has them.
func (s *Store) WordsLeft(ctx context.Context, words map[string]bool) (int, error) {
	if len(words) == 0 {
		return 0, nil
	}
	if _, err := s.db.ExecContext(ctx, vocabulary); err != nil {
		return 0, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	asked, err := json.Marshal(slices.Collect(maps.Keys(words)))
	if err != nil {
		return 0, err
	}
	// MATCH stops at the first text with a word, while the vocabulary counts all of them. So it is
	// asked only about words without a match.
	var unheard []string
	err = s.db.SelectContext(ctx, &unheard, `SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM words_fts WHERE words_fts MATCH '"' || value || '"')`, string(asked))
	left := 0
	for _, w := range unheard {
		var has bool
		if err == nil {
			err = s.db.GetContext(ctx, &has, `SELECT EXISTS (SELECT 1 FROM temp.vocabulary WHERE term = ? LIMIT 1)`, w)
		}
		if has {
			left++
		}
	}
	if err != nil {
		return 0, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	return left, nil
}
