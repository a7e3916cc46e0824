package cli

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
	// show writes a document.
	show(w io.Writer, document []byte) error
	// end writes whatever show has held back.
	end(w io.Writer) error
}

// whole is the View that prints documents unchanged.
type whole struct{}

func (whole) show(w io.Writer, document []byte) error {
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

func (whole) end(io.Writer) error { return nil }

// Documents receives a stream of JSON documents, and writes each through a View as soon as
// it is complete.
type Documents struct {
	in   *io.PipeWriter
	done chan error
}

// NewDocuments writes to w through a view. A nil view prints documents unchanged.
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

// Write receives part of the stream. It fails once a document could not be written.
func (d *Documents) Write(p []byte) (int, error) { return d.in.Write(p) }

// Close waits until everything is written, and returns the first error.
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

// written marks errors as errors of writing the output.
type written struct{ io.Writer }

func (w written) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = fmt.Errorf("write output: %w", err)
	}
	return n, err
}

// flushing flushes the output before it waits for more input, because commands such as log
// --follow print when something happens.
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
