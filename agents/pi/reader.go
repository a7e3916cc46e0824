package pi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/message"
)

// Reader reads a session file line by line. It is not safe for concurrent use.
type Reader struct {
	src    *bufio.Reader
	parser message.Parser
	long   []byte // room for a line that the buffer of src is too small for
	at     int64  // file offset up to which src was read
	pos    message.Position
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

// endless is how many times maxLine a line may have before the file is given up.
const endless = 16

// NewReader reads from src, which must be at from: the zero Position for the start of a
// file, or the Position of an earlier Reader to continue there.
func NewReader(src io.Reader, from message.Position) *Reader {
	return &Reader{src: bufio.NewReaderSize(src, 64<<10), at: from.Offset, pos: from, limit: maxLine}
}

// Position is where reading can continue: after the last complete line, or after an entry
// at the end of the file that has no line end yet.
func (r *Reader) Position() message.Position { return r.pos }

// Next returns the next non-blank line, and io.EOF after the last one. A line that is not
// an entry is returned with its Err; Next itself fails only if the source does.
func (r *Reader) Next() (message.Line, error) {
	for {
		offset := r.at
		raw, whole, err := r.line()
		l := message.Line{Raw: raw, Offset: offset, Number: r.pos.Lines + 1, Ordinal: r.pos.Entries, Err: err}
		switch {
		case errors.Is(err, errLongLine), errors.Is(err, errEndlessLine):
			l.Raw = bytes.Clone(raw[:min(len(raw), 1<<10)])
		case err != nil:
			return message.Line{}, err
		default:
			var lead int
			if l.Raw, lead = trim(raw, offset); len(l.Raw) == 0 {
				if whole {
					r.advance(0, true)
				}
				continue
			}
			l.Offset += int64(lead)
			l.Entry, l.Err = r.parser.ParseEntry(l.Raw)
		}
		switch {
		case l.Err == nil:
			r.advance(1, whole)
		case whole:
			r.advance(0, true)
		case !errors.Is(l.Err, errEndlessLine):
			l.Err = fmt.Errorf("%w: %w", message.ErrTorn, l.Err)
		}
		return l, nil
	}
}

// advance updates the position after a line with a number of entries. A line counts once
// its end was read.
func (r *Reader) advance(entries int, whole bool) {
	r.pos.Offset = r.at
	r.pos.Entries += entries
	if whole {
		r.pos.Lines++
	}
}

// line returns the next line with its end, valid until the next call. whole is false for a
// last line without an end. Of a line that is too long it returns the beginning, with an error.
func (r *Reader) line() (raw []byte, whole bool, err error) {
	raw, err = r.src.ReadSlice('\n')
	size := len(raw)
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = append(r.long[:0], raw...)
		for errors.Is(err, bufio.ErrBufferFull) && size <= endless*r.limit {
			var part []byte
			part, err = r.src.ReadSlice('\n')
			if size += len(part); size <= r.limit {
				r.long = append(r.long, part...)
			}
		}
		raw = r.long
	}
	r.at += int64(size)
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		r.src.Reset(bytes.NewReader(nil)) // nothing more is read
		return raw, false, errEndlessLine
	case err != nil && !errors.Is(err, io.EOF):
		return nil, false, fmt.Errorf("read session: %w", err)
	case size > r.limit:
		return raw, err == nil, errLongLine
	case size == 0:
		return nil, false, io.EOF
	}
	return raw, err == nil, nil
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
