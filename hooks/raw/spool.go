package raw

import (
	"bytes"
	"io"
	"os"
)

// memoryLimit is how much of an input a spool keeps in memory: enough for almost
// every event, small beside the program itself.
const memoryLimit = 1 << 20

// spool keeps a stream for a second reading: the first part in memory, the rest in a
// file without a name, and what that has no room for in memory again.
type spool struct {
	first  []byte
	file   *os.File
	inFile int64  // bytes in the file
	name   string // of the file, when it could not be unlinked
	noFile bool   // the file could not be created or written
	rest   []byte
}

// Write implements io.Writer. It never fails.
func (s *spool) Write(p []byte) (int, error) {
	if s.first == nil {
		s.first = make([]byte, 0, memoryLimit)
	}
	n := min(len(p), memoryLimit-len(s.first))
	s.first = append(s.first, p[:n]...)
	if n < len(p) && s.file == nil && !s.noFile {
		s.open()
	}
	if n < len(p) && !s.noFile {
		written, err := s.file.WriteAt(p[n:], s.inFile)
		s.inFile += int64(written)
		s.noFile = err != nil
		n += written
	}
	s.rest = append(s.rest, p[n:]...)
	return len(p), nil
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
	for _, part := range []struct {
		from io.ReaderAt
		size int64
	}{{bytes.NewReader(s.first), int64(len(s.first))}, {s.file, s.inFile}, {bytes.NewReader(s.rest), int64(len(s.rest))}} {
		if off < part.size && n < len(p) {
			read, err := part.from.ReadAt(p[n:min(int64(len(p)), int64(n)+part.size-off)], off)
			n, off = n+read, off+int64(read)
			if off < part.size && n < len(p) {
				return n, err
			}
		}
		off -= min(off, part.size)
	}
	if n < len(p) {
		return n, io.EOF
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
