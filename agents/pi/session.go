package pi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

var _ history.Session = (*Session)(nil)

// Session is an open session file: the tree of its entries, and access to their bytes.
type Session struct {
	*message.Tree
	Path string

	problems []history.Problem

	file *os.File
	buf  []byte
	pos  message.Position
	tail []byte // the bytes before pos, to recognise a rewritten file
}

// Open reads the session file at path. The caller must close it.
func Open(path string) (*Session, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	s := &Session{Tree: &message.Tree{}, Path: path, file: f}
	if abs, err := filepath.Abs(path); err == nil {
		s.Header.ID = history.FallbackID(abs) // as Ingest names a session without a header
	}
	err = s.read(f)
	if err == nil && len(s.Nodes) == 0 {
		err = history.ErrNoSession
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("read session %s: %w", path, err)
	}
	return s, nil
}

// After sampleEntries entries the number of all entries is estimated, to allocate room for
// them: at most mostExpected, since the first entries may be shorter than the others.
const (
	sampleEntries = 50
	mostExpected  = 20_000
)

// read adds the entries of src from the session's position on.
func (s *Session) read(src io.Reader) error {
	size := int64(0)
	if st, err := s.file.Stat(); err == nil && s.pos.Offset == 0 {
		size = st.Size()
	}
	r := NewReader(src, s.pos)
	for {
		if n := len(s.Nodes); n == sampleEntries && size > r.pos.Offset {
			s.Expect(int(min(mostExpected, (size-r.pos.Offset)/max(1, r.pos.Offset/sampleEntries)*9/8)))
		}
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			s.pos = r.Position()
			s.tail = make([]byte, min(tailBytes, s.pos.Offset))
			_, err := s.file.ReadAt(s.tail, s.pos.Offset-int64(len(s.tail)))
			return err
		}
		if err != nil {
			return err
		}
		if l.Err != nil {
			s.problems = append(s.problems, history.ProblemOf(&l))
			continue
		}
		if h := l.Entry.Header; h != nil && h.ID == "" {
			h.ID = s.Header.ID
		}
		s.Add(message.Node{Entry: l.Entry, Offset: l.Offset, Length: len(l.Raw), Line: l.Number})
	}
}

// tailBytes is the number of bytes that Refresh compares to recognise a rewritten file.
const tailBytes = 256

// Entries implements history.Session.
func (s *Session) Entries() *message.Tree { return s.Tree }

// Problems implements history.Session.
func (s *Session) Problems() []history.Problem { return s.problems }

// Refresh reads what was appended to the file. After an error the session must not be used
// any more.
func (s *Session) Refresh() error {
	open, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("read session %s: %w", s.Path, err)
	}
	now, err := os.Stat(s.Path)
	if err != nil || !os.SameFile(open, now) || now.Size() < s.pos.Offset {
		return fmt.Errorf("read session %s: %w", s.Path, history.ErrReplaced)
	}
	tail := make([]byte, len(s.tail))
	if _, err := s.file.ReadAt(tail, s.pos.Offset-int64(len(tail))); err != nil || !bytes.Equal(tail, s.tail) {
		return fmt.Errorf("read session %s: %w", s.Path, history.ErrReplaced)
	}
	if now.Size() == s.pos.Offset {
		return nil
	}
	// A line that was torn before is read again.
	s.problems = slices.DeleteFunc(s.problems, func(p history.Problem) bool { return p.Torn })
	if err := s.read(io.NewSectionReader(s.file, s.pos.Offset, 1<<62)); err != nil {
		return fmt.Errorf("read session %s: %w", s.Path, err)
	}
	return nil
}

// Line returns the bytes of an entry, valid until the next call.
func (s *Session) Line(n *message.Node) ([]byte, error) {
	before := min(n.Offset, 1) // the end of the line before it
	size := n.Length + int(before)
	if cap(s.buf) < size {
		s.buf = make([]byte, size+size/4)
	}
	b := s.buf[:size]
	if _, err := s.file.ReadAt(b, n.Offset-before); err != nil {
		return nil, fmt.Errorf("read %s at byte %d: %w", s.Path, n.Offset, err)
	}
	// If the file was overwritten, another line is at this offset.
	line := b[before:]
	if before > 0 && strings.IndexByte("\n\t \xbf", b[0]) < 0 || !whole(line) {
		return nil, fmt.Errorf("read %s at byte %d: %w", s.Path, n.Offset, history.ErrReplaced)
	}
	return line, nil
}

// whole reports whether bytes can be the line of an entry.
func whole(line []byte) bool {
	return len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' && bytes.IndexByte(line, '\n') < 0
}

// Close closes the file.
func (s *Session) Close() error { return s.file.Close() }

// ReadHeader returns the header of the session file at path, which is its first entry.
func ReadHeader(path string) (message.Header, error) {
	f, err := openRegular(path)
	if err != nil {
		return message.Header{}, err
	}
	defer f.Close()
	// Others write lines before the header. Like pi, look for it in the first megabyte only.
	r := NewReader(io.LimitReader(f, 1<<20), message.Position{})
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return message.Header{}, fmt.Errorf("read session %s: it has no header", path)
		}
		if err != nil {
			return message.Header{}, fmt.Errorf("read session %s: %w", path, err)
		}
		if l.Err == nil && l.Entry.Header != nil {
			return *l.Entry.Header, nil
		}
	}
}
