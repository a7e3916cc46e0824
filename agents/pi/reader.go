package pi

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/message"
)

// Reader reads a session file line by line. It is not safe for concurrent use.
type Reader struct {
	src    io.Reader
	parser message.Parser
	buf    []byte
	start  int // of the unread part of buf
	end    int
	base   int64 // file offset of buf[0]
	pos    message.Position
	eof    bool
	limit  int // the maximum length of a line in bytes
}

// maxLine is the maximum length of a line in bytes. Without a limit, a sparse file of a
// terabyte would be one line. No provider takes a request as long, and storing a line takes
// about ten times its length in memory.
const maxLine = 64 << 20

var (
	errLongLine    = errors.New("the line is longer than 64 MB")
	errEndlessLine = errors.New("the line goes on for gigabytes: it and what may follow are not read")
)

// skippedLimits is how many times maxLine the rest of a line may have before the file is given up.
const skippedLimits = 15

// NewReader reads from src, which must be at from: the zero Position for the start of a
// file, or the Position of an earlier Reader to continue there.
func NewReader(src io.Reader, from message.Position) *Reader {
	return &Reader{src: src, base: from.Offset, pos: from, limit: maxLine}
}

// Position is where reading can continue: after the last complete line, or after an entry
// at the end of the file that has no line end yet.
func (r *Reader) Position() message.Position { return r.pos }

// Next returns the next non-blank line, and io.EOF after the last one. A line that is not
// an entry is returned with its Err; Next itself fails only if the source does.
func (r *Reader) Next() (message.Line, error) {
	for {
		raw, whole, err := r.line()
		offset := r.base + int64(r.start)
		if errors.Is(err, errLongLine) {
			return r.skip(raw, offset)
		}
		if err != nil {
			return message.Line{}, err
		}
		r.start += len(raw)
		trimmed, lead := trim(raw, offset)
		if len(trimmed) == 0 {
			if whole {
				r.advance(0, true)
			}
			continue
		}
		l := message.Line{Raw: trimmed, Offset: offset + int64(lead), Number: r.pos.Lines + 1, Ordinal: r.pos.Entries}
		l.Entry, l.Err = r.parser.ParseEntry(trimmed)
		if l.Err != nil && !whole {
			l.Err = fmt.Errorf("%w: %w", message.ErrTorn, l.Err)
			return l, nil
		}
		if l.Err == nil {
			r.advance(1, whole)
		} else {
			r.advance(0, true)
		}
		return l, nil
	}
}

// advance updates the position after a line with a number of entries. A line counts once
// its end was read.
func (r *Reader) advance(entries int, whole bool) {
	r.pos.Offset = r.base + int64(r.start)
	r.pos.Entries += entries
	if whole {
		r.pos.Lines++
	}
}

// skip skips the rest of a line that is too long, and returns its beginning.
func (r *Reader) skip(raw []byte, offset int64) (message.Line, error) {
	head := bytes.Clone(raw[:min(len(raw), 1<<10)])
	l := message.Line{Raw: head, Offset: offset, Number: r.pos.Lines + 1, Ordinal: r.pos.Entries, Err: errLongLine}
	for from := r.base + int64(r.end); ; {
		r.start = r.end
		if r.base+int64(r.end)-from > skippedLimits*int64(r.limit) {
			l.Err, r.eof = errEndlessLine, true
			return l, nil
		}
		if err := r.fill(); err != nil {
			return message.Line{}, err
		}
		if i := bytes.IndexByte(r.buf[r.start:r.end], '\n'); i >= 0 {
			r.start += i + 1
			r.advance(0, true)
			return l, nil
		}
		if r.eof {
			l.Err = fmt.Errorf("%w: %w", message.ErrTorn, l.Err)
			r.start = r.end
			return l, nil
		}
	}
}

// trim removes white space around a line, and a byte order mark at the start of the file.
// It also returns how many bytes it removed at the front.
func trim(raw []byte, offset int64) ([]byte, int) {
	lead := 0
	if offset == 0 && bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		lead = 3
	}
	t := bytes.TrimRight(raw[lead:], " \t\r\n")
	left := bytes.TrimLeft(t, " \t")
	return left, lead + len(t) - len(left)
}

// line returns the next line with its end, as a slice of the buffer. whole is false for a
// last line without an end.
func (r *Reader) line() (raw []byte, whole bool, err error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(r.buf[r.start+scanned:r.end], '\n'); i >= 0 {
			return r.buf[r.start : r.start+scanned+i+1], true, nil
		}
		scanned = r.end - r.start
		if scanned >= r.limit {
			return r.buf[r.start:r.end], false, errLongLine
		}
		if r.eof {
			if scanned == 0 {
				return nil, false, io.EOF
			}
			return r.buf[r.start:r.end], false, nil
		}
		if err := r.fill(); err != nil {
			return nil, false, err
		}
	}
}

// fill reads more of the source into the buffer. The buffer grows fourfold, so that a line
// of 10 MB is not copied many times.
func (r *Reader) fill() error {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.base += int64(r.start)
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buf) {
		grown := make([]byte, max(64<<10, min(4*len(r.buf), r.limit)))
		copy(grown, r.buf[:r.end])
		r.buf = grown
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	if errors.Is(err, io.EOF) {
		r.eof = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	return nil
}

// halvesFrom is the size in bytes from which on the two halves of a session are read
// concurrently, because an agent waits for the hook that reads it.
const halvesFrom = 256 << 10

// half is the second half of a file, with its lines counted from 1.
type half struct {
	lines []message.Line
	pos   message.Position
	err   error
}

// readHalves reads a file of size bytes in two halves.
func (s *Session) readHalves(size int64) error {
	cut, err := s.lineAfter(size/2, size)
	if err != nil {
		return err
	}
	second := make(chan half, 1)
	go func() { second <- s.readFrom(cut, size) }()
	err = s.read(io.NewSectionReader(s.file, 0, cut), size)
	rest := <-second // even after an error, because it is still reading the file
	if err != nil || rest.err != nil {
		return errors.Join(err, rest.err)
	}
	if s.pos.Offset != cut { // the file was truncated meanwhile
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

// lineAfter returns the offset of the first line that begins after offset, or size, the end of
// the file, if none begins before the limit of a line.
func (s *Session) lineAfter(offset, size int64) (int64, error) {
	buf := make([]byte, 32<<10)
	for end := offset + maxLine; offset < end; {
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
	return size, nil
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
