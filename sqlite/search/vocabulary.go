package search

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// vocabulary lists the stems of the index of words in order, one row per occurrence, so that
// the next one is found in one step without counting.
const vocabulary = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words_fts', 'instance')`

// correct returns a query with the typing errors of some of its phrases corrected.
func (s *Store) correct(ctx context.Context, query string, phrases []history.Phrase) (string, error) {
	corrector := history.Corrector{Words: s}
	for _, p := range phrases {
		for _, word := range p.Words {
			better, err := corrector.Correct(ctx, word)
			if err != nil {
				return query, err
			}
			query = history.ReplaceWord(query, word, better)
		}
	}
	return query, nil
}

// StemFrom implements history.Vocabulary.
func (s *Store) StemFrom(ctx context.Context, from string) (word string, err error) {
	next, err := s.words.statement(ctx, s.db)
	if err == nil {
		err = next.GetContext(ctx, &word, from)
	}
	if err != nil && !sqlite.NoRows(err) {
		return "", fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	return word, nil
}

// Known implements history.Vocabulary. Whether the vocabulary has a stem is found without
// passing the occurrences of the one before it.
func (s *Store) Known(ctx context.Context, stems []string) (known []string, err error) {
	if _, err := s.words.statement(ctx, s.db); err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	asked, err := json.Marshal(stems)
	if err == nil {
		err = s.db.SelectContext(ctx, &known, `SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM temp.vocabulary WHERE term = value) ORDER BY key`, string(asked))
	}
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	return known, nil
}

// Spelled implements history.Vocabulary: a word of the first text that has the stem. A search
// for a stem would find the stem of that.
func (s *Store) Spelled(ctx context.Context, stem string) (string, error) {
	var id int64
	err := s.db.GetContext(ctx, &id, `SELECT doc FROM temp.vocabulary WHERE term = ? LIMIT 1`, stem)
	if sqlite.NoRows(err) {
		return stem, nil
	}
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

// wordList holds the prepared statement that reads the vocabulary.
type wordList struct {
	sync.Mutex
	next *sqlx.Stmt
}

// statement returns the statement that finds the next stem of the vocabulary. It is prepared
// once, because a correction looks up hundreds.
func (w *wordList) statement(ctx context.Context, db *sqlite.DB) (*sqlx.Stmt, error) {
	w.Lock()
	defer w.Unlock()
	if w.next == nil {
		if _, err := db.ExecContext(ctx, vocabulary); err != nil {
			return nil, err
		}
		next, err := db.PreparexContext(ctx, `SELECT term FROM temp.vocabulary WHERE term >= ? LIMIT 1`)
		if err != nil {
			return nil, err
		}
		w.next = next
	}
	return w.next, nil
}
