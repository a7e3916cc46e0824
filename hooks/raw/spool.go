package raw

import (
	"bytes"
	"io"
	"os"
)

// memoryLimit is the number of bytes that a spool keeps in memory: enough for almost every
// event, and little beside the program itself.
const memoryLimit = 1 << 20

// spool stores a stream so that it can be read again: the first part in memory, the rest in
// an unlinked temporary file. What does not fit into the file is kept in memory.
type spool struct {
	first  []byte
	file   *os.File
	inFile int64  // bytes in the file
	name   string // the file's path if it could not be unlinked
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

// open creates the temporary file and unlinks it where the system allows that, so that it
// disappears with the process.
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

// close closes and deletes the file.
func (s *spool) close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.name != "" {
		_ = os.Remove(s.name)
	}
}
