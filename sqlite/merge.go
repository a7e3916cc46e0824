package sqlite

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// A full-text index is made of segments, one for each transaction that wrote into it,
// and every word that is asked for is looked up in each. Whoever writes merges a few of
// them; the rest is left to those who have time.
const (
	mergePages = 512 // pages of one transaction, which others wait for
	hookPages  = 64  // in a hook, beside which the agent goes on
	mergeFrom  = 4   // segments of one size that are merged: FTS5's usermerge
)

// MergeWords merges segments of the index of words until there are few or stop says so.
// An import leaves many, and a question looks up each of its words in all of them.
// Without full-text search it does nothing.
func (s *Store) MergeWords(ctx context.Context, stop func() bool) error {
	if !s.fts || s.mode == Read {
		return nil
	}
	return s.merge(ctx, stop, "words_fts")
}

// merge merges segments of full-text indexes, in short transactions, until there are
// few or stop says so.
func (s *Store) merge(ctx context.Context, stop func() bool, indexes ...string) error {
	pages := mergePages
	if s.mode == Hook {
		pages = hookPages
	}
	for _, index := range indexes {
		var before []byte
		for stop == nil || !stop() {
			now, err := s.structure(ctx, index)
			if err != nil {
				return err
			}
			// An index that stays as it is has nothing to merge, whatever it says.
			if st, ok := readStructure(now); !ok || !st.many() || bytes.Equal(now, before) {
				break
			}
			before = now
			err = s.tx(ctx, func(tx *sqlx.Tx) error {
				_, err := tx.ExecContext(ctx, `INSERT INTO `+index+` (`+index+`, rank) VALUES ('merge', ?)`, pages)
				return err
			})
			if err != nil {
				return fmt.Errorf("merge index: %w", err)
			}
		}
	}
	return nil
}

// structure is what FTS5 notes of the segments of an index.
func (s *Store) structure(ctx context.Context, index string) ([]byte, error) {
	const record = 10 // its number among the index's data
	var b []byte
	err := s.db.GetContext(ctx, &b, `SELECT block FROM `+index+`_data WHERE id = ?`, record)
	if err != nil && !none(err) {
		return nil, fmt.Errorf("read index: %w", explain(err))
	}
	return b, nil
}
