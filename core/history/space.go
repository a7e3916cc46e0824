package history

import "bytes"

// spaceChunk is how many bytes a space takes at a time.
const spaceChunk = 1 << 20

// space holds the bytes of many lines. It is emptied as a whole and used again, so
// that reading a large history leaves no garbage.
type space struct {
	chunks [][]byte
	at     int // the chunk that is being filled
}

// clone returns a copy of b that is valid until the space is emptied. A nil space
// makes copies that stay.
func (s *space) clone(b []byte) []byte {
	if s == nil {
		return bytes.Clone(b)
	}
	if len(b) > spaceChunk/4 {
		return bytes.Clone(b) // would leave a chunk half empty
	}
	for s.at < len(s.chunks) && cap(s.chunks[s.at])-len(s.chunks[s.at]) < len(b) {
		s.at++
	}
	if s.at == len(s.chunks) {
		s.chunks = append(s.chunks, make([]byte, 0, spaceChunk))
	}
	c := &s.chunks[s.at]
	from := len(*c)
	*c = append(*c, b...)
	return (*c)[from:len(*c):len(*c)]
}

// empty makes room.
func (s *space) empty() {
	for i := range s.chunks {
		s.chunks[i] = s.chunks[i][:0]
	}
	s.at = 0
}
