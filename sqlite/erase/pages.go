package erase

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// errPages is returned of a file whose pages are not all understood. VACUUM does then what
// overwriting would have done.
var errPages = errors.New("pages of another form than expected")

// pages overwrites what a database file does not use: the pages that are free, what lies
// between the cells of the others, and the ends of the last page of long rows. SQLite
// leaves there what was deleted, and copies of what it moved. What is in use keeps its
// bytes, so that others may read meanwhile; nobody may write. The form is that of
// https://www.sqlite.org/fileformat2.html. Left are pieces of at most three bytes between
// cells, which belong to no list.
type pages struct {
	f      *os.File
	size   int // of a page
	usable int
	count  uint32
	lock   uint32            // the page that SQLite never uses
	free   map[uint32]int    // of the free pages how many bytes are used
	next   map[uint32]uint32 // in rows that are too long for one page: 0 for none
	long   []long
	zeros  []byte
	wiped  int64
}

// long is the part of a row that does not fit its page.
type long struct {
	page  uint32
	bytes int64
}

// wipe overwrites what the file does not use, and returns how many bytes had to be.
func wipe(ctx context.Context, f *os.File) (int64, error) {
	p := &pages{f: f, free: make(map[uint32]int), next: make(map[uint32]uint32)}
	if err := p.header(); err != nil {
		return 0, err
	}
	if err := p.freelist(); err != nil {
		return 0, err
	}
	if err := p.each(ctx); err != nil {
		return p.wiped, err
	}
	if err := p.tails(); err != nil {
		return p.wiped, err
	}
	return p.wiped, f.Sync()
}

// The database's header.
const (
	headerBytes   = 100
	lockByte      = 1 << 30
	mostPages     = 1 << 24 // above it the number of a page may look like the kind of another
	vacuumsItself = 52
)

func (p *pages) header() error {
	var h [headerBytes]byte
	if _, err := p.f.ReadAt(h[:], 0); err != nil {
		return err
	}
	p.size = int(binary.BigEndian.Uint16(h[16:]))
	if p.size == 1 {
		p.size = 1 << 16
	}
	st, err := p.f.Stat()
	if err != nil {
		return err
	}
	if p.size < 512 || p.size&(p.size-1) != 0 {
		return errPages
	}
	p.usable = p.size - int(h[20])
	p.count = binary.BigEndian.Uint32(h[28:])
	if st.Size() != int64(p.count)*int64(p.size) || p.count >= mostPages || binary.BigEndian.Uint32(h[vacuumsItself:]) != 0 || p.usable < 480 {
		return errPages
	}
	p.lock = uint32(lockByte/p.size) + 1
	p.zeros = make([]byte, p.size)
	return nil
}

// freelist notes the free pages: some list the others.
func (p *pages) freelist() error {
	page := make([]byte, p.size)
	if _, err := p.f.ReadAt(page[:headerBytes], 0); err != nil {
		return err
	}
	for list := binary.BigEndian.Uint32(page[32:]); list != 0; list = binary.BigEndian.Uint32(page) {
		if _, met := p.free[list]; met || list > p.count {
			return errPages
		}
		if _, err := p.f.ReadAt(page, p.at(list)); err != nil {
			return err
		}
		n := int64(binary.BigEndian.Uint32(page[4:]))
		if n > int64(p.usable/4-2) {
			return errPages
		}
		p.free[list] = int(8 + 4*n)
		for i := range n {
			p.free[binary.BigEndian.Uint32(page[8+4*i:])] = 0
		}
	}
	return nil
}

func (p *pages) at(page uint32) int64 { return int64(page-1) * int64(p.size) }

// each goes through all pages.
func (p *pages) each(ctx context.Context) error {
	const some = 256
	buf := make([]byte, some*p.size)
	for first := uint32(1); first <= p.count; first += some {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := p.f.ReadAt(buf, p.at(first))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for i := 0; (i+1)*p.size <= n; i++ {
			if err := p.page(first+uint32(i), buf[i*p.size:(i+1)*p.size]); err != nil {
				return err
			}
		}
	}
	return nil
}

// page overwrites what a page does not use.
func (p *pages) page(number uint32, page []byte) error {
	used, free := p.free[number]
	switch {
	case number == p.lock:
		return nil
	case free:
		return p.clear(number, page, used, p.size)
	case number == 1:
		return p.tree(number, page, headerBytes)
	case page[0] == 0: // it goes on with a row: the number of the next page is less than mostPages
		p.next[number] = binary.BigEndian.Uint32(page)
		return nil
	}
	return p.tree(number, page, 0)
}

// clear overwrites a part of a page.
func (p *pages) clear(number uint32, page []byte, from, to int) error {
	if from > to || from < 0 || to > len(page) {
		return fmt.Errorf("page %d: %w", number, errPages)
	}
	if bytes.Equal(page[from:to], p.zeros[:to-from]) {
		return nil
	}
	p.wiped += int64(to - from)
	_, err := p.f.WriteAt(p.zeros[:to-from], p.at(number)+int64(from))
	return err
}

// The kinds of pages of a tree.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// tree overwrites what lies between the cells of a page of a tree, and notes the rows
// that go on elsewhere.
func (p *pages) tree(number uint32, page []byte, head int) error {
	kind, cells := page[head], head+8
	switch kind {
	case indexInner, tableInner:
		cells += 4
	case indexLeaf, tableLeaf:
	default:
		return fmt.Errorf("page %d: %w", number, errPages)
	}
	at := func(i int) int { return int(binary.BigEndian.Uint16(page[i:])) }
	end := cells + 2*at(head+3)
	content := at(head + 5)
	if content == 0 {
		content = 1 << 16
	}
	if end > content || content > p.usable {
		return fmt.Errorf("page %d: %w", number, errPages)
	}
	if kind != tableInner {
		for i := cells; i < end; i += 2 {
			if err := p.cell(number, kind, page[:p.usable], at(i)); err != nil {
				return err
			}
		}
	}
	if err := p.clear(number, page, end, content); err != nil {
		return err
	}
	for block := at(head + 1); block != 0; block = at(block) {
		if block < content || block+4 > p.usable || at(block) != 0 && at(block) <= block {
			return fmt.Errorf("page %d: %w", number, errPages)
		}
		if err := p.clear(number, page, block+4, block+at(block+2)); err != nil {
			return err
		}
	}
	return p.clear(number, page, p.usable, p.size)
}

// cell notes whether a row goes on in another page.
func (p *pages) cell(number uint32, kind byte, page []byte, at int) error {
	if kind == indexInner {
		at += 4
	}
	most := (p.usable-12)*64/255 - 23
	size, n := varint(page, at)
	if at += n; kind == tableLeaf {
		_, id := varint(page, at)
		n, at, most = min(n, id), at+id, p.usable-35
	}
	if n == 0 || size < 0 {
		return fmt.Errorf("page %d: %w", number, errPages)
	}
	if size <= int64(most) {
		return nil
	}
	least := int64((p.usable-12)*32/255 - 23)
	here := least + (size-least)%int64(p.usable-4)
	if here > int64(most) {
		here = least
	}
	if at += int(here); at+4 > len(page) {
		return fmt.Errorf("page %d: %w", number, errPages)
	}
	p.long = append(p.long, long{binary.BigEndian.Uint32(page[at:]), size - here})
	return nil
}

// varint reads a number as SQLite writes it. It takes n bytes, 0 when it is not whole.
func varint(page []byte, at int) (v int64, n int) {
	const longest = 9
	for n < longest {
		if at+n >= len(page) {
			return 0, 0
		}
		b := page[at+n]
		if n++; n == longest {
			return v<<8 | int64(b), n
		}
		v = v<<7 | int64(b&0x7f)
		if b < 0x80 {
			return v, n
		}
	}
	return v, n
}

// tails overwrites what follows the ends of long rows.
func (p *pages) tails() error {
	for i, row := range p.long {
		for room := int64(p.usable - 4); row.bytes > room; row.bytes -= room {
			following, ok := p.next[row.page]
			if !ok {
				return fmt.Errorf("page %d: %w", row.page, errPages)
			}
			row.page = following
		}
		if _, ok := p.next[row.page]; !ok {
			return fmt.Errorf("page %d: %w", row.page, errPages)
		}
		p.long[i] = row
	}
	slices.SortFunc(p.long, func(a, b long) int { return int(a.page) - int(b.page) })
	page := make([]byte, p.size)
	for _, row := range p.long {
		if _, err := p.f.ReadAt(page, p.at(row.page)); err != nil {
			return err
		}
		if err := p.clear(row.page, page, int(4+row.bytes), p.size); err != nil {
			return err
		}
	}
	return nil
}
