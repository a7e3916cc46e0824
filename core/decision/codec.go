package decision

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// timeForm is the layout of times, that of JavaScript's toISOString.
const timeForm = "2006-01-02T15:04:05.000Z"

// Stamp formats a time as the log does.
func Stamp(t time.Time) string { return t.UTC().Format(timeForm) }

// Moment returns the time that Stamp wrote, the zero Time for "".
func Moment(stamp string) time.Time {
	t, err := time.Parse(timeForm, stamp)
	if err != nil {
		return time.Time{}
	}
	return t
}

// ErrNewer is returned for a line that a later version of the program wrote.
var ErrNewer = errors.New("a newer version wrote it")

// ErrUnknown is returned for a line with an unknown operation. The line is kept.
var ErrUnknown = errors.New("its operation is unknown")

// Append appends an event as a line without line end. The keys have the order of the
// original extension, followed by those that pictx adds.
func Append(dst []byte, e *Event) []byte {
	out := *e
	out.V = Version
	if out.derived {
		out.Key = ""
	}
	line, err := json.Marshal(&out, jsontext.AllowInvalidUTF8(true))
	if err != nil { // texts and lists can be encoded, and Rest was read from a line
		return dst
	}
	return append(dst, line...)
}

// appendString appends a JSON string as JSON.stringify would write it.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// Parse parses a line without its line end. The error is ErrNewer, ErrUnknown, or describes
// what is wrong; the event then has its time and key at most.
func Parse(line []byte) (Event, error) {
	if !utf8.Valid(line) {
		return Event{}, fmt.Errorf("it is not UTF-8 at byte %d", bytes.IndexRune(line, utf8.RuneError))
	}
	var e Event
	// The original extension may cut a title inside a surrogate pair. The lone half is read
	// as U+FFFD; the line itself is never rewritten.
	err := json.Unmarshal(line, &e, jsontext.AllowInvalidUTF8(true))
	if v := e.V; err != nil && v == 0 {
		var only struct {
			V int `json:"v"`
		}
		_ = json.Unmarshal(line, &only, jsontext.AllowInvalidUTF8(true)) // what is wrong is known
		e.V = only.V
	}
	if e.V > Version {
		return e, fmt.Errorf("%w: version %d, this program knows %d", ErrNewer, e.V, Version)
	}
	if err != nil {
		return e, plainError(err)
	}
	e.keyFrom(line)
	return e, e.check()
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

// check validates an event that is well-formed JSON.
func (e *Event) check() error {
	switch {
	case e.V != Version:
		return fmt.Errorf("there is no version %d", e.V)
	case e.Time == "" || e.Op == "":
		return errors.New("it is not an event: t or e is missing")
	case !e.Op.known():
		return fmt.Errorf("%w: %q", ErrUnknown, string(e.Op))
	case e.ID == "":
		return errors.New("it names no decision")
	case e.Data.Status != nil && !e.Data.Status.Valid():
		return fmt.Errorf("there is no status %q", string(*e.Data.Status))
	}
	words := append([]string{e.Time, e.Project, e.ID, e.Key, e.Data.Supersedes.ID}, e.Seen...)
	if i := slices.IndexFunc(append(words, value(e.Data.Conflicts)...), notWord); i >= 0 {
		return fmt.Errorf("an id, time or key in it has another form: %.40q", append(words, value(e.Data.Conflicts)...)[i])
	}
	if t, err := time.Parse(time.RFC3339Nano, e.Time); err == nil {
		e.stamp = max(t.UnixMilli(), 0)
	}
	return nil
}

// notWord reports whether s is longer than ids, times and keys are or has other characters
// than they. These are printed unescaped, so they must be harmless.
func notWord(s string) bool {
	const longest = 64
	return len(s) > longest || strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("-_.:+", r)
	})
}

// plainError translates an error of the JSON decoder for users.
func plainError(err error) error {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errors.New("a key stands in it twice")
	case errors.As(err, &syntax) && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it ends after %d bytes", syntax.ByteOffset)
	case errors.As(err, &syntax):
		return fmt.Errorf("%w at byte %d", syntax.Err, syntax.ByteOffset)
	case errors.As(err, &semantic) && semantic.JSONPointer != "":
		return fmt.Errorf("%s is of a wrong type", semantic.JSONPointer.LastToken())
	case errors.As(err, &semantic):
		return errors.New("it is not a JSON object")
	}
	return err
}
