package decision

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxLine is the maximum length of a line in bytes. A longer one counts as damage.
const MaxLine = 1 << 20

// Log is the part of a log that has been read.
type Log struct {
	// Events are the usable events, without repetitions, in the order of their lines.
	Events []Event
	// Damage are the unusable lines.
	Damage []Finding
	// BOM is set when the log begins with a byte order mark, CRLF when lines end with CR
	// LF. Both are accepted but never written.
	BOM, CRLF bool
	// Repeated counts lines that repeat an earlier one.
	Repeated int
	// Size is the number of bytes read. Whole is set when the last line ends with a line
	// feed.
	Size  int64
	Whole bool
	// Lines counts all lines, including blank ones.
	Lines int

	keys map[string]int // index in Events by key
}

// Read reads a whole log.
func Read(data []byte) *Log {
	l := &Log{Whole: true, keys: make(map[string]int, len(data)/256+1)}
	l.Events = make([]Event, 0, len(data)/220+1)
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		l.BOM = true
		l.Size = 3
		data = data[3:]
	}
	l.Extend(data)
	return l
}

// Extend reads data that was appended to the log. The log must have ended with a whole
// line.
func (l *Log) Extend(data []byte) {
	for len(data) > 0 {
		i := bytes.IndexByte(data, '\n')
		line, rest := data, []byte(nil)
		l.Whole = i >= 0
		if l.Whole {
			line, rest = data[:i], data[i+1:]
		}
		l.Lines++
		l.line(line)
		l.Size += int64(len(data) - len(rest))
		data = rest
	}
}

// line reads one line without its line feed.
func (l *Log) line(line []byte) {
	if n := len(line); n > 0 && line[n-1] == '\r' && l.Whole {
		l.CRLF = true
	}
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
	case len(line) > MaxLine:
		l.damage(longLine, fmt.Sprintf("it has %d bytes, at most %d", len(line), MaxLine))
	case bytes.IndexByte(line, 0) >= 0:
		l.damage(zeroed, "it holds zero bytes")
	case IsMarker(line):
		l.damage(marker, "git left it in a merge")
	default:
		l.event(line)
	}
}

// event reads the event in a line.
func (l *Log) event(line []byte) {
	e, err := Parse(line)
	k := damagedLine
	switch {
	case err == nil:
		e.Line = l.Lines
		l.take(e)
		return
	case errors.Is(err, ErrNewer):
		k = newer
	case errors.Is(err, ErrUnknown):
		k = unknown
	case !l.Whole:
		k = tornLine
	}
	l.damage(k, err.Error())
}

// IsMarker reports whether a line is one of git's conflict markers.
func IsMarker(line []byte) bool {
	s := string(line[:min(len(line), 8)])
	return s == "=======" || strings.HasPrefix(s, "<<<<<<< ") || strings.HasPrefix(s, ">>>>>>> ") || strings.HasPrefix(s, "||||||| ")
}

// take keeps an event unless it is a repetition. When two different events share a key, the
// same one wins in either order: the redacted one, else the one whose line sorts first.
func (l *Log) take(e Event) {
	i, twice := l.keys[e.Key]
	if !twice {
		l.keys[e.Key] = len(l.Events)
		l.Events = append(l.Events, e)
		return
	}
	have := &l.Events[i]
	order := bytes.Compare(Append(nil, have), Append(nil, &e))
	if order == 0 {
		l.Repeated++
		return
	}
	k, cause, keep := keyTwice, "another event has its key "+e.Key, order < 0
	if have.talks() != e.talks() && bytes.Equal(have.redacted(), e.redacted()) {
		k, cause, keep = textBack, "it was redacted, and a merge brought it back", e.talks()
	}
	l.damage(k, cause)
	if !keep {
		l.Damage[len(l.Damage)-1].Line = have.Line
		*have = e
	}
}

// redacted returns the line of the event after redaction.
func (e *Event) redacted() []byte {
	r := *e
	r.derived, r.Data, r.Rest = false, e.Data.silent(), nil
	return Append(nil, &r)
}

func (l *Log) damage(k kind, cause string) {
	f := found(k, cause)
	f.Line = l.Lines
	l.Damage = append(l.Damage, f)
}

// Project returns the project id of the first event that has one, "" when none does.
func (l *Log) Project() string {
	for i := range l.Events {
		if p := l.Events[i].Project; p != "" {
			return p
		}
	}
	return ""
}

// Writable returns a NewerError when a newer version wrote to the log, in which case
// nothing may be appended.
func (l *Log) Writable() error {
	if i := slices.IndexFunc(l.Damage, func(f Finding) bool { return f.Code == newer.code }); i >= 0 {
		return &NewerError{Line: l.Damage[i].Line, Cause: l.Damage[i].Text}
	}
	return nil
}

// NewerError is returned for a log to which a newer version wrote.
type NewerError struct {
	Line  int
	Cause string
}

// Error implements error.
func (e *NewerError) Error() string {
	return fmt.Sprintf("write decisions: line %d of the log: %s", e.Line, e.Cause)
}

// Lines returns the bytes that append events to a log. When its last line is torn (whole is
// false) they begin with a line feed, so that the torn line does not swallow the first
// event.
func Lines(whole bool, events []Event) []byte {
	var b []byte
	if !whole {
		b = append(b, '\n')
	}
	for i := range events {
		b = append(Append(b, &events[i]), '\n')
	}
	return b
}

// Until returns the events, ordered by time, up to the one with a key; false when there is
// none.
func (l *Log) Until(key string) (out []Event, ok bool) {
	for _, e := range sorted(l.Events) {
		if out = append(out, *e); e.Key == key {
			return out, true
		}
	}
	return nil, false
}
