package erase

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/sqlite"
)

// Remains says where deleted content can still be read.
type Remains struct {
	// Files are the files, database and log, that may contain bytes of it, because another
	// process keeps the log from being emptied. Empty means that it is gone.
	Files []string
	// Copies are earlier copies of the database next to it.
	Copies []string
}

// due records, in a transaction that deletes, that the file still holds what is deleted. The
// value is another each time, so that who has rewritten the file knows whether that was all.
func due(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('`+Unscrubbed+`', hex(randomblob(8)))
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`)
	return err
}

// Due reports whether an erase was interrupted before the file was rewritten.
func (s *Store) Due(ctx context.Context) (bool, error) {
	mark, err := s.mark(ctx)
	return mark != "", err
}

// mark returns what due recorded, "" when the file holds nothing that was deleted.
func (s *Store) mark(ctx context.Context) (mark string, err error) {
	err = s.db.GetContext(ctx, &mark, `SELECT value FROM meta WHERE key = '`+Unscrubbed+`'`)
	if sqlite.NoRows(err) {
		err = nil
	}
	return mark, sqlite.Explain(err)
}

// Scrub rewrites the database, for which writers wait, and truncates the log. Then nothing is
// left of what was deleted, also by an erase that was interrupted.
func (s *Store) Scrub(ctx context.Context) (r Remains, err error) {
	gone, err := s.rewrite(ctx)
	if err != nil {
		return r, fmt.Errorf("rewrite the store: %w", sqlite.Explain(err))
	}
	if !gone { // the log has pages that the database lacks
		r.Files = []string{s.db.Path(), s.db.Path() + "-wal"}
	}
	r.Copies, err = filepath.Glob(s.db.Path() + ".*.bak")
	return r, err
}

// rewrite rewrites all pages of the database, and records that no scrub is due any more unless
// something was deleted meanwhile. It reports whether nothing of what was there before is left in
// the files: not while another process keeps the log from being emptied.
func (s *Store) rewrite(ctx context.Context) (gone bool, err error) {
	mark, err := s.mark(ctx)
	if err == nil {
		err = s.mergeIndexes(ctx)
	}
	if err == nil {
		_, err = s.db.ExecContext(ctx, `VACUUM`)
	}
	if err == nil {
		err = s.db.Checkpoint(ctx)
	}
	if err != nil || !sqlite.IsEmpty(s.db.Path()+"-wal") {
		return false, err
	}
	err = s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM meta WHERE key = '`+Unscrubbed+`' AND value = ?`, mark)
		return err
	})
	return err == nil, errors.Join(err, s.db.Checkpoint(ctx))
}

// mergeIndexes merges the segments of the full-text indexes, which have the words of deleted
// texts until then. FTS5's secure-delete would take ten times as long for the entries of a session.
func (s *Store) mergeIndexes(ctx context.Context) error {
	for _, index := range []string{"words_fts", "grams_fts"} {
		err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO `+index+` (`+index+`) VALUES ('optimize')`)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
