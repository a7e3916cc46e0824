package console

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Version begins every JSON document that a command prints: the version of its form. A
// document whose fields were renamed, removed or given another meaning has a higher one;
// fields may be added without.
const Version = `"schema_version":1`

// Versioned puts the version into a JSON object.
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

// View is what is made of JSON on its way out.
type View interface {
	// show writes what becomes of a document.
	show(w io.Writer, document []byte) error
	// end writes what waited for the last one.
	end(w io.Writer) error
}

// whole is the View of documents as they are.
type whole struct{}

func (whole) show(w io.Writer, document []byte) error {
	_, err := w.Write(append(inert(document), '\n'))
	return err
}

// inert escapes the characters of a document that would control a terminal or reverse the
// direction of the text after them. Decoded, the document is the same.
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

func (whole) end(io.Writer) error { return nil }

// Documents takes a stream of JSON documents and writes what a view makes of each, as
// soon as it is complete.
type Documents struct {
	in   *io.PipeWriter
	done chan error
}

// NewDocuments writes to w what the view makes of what it is given; nil is all of it.
func NewDocuments(w io.Writer, v View) *Documents {
	if v == nil {
		v = whole{}
	}
	r, in := io.Pipe()
	d := &Documents{in, make(chan error, 1)}
	go func() {
		err := copyDocuments(w, r, v)
		r.CloseWithError(err)
		d.done <- err
	}()
	return d
}

// Write takes a part of the stream. It fails once a document could not be shown.
func (d *Documents) Write(p []byte) (int, error) { return d.in.Write(p) }

// Close waits until all was written.
func (d *Documents) Close() error {
	d.in.Close()
	return <-d.done
}

func copyDocuments(w io.Writer, r io.Reader, v View) error {
	out := bufio.NewWriterSize(written{w}, 1<<16)
	dec := jsontext.NewDecoder(flushing{r, out}, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		doc, err := dec.ReadValue()
		switch {
		case errors.Is(err, io.EOF):
			err = v.end(out)
			return cmp.Or(out.Flush(), err)
		case err != nil:
			err = fmt.Errorf("read the JSON that was printed: %w", err)
		default:
			err = v.show(out, Versioned(doc))
		}
		if err != nil {
			return cmp.Or(out.Flush(), err)
		}
	}
}

// written says of an error that it is one of writing.
type written struct{ io.Writer }

func (w written) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = fmt.Errorf("write output: %w", err)
	}
	return n, err
}

// flushing shows what is ready before it waits for more: commands that watch print
// when something happens.
type flushing struct {
	io.Reader
	out *bufio.Writer
}

func (f flushing) Read(p []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		return 0, err
	}
	return f.Reader.Read(p)
}
