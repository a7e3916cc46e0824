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

// Traces holds what deleted texts can be recognized by in a file.
type Traces struct {
	// Texts counts the deleted texts.
	Texts  int
	probes [][]byte        // the beginnings of texts as stored, with the ids in them
	words  map[string]bool // their words
	parts  map[string]bool // parts of these words

	stored  [][]byte        // texts as they were stored
	plain   []string        // and as plain text
	room    int             // bytes of both
	matches map[string]bool // masked matches in lower case
	masked  map[string]bool // their words in the form of the indexes
	find    history.Finder  // matches what is masked, when only that is deleted; nil when whole texts are
	unsure  bool            // something was deleted about which nothing is known
}

// The limits of the search for remains.
const (
	probeBytes = 200 // per text; a page stores these bytes contiguously
	minProbe   = 16
	maxProbes  = 4096
	maxWords   = 1 << 17
	maxTexts   = 32 << 20 // bytes of all texts
	minWord    = 6        // bytes of a word that is specific enough
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
		text := history.SearchText(&e, raw)
		t.noteWords(text)
		t.NotePlain(text)
	}
	return nil
}

// fits reports whether there is room for another text. From the first that does not fit, t
// is unsure.
func (t *Traces) fits(text int) bool {
	t.room += text
	t.unsure = t.unsure || t.room > maxTexts
	return !t.unsure
}

// NotePlain records a deleted text that may remain, as plain text, in unused bytes.
func (t *Traces) NotePlain(text string) {
	if t.fits(len(text)) {
		t.plain = append(t.plain, text)
	}
}

// masking is a Finder that records its matches in traces.
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

// insideWord reports whether an offset is between two letters or digits of a word.
func insideWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	in := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return at > 0 && at < len(text) && in(before) && in(after)
}

// notePacked records a text as it is stored.
func (t *Traces) notePacked(ctx context.Context, tx *sqlx.Conn, id int64) error {
	var data []byte
	if err := tx.GetContext(ctx, &data, `SELECT data FROM content WHERE id = ?`, id); err != nil {
		return err
	}
	t.Texts++
	const head = 8 // of the zstd frame, the same in many texts
	if t.fits(len(data)) {
		t.stored = append(t.stored, bytes.Clone(data[min(len(data), head):]))
	}
	if len(data) >= minProbe && len(t.probes) < maxProbes {
		t.probes = append(t.probes, bytes.Clone(data[:min(len(data), probeBytes)]))
	}
	return nil
}

// noteWords records the words of a text.
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

// Scrub rewrites the indexes without the deleted texts, rewrites the database if its unused
// bytes may contain remains, and truncates the log. Then it reads both again to verify that
// nothing is left.
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

// rewriteIndexes rewrites the segments of the full-text indexes, which still contain the
// words of deleted texts.
func (s *Store) rewriteIndexes(ctx context.Context) error {
	if !s.db.FullText() {
		return nil
	}
	return s.search.Rewrite(ctx, "words_fts", "parts_fts", "grams_fts", "objects_fts")
}

// rewrite rewrites all pages of the database.
func (s *Store) rewrite(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `VACUUM`)
	if err == nil {
		_, err = s.db.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('`+sqlite.Clean+`', '') ON CONFLICT DO NOTHING`)
	}
	return err
}

// scrubbed records that nothing is due any more, and truncates the log.
func (s *Store) scrubbed(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, `DELETE FROM meta WHERE key = '`+Unscrubbed+`'`); err != nil {
		return err
	}
	s.noted, s.overdue = false, false
	return s.db.Checkpoint(ctx)
}

// remains searches for deleted content. When another process reads an old snapshot, the log
// cannot be truncated and has pages that the database lacks. Then all bytes of both are
// read.
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
	heads := make(map[string][][]byte, len(probes))
	var likely [1 << 16]bool // filter by two bytes that vary: all texts begin with the same zstd magic
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
		// A probe may cross the boundary of two chunks.
		buf = append(buf[:0], buf[len(buf)-probeBytes:]...)
	}
}

// Add merges other traces, as far as there is room.
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

// with returns the union of two sets.
func with(a, b map[string]bool) map[string]bool {
	if a == nil {
		return b
	}
	maps.Copy(a, b)
	return a
}
