package erase

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// Traces holds what deleted texts can be recognized by.
type Traces struct {
	// Texts counts the deleted texts.
	Texts  int
	probes [][]byte        // the beginnings of texts as stored, with the ids in them
	words  map[string]bool // their words
}

// The limits of the search for remains.
const (
	probeBytes = 200 // per text; a page stores these bytes contiguously
	minProbe   = 16
	maxProbes  = 4096
	maxWords   = 1 << 17
	minWord    = 6 // bytes of a word that is specific enough
)

// trace records what the text of an entry can be recognized by.
func (s *Store) trace(ctx context.Context, tx *sqlx.Conn, id int64, t *Traces) error {
	if err := t.notePacked(ctx, tx, id); err != nil {
		return err
	}
	raw, err := s.texts.Get(ctx, tx, id)
	if err != nil {
		return err
	}
	var p message.Parser
	if e, err := p.ParseEntry(raw); err == nil {
		t.noteWords(history.SearchText(&e, raw))
	}
	return nil
}

// notePacked records a text as it is stored.
func (t *Traces) notePacked(ctx context.Context, tx *sqlx.Conn, id int64) error {
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

// noteWords records the words of a text.
func (t *Traces) noteWords(text string) {
	if t.words == nil {
		t.words = make(map[string]bool)
	}
	for _, w := range history.Words(text) {
		if len(w) >= minWord && len(t.words) < maxWords && !t.words[w] {
			t.words[strings.Clone(w)] = true // w may keep the whole text in memory
		}
	}
}

// Remains says where deleted content can still be read.
type Remains struct {
	// Files are the files, database or log, that contain bytes of it. Empty means that it
	// is gone.
	Files []string
	// Words counts words that only deleted texts had and that an index still has.
	Words int
	// Copies are earlier copies of the database next to it.
	Copies []string
}

// Scrub rewrites the indexes without the deleted texts, overwrites what is unused in the
// database, and truncates the log. Where much is unused it rewrites the database. Then it
// reads both files again to verify that nothing is left.
func (s *Store) Scrub(ctx context.Context, t *Traces) (Remains, error) {
	return s.scrub(ctx, t, false)
}

// scrub is Scrub, which always rewrites the database if all is true.
func (s *Store) scrub(ctx context.Context, t *Traces, all bool) (Remains, error) {
	err := s.rewriteIndexes(ctx)
	if err == nil && !all {
		all, err = s.mostlyFree(ctx)
	}
	gone := false
	if err == nil && !all {
		gone, err = s.wipe(ctx)
	}
	if err == nil && !gone {
		gone, err = s.rewrite(ctx)
	}
	if err == nil {
		err = s.db.Checkpoint(ctx)
	}
	if err != nil {
		return Remains{}, fmt.Errorf("rewrite the store: %w", sqlite.Explain(err))
	}
	return s.remains(ctx, t, gone)
}

// mostlyFree reports whether rewriting the database would give back much of its space.
func (s *Store) mostlyFree(ctx context.Context) (bool, error) {
	var free, pages int64
	err := s.db.GetContext(ctx, &free, `PRAGMA freelist_count`)
	if err == nil {
		err = s.db.GetContext(ctx, &pages, `PRAGMA page_count`)
	}
	return free > pages/4, err
}

// rewriteIndexes rewrites the segments of the full-text indexes, which still contain the
// words of deleted texts.
func (s *Store) rewriteIndexes(ctx context.Context) error {
	if !s.db.FullText() {
		return nil
	}
	return s.lazily(ctx, func() error { return s.search.Rewrite(ctx, "words_fts", "parts_fts", "grams_fts", "objects_fts") })
}

// lazily calls write without having SQLite overwrite the pages that become free. Only what
// precedes a wipe or a VACUUM may do that: either overwrites these pages, and SQLite would write
// each to the log once more before it is used again.
func (s *Store) lazily(ctx context.Context, write func() error) error {
	if _, err := s.db.ExecContext(ctx, `PRAGMA secure_delete = FAST`); err != nil {
		return err
	}
	err := write()
	_, restored := s.db.ExecContext(context.WithoutCancel(ctx), `PRAGMA secure_delete = ON`)
	return errors.Join(err, restored)
}

// rewrite rewrites all pages of the database, and records that no scrub is due any more. It
// reports whether nothing of what was there before is left in the files: not while another
// process reads it.
func (s *Store) rewrite(ctx context.Context) (gone bool, err error) {
	if _, err := s.db.ExecContext(ctx, `VACUUM`); err != nil {
		return false, err
	}
	if err := s.db.Tx(ctx, func(tx *sqlx.Conn) error { return settled(ctx, tx) }); err != nil {
		return false, err
	}
	if err := s.db.Checkpoint(ctx); err != nil {
		return false, err
	}
	return sqlite.IsEmpty(s.db.Path() + "-wal"), nil
}

// remains searches for deleted content. Unless all of it is known to be gone, every file is
// taken to have some: the log, which another process keeps from being emptied, has pages
// that the database lacks.
func (s *Store) remains(ctx context.Context, t *Traces, gone bool) (Remains, error) {
	var r Remains
	files, closeLog, err := s.files()
	if err != nil {
		return r, fmt.Errorf("read the store again: %w", err)
	}
	defer closeLog()
	for _, f := range files {
		found, err := holdsAny(io.NewSectionReader(f, 0, math.MaxInt64), t.probes)
		if err == nil && found && gone { // no unused byte has it: does a text that stays?
			if err = t.dropStaying(ctx, s.db); err == nil {
				found, err = holdsAny(io.NewSectionReader(f, 0, math.MaxInt64), t.probes)
			}
		}
		if err != nil {
			return r, fmt.Errorf("read the store again: %w", err)
		}
		if found || !gone {
			r.Files = append(r.Files, f.Name())
		}
	}
	if len(r.Files) > 0 {
		if err := s.Prepare(ctx); err != nil { // record that Scrub is still due
			return r, err
		}
	}
	if r.Copies, err = filepath.Glob(s.db.Path() + ".*.bak"); err != nil {
		return r, err
	}
	if s.db.FullText() {
		r.Words, err = s.search.WordsLeft(ctx, t.words)
	}
	return r, err
}

// files returns the database and its log, if there is one, which closeLog closes. The
// database file stays open as long as the store.
func (s *Store) files() (files []*os.File, closeLog func(), err error) {
	db, err := s.db.File()
	if err != nil {
		return nil, nil, err
	}
	log, err := os.Open(s.db.Path() + "-wal")
	switch {
	case errors.Is(err, os.ErrNotExist):
		return []*os.File{db}, func() {}, nil
	case err != nil:
		return nil, nil, err
	}
	return []*os.File{db, log}, func() { log.Close() }, nil
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
		`SELECT fields FROM object_versions WHERE fields IS NOT NULL`,
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

// Add merges other traces, as far as there is room.
func (t *Traces) Add(other *Traces) {
	t.Texts += other.Texts
	t.probes = append(t.probes, other.probes[:min(len(other.probes), max(0, maxProbes-len(t.probes)))]...)
	if t.words == nil {
		t.words = other.words
	} else {
		maps.Copy(t.words, other.words)
	}
}
