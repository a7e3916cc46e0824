package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/message"
)

// Reader reads a session file line by line. It is for one goroutine.
type Reader struct {
	src    io.Reader
	parser message.Parser
	buf    []byte
	start  int // of the unread part of buf
	end    int
	base   int64 // file offset of buf[0]
	pos    message.Position
	eof    bool
}

// NewReader reads from src, which stands at from: the zero message.Position at the start
// of a file, Reader.Position of an earlier reader to go on where that stopped.
func NewReader(src io.Reader, from message.Position) *Reader {
	return &Reader{src: src, base: from.Offset, pos: from}
}

// Position is where reading can go on: after the last complete line.
func (r *Reader) Position() message.Position { return r.pos }

// Next returns the next line that is not blank, and io.EOF after the last one.
// A line that is no entry comes with its Err; only a failing source fails Next.
func (r *Reader) Next() (message.Line, error) {
	for {
		raw, whole, err := r.line()
		if err != nil {
			return message.Line{}, err
		}
		offset := r.base + int64(r.start)
		r.start += len(raw)
		trimmed, lead := trim(raw, offset)
		if len(trimmed) == 0 {
			if whole {
				r.advance(0)
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
			r.advance(1)
		} else {
			r.advance(0)
		}
		return l, nil
	}
}

// advance counts the line just read, which held the given number of entries.
func (r *Reader) advance(entries int) {
	r.pos.Offset = r.base + int64(r.start)
	r.pos.Lines++
	r.pos.Entries += entries
}

// trim cuts the line end, and a byte order mark at the start of the file.
func trim(raw []byte, offset int64) ([]byte, int) {
	lead := 0
	if offset == 0 && bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		lead = 3
	}
	t := bytes.TrimRight(raw[lead:], " \t\r\n")
	left := bytes.TrimLeft(t, " \t")
	return left, lead + len(t) - len(left)
}

// line returns the next line with its end, in place. whole is false for a last
// line without one.
func (r *Reader) line() (raw []byte, whole bool, err error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(r.buf[r.start+scanned:r.end], '\n'); i >= 0 {
			return r.buf[r.start : r.start+scanned+i+1], true, nil
		}
		scanned = r.end - r.start
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

// fill reads more of the source, making room first. The buffer grows fourfold,
// so that a line of 10 MB is not copied many times.
func (r *Reader) fill() error {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.base += int64(r.start)
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buf) {
		grown := make([]byte, max(64<<10, 4*len(r.buf)))
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
