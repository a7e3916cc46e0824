package erase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// Scrub overwrites what was deleted, rewrites the indexes without it, empties the log, and
// reads the files again to verify that nothing of it is left. When much of the database is
// free afterwards it is rewritten smaller.
func (s *Store) Scrub(ctx context.Context, t *Traces) (Remains, error) {
	const shrink = 4 // when that part is free
	var free, pages int64
	err := s.rewriteIndexes(ctx)
	if err == nil {
		err = s.db.GetContext(ctx, &free, `PRAGMA freelist_count`)
	}
	if err == nil {
		err = s.db.GetContext(ctx, &pages, `PRAGMA page_count`)
	}
	done := false
	if err == nil && free*shrink < pages {
		if done, err = s.overwrite(ctx); errors.Is(err, errPages) {
			err = nil
		}
	}
	if err == nil && !done {
		_, err = s.db.ExecContext(ctx, `VACUUM`)
	}
	if err != nil {
		return Remains{}, fmt.Errorf("rewrite the store: %w", sqlite.Explain(err))
	}
	return s.finish(ctx, t)
}

// shrink is Scrub that gives all free space back.
func (s *Store) shrink(ctx context.Context) error {
	err := s.rewriteIndexes(ctx)
	if err == nil {
		_, err = s.db.ExecContext(ctx, `VACUUM`)
	}
	if err == nil {
		_, err = s.finish(ctx, &Traces{})
	}
	return sqlite.Explain(err)
}

// rewriteIndexes writes the full-text indexes without what was deleted.
func (s *Store) rewriteIndexes(ctx context.Context) error {
	if !s.db.FullText() {
		return nil
	}
	return s.search.Rewrite(ctx, "words_fts", "parts_fts", "grams_fts", "objects_fts")
}

// overwrite overwrites what the database does not use. It returns false while others read
// what is still in the log: VACUUM then waits for them longer.
func (s *Store) overwrite(ctx context.Context) (done bool, err error) {
	f, err := s.db.File()
	if err != nil {
		return false, err
	}
	if err := s.db.Checkpoint(ctx); err != nil {
		return false, err
	}
	// As long as the lock is held nobody writes, and with an empty log all others read
	// what is in the file.
	err = s.db.Tx(ctx, func(*sqlx.Conn) error {
		if !sqlite.IsEmpty(s.db.Path() + "-wal") {
			return nil
		}
		done = true
		_, err := wipe(ctx, f)
		return err
	})
	if err == nil { // the pages that are in memory are as they were
		_, err = s.db.ExecContext(ctx, `PRAGMA shrink_memory`)
	}
	return done && err == nil, err
}

// finish notes that nothing is left to do, empties the log, and looks for what was deleted.
func (s *Store) finish(ctx context.Context, t *Traces) (Remains, error) {
	_, err := s.db.ExecContext(ctx, `DELETE FROM meta WHERE key = '`+Unscrubbed+`'`)
	if err == nil {
		err = s.db.Checkpoint(ctx)
	}
	if err != nil {
		return Remains{}, fmt.Errorf("rewrite the store: %w", sqlite.Explain(err))
	}
	return s.remains(ctx, t)
}

// remains looks for what was deleted.
func (s *Store) remains(ctx context.Context, t *Traces) (Remains, error) {
	var r Remains
	for _, end := range []string{"", "-wal"} {
		found, err := holdsAny(s.db.Path()+end, t.probes)
		if err != nil {
			return r, fmt.Errorf("read the store again: %w", err)
		}
		if found {
			r.Files = append(r.Files, s.db.Path()+end)
		}
	}
	var err error
	if r.Copies, err = filepath.Glob(s.db.Path() + ".*.bak"); err != nil {
		return r, err
	}
	if s.db.FullText() {
		r.Words, err = s.search.WordsLeft(ctx, t.words)
	}
	return r, err
}

// holdsAny reports whether a file holds one of some strings of bytes. A file that is
// not there holds nothing.
func holdsAny(path string, probes [][]byte) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) || len(probes) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
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
		n, err := io.ReadFull(f, buf[len(buf):cap(buf)])
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
