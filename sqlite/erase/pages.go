package erase

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// errOtherFile is returned for a file that is not entirely what SQLite documents as its
// format, or that has parts which this package does not know.
var errOtherFile = errors.New("this is not a database that can be followed page by page")

// place is where a page has unused bytes that are not zero.
type place struct {
	page uint32
	from int // everything from this offset is unused; inTree: between the rows
}

// inTree marks a place in a page with rows.
const inTree = -1

// walk follows all pages of a database by SQLite's documented file format: the trees of
// tables and indexes, the overflow pages of their rows, and the free list. It fails unless
// every page has exactly one of these uses, so what it takes for unused is unused.
type walk struct {
	ctx   context.Context
	file  io.ReaderAt
	size  int    // bytes per page
	seen  []bool // by page number
	buf   []byte
	tree  layout
	found []place
}

// lockByte is the offset of the page that SQLite never uses, because locks are held on it.
const lockByte = 1 << 30

// unusedPlaces returns the places with unused bytes that are not zero. roots are the root
// pages of tables and indexes.
func unusedPlaces(ctx context.Context, file io.ReaderAt, bytes int64, roots []uint32) (*walk, error) {
	head := make([]byte, 100)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, errors.Join(errOtherFile, err)
	}
	size := int(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 1 << 16
	}
	const reserved, pages, freeList, autoVacuum = 20, 28, 32, 52
	n := int64(binary.BigEndian.Uint32(head[pages:]))
	if string(head[:16]) != "SQLite format 3\x00" || size < 512 || n == 0 || bytes != n*int64(size) ||
		head[reserved] != 0 || binary.BigEndian.Uint32(head[autoVacuum:]) != 0 {
		return nil, errOtherFile
	}
	w := &walk{ctx: ctx, file: file, size: size, seen: make([]bool, n+1), buf: make([]byte, size)}
	if at := lockByte/int64(size) + 1; at <= n {
		w.seen[at] = true
	}
	err := w.freeList(binary.BigEndian.Uint32(head[freeList:]))
	for _, root := range append([]uint32{1}, roots...) {
		if err == nil {
			err = w.pagesOf(root)
		}
	}
	for no := 1; no < len(w.seen) && err == nil; no++ {
		if !w.seen[no] {
			err = fmt.Errorf("%w: nothing refers to page %d", errOtherFile, no)
		}
	}
	return w, err
}

// read reads a page. Each may be read once.
func (w *walk) read(no uint32) ([]byte, error) {
	if no == 0 || int64(no) >= int64(len(w.seen)) || w.seen[no] {
		return nil, fmt.Errorf("%w: a second reference to page %d, or one beyond the end", errOtherFile, no)
	}
	w.seen[no] = true
	return w.buf, errors.Join(w.readAt(no), w.ctx.Err())
}

func (w *walk) readAt(no uint32) error {
	_, err := w.file.ReadAt(w.buf, w.offset(no))
	return err
}

func (w *walk) offset(no uint32) int64 { return int64(no-1) * int64(w.size) }

// note records a place if any of its bytes is not zero.
func (w *walk) note(at place, unused []byte) {
	if !isZero(unused) {
		w.found = append(w.found, at)
	}
}

// isZero reports whether all bytes are zero.
func isZero(b []byte) bool { return len(b) == 0 || b[0] == 0 && bytes.Equal(b[1:], b[:len(b)-1]) }

// freeList follows the list of free pages: trunk pages with the numbers of others.
func (w *walk) freeList(trunk uint32) error {
	for trunk != 0 {
		page, err := w.read(trunk)
		if err != nil {
			return err
		}
		n := binary.BigEndian.Uint32(page[4:])
		if int64(n) > int64(w.size)/4-2 {
			return errOtherFile
		}
		leaves := make([]uint32, n)
		for i := range leaves {
			leaves[i] = binary.BigEndian.Uint32(page[8+4*i:])
		}
		end := 8 + 4*int(n)
		w.note(place{trunk, end}, page[end:])
		trunk = binary.BigEndian.Uint32(page)
		for _, leaf := range leaves {
			if page, err = w.read(leaf); err != nil {
				return err
			}
			w.note(place{leaf, 0}, page)
		}
	}
	return nil
}

// pagesOf follows a tree and the overflow pages of its rows.
func (w *walk) pagesOf(root uint32) error {
	for todo := []uint32{root}; len(todo) > 0; {
		no := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		page, err := w.read(no)
		if err == nil {
			err = w.tree.of(page, no)
		}
		if err != nil {
			return err
		}
		w.note(place{no, inTree}, w.tree.unused)
		todo = append(todo, w.tree.children...)
		for _, c := range w.tree.chains {
			if err := w.chain(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// chain follows the overflow pages of a row.
func (w *walk) chain(c chain) error {
	next := c.first
	for left := c.bytes; left > 0; {
		no := next
		page, err := w.read(no)
		if err != nil {
			return err
		}
		next = binary.BigEndian.Uint32(page)
		n := min(left, int64(w.size-4))
		left -= n
		w.note(place{no, 4 + int(n)}, page[4+n:])
	}
	if next != 0 {
		return errOtherFile
	}
	return nil
}

// overwrite overwrites the places that were found with zeros. Every other byte of their
// pages is written as it is, so a write that is torn by a crash does no harm.
func (w *walk) overwrite(to io.WriterAt) error {
	for _, p := range w.found {
		err := errors.Join(w.readAt(p.page), w.ctx.Err())
		if err == nil && p.from == inTree {
			err = w.tree.of(w.buf, p.page)
		}
		if err != nil {
			return err
		}
		if p.from == inTree {
			w.tree.clear(w.buf)
		} else {
			clear(w.buf[p.from:])
		}
		if _, err := to.WriteAt(w.buf, w.offset(p.page)); err != nil {
			return err
		}
	}
	return nil
}

// chain is a list of overflow pages, and how many bytes of a row they have.
type chain struct {
	first uint32
	bytes int64
}

// layout is what a page of a tree consists of.
type layout struct {
	unused   []byte // the page with zeros where it is used
	children []uint32
	chains   []chain
}

// The kinds of pages of a tree.
const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

// of takes a page apart.
func (l *layout) of(page []byte, no uint32) error {
	l.children, l.chains = l.children[:0], l.chains[:0]
	from, head := 0, 8
	if no == 1 {
		from = 100
	}
	kind := page[from]
	switch kind {
	case indexInterior, tableInterior:
		head = 12
		l.children = append(l.children, binary.BigEndian.Uint32(page[from+8:]))
	case indexLeaf, tableLeaf:
	default:
		return fmt.Errorf("%w: page %d has no rows", errOtherFile, no)
	}
	rows, first := int(binary.BigEndian.Uint16(page[from+3:])), int(binary.BigEndian.Uint16(page[from+5:]))
	if first == 0 {
		first = 1 << 16
	}
	least := from + head + 2*rows
	if least > first || first > len(page) {
		return fmt.Errorf("%w: page %d has no room for its rows", errOtherFile, no)
	}
	l.unused = append(l.unused[:0], page...)
	clear(l.unused[:least])
	for i := range rows {
		at := int(binary.BigEndian.Uint16(page[from+head+2*i:]))
		if at < first || at >= len(page) {
			return fmt.Errorf("%w: page %d has a row outside of it", errOtherFile, no)
		}
		n := l.row(page[at:], kind, len(page))
		if n == 0 || at+n > len(page) {
			return fmt.Errorf("%w: page %d has a row that is too long", errOtherFile, no)
		}
		clear(l.unused[at : at+n])
	}
	return l.freed(page, int(binary.BigEndian.Uint16(page[from+1:])), first)
}

// freed follows the list of freed blocks between rows, each with the offset of the next,
// which is larger, and its size. These four bytes are used.
func (l *layout) freed(page []byte, at, last int) error {
	for ; at != 0; at = int(binary.BigEndian.Uint16(page[at:])) {
		if at < last || at+4 > len(page) {
			return fmt.Errorf("%w: a freed block is outside of its page", errOtherFile)
		}
		size := int(binary.BigEndian.Uint16(page[at+2:]))
		if last = at + size; size < 4 || last > len(page) {
			return fmt.Errorf("%w: a freed block is too long", errOtherFile)
		}
		clear(l.unused[at : at+4])
	}
	return nil
}

// row returns the bytes that a row takes in its page of the given size, 0 when they are
// more than there are. It records the child and the overflow pages that the row refers to.
func (l *layout) row(b []byte, kind byte, size int) int {
	at := 0
	if kind == indexInterior || kind == tableInterior {
		if at = 4; len(b) < at {
			return 0
		}
		l.children = append(l.children, binary.BigEndian.Uint32(b))
	}
	content, n := varint(b[at:])
	if at += n; n == 0 || kind == tableInterior { // it has only the number of a row
		return at
	}
	if kind == tableLeaf {
		if _, n = varint(b[at:]); n == 0 {
			return 0
		}
		at += n
	}
	here := local(content, kind, size)
	if content > 1<<31 || int64(at)+int64(here) > int64(len(b)) {
		return 0
	}
	at += int(here)
	if here == content {
		return max(at, 4)
	}
	if at+4 > len(b) {
		return 0
	}
	l.chains = append(l.chains, chain{binary.BigEndian.Uint32(b[at:]), int64(content - here)})
	return at + 4
}

// local returns how many bytes of a row's content are in the page of the row.
func local(content uint64, kind byte, size int) uint64 {
	usable := uint64(size)
	most, least := (usable-12)*64/255-23, (usable-12)*32/255-23
	if kind == tableLeaf {
		most = usable - 35
	}
	if content <= most {
		return content
	}
	if n := least + (content-least)%(usable-4); n <= most {
		return n
	}
	return least
}

// varint decodes an integer of SQLite's format. It returns the number of bytes, 0 when b is
// too short.
func varint(b []byte) (v uint64, n int) {
	for n < len(b) {
		c := b[n]
		if n++; n == 9 {
			return v<<8 | uint64(c), n
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, n
		}
	}
	return 0, 0
}

// clear overwrites the unused bytes of the page that was taken apart.
func (l *layout) clear(page []byte) {
	const word = 8 // most words are zero, so they are looked at as a whole
	for i := 0; i+word <= len(l.unused); i += word {
		if binary.NativeEndian.Uint64(l.unused[i:]) == 0 {
			continue
		}
		for j := i; j < i+word; j++ {
			if l.unused[j] != 0 {
				page[j] = 0
			}
		}
	}
}
