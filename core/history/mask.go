package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/coctostan/pictx/core/message"
)

// Masks returns the replacement of a line of a session: the line itself, the redacted line, or nil
// when the user purged it. The agent's own files still have such lines.
type Masks func(session string, line []byte) ([]byte, error)

// And returns masks that also mask, with r, lines that were not erased: an agent's own file still
// has what the store keeps masked. Both may be nil. A line is looked up both unmasked and masked,
// because erased lines are known as the store had them, which depends on what was masked at that
// time.
func (m Masks) And(r Redactor) Masks {
	if r == nil {
		return m
	}
	if m == nil {
		m = func(_ string, line []byte) ([]byte, error) { return line, nil }
	}
	return func(session string, line []byte) ([]byte, error) {
		out, err := m(session, line)
		if err != nil || out == nil || !r.Suspect(out) {
			return out, err
		}
		out, n := Redact(out, r)
		if n == 0 {
			return out, nil
		}
		return m(session, out)
	}
}

// line returns a line as masked, or emptied if it was purged.
func (m Masks) line(session string, line []byte) ([]byte, error) {
	if m == nil {
		return line, nil
	}
	masked, err := m(session, line)
	if err == nil && masked == nil {
		masked = Emptied(line)
	}
	return masked, err
}

// MaskedSession returns a session with the user's redactions applied: redacted lines are
// redacted, and purged ones keep only what connects entries.
func MaskedSession(s Session, masks Masks) Session { return &maskedSession{Session: s, masks: masks} }

type maskedSession struct {
	Session
	masks Masks
	named int       // number of nodes whose names are masked
	store io.Closer // that the masks need, nil for none
}

// Close implements Session.
func (s *maskedSession) Close() error { return closeBoth(s.Session, s.store) }

// closeBoth closes two things, of which the second may be nil.
func closeBoth(a, b io.Closer) error {
	err := a.Close()
	if b != nil {
		err = errors.Join(err, b.Close())
	}
	return err
}

// Entries implements Session. The only text in the tree is the name of a session, which is
// masked.
func (s *maskedSession) Entries() *message.Tree {
	t := s.Session.Entries()
	for ; s.named < len(t.Nodes); s.named++ {
		n := &t.Nodes[s.named]
		if n.Type != message.EntrySessionInfo {
			continue
		}
		if _, err := s.Line(n); err != nil {
			n.Name = ""
		}
	}
	return t
}

// Line implements Session. It updates the node to the masked line, because spans of the
// original are invalid in it.
func (s *maskedSession) Line(n *message.Node) ([]byte, error) {
	line, err := s.Session.Line(n)
	if err != nil {
		return nil, err
	}
	masked, err := s.masks.line(s.Session.Entries().Header.ID, line)
	if err != nil || bytes.Equal(masked, line) {
		return masked, err
	}
	var p message.Parser
	e, err := p.ParseEntry(masked)
	if err != nil {
		return nil, fmt.Errorf("read redacted entry %s: %w", n.ID, err)
	}
	e.ID, e.ParentID, e.Time = n.ID, n.ParentID, n.Time
	n.Entry = e
	return masked, nil
}

// maskedBytes masks the bytes of a session as MaskedSession does its lines.
type maskedBytes struct {
	src     io.ReadCloser
	store   io.Closer // that the masks need, nil for none
	lines   *bufio.Reader
	session string
	masks   Masks
	ready   []byte // rest of the current line
}

// Close implements io.Closer.
func (r *maskedBytes) Close() error { return closeBoth(r.src, r.store) }

// Read implements io.Reader.
func (r *maskedBytes) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		line, err := r.lines.ReadBytes('\n')
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			return 0, err
		}
		text := bytes.TrimRight(line, "\r\n")
		masked, err := r.masks.line(r.session, text)
		if err != nil {
			return 0, err
		}
		r.ready = append(bytes.Clone(masked), line[len(text):]...)
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// Emptied returns a purged line: it keeps the entry's ids, time and kind, and says that it
// was purged. A tool's name and the id of its call are text of the model or of a server, so
// they go, too. A line that is not an entry becomes empty.
func Emptied(line []byte) []byte {
	var p message.Parser
	e, err := p.ParseEntry(line)
	if err != nil {
		return []byte{}
	}
	member := func(dst []byte, name, value string) []byte {
		if value == "" {
			return dst
		}
		dst = append(message.AppendQuote(append(dst, ','), name), ':')
		return message.AppendQuote(dst, value)
	}
	out := append([]byte(`{"type":`), message.AppendQuote(nil, string(e.Type))...)
	out = member(out, "id", e.ID)
	out = member(out, "parentId", e.ParentID)
	out = member(out, "timestamp", time.UnixMilli(e.Time).UTC().Format(time.RFC3339Nano))
	if e.Type == message.EntryMessage {
		m := &e.Message
		out = append(out, `,"message":{"content":`...)
		out = append(out, emptyContent...)
		out = member(out, "role", string(m.Role))
		if m.Role == message.RoleToolResult { // agents expect both
			out = append(out, `,"toolCallId":"purged","toolName":"purged"`...)
		}
		out = append(out, '}')
	}
	return append(out, '}')
}

// IsEmptied reports whether a line is a message that Emptied returned.
func IsEmptied(line []byte) bool {
	return bytes.Contains(line, []byte(`,"message":{"content":`+emptyContent+`,"role":`))
}

// emptyContent replaces the content of a purged message.
const emptyContent = `[{"type":"text","text":"[purged]"}]`

// MaskedSource returns a source with masked sessions, so that nothing that reads an agent's
// own files brings erased text back. masks returns the masks, nil for none, and what to
// close after use, if anything.
func MaskedSource(from Source, masks func() (Masks, io.Closer, error)) Source {
	return maskedSource{from, masks}
}

type maskedSource struct {
	Source
	masks func() (Masks, io.Closer, error)
}

// Open implements Source.
func (s maskedSource) Open(place string) (Session, error) {
	open, err := s.Source.Open(place)
	if err != nil {
		return nil, err
	}
	masks, store, err := s.masks()
	if err != nil {
		return nil, errors.Join(err, closeBoth(open, store))
	}
	return &maskedSession{Session: open, masks: masks, store: store}, nil
}

// Bytes implements Source.
func (s maskedSource) Bytes(place string) (io.ReadCloser, error) {
	r, err := s.Source.Bytes(place)
	if err != nil {
		return nil, err
	}
	head, err := s.Head(place)
	if err != nil {
		return r, nil //nolint:nilerr // nothing was erased from what is not a session
	}
	masks, store, err := s.masks()
	if err != nil {
		return nil, errors.Join(err, closeBoth(r, store))
	}
	return &maskedBytes{src: r, store: store, lines: bufio.NewReader(r), session: head.ID, masks: masks}, nil
}
