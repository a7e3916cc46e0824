package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/sqlite"
	"github.com/jmoiron/sqlx"
)

// A full-text index is made of segments, one for each transaction that wrote into it,
// and every word of a search is looked up in each. Each writer merges a few of them; the
// rest is merged when there is time.
const (
	mergePages = 512 // pages of one transaction, which others wait for
	hookPages  = 64  // in a hook, beside which the agent goes on

	// MergeThreshold is after how many transactions a bulk load merges what they left,
	// without waiting for its end.
	MergeThreshold = 64
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
	_, err := tx.ExecContext(ctx, `INSERT INTO words_fts (words_fts, rank) VALUES ('automerge', `+sqlite.AutoMerge+`)`)
	return err
}

// MergeWords merges segments of the index of words until few are left or stop returns true.
// An import leaves many, and a question looks up each of its words in all of them.
// Without full-text search it does nothing.
func (s *Store) MergeWords(ctx context.Context, stop func() bool) error {
	if !s.db.FullText() || s.db.Mode() == sqlite.Read {
		return nil
	}
	return s.merge(ctx, stop, "words_fts")
}

// MergeLoaded merges what a bulk load of so many texts left of the index of words in
// segments. What it spends is in proportion to what was loaded: FTS5 gets a page to write
// for every text, several times what it needs to merge their own segments.
func (s *Store) MergeLoaded(ctx context.Context, texts int64) error {
	steps := 1 + texts/mergePages
	return s.MergeWords(ctx, func() bool {
		steps--
		return steps < 0 || ctx.Err() != nil
	})
}

// merge merges segments of full-text indexes, in short transactions, until few
// are left or stop returns true. A hook gives up while another process writes.
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

// Rewrite merges full-text indexes to drop what was deleted, of which segments keep
// the words until they are merged. It does so in short transactions, and the pages of what
// is merged already have room for what comes next.
func (s *Store) Rewrite(ctx context.Context, indexes ...string) error {
	const pages = 2048
	for _, index := range indexes {
		for more := true; more; {
			var err error
			if more, err = s.mergeSome(ctx, index, -pages); err != nil { // negative: all segments, be they few
				return fmt.Errorf("rewrite index: %w", err)
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
