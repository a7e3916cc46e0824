package erase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// Traces is what a text can be recognised by in a file after it was deleted.
type Traces struct {
	// Texts counts the texts that went.
	Texts  int
	probes [][]byte        // the beginnings of texts as they were stored, ids and all
	words  map[string]bool // words of theirs
}

// The limits of what is looked for afterwards.
const (
	probeBytes = 200 // of each text; a page has them in one piece
	minProbe   = 16
	maxProbes  = 2000
	maxWords   = 2000
	minWord    = 6 // bytes of a word that says whose it was
)

// trace remembers how the text of an entry can be recognised.
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

// notePacked notes a text as it is stored.
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

// noteWords notes the words of a text.
func (t *Traces) noteWords(text string) {
	if t.words == nil {
		t.words = make(map[string]bool)
	}
	for _, w := range history.Words(text) {
		if len(t.words) < maxWords && len(w) >= minWord {
			t.words[w] = true
		}
	}
}

// Remains says where something that was deleted can still be read.
type Remains struct {
	// Files hold bytes of it: the database, its log. Empty is the proof that it is
	// gone.
	Files []string
	// Words counts the words that only it had and an index still has.
	Words int
	// Copies are copies of the database beside it that were made before.
	Copies []string
}

// Scrub rewrites the indexes and the database without what was deleted, empties the log,
// and reads both again to verify that nothing of it is left.
func (s *Store) Scrub(ctx context.Context, t *Traces) (Remains, error) {
	if err := s.rewrite(ctx); err != nil {
		return Remains{}, fmt.Errorf("rewrite the store: %w", sqlite.Explain(err))
	}
	return s.remains(ctx, t)
}

// rewrite replaces everything that may hold what was deleted: segments of full-text
// indexes, free pages, the log.
func (s *Store) rewrite(ctx context.Context) error {
	if s.db.FullText() {
		if err := s.search.Rewrite(ctx, "words_fts", "parts_fts", "grams_fts", "objects_fts"); err != nil {
			return err
		}
	}
	for _, sql := range []string{`VACUUM`, `DELETE FROM meta WHERE key = '` + Unscrubbed + `'`} {
		if _, err := s.db.ExecContext(ctx, sql); err != nil {
			return err
		}
	}
	return s.db.Checkpoint(ctx)
}

// remains looks for what was deleted.
func (s *Store) remains(ctx context.Context, t *Traces) (Remains, error) {
	var r Remains
	files, closeLog, err := s.files()
	if err != nil {
		return r, fmt.Errorf("read the store again: %w", err)
	}
	defer closeLog()
	for _, f := range files {
		found, err := holdsAny(io.NewSectionReader(f, 0, math.MaxInt64), t.probes)
		if err != nil {
			return r, fmt.Errorf("read the store again: %w", err)
		}
		if found {
			r.Files = append(r.Files, f.Name())
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

// files are the database and its log, if there is one, which closeLog closes. The database
// stays open as long as the store.
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

// holdsAny reports whether what r reads holds one of some strings of bytes.
func holdsAny(r io.Reader, probes [][]byte) (bool, error) {
	if len(probes) == 0 {
		return false, nil
	}
	const chunk = 4 << 20
	heads := make(map[string][][]byte, len(probes))
	var likely [1 << 16]bool // by two bytes that differ: all begin as zstd does
	const at = 8
	for _, p := range probes {
		head := string(p[:minProbe])
		heads[head] = append(heads[head], p)
		likely[int(p[at])<<8|int(p[at+1])] = true
	}
	buf := make([]byte, 0, chunk+probeBytes)
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		for i := 0; i+minProbe <= len(buf); i++ {
			if !likely[int(buf[i+at])<<8|int(buf[i+at+1])] {
				continue
			}
			for _, p := range heads[string(buf[i:i+minProbe])] {
				if bytes.HasPrefix(buf[i:], p) {
					return true, nil
				}
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return false, nil
			}
			return false, err
		}
		// A string may stand across the border of two pieces.
		buf = append(buf[:0], buf[len(buf)-probeBytes:]...)
	}
}

// Add adds what other traces recognise, as far as there is room.
func (t *Traces) Add(other *Traces) {
	t.Texts += other.Texts
	t.probes = append(t.probes, other.probes[:min(len(other.probes), max(0, maxProbes-len(t.probes)))]...)
	if t.words == nil {
		t.words = make(map[string]bool)
	}
	for w := range other.words {
		if len(t.words) == maxWords {
			return
		}
		t.words[w] = true
	}
}
