package decision

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sort"
)

// An Index finds in a very long log the few lines that a change is about. It is
// made from a log and never takes its place: it holds where lines stand, hashes and
// the beginnings of words, and all that is said of a decision is read from the log
// itself. What of it does not fit the log is an ErrIndex.
type Index struct {
	head  indexHead
	from  io.ReaderAt
	start int64 // of the first section
	have  [partCount][]byte
}

// ErrIndex is an index that does not belong to its log, or is damaged.
var ErrIndex = errors.New("the index does not fit")

// ErrNeed is a need that an index cannot meet; the whole log does.
var ErrNeed = errors.New("the index does not say")

// indexMagic begins an index. Another form of it has another number, and so have
// other rules for marks and hashes.
const indexMagic = "pictx decisions 1\n"

// The bounds of an index.
const (
	maxIndexHead = 64 << 10
	maxSections  = 1 << 30 // bytes
)

// indexHead says what an index is about.
type indexHead struct {
	// Covers is how many bytes of the log it knows, Digest their SHA-256.
	Covers int64  `json:"covers"`
	Digest string `json:"digest"`
	// The log up to there.
	MaxLine  int         `json:"max_line"` // bytes that a line may have
	Lines    int         `json:"lines"`
	BOM      bool        `json:"bom,omitempty"`
	CRLF     bool        `json:"crlf,omitempty"`
	Repeated int         `json:"repeated,omitempty"`
	Project  string      `json:"project"`
	Damage   []lineRef   `json:"damage,omitempty"`
	Last     lastAdd     `json:"last"`
	Sections [][3]uint64 `json:"sections"` // for each its place after the head, length and checksum
}

// lineRef is where a line stands: its first byte, its length and its number.
type lineRef struct {
	At   int64 `json:"at"`
	Size int   `json:"size"`
	Line int   `json:"line"`
}

// lastAdd is the last decision that began.
type lastAdd struct {
	Stamp int64  `json:"stamp"`
	Key   string `json:"key"`
}

// The sections of an index, in their order. Numbers are little-endian.
const (
	partGroups = iota // of each id, by its hash: the hash, 8 bytes; its first line, 4
	partLines         // of each line: its place, its length and its number, 4 bytes each
	partRows          // of each decision, in their order: group and flags, 8 bytes; the print of its text, 8
	partMarks         // of each mark of active decisions, in their order: the mark; its first post, 4 bytes each
	partPosts         // of each mark the rows that have it: differences as varints
	partIDs           // of each group its id: a varint and as many bytes
	partKeys          // the hashes of the keys of events, in their order, 8 bytes each
	partCount
)

// The widths of records, in bytes.
const (
	groupWidth = 12
	lineWidth  = 12
	rowWidth   = 16
	markWidth  = 8
	keyWidth   = 8
)

// What a row says of its decision.
const (
	rowActive = 1 << iota
	rowDraft
	rowPinned
	rowFlags = 3 // bits
)

// groupBegins is set in a group whose id some decision has: others are only named.
const groupBegins = 1 << 31

// castagnoli is the polynomial that processors know.
func castagnoli(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// OpenIndex reads the head of an index. Its sections are read when they are needed.
func OpenIndex(from io.ReaderAt) (*Index, error) {
	var frame [len(indexMagic) + 8]byte
	if _, err := from.ReadAt(frame[:], 0); err != nil || string(frame[:len(indexMagic)]) != indexMagic {
		return nil, fmt.Errorf("open index: %w", ErrIndex)
	}
	size := binary.LittleEndian.Uint32(frame[len(indexMagic):])
	if size > maxIndexHead {
		return nil, fmt.Errorf("open index: %w: a head of %d bytes", ErrIndex, size)
	}
	b := make([]byte, size)
	x := &Index{from: from, start: int64(len(frame)) + int64(size)}
	if _, err := from.ReadAt(b, int64(len(frame))); err != nil || castagnoli(b) != binary.LittleEndian.Uint32(frame[len(indexMagic)+4:]) {
		return nil, fmt.Errorf("open index: %w: its head is damaged", ErrIndex)
	}
	if err := json.Unmarshal(b, &x.head); err != nil || len(x.head.Sections) != partCount || x.head.Covers <= 0 {
		return nil, fmt.Errorf("open index: %w: its head says nothing", ErrIndex)
	}
	return x, nil
}

// Covers is how many bytes of the log the index knows, and Digest the SHA-256 that
// they must have.
func (x *Index) Covers() int64 { return x.head.Covers }

// MaxLine is how long lines might be when the index was made, in bytes.
func (x *Index) MaxLine() int { return x.head.MaxLine }

// Digest is the SHA-256 of the log's first Covers bytes, in hex.
func (x *Index) Digest() string { return x.head.Digest }

// part reads a section, records of a width.
func (x *Index) part(n, width int) ([]byte, error) {
	if b := x.have[n]; b != nil {
		return b, nil
	}
	at, size, sum := x.head.Sections[n][0], x.head.Sections[n][1], x.head.Sections[n][2]
	if at > maxSections || size > maxSections || size%uint64(width) != 0 {
		return nil, fmt.Errorf("read index: %w: section %d", ErrIndex, n)
	}
	b, err := readUpTo(x.from, x.start+int64(at), int(size))
	if err != nil || uint64(castagnoli(b)) != sum {
		return nil, fmt.Errorf("read index: %w: section %d is damaged", ErrIndex, n)
	}
	x.have[n] = b
	return b, nil
}

// readUpTo reads size bytes, making room for them as they come: a head may lie.
func readUpTo(from io.ReaderAt, at int64, size int) ([]byte, error) {
	const step = 32 << 20
	var b []byte
	for len(b) < size {
		n := min(step, size-len(b))
		b = slices.Grow(b, n)[:len(b)+n]
		if got, err := from.ReadAt(b[len(b)-n:], at+int64(len(b)-n)); got < n {
			return nil, errors.Join(io.ErrUnexpectedEOF, err)
		}
	}
	return b, nil
}

// group is what the index knows of an id.
type group struct {
	n     int
	hash  uint64
	lines []lineRef
	// begins tells that some decision has the id.
	begins bool
}

// group finds an id by its hash, false when it has no lines.
func (x *Index) group(hash uint64) (group, bool, error) {
	b, err := x.part(partGroups, groupWidth)
	if err != nil {
		return group{}, false, err
	}
	all := len(b) / groupWidth
	n := sort.Search(all, func(i int) bool { return binary.LittleEndian.Uint64(b[i*groupWidth:]) >= hash })
	if n == all || binary.LittleEndian.Uint64(b[n*groupWidth:]) != hash {
		return group{}, false, nil
	}
	g, err := x.groupAt(n)
	return g, err == nil, err
}

// groupAt is a group by its number.
func (x *Index) groupAt(n int) (group, error) {
	b, err := x.part(partGroups, groupWidth)
	if err != nil {
		return group{}, err
	}
	lines, err := x.part(partLines, lineWidth)
	if err != nil {
		return group{}, err
	}
	all := len(lines) / lineWidth
	if n < 0 || n >= len(b)/groupWidth {
		return group{}, fmt.Errorf("read index: %w: there is no group %d", ErrIndex, n)
	}
	first, last := binary.LittleEndian.Uint32(b[n*groupWidth+8:]), uint32(all)
	if n+1 < len(b)/groupWidth {
		last = binary.LittleEndian.Uint32(b[(n+1)*groupWidth+8:]) &^ groupBegins
	}
	g := group{n: n, hash: binary.LittleEndian.Uint64(b[n*groupWidth:]), begins: first&groupBegins != 0}
	from := first &^ groupBegins
	if from > last || int(last) > all {
		return g, fmt.Errorf("read index: %w: group %d", ErrIndex, n)
	}
	for i := from; i < last; i++ {
		r := lines[i*lineWidth:]
		g.lines = append(g.lines, lineRef{int64(binary.LittleEndian.Uint32(r)), int(binary.LittleEndian.Uint32(r[4:])), int(binary.LittleEndian.Uint32(r[8:]))})
	}
	return g, nil
}

// hashOf is the hash of an id or a key.
func hashOf(text string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	sum := uint64(offset)
	for i := range len(text) {
		sum = (sum ^ uint64(text[i])) * prime
	}
	return sum
}

// hasKey reports whether an event of the log may have a key.
func (x *Index) hasKey(key string) (bool, error) {
	b, err := x.part(partKeys, keyWidth)
	if err != nil {
		return false, err
	}
	hash, all := hashOf(key), len(b)/keyWidth
	n := sort.Search(all, func(i int) bool { return binary.LittleEndian.Uint64(b[i*keyWidth:]) >= hash })
	return n < all && binary.LittleEndian.Uint64(b[n*keyWidth:]) == hash, nil
}

// row is what the index knows of a decision.
type row struct {
	group int
	flags uint8
	print uint64
}

// rows are the decisions, in their order.
type rows []byte

func (r rows) len() int { return len(r) / rowWidth }

func (r rows) at(i int) row {
	b := r[i*rowWidth:]
	v := binary.LittleEndian.Uint64(b)
	return row{int(v >> rowFlags), uint8(v & (1<<rowFlags - 1)), binary.LittleEndian.Uint64(b[8:])}
}

func (x *Index) rows() (rows, error) {
	b, err := x.part(partRows, rowWidth)
	return rows(b), err
}

// sets returns what of a search the active decisions have, by their rows.
func (x *Index) sets(s search) ([]uint64, error) {
	all, err := x.rows()
	if err != nil {
		return nil, err
	}
	marks, err := x.part(partMarks, markWidth)
	if err != nil {
		return nil, err
	}
	posts, err := x.part(partPosts, 1)
	if err != nil {
		return nil, err
	}
	sets := make([]uint64, all.len())
	for i := range sets {
		if all.at(i).flags&rowActive != 0 {
			sets[i] = candidate
		}
	}
	at := func(i int) mark { return mark(binary.LittleEndian.Uint32(marks[i*markWidth:])) }
	n := len(marks) / markWidth
	for bit, h := range s.hints {
		for i := sort.Search(n, func(i int) bool { return at(i) >= h.from }); i < n && at(i) <= h.to; i++ {
			first, last := binary.LittleEndian.Uint32(marks[i*markWidth+4:]), uint32(len(posts))
			if i+1 < n {
				last = binary.LittleEndian.Uint32(marks[(i+1)*markWidth+4:])
			}
			if first > last || int(last) > len(posts) || !post(sets, posts[first:last], 1<<bit) {
				return nil, fmt.Errorf("read index: %w: mark %d", ErrIndex, i)
			}
		}
	}
	return sets, nil
}

// post sets a bit in the rows of a list, false when the list is none.
func post(sets []uint64, list []byte, bit uint64) bool {
	at := -1
	for len(list) > 0 {
		step, n := uint64(list[0]), 1
		if step >= 0x80 {
			if step, n = binary.Uvarint(list); n <= 0 {
				return false
			}
		}
		if step == 0 || step >= uint64(len(sets)-at) {
			return false
		}
		at += int(step)
		sets[at] |= bit
		list = list[n:]
	}
	return true
}

// named lists the groups whose ids a part of one fits, at most as many as wanted.
func (x *Index) named(part string, most int) ([]group, error) {
	b, err := x.part(partIDs, 1)
	if err != nil {
		return nil, err
	}
	var out []group
	for n := 0; len(b) > 0; n++ {
		size, w := binary.Uvarint(b)
		if w <= 0 || size > uint64(len(b)-w) {
			return nil, fmt.Errorf("read index: %w: its ids", ErrIndex)
		}
		id := b[w : w+int(size)]
		b = b[w+int(size):]
		if !fits(id, part) {
			continue
		}
		if len(out) == most {
			return nil, fmt.Errorf("find decision: %w: many begin like %s", ErrNeed, part)
		}
		g, err := x.groupAt(n)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}
