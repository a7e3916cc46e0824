package marker

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Excerpt is an output of which the model sees a part from the beginning.
type Excerpt struct {
	// Entry is its session entry.
	Entry string
	// Text is the part, What says what kind of part that is.
	Text, What string
	// Left is the number of lines that are left out, of Lines, and Tokens their size.
	Left, Lines int
	Tokens      token.Count
}

// lastLine begins the last line of an excerpt.
const lastLine = "\n" + Start

// String returns the part and, as its last line, what is left out and how to get it:
//
//	[pruned: 371 of 412 lines (~4100 tok) of this output; full text: pictx expand 3f9a2c1b]
//
// It is "" without an entry that can be named.
func (x Excerpt) String() string {
	if !IsID(x.Entry) {
		return ""
	}
	left := About(x.Tokens)
	if x.Left > 0 {
		left = fmt.Sprintf("%d of %d lines (%s)", x.Left, x.Lines, left)
	}
	return x.Text + lastLine + left + " of " + x.What + Pointer + x.Entry + "]"
}

// IsExcerpt reports whether a text is one that Excerpt writes.
func IsExcerpt(text string) bool {
	i := strings.LastIndex(text, lastLine)
	return i >= 0 && isReference(text[i+1:])
}

// HasExcerpt reports whether the content of a tool result is exactly one excerpt. raw is the
// bytes that h was parsed from.
func HasExcerpt(h *message.Head, raw []byte) bool {
	said := literal(h, raw)
	i := bytes.LastIndex(said, []byte(`\n`+Start))
	return i >= 0 && said[0] == '"' && isReference(string(bytes.TrimSuffix(said[i+2:], []byte(`"`))))
}
