package raw

import (
	"io"
	"os"
)

// memoryLimit is how much of an input a spool keeps in memory: enough for almost
// every event, small beside the program itself.
const memoryLimit = 1 << 20

// spool keeps a stream for a second reading, the first part in memory and the
// rest in a file without a name. It is made of chunks of bufferSize, so that
// growing copies nothing.
type spool struct {
	chunks [][]byte // full ones; nil for one that is in the file
	last   []byte   // the one being filled
	file   *os.File
	inFile int    // chunks in the file
	name   string // of the file, when it could not be unlinked
	noFile bool   // the file could not be created or written: the rest stays in memory
}

// Write implements io.Writer. It never fails.
func (s *spool) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if s.last == nil {
			s.last = make([]byte, 0, bufferSize)
		}
		n := min(len(p), cap(s.last)-len(s.last))
		s.last = append(s.last, p[:n]...)
		p = p[n:]
		if len(s.last) == cap(s.last) {
			s.flush()
		}
	}
	return written, nil
}

// flush puts the full chunk where it is kept.
func (s *spool) flush() {
	if (len(s.chunks)+1)*bufferSize > memoryLimit && s.spill() {
		s.chunks = append(s.chunks, nil)
		s.inFile++
		s.last = s.last[:0]
		return
	}
	s.chunks = append(s.chunks, s.last)
	s.last = nil
}

// spill writes the full chunk to the file. Chunks go to the file from some point
// on, and once that fails they stay in memory for good: those in the file are
// one run, which begins where the memory was full.
func (s *spool) spill() bool {
	if s.noFile {
		return false
	}
	if s.file == nil {
		s.open()
	}
	if s.file != nil {
		_, err := s.file.WriteAt(s.last, int64(s.inFile)*bufferSize)
		s.noFile = err != nil
	}
	return !s.noFile
}

// open makes the file. It has no name any more when this returns, where the
// system allows that, so that it goes with the process.
func (s *spool) open() {
	f, err := os.CreateTemp("", "pictx-*")
	if err != nil {
		s.noFile = true
		return
	}
	s.file = f
	if os.Remove(f.Name()) != nil {
		s.name = f.Name()
	}
}

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		i, at := int(off/bufferSize), off%bufferSize
		var c int
		switch {
		case i > len(s.chunks) || i == len(s.chunks) && at >= int64(len(s.last)):
			return n, io.EOF
		case i == len(s.chunks):
			c = copy(p[n:], s.last[at:])
		case s.chunks[i] != nil:
			c = copy(p[n:], s.chunks[i][at:])
		default:
			part := p[n:min(len(p), n+int(bufferSize-at))]
			first := memoryLimit / bufferSize
			if _, err := s.file.ReadAt(part, int64(i-first)*bufferSize+at); err != nil {
				return n, err
			}
			c = len(part)
		}
		n += c
		off += int64(c)
	}
	return n, nil
}

// close gives back the file.
func (s *spool) close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.name != "" {
		_ = os.Remove(s.name)
	}
}
