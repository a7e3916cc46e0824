package erase

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// Every writing connection has secure_delete on, so deleted rows and freed pages are
// overwritten. SQLite leaves one gap: when it moves rows to another page, the old bytes
// stay in a page that remains in use, and a later deletion overwrites only the new place.
// So the unused parts of all pages are searched, and the database is rewritten when they
// may contain part of a deleted text.

// mayHold reports whether unused bytes of the database may still contain part of a deleted
// text. When that cannot be determined it returns true.
func (s *Store) mayHold(ctx context.Context, t *Traces) (bool, error) {
	var known bool
	if err := s.db.GetContext(ctx, &known, `SELECT EXISTS (SELECT 1 FROM meta WHERE key = '`+sqlite.Clean+`')`); err != nil {
		return true, err
	}
	if !known || s.overdue || t.unsure {
		return true, nil
	}
	var free, pages int64
	if err := s.db.GetContext(ctx, &free, `PRAGMA freelist_count`); err != nil {
		return true, err
	}
	if err := s.db.GetContext(ctx, &pages, `PRAGMA page_count`); err != nil || free > pages/4 {
		return true, err // much space to reclaim
	}
	if t.Texts > Batch && t.find == nil {
		return true, nil // so many texts that SQLite must have moved some
	}
	if short, err := s.leavesLittle(ctx, t); err != nil || short {
		return true, err
	}
	if err := s.db.Checkpoint(ctx); err != nil || !sqlite.IsEmpty(s.db.Path()+"-wal") {
		return true, err
	}
	f, err := s.db.File()
	if err != nil {
		return true, err
	}
	look, err := s.lookFor(ctx, t)
	if err != nil || t.unsure {
		return true, err
	}
	return look.inGaps(io.NewSectionReader(f, 0, pages<<16))
}

// lookFor returns a finder for pieces of deleted texts, and for words that no stored text
// has any more.
func (s *Store) lookFor(ctx context.Context, t *Traces) (*finder, error) {
	if t.find != nil {
		return t.finder(nil), nil
	}
	words, err := search.Unheard(ctx, s.search, t.words, t.parts)
	return t.finder(words), err
}

// leavesLittle reports whether the remains of a masked word may be too short to recognize,
// because an index stores only the part of a word that differs from the preceding word.
func (s *Store) leavesLittle(ctx context.Context, t *Traces) (bool, error) {
	known := slices.Sorted(maps.Keys(with(maps.Clone(t.masked), t.words)))
	var heads []string
	for w := range t.masked {
		end := len(w) - leastTail + 1
		for end > 0 && end < len(w) && !utf8.RuneStart(w[end]) {
			end--
		}
		if end <= 0 {
			continue // the word is not longer than the pieces searched for
		}
		heads = append(heads, w[:end])
		at, _ := slices.BinarySearch(known, w[:end])
		for ; at < len(known) && strings.HasPrefix(known[at], w[:end]); at++ {
			if known[at] != w {
				return true, nil
			}
		}
	}
	return search.Begun(ctx, s.search, heads)
}

// The lengths of the pieces to search for. Any 24 consecutive bytes of a text contain one
// block.
const (
	blockSize = 16
	blockStep = 8
	leastTail = 6 // bytes at the end of a word; an index may omit its beginning
)

// finder looks for pieces of texts in unused bytes.
type finder struct {
	blocks map[[blockSize]byte]bool
	tails  map[[leastTail]byte][]string // of lower-case words, by their first bytes
	likely [1 << 16]bool                // filter by the first two bytes
}

// finder returns a finder for deleted texts, and for words that no stored text has.
func (t *Traces) finder(words []string) *finder {
	f := &finder{blocks: make(map[[blockSize]byte]bool), tails: make(map[[leastTail]byte][]string)}
	blocks := func(text []byte) {
		for at := 0; at+blockSize <= len(text); at += blockStep {
			f.blocks[[blockSize]byte(text[at:])] = true
			f.likely[binary.BigEndian.Uint16(text[at:])] = true
		}
	}
	for _, text := range t.stored {
		blocks(text)
	}
	for _, text := range t.plain {
		if t.find != nil {
			_ = masking{t.find, t}.FindAllStringIndex(text, -1)
		} else {
			blocks(small([]byte(text)))
		}
	}
	for _, w := range words {
		if tail := w[len(w)-max(min(len(w), leastTail), len(w)*2/3):]; len(tail) >= leastTail {
			f.add(tail)
		}
	}
	for _, all := range []map[string]bool{t.matches, t.masked} {
		for m := range all {
			for at := 0; at+leastTail <= len(m); at++ {
				f.add(m[at : at+leastTail])
			}
		}
	}
	return f
}

func (f *finder) add(tail string) {
	key := [leastTail]byte([]byte(tail))
	f.tails[key] = append(f.tails[key], tail)
	f.likely[binary.BigEndian.Uint16(key[:])] = true
}

// errOtherFile is returned for a file that is not in SQLite's documented format.
var errOtherFile = errors.New("this is not a database of SQLite")

// inGaps searches the unused bytes of all pages, by SQLite's documented file format. Of
// pages without rows it searches all bytes.
func (f *finder) inGaps(r io.Reader) (bool, error) {
	head := make([]byte, 100)
	if _, err := io.ReadFull(r, head); err != nil || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return true, errors.Join(err, errOtherFile)
	}
	size := int(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 1 << 16
	}
	if size < 512 {
		return true, errOtherFile
	}
	r = bufio.NewReaderSize(r, 1<<20)
	page := make([]byte, size)
	copy(page, head)
	for read, from := page[100:], 100; ; read, from = page, 0 {
		if _, err := io.ReadFull(r, read); errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return true, err
		}
		if slices.ContainsFunc(unused(page, from), f.in) {
			return true, nil
		}
	}
}

// unused returns the bytes of a page that no row uses; from is the offset of its header.
// These are the gap between the list of rows and the first row, and freed blocks between
// rows, which should have been overwritten. It returns the whole page when it has no rows
// or its header is invalid.
func unused(page []byte, from int) [][]byte {
	head := 8
	switch page[from] {
	case 2, 5:
		head = 12
	case 10, 13:
	default:
		return [][]byte{page}
	}
	rows := int(binary.BigEndian.Uint16(page[from+3:]))
	first := int(binary.BigEndian.Uint16(page[from+5:]))
	if first == 0 {
		first = 1 << 16
	}
	least := from + head + 2*rows
	if least > first || first > len(page) {
		return [][]byte{page}
	}
	out := [][]byte{page[least:first]}
	// Freed blocks form a list: the offset of the next block, always larger, and the size.
	last := first
	for at := int(binary.BigEndian.Uint16(page[from+1:])); at != 0; at = int(binary.BigEndian.Uint16(page[at:])) {
		if at < last || at+4 > len(page) {
			return [][]byte{page}
		}
		size := int(binary.BigEndian.Uint16(page[at+2:]))
		if last = at + size; size < 4 || last > len(page) {
			return [][]byte{page}
		}
		out = append(out, page[at+4:last])
	}
	return out
}

// inAll searches all bytes of a file.
func (f *finder) inAll(r io.Reader) (bool, error) {
	const overlap = 1 << 16
	buf := make([]byte, 0, 4<<20)
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case f.in(buf):
			return true, nil
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return false, nil
		case err != nil:
			return false, err
		}
		buf = append(buf[:0], buf[len(buf)-overlap:]...)
	}
}

// in reports whether b contains a piece, ignoring the case of ASCII letters.
func (f *finder) in(b []byte) bool {
	b = bytes.Trim(b, "\x00")
	if len(b) < leastTail {
		return false
	}
	for _, b := range [][]byte{b, small(b)} {
		for i := 0; i+leastTail <= len(b); i++ {
			if !f.likely[binary.BigEndian.Uint16(b[i:])] {
				continue
			}
			if i+blockSize <= len(b) && f.blocks[[blockSize]byte(b[i:])] {
				return true
			}
			for _, tail := range f.tails[[leastTail]byte(b[i:])] {
				if bytes.HasPrefix(b[i:], []byte(tail)) {
					return true
				}
			}
		}
	}
	return false
}

// small returns b with ASCII letters in lower case.
func small(b []byte) []byte {
	out := bytes.Clone(b)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}
