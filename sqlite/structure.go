package sqlite

import "bytes"

// structure is what FTS5 notes of the segments of an index, in its record of that
// name: a count of changes of its settings, a mark of the format, the numbers of
// levels, of segments and of pages written; then each level with the number of
// segments that are being merged and that of all, and eight numbers of each.
type structure struct {
	cookie  [4]byte
	written uint64 // pages, by which it knows when to merge
	levels  []segmentLevel
}

// segmentLevel is a level of segments: those of one that are merged become one of the
// next.
type segmentLevel struct {
	merging  uint64
	segments []segment
}

// segment is an id, the first and the last page, the first and the last origin, the
// pages of what was taken out, and the numbers of documents that were and that there
// are. An origin is a number that grows with each segment: each document is noted
// with that of the segment it went into.
type segment [8]uint64

// The numbers of a segment that are used here.
const (
	segmentID      = 0
	segmentFirst   = 1
	segmentLast    = 2
	segmentOrigin  = 3
	segmentLatest  = 4 // origin
	segmentEntries = 7
)

// structureMark is the mark of the format that has origins.
const structureMark = "\xff\x00\x00\x01"

// readStructure reads what FTS5 notes. What is not understood, or not whole, is not ok.
func readStructure(record []byte) (s structure, ok bool) {
	const cookie = len(s.cookie)
	if len(record) < cookie || !bytes.HasPrefix(record[cookie:], []byte(structureMark)) {
		return s, false
	}
	copy(s.cookie[:], record)
	r := record[cookie+len(structureMark):]
	levels, all := number(&r), number(&r)
	s.written = number(&r)
	for ; levels > 0; levels-- {
		if len(r) == 0 {
			return s, false
		}
		l := segmentLevel{merging: number(&r)}
		for n := number(&r); n > 0; n-- {
			if len(r) == 0 {
				return s, false
			}
			var g segment
			for i := range g {
				g[i] = number(&r)
			}
			l.segments = append(l.segments, g)
		}
		all -= uint64(len(l.segments))
		s.levels = append(s.levels, l)
	}
	return s, all == 0 && len(r) == 0
}

// many reports whether there are segments to merge.
func (s structure) many() bool {
	for _, l := range s.levels {
		if l.merging > 0 || len(l.segments) >= mergeFrom {
			return true
		}
	}
	return false
}

// add notes one more segment of so many pages and documents, as FTS5 does, and
// returns its id and its origin. Its id is 0 when there are too many.
func (s *structure) add(pages, documents uint64) (id, origin uint64) {
	const most = 2000 // segments of an index: FTS5's limit
	used := make(map[uint64]bool)
	for _, l := range s.levels {
		for _, g := range l.segments {
			used[g[segmentID]] = true
			origin = max(origin, g[segmentLatest])
		}
	}
	for id = 1; used[id]; id++ {
	}
	if len(used) >= most {
		return 0, 0
	}
	origin++
	if len(s.levels) == 0 {
		s.levels = make([]segmentLevel, 1)
	}
	g := segment{segmentID: id, segmentFirst: 1, segmentLast: pages, segmentOrigin: origin, segmentLatest: origin, segmentEntries: documents}
	s.levels[0].segments = append(s.levels[0].segments, g)
	s.written += pages
	return id, origin
}

// record is what FTS5 notes.
func (s structure) record() []byte {
	all := 0
	for _, l := range s.levels {
		all += len(l.segments)
	}
	b := append(s.cookie[:len(s.cookie):len(s.cookie)], structureMark...)
	b = appendNumber(b, uint64(len(s.levels)))
	b = appendNumber(b, uint64(all))
	b = appendNumber(b, s.written)
	for _, l := range s.levels {
		b = appendNumber(b, l.merging)
		b = appendNumber(b, uint64(len(l.segments)))
		for _, g := range l.segments {
			for _, n := range g {
				b = appendNumber(b, n)
			}
		}
	}
	return b
}

// number takes a number as SQLite writes it: seven bits a byte, the highest first, the
// ninth byte whole. It is 0 where there is none.
func number(b *[]byte) (n uint64) {
	const longest = 9
	for i, c := range *b {
		if i == longest-1 {
			*b = (*b)[longest:]
			return n<<8 | uint64(c)
		}
		n = n<<7 | uint64(c&0x7f)
		if c < 0x80 {
			*b = (*b)[i+1:]
			return n
		}
	}
	*b = nil
	return 0
}

// appendNumber writes a number as number reads it.
func appendNumber(b []byte, n uint64) []byte {
	const whole = 56 // bits that eight bytes hold
	if n>>whole > 0 {
		for shift := 57; shift >= 8; shift -= 7 {
			b = append(b, byte(n>>shift)|0x80)
		}
		return append(b, byte(n))
	}
	shift := 0
	for n>>shift >= 0x80 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n&0x7f))
}
