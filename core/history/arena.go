package history

import "bytes"

// arenaChunk is how many bytes an arena allocates at a time.
const arenaChunk = 1 << 20

// arena holds the bytes of many lines. It is reset as a whole and reused, so that reading a
// large history creates no garbage.
type arena struct {
	chunks [][]byte
	at     int // index of the chunk that is being filled
}

// clone returns a copy of b that is valid until the arena is reset. A nil arena allocates
// each copy separately.
func (s *arena) clone(b []byte) []byte {
	if s == nil {
		return bytes.Clone(b)
	}
	if len(b) > arenaChunk/4 {
		return bytes.Clone(b) // too large to share a chunk
	}
	for s.at < len(s.chunks) && cap(s.chunks[s.at])-len(s.chunks[s.at]) < len(b) {
		s.at++
	}
	if s.at == len(s.chunks) {
		s.chunks = append(s.chunks, make([]byte, 0, arenaChunk))
	}
	c := &s.chunks[s.at]
	from := len(*c)
	*c = append(*c, b...)
	return (*c)[from:len(*c):len(*c)]
}

// reset makes all chunks empty.
func (s *arena) reset() {
	for i := range s.chunks {
		s.chunks[i] = s.chunks[i][:0]
	}
	s.at = 0
}
