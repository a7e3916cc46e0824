package pi

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/message"
)

// halvesFrom is the size from which on a session is read in two halves at the
// same time, in bytes: an agent waits for the hook that reads it.
const halvesFrom = 256 << 10

// half is what was read of the second half of a file, its lines counted from 1.
type half struct {
	lines []message.Line
	pos   message.Position
	err   error
}

// readHalves reads the file of a new session, which is of a size.
func (s *Session) readHalves(size int64) error {
	cut, err := s.lineAfter(size / 2)
	if err != nil {
		return err
	}
	second := make(chan half, 1)
	go func() { second <- s.readFrom(cut, size) }()
	err = s.read(io.NewSectionReader(s.file, 0, cut), size)
	rest := <-second // also after an error: it reads the file
	if err != nil || rest.err != nil {
		return errors.Join(err, rest.err)
	}
	if s.pos.Offset != cut { // the file was cut short meanwhile
		return nil
	}
	for i := range rest.lines {
		l := &rest.lines[i]
		l.Number += s.pos.Lines
		s.put(l)
	}
	s.pos = message.Position{Offset: rest.pos.Offset, Lines: s.pos.Lines + rest.pos.Lines, Entries: s.pos.Entries + rest.pos.Entries}
	return s.keepTail()
}

// lineAfter returns where the first line begins that does so after an offset; the
// end of the file when none does.
func (s *Session) lineAfter(offset int64) (int64, error) {
	buf := make([]byte, 32<<10)
	for {
		n, err := s.file.ReadAt(buf, offset)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return offset + int64(i) + 1, nil
		}
		offset += int64(n)
		if errors.Is(err, io.EOF) {
			return offset, nil
		}
		if err != nil {
			return 0, fmt.Errorf("read session: %w", err)
		}
	}
}

// readFrom reads the lines from an offset on.
func (s *Session) readFrom(offset, size int64) (h half) {
	defer func() {
		if r := recover(); r != nil {
			h.err = fmt.Errorf("read session: internal error: %v", r)
		}
	}()
	r := NewReader(io.NewSectionReader(s.file, offset, 1<<62), message.Position{Offset: offset})
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			h.pos = r.Position()
			return h
		}
		if err != nil {
			h.err = err
			return h
		}
		if n := len(h.lines); n == sampleEntries {
			h.lines = append(make([]message.Line, 0, n+int(min(mostExpected, (size-l.Offset)/max(1, (l.Offset-offset)/sampleEntries)*9/8))), h.lines...)
		}
		h.lines = append(h.lines, l)
	}
}
