package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/sqlite"
	"github.com/jmoiron/sqlx"
)

// A full-text index consists of segments, one per transaction that wrote to it, and a
// search looks up every word in each. Each writer merges a few of them; the rest is merged
// when there is time.
const (
	mergePages = 512 // pages per transaction, for which other writers wait
	hookPages  = 64  // the same in a hook

	// MergeThreshold is after how many transactions a bulk load merges their segments
	// before its end.
	MergeThreshold = 64
)

// deferMerging calls write, which writes to the index of words, without merging segments: a
// bulk load merges those of several transactions at once, which is less to rewrite.
// Changing a setting makes FTS5 flush what it has in memory, so the segment exists when the
// setting is restored, and no other process ever sees the changed setting.
func deferMerging(ctx context.Context, tx *sqlx.Conn, write func() error) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO words_fts (words_fts, rank) VALUES ('automerge', 0)`); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO words_fts (words_fts, rank) VALUES ('automerge', `+sqlite.AutoMerge+`)`)
	return err
}

// MergeWords merges segments of the index of words until few are left or stop returns true.
// An import leaves many, and a query looks up each of its words in all of them. Without
// full-text search it does nothing.
func (s *Store) MergeWords(ctx context.Context, stop func() bool) error {
	if !s.db.FullText() || s.db.Mode() == sqlite.Read {
		return nil
	}
	return s.merge(ctx, stop, "words_fts")
}

// MergeLoaded merges segments after a bulk load of texts. The effort is
// proportional to the load: FTS5 may write one page per text, several times what merging
// the new segments takes.
func (s *Store) MergeLoaded(ctx context.Context, texts int64) error {
	steps := 1 + texts/mergePages
	return s.MergeWords(ctx, func() bool {
		steps--
		return steps < 0 || ctx.Err() != nil
	})
}

// merge merges segments of full-text indexes, in short transactions, until few are left or
// stop returns true. A hook gives up while another process writes.
func (s *Store) merge(ctx context.Context, stop func() bool, indexes ...string) error {
	left := true
	defer func() { s.unmerged = left }()
	pages := mergePages
	if s.db.Mode() == sqlite.Hook {
		pages = hookPages
	}
	for _, index := range indexes {
		for more := true; more; {
			if stop != nil && stop() {
				return nil
			}
			var err error
			if more, err = s.mergeSome(ctx, index, pages); errors.Is(err, sqlite.ErrBusy) && s.db.Mode() == sqlite.Hook {
				return nil
			} else if err != nil {
				return fmt.Errorf("merge index: %w", err)
			}
		}
	}
	left = false
	return nil
}

// Rewrite merges full-text indexes completely, because segments keep deleted words until
// they are merged. It uses short transactions, whose freed pages are reused by the next.
func (s *Store) Rewrite(ctx context.Context, indexes ...string) error {
	const pages = 2048
	for _, index := range indexes {
		for more := true; more; {
			var err error
			if more, err = s.mergeSome(ctx, index, -pages); err != nil { // negative: merge even few segments
				return fmt.Errorf("rewrite index: %w", err)
			}
		}
	}
	return nil
}

// mergeSome merges segments of an index in one transaction, and reports whether there may
// be more to merge: as FTS5 documents, it changes fewer than two rows if there was nothing.
func (s *Store) mergeSome(ctx context.Context, index string, pages int) (more bool, err error) {
	const changes = `SELECT total_changes()`
	err = s.db.Tx(ctx, func(tx *sqlx.Conn) error {
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
