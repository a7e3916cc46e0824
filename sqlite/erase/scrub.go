package erase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf8"

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
	parts  map[string]bool // parts of those words

	stored  [][]byte        // texts as they were stored
	plain   []string        // and as they read
	room    int             // bytes of both
	matches map[string]bool // what was masked, in small letters
	masked  map[string]bool // the words of it, as indexes have them
	find    history.Finder  // of what is masked: only that must go; nil when all of the texts must
	unsure  bool            // of something that went nothing is known
}

// The limits of what is looked for afterwards.
const (
	probeBytes = 200 // of each text; a page has them in one piece
	minProbe   = 16
	maxProbes  = 4096
	maxWords   = 1 << 17
	maxTexts   = 32 << 20 // bytes of all texts
	minWord    = 6        // bytes of a word that says whose it was
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
		text := history.SearchText(&e, raw)
		t.noteWords(text)
		t.NotePlain(text)
	}
	return nil
}

// fits reports whether there is room for another text.
func (t *Traces) fits(text int) bool {
	t.room += text
	t.unsure = t.unsure || t.room > maxTexts
	return !t.unsure
}

// NotePlain notes a text that goes and may stand where nothing uses it, as it reads.
func (t *Traces) NotePlain(text string) {
	if t.fits(len(text)) {
		t.plain = append(t.plain, text)
	}
}

// masking finds what is masked, and notes it.
type masking struct {
	history.Finder
	traces *Traces
}

// FindAllStringIndex implements history.Finder.
func (m masking) FindAllStringIndex(text string, n int) [][]int {
	found := m.Finder.FindAllStringIndex(text, n)
	t := m.traces
	if t.matches == nil {
		t.matches, t.masked = make(map[string]bool), make(map[string]bool)
	}
	for _, at := range found {
		match := text[at[0]:at[1]]
		t.unsure = t.unsure || len(match) < leastTail || len(t.matches) > maxProbes || len(match) > 1<<16 || insideWord(text, at[0]) || insideWord(text, at[1])
		t.matches[string(small([]byte(match)))] = true
		for _, w := range history.Words(match) {
			t.masked[w] = true
		}
	}
	return found
}

// insideWord reports whether a place in a text is between two letters or digits of a word.
func insideWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	in := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return at > 0 && at < len(text) && in(before) && in(after)
}

// notePacked notes a text as it is stored.
func (t *Traces) notePacked(ctx context.Context, tx *sqlx.Conn, id int64) error {
	var data []byte
	if err := tx.GetContext(ctx, &data, `SELECT data FROM content WHERE id = ?`, id); err != nil {
		return err
	}
	t.Texts++
	const head = 8 // of zstd, which is the same in many
	if t.fits(len(data)) {
		t.stored = append(t.stored, bytes.Clone(data[min(len(data), head):]))
	}
	if len(data) >= minProbe && len(t.probes) < maxProbes {
		t.probes = append(t.probes, bytes.Clone(data[:min(len(data), probeBytes)]))
	}
	return nil
}

// noteWords notes the words of a text.
func (t *Traces) noteWords(text string) {
	if t.words == nil {
		t.words, t.parts = make(map[string]bool), make(map[string]bool)
	}
	note := func(to map[string]bool, words []string) {
		for _, w := range words {
			if t.unsure = t.unsure || len(to) == maxWords; !t.unsure && len(w) >= minWord {
				to[w] = true
			}
		}
	}
	note(t.words, history.Words(text))
	var parts history.PartSet
	note(t.parts, parts.Of(text))
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

// Scrub rewrites the indexes without what was deleted, and the database if bytes in it that
// nothing uses may have something of it, empties the log, and reads both again to verify that
// nothing of it is left.
func (s *Store) Scrub(ctx context.Context, t *Traces) (Remains, error) {
	var all bool
	err := s.rewriteIndexes(ctx)
	if err == nil {
		all, err = s.mayHold(ctx, t)
	}
	if err == nil && all {
		err = s.rewrite(ctx)
	}
	if err == nil {
		err = s.scrubbed(ctx)
	}
	if err != nil {
		return Remains{}, fmt.Errorf("rewrite the store: %w", sqlite.Explain(err))
	}
	return s.remains(ctx, t)
}

// rewriteIndexes replaces the segments of the full-text indexes, which still hold the words
// of deleted texts.
func (s *Store) rewriteIndexes(ctx context.Context) error {
	if !s.db.FullText() {
		return nil
	}
	return s.search.Rewrite(ctx, "words_fts", "parts_fts", "grams_fts", "objects_fts")
}

// rewrite replaces all pages of the database.
func (s *Store) rewrite(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `VACUUM`)
	if err == nil {
		_, err = s.db.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('`+sqlite.Clean+`', '') ON CONFLICT DO NOTHING`)
	}
	return err
}

// scrubbed notes that nothing is left to do, and empties the log.
func (s *Store) scrubbed(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, `DELETE FROM meta WHERE key = '`+Unscrubbed+`'`); err != nil {
		return err
	}
	s.noted, s.overdue = false, false
	return s.db.Checkpoint(ctx)
}

// remains looks for what was deleted. A log that could not be emptied, because another process
// reads the database as it was, has pages that the database lacks, and both are read byte by byte.
func (s *Store) remains(ctx context.Context, t *Traces) (Remains, error) {
	var r Remains
	files, closeLog, err := s.files()
	if err != nil {
		return r, fmt.Errorf("read the store again: %w", err)
	}
	defer closeLog()
	var look *finder
	if len(files) > 1 && !sqlite.IsEmpty(files[1].Name()) {
		if look, err = s.lookFor(ctx, t); err != nil {
			return r, fmt.Errorf("read the store again: %w", err)
		}
	}
	for _, f := range files {
		found, err := holdsAny(io.NewSectionReader(f, 0, math.MaxInt64), t.probes)
		if err == nil && !found && look != nil {
			found, err = look.inAll(io.NewSectionReader(f, 0, math.MaxInt64))
		}
		if err != nil {
			return r, fmt.Errorf("read the store again: %w", err)
		}
		if found {
			r.Files = append(r.Files, f.Name())
		}
	}
	if len(r.Files) > 0 {
		if err := s.Prepare(ctx); err != nil { // something is left to do
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
	t.unsure = t.unsure || other.unsure
	t.stored, t.plain = append(t.stored, other.stored...), append(t.plain, other.plain...)
	t.fits(other.room)
	t.words, t.parts = with(t.words, other.words), with(t.parts, other.parts)
	t.matches, t.masked = with(t.matches, other.matches), with(t.masked, other.masked)
	t.find = other.find
}

// with is both of two sets.
func with(a, b map[string]bool) map[string]bool {
	if a == nil {
		return b
	}
	maps.Copy(a, b)
	return a
}
