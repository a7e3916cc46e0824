package erase

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/sqlite"
)

// Traces holds what deleted texts can be recognized by.
type Traces struct {
	// Texts counts the deleted texts.
	Texts  int
	probes [][]byte // the beginnings of texts as stored, with the ids in them
}

// The limits of the search for remains.
const (
	probeBytes = 200 // per text; a page stores these bytes contiguously
	minProbe   = 16
	maxProbes  = 4096
)

// trace records what a text can be recognized by: its beginning as it is stored.
func (t *Traces) trace(ctx context.Context, tx *sqlx.Conn, id int64) error {
	var data []byte
	if err := tx.GetContext(ctx, &data, `SELECT data FROM content WHERE id = ?`, id); err != nil {
		return err
	}
	t.Texts++
	if len(data) >= minProbe && len(t.probes) < maxProbes {
		t.probes = append(t.probes, bytes.Clone(data[:min(len(data), probeBytes)]))
	}
	return nil
}

// Add merges other traces, as far as there is room.
func (t *Traces) Add(other *Traces) {
	t.Texts += other.Texts
	t.probes = append(t.probes, other.probes[:min(len(other.probes), max(0, maxProbes-len(t.probes)))]...)
}

// Remains says where deleted content can still be read.
type Remains struct {
	// Files are the files, database or log, that contain bytes of it. Empty means that it
	// is gone.
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

// Finish completes an erase that was interrupted, and reports whether one was. It is for whoever
// writes next.
func (s *Store) Finish(ctx context.Context) (interrupted bool, err error) {
	if interrupted, err = s.Due(ctx); !interrupted || err != nil {
		return false, err
	}
	_, err = s.Scrub(ctx, &Traces{})
	return true, err
}

// Scrub rewrites the database, for which writers wait, and truncates the log. Then it reads both
// files again to verify that nothing is left.
func (s *Store) Scrub(ctx context.Context, t *Traces) (Remains, error) {
	gone, err := s.rewrite(ctx)
	if err != nil {
		return Remains{}, fmt.Errorf("rewrite the store: %w", sqlite.Explain(err))
	}
	return s.remains(ctx, t, gone)
}

// rewrite rewrites all pages of the database, and records that no scrub is due any more unless
// something was deleted meanwhile. It reports whether nothing of what was there before is left in
// the files: not while another process keeps the log from being emptied.
func (s *Store) rewrite(ctx context.Context) (gone bool, err error) {
	mark, err := s.mark(ctx)
	if err == nil && s.db.FullText() {
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

// remains searches for deleted content. Unless all of it is known to be gone, every file is
// taken to have some: the log, which another process keeps from being emptied, has pages
// that the database lacks.
func (s *Store) remains(ctx context.Context, t *Traces, gone bool) (r Remains, err error) {
	for _, name := range []string{s.db.Path(), s.db.Path() + "-wal"} {
		found, err := s.holds(ctx, name, t)
		if err != nil {
			return r, fmt.Errorf("read the store again: %w", err)
		}
		if found || !gone && !sqlite.IsEmpty(name) {
			r.Files = append(r.Files, name)
		}
	}
	r.Copies, err = filepath.Glob(s.db.Path() + ".*.bak")
	return r, err
}

// holds reports whether a file has a probe of a deleted text that no text which stays has, too.
func (s *Store) holds(ctx context.Context, name string, t *Traces) (bool, error) {
	var f *os.File
	var err error
	if name == s.db.Path() {
		f, err = s.db.File() // stays open as long as the store
	} else if f, err = os.Open(name); err == nil {
		defer f.Close()
	}
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found, err := holdsAny(io.NewSectionReader(f, 0, math.MaxInt64), t.probes)
	if err != nil || !found {
		return false, err
	}
	if err := t.dropStaying(ctx, s.db); err != nil {
		return false, err
	}
	return holdsAny(io.NewSectionReader(f, 0, math.MaxInt64), t.probes)
}

// holdsAny reports whether r contains one of the probes.
func holdsAny(r io.Reader, probes [][]byte) (bool, error) {
	if len(probes) == 0 {
		return false, nil
	}
	const chunk = 4 << 20
	look := newProbeIndex(probes)
	buf := make([]byte, 0, chunk+probeBytes)
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if look.in(buf) {
			return true, nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return false, nil
			}
			return false, err
		}
		// A probe may cross the boundary of two chunks.
		buf = append(buf[:0], buf[len(buf)-probeBytes:]...)
	}
}

// dropStaying drops the probes that what stays in the store contains, too: a short text may be
// part of many.
func (t *Traces) dropStaying(ctx context.Context, db *sqlite.DB) error {
	look, staying := newProbeIndex(t.probes), make(map[*byte]bool)
	for _, query := range []string{
		`SELECT data FROM content`, `SELECT text FROM summaries`, `SELECT marker FROM marks`, `SELECT key FROM objects`,
		`SELECT doc FROM object_versions`,
	} {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		var data sql.RawBytes
		for rows.Next() {
			if err := rows.Scan(&data); err != nil {
				return errors.Join(err, rows.Close())
			}
			look.each(data, func(probe []byte) bool { staying[&probe[0]] = true; return true })
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	t.probes = slices.DeleteFunc(t.probes, func(p []byte) bool { return staying[&p[0]] })
	return nil
}
