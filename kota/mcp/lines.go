package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine is the maximum length of an answer in bytes.
const maxLine = 64 << 20

// errGiant is returned for a longer answer.
var errGiant = errors.New("its answer is larger than 64 MB")

// lines filters a server's output. It passes on lines that are messages. Anything else, such as a
// log or half an answer, goes to bad.
type lines struct {
	from *bufio.Reader
	src  io.Closer
	bad  func(line []byte, err error)
	rest []byte
}

// newLines returns a reader of a server's messages.
func newLines(src io.ReadCloser, bad func(line []byte, err error)) *lines {
	return &lines{from: bufio.NewReaderSize(src, 64<<10), src: src, bad: bad}
}

// Read reads the rest of a message, or the next one.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line. It returns nil for one that is not a message.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			l.bad(nil, errGiant)
			return nil, errGiant
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(bytes.TrimSpace(line)) > 0:
			l.bad(line, nil)
			return nil, err
		case err != nil:
			return nil, err
		}
		break
	}
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return nil, nil
	}
	if text[0] != '{' || !json.Valid(text) {
		l.bad(text, nil)
		return nil, nil
	}
	return append(text[:len(text):len(text)], '\n'), nil
}

// Close closes the output.
func (l *lines) Close() error { return l.src.Close() }
