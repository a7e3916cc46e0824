package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// A full-text index is made of segments, one for each transaction that wrote into it,
// and every word that is asked for is looked up in each. Whoever writes merges a few of
// them; the rest is left to those who have time.
const (
	mergePages = 512 // pages of one transaction, which others wait for
	hookPages  = 64  // in a hook, beside which the agent goes on

	// autoMerge is FTS5's setting: how many segments of one size a writer merges into
	// the next, a part with each transaction. With its default of 4 an import rewrites
	// its own index once more than it needs to.
	autoMerge = "8"
	// crisisMerge is FTS5's setting: of so many segments of one size it merges all in one
	// step, whoever writes next, and be it a hook. Its default is 16, which an import
	// passes before it merges what it left.
	crisisMerge = "256"
	// mergeThreshold is after how many transactions a bulk load merges what they left,
	// without waiting for its end.
	mergeThreshold = 64
)

// deferMerging writes into the index of words within a transaction without merging its
// segments: a bulk load merges those of several transactions at once, which is less to
// rewrite. Changing a setting of FTS5 writes out what it holds in memory, so the segment
// is there when the setting is put back, and no other process ever sees it changed.
func deferMerging(ctx context.Context, tx *sqlx.Conn, write func() error) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO words_fts (words_fts, rank) VALUES ('automerge', 0)`); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO words_fts (words_fts, rank) VALUES ('automerge', `+autoMerge+`)`)
	return err
}

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
// few or stop says so. A hook leaves them to others while another process writes.
func (s *Store) merge(ctx context.Context, stop func() bool, indexes ...string) error {
	pages := mergePages
	if s.mode == Hook {
		pages = hookPages
	}
	for _, index := range indexes {
		for more := true; more && (stop == nil || !stop()); {
			var err error
			if more, err = s.mergeSome(ctx, index, pages); errors.Is(err, ErrBusy) && s.mode == Hook {
				return nil
			} else if err != nil {
				return fmt.Errorf("merge index: %w", err)
			}
		}
	}
	return nil
}

// mergeSome merges segments of an index in one transaction, and reports whether there
// may be more to merge: FTS5 documents that it changes less than two rows when there
// was nothing.
func (s *Store) mergeSome(ctx context.Context, index string, pages int) (more bool, err error) {
	const changes = `SELECT total_changes()`
	err = s.tx(ctx, func(tx *sqlx.Conn) error {
		var before, after int64
		if err := tx.GetContext(ctx, &before, changes); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO `+index+` (`+index+`, rank) VALUES ('merge', ?)`, pages); err != nil {
			return err
		}
		err := tx.GetContext(ctx, &after, changes)
		more = after-before >= 2
		return err
	})
	return more, err
}
