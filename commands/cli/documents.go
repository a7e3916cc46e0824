package cli

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Version starts every JSON document that a command prints. Its number increases when
// fields are renamed, removed or change their meaning, not when fields are added.
const Version = `"schema_version":1`

// Versioned adds the schema version to a JSON object. Other values stay as they are.
func Versioned(object []byte) []byte {
	rest, isObject := bytes.CutPrefix(object, []byte("{"))
	if !isObject {
		return object
	}
	out := append(make([]byte, 0, len(object)+len(Version)+2), "{"+Version...)
	if !bytes.HasPrefix(bytes.TrimSpace(rest), []byte("}")) {
		out = append(out, ',')
	}
	return append(out, rest...)
}

// View filters or formats JSON documents on output.
type View interface {
	// Show writes a document.
	Show(w io.Writer, document []byte) error
	// End writes whatever Show has held back.
	End(w io.Writer) error
}

// whole is the View that prints documents unchanged.
type whole struct{}

func (whole) Show(w io.Writer, document []byte) error {
	_, err := w.Write(append(inert(document), '\n'))
	return err
}

// inert escapes characters that control a terminal or the direction of text. The document
// decodes to the same value.
func inert(document []byte) []byte {
	commands := func(r rune) bool { return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Bidi_Control) }
	if bytes.IndexFunc(document, commands) < 0 {
		return document
	}
	out := make([]byte, 0, len(document)+len(document)/8)
	for len(document) > 0 {
		r, n := utf8.DecodeRune(document)
		if commands(r) {
			out = fmt.Appendf(out, "\\u%04x", r)
		} else {
			out = append(out, document[:n]...)
		}
		document = document[n:]
	}
	return out
}

func (whole) End(io.Writer) error { return nil }
