package blob

import (
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/fence"
)

// Details describe how a text was cut, in the format of pi-kota.
type Details struct {
	Truncated     bool   `json:"truncated"`
	BlobID        string `json:"blobId"`
	BlobPath      string `json:"blobPath"`
	OriginalBytes int    `json:"originalBytes"`
	ExcerptBytes  int    `json:"excerptBytes"`
}

// Excerpt stores a text that is longer than budget bytes, and returns its beginning and
// its end with a line between them that says how to get all of it. When storing fails,
// or nothing would be saved, it returns the text unchanged without details. session is
// as in Put.
func (s *Store) Excerpt(text string, budget int, session string) (string, *Details, error) {
	if len(text) <= budget {
		return text, nil, nil
	}
	text = s.masked(text) // what is shown of it names the id of what is stored
	id := idOf([]byte(text))
	short := Excerpt(text, budget, ShortID(id))
	if len(short) >= len(text) {
		return text, nil, nil
	}
	info, err := s.Put([]byte(text), session)
	if err != nil {
		return text, nil, err
	}
	return short, &Details{true, info.ID, info.Path, len(text), len(short)}, nil
}

// Excerpt replaces the middle of a text that is longer than budget bytes by a line that
// says how many bytes are missing and which id has them. It cuts at line ends when some
// are near, else between characters. The line is there however small the budget is.
func Excerpt(text string, budget int, id string) string {
	if len(text) <= budget {
		return text
	}
	// The line is longest when everything is left out.
	room := max(0, budget-len(pointer(len(text), len(text), id))-2)
	tail := tailOf(text, room/3)
	head := headOf(text[:len(text)-len(tail)], room-len(tail))
	line := pointer(len(text)-len(head)-len(tail), len(text), id)
	if head != "" && !strings.HasSuffix(head, "\n") {
		line = "\n" + line
	}
	if tail != "" {
		line += "\n"
	}
	return head + line + tail
}

// pointer is the line that replaces what is left out.
func pointer(left, all int, id string) string {
	return fmt.Sprintf("[cut: %d of %d bytes; full text: pictx expand %s]", left, all, id)
}

// headOf returns at most n bytes of the beginning of a text.
func headOf(text string, n int) string {
	if n >= len(text) {
		return text
	}
	if line := strings.LastIndexByte(text[:n], '\n') + 1; line*2 > n {
		return text[:line]
	}
	return text[:fence.CutBefore(text, n)]
}

// tailOf returns at most n bytes of the end of a text.
func tailOf(text string, n int) string {
	if n >= len(text) {
		return text
	}
	from := len(text) - n
	if text[from-1] == '\n' {
		return text[from:]
	}
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 && i*2 < n && from+i+1 < len(text) {
		return text[from+i+1:]
	}
	return text[fence.CutAfter(text, from):]
}
