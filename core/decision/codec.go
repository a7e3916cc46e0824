package decision

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// timeForm is the layout of times, that of JavaScript's toISOString.
const timeForm = "2006-01-02T15:04:05.000Z"

// Stamp formats a time as the log does.
func Stamp(t time.Time) string { return t.UTC().Format(timeForm) }

// ErrNewer is returned for a line that a later version of the program wrote.
var ErrNewer = errors.New("a newer version wrote it")

// ErrUnknown is returned for a line with an unknown operation. The line is kept.
var ErrUnknown = errors.New("its operation is unknown")

// Append appends an event as a line without line end. The keys have the order of the
// original extension, followed by those that pictx adds.
func Append(dst []byte, e *Event) []byte {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, Version, 10)
	dst = appendText(dst, `,"t":`, e.Time)
	dst = appendText(dst, `,"p":`, e.Project)
	dst = appendText(dst, `,"e":`, string(e.Op))
	dst = appendText(dst, `,"i":`, e.ID)
	dst = append(dst, `,"d":`...)
	dst = appendData(dst, &e.Data)
	if e.Actor != "" {
		dst = appendText(dst, `,"u":`, e.Actor)
	}
	if e.Key != "" && !e.derived {
		dst = appendText(dst, `,"k":`, e.Key)
	}
	if e.By != "" {
		dst = appendText(dst, `,"by":`, e.By)
	}
	if len(e.Seen) > 0 {
		dst = append(dst, `,"x":`...)
		dst = appendTexts(dst, e.Seen)
	}
	return append(dst, '}')
}

// appendData appends the object d.
func appendData(dst []byte, d *Data) []byte {
	dst = append(dst, '{')
	start := len(dst)
	name := func(n string) {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, n), ':')
	}
	text := func(n string, p *string, nullable bool) {
		switch {
		case p == nil:
		case nullable && *p == "":
			name(n)
			dst = append(dst, "null"...)
		default:
			name(n)
			dst = appendString(dst, *p)
		}
	}
	list := func(n string, p *[]string) {
		if p != nil {
			name(n)
			dst = appendTexts(dst, *p)
		}
	}
	text("ti", d.Title, false)
	text("tx", d.Text, false)
	list("tg", d.Tags)
	text("s", (*string)(d.Status), false)
	text("r", d.Reason, false)
	text("sp", d.Supersedes, true)
	list("c", d.Conflicts)
	for _, m := range d.Extra {
		name(m.Name)
		dst = append(dst, m.Value...)
	}
	list("pa", d.Paths)
	text("rv", d.Review, false)
	text("n", d.Note, false)
	text("nx", d.Next, false)
	return append(dst, '}')
}

func appendText(dst []byte, before, s string) []byte {
	return appendString(append(dst, before...), s)
}

// appendString appends a JSON string as JSON.stringify would write it. s must be valid
// UTF-8: lines are checked when read, texts when added.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func appendTexts(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

// Parser parses lines. It reuses its buffers and is not safe for concurrent use.
type Parser struct {
	src bytes.Reader
	dec *jsontext.Decoder
}

// Parse parses a line without its line end. The error is ErrNewer, ErrUnknown, or describes
// what is wrong; the event is then not usable.
func (p *Parser) Parse(line []byte) (Event, error) {
	if !utf8.Valid(line) {
		return Event{}, fmt.Errorf("it is not UTF-8 at byte %d", firstInvalid(line))
	}
	// The original extension may cut a title inside a surrogate pair. The lone half is read
	// as U+FFFD; the line itself is never rewritten.
	p.src.Reset(line)
	if p.dec == nil {
		p.dec = jsontext.NewDecoder(&p.src, jsontext.AllowInvalidUTF8(true))
	} else {
		p.dec.Reset(&p.src, jsontext.AllowInvalidUTF8(true))
	}
	r := lineReader{dec: p.dec, line: string(line)}
	e, err := r.event()
	if err == nil {
		_, err = p.dec.ReadToken()
		if err = atEnd(err); err == nil {
			err = r.check(&e)
		}
	}
	if err != nil {
		return e, plainError(err)
	}
	e.keyFrom(line)
	return e, nil
}

// keyFrom sets the derived key of an event whose line has none.
func (e *Event) keyFrom(line []byte) {
	if e.Key == "" {
		e.Key, e.derived = DeriveKey(line), true
	}
}

// DeriveKey returns the key of an event whose line has none: the beginning of the SHA-256
// of the line without its line end.
func DeriveKey(line []byte) string {
	const digits = 26
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])[:digits]
}

// lineReader parses one event.
type lineReader struct {
	dec     *jsontext.Decoder
	line    string
	version int
	has     uint // bit set of the required members that were present: v t p e i d
	fault   error
}

// The members that a line must have.
const (
	hasV = 1 << iota
	hasT
	hasP
	hasE
	hasI
	hasD
	hasAll = hasV | hasT | hasP | hasE | hasI
)

// event parses the object. A member of the wrong type is recorded and skipped, because the
// version may come later and a newer one is not damage.
func (r *lineReader) event() (Event, error) {
	var e Event
	err := r.object(func(name string) error {
		switch name {
		case "v":
			r.has |= hasV
			return r.number(&r.version)
		case "t":
			r.has |= hasT
			return r.text("t", &e.Time)
		case "p":
			r.has |= hasP
			return r.text("p", &e.Project)
		case "e":
			r.has |= hasE
			return r.text("e", (*string)(&e.Op))
		case "i":
			r.has |= hasI
			return r.text("i", &e.ID)
		case "d":
			r.has |= hasD
			return r.data(&e.Data)
		case "u":
			return r.text("u", &e.Actor)
		case "k":
			return r.text("k", &e.Key)
		case "by":
			return r.text("by", &e.By)
		case "x":
			return r.texts("x", &e.Seen)
		}
		return r.dec.SkipValue()
	})
	return e, err
}

// check validates an event that is well-formed JSON.
func (r *lineReader) check(e *Event) error {
	switch {
	case r.version > Version:
		return fmt.Errorf("%w: version %d, this program knows %d", ErrNewer, r.version, Version)
	case r.has&hasAll != hasAll:
		return errors.New("it is not an event: v, t, p, e or i is missing")
	case r.version != Version:
		return fmt.Errorf("there is no version %d", r.version)
	case r.fault == nil && !e.Op.known():
		return fmt.Errorf("%w: %q", ErrUnknown, string(e.Op))
	case r.fault != nil:
		return r.fault
	case e.ID == "":
		return errors.New("it names no decision")
	case e.Data.Status != nil && !e.Data.Status.Valid():
		return fmt.Errorf("there is no status %q", string(*e.Data.Status))
	}
	if name, value := e.unprintable(); name != "" {
		return fmt.Errorf("its %s has another form: %.40q", name, value)
	}
	if t, err := time.Parse(time.RFC3339Nano, e.Time); err == nil {
		e.stamp = max(t.UnixMilli(), 0)
	}
	return nil
}

// unprintable returns the first id, time or key that is not a short ASCII word. These are
// printed unescaped, so they must be harmless.
func (e *Event) unprintable() (member, value string) {
	for _, m := range []struct{ name, value string }{{"t", e.Time}, {"p", e.Project}, {"i", e.ID}, {"k", e.Key}} {
		if !isWord(m.value) {
			return m.name, m.value
		}
	}
	if sp := e.Data.Supersedes; sp != nil && !isWord(*sp) {
		return "sp", *sp
	}
	if c := e.Data.Conflicts; c != nil {
		if i := slices.IndexFunc(*c, func(id string) bool { return !isWord(id) }); i >= 0 {
			return "c", (*c)[i]
		}
	}
	if i := slices.IndexFunc(e.Seen, func(key string) bool { return !isWord(key) }); i >= 0 {
		return "x", e.Seen[i]
	}
	return "", ""
}

// isWord reports whether s is short and has only characters of ids, times and keys.
func isWord(s string) bool {
	const longest = 64
	return len(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("-_.:+", r)
	})
}

// data parses the object d.
func (r *lineReader) data(d *Data) error {
	if r.dec.PeekKind() != '{' {
		return r.wrong("d")
	}
	return r.object(func(name string) error {
		switch name {
		case "ti":
			return r.optional(name, &d.Title)
		case "tx":
			return r.optional(name, &d.Text)
		case "tg":
			return r.list(name, &d.Tags)
		case "s":
			var s *string
			err := r.optional(name, &s)
			d.Status = (*Status)(s)
			return err
		case "r":
			return r.optional(name, &d.Reason)
		case "sp":
			if r.dec.PeekKind() == 'n' {
				d.Supersedes = new("")
				return r.dec.SkipValue()
			}
			return r.optional(name, &d.Supersedes)
		case "c":
			return r.list(name, &d.Conflicts)
		case "pa":
			return r.list(name, &d.Paths)
		case "rv":
			return r.optional(name, &d.Review)
		case "n":
			return r.optional(name, &d.Note)
		case "nx":
			return r.optional(name, &d.Next)
		}
		v, err := r.dec.ReadValue()
		d.Extra = append(d.Extra, Member{name, v.Clone()})
		return err
	})
}

// object parses an object and calls f for the value of each member.
func (r *lineReader) object(f func(name string) error) error {
	t, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '{' {
		return errors.New("it is not a JSON object")
	}
	for r.dec.PeekKind() == '"' {
		quoted, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		if err := f(r.unquoted(quoted)); err != nil {
			return err
		}
	}
	_, err = r.dec.ReadToken()
	return err
}

// wrong records that a member has the wrong type, and skips it.
func (r *lineReader) wrong(name string) error {
	if r.fault == nil {
		r.fault = fmt.Errorf("%s is of a wrong type", name)
	}
	return r.dec.SkipValue()
}

func (r *lineReader) number(into *int) error {
	if r.dec.PeekKind() != '0' {
		return r.wrong("v")
	}
	t, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(t.String())
	if err != nil && r.fault == nil {
		r.fault = errors.New("v is not a version")
	}
	*into = n
	return nil
}

func (r *lineReader) text(name string, into *string) error {
	if r.dec.PeekKind() != '"' {
		return r.wrong(name)
	}
	quoted, err := r.dec.ReadValue()
	if err == nil {
		*into = r.unquoted(quoted)
	}
	return err
}

// unquoted returns the text of a JSON string. Without escapes it is a substring of the
// line, which saves an allocation: a long log has millions of strings.
func (r *lineReader) unquoted(quoted jsontext.Value) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		end := int(r.dec.InputOffset())
		return r.line[end-len(quoted)+1 : end-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // a lone surrogate becomes U+FFFD
	return string(text)
}

func (r *lineReader) optional(name string, into **string) error {
	if r.dec.PeekKind() == 'n' && name != "s" {
		return r.dec.SkipValue() // null sets nothing
	}
	*into = new(string)
	return r.text(name, *into)
}

func (r *lineReader) list(name string, into **[]string) error {
	*into = &[]string{}
	return r.texts(name, *into)
}

func (r *lineReader) texts(name string, into *[]string) error {
	if r.dec.PeekKind() != '[' {
		return r.wrong(name)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() != ']' {
		var s string
		if err := r.text(name, &s); err != nil {
			return err
		}
		*into = append(*into, s)
	}
	_, err := r.dec.ReadToken()
	return err
}

// atEnd checks the result of reading past the object: nil when the line ended there.
func atEnd(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return errors.New("there is text after the object")
	}
	return err
}

// plainError translates an error of the JSON decoder for users.
func plainError(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errors.New("a key stands in it twice")
	case errors.As(err, &syntax) && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it ends after %d bytes", syntax.ByteOffset)
	case errors.As(err, &syntax):
		return fmt.Errorf("%w at byte %d", syntax.Err, syntax.ByteOffset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	}
	return err
}

// firstInvalid returns the offset of the first byte that is not valid UTF-8.
func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size < 2 {
			return i
		}
		i += size
	}
	return len(b)
}
