package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/coctostan/pictx/core/message"
)

// Source is where an agent keeps its sessions, and alone knows their format. Everyone else
// sees entries as package message models them: the source of an agent other than pi
// converts its records, always with the same ids.
//
// A place identifies a session to its source. It is usually the path of a file; for a
// session in a database it may be the path with an id after a "#". Offsets count the bytes
// of a session as Bytes yields them, which need not exist in that form anywhere.
type Source interface {
	// Find lists the places of all sessions that the agent keeps, or of those in dir unless
	// it is "". It is not an error when there are none.
	Find(dir string) ([]string, error)
	// Head returns the header of a session: its id, directory, start, and what it was
	// forked from. It is an error when the session lacks one.
	Head(place string) (message.Header, error)
	// Read returns the session at a place for Ingest. Its Info fails when this source has
	// none there.
	Read(place string) File
	// Open reads the tree of a session. It returns ErrNoSession when there are no entries.
	// The caller closes the session.
	Open(place string) (Session, error)
	// Bytes yields a whole session: its entries, one per line, and anything between them.
	Bytes(place string) (io.ReadCloser, error)
}

// Session is an open session: the tree of its entries, and their text.
type Session interface {
	// Entries returns the tree, which Refresh extends.
	Entries() *message.Tree
	// Line returns the bytes of an entry, valid until the next call.
	Line(n *message.Node) ([]byte, error)
	// Problems lists the lines that could not be read as entries.
	Problems() []Problem
	// Refresh reads what was added since. It returns ErrReplaced when what was read before
	// is gone. After an error the session is unusable.
	Refresh() error
	Close() error
}

var (
	// ErrNoSession is returned for a place without any entry.
	ErrNoSession = errors.New("no session entries in it")
	// ErrReplaced is returned for a session that is no longer the one that was opened; open
	// it again.
	ErrReplaced = errors.New("the session file was replaced")
)

// Sources combines several sources. The last one handles places that none of them has: its
// errors explain what is wrong.
type Sources []Source

var _ Source = Sources(nil)

// of returns the source of a place.
func (s Sources) of(place string) Source {
	last := len(s) - 1
	for _, source := range s[:last] {
		if _, err := source.Read(place).Info(); err == nil {
			return source
		}
	}
	return s[last]
}

// Has reports whether there is a session at a place, as far as that is known without
// reading it.
func (s Sources) Has(place string) bool {
	if place == "" {
		return false
	}
	_, err := s.Read(place).Info()
	return err == nil
}

// Find implements Source.
func (s Sources) Find(dir string) ([]string, error) {
	var all []string
	for _, source := range s {
		found, err := source.Find(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Head implements Source.
func (s Sources) Head(place string) (message.Header, error) { return s.of(place).Head(place) }

// Read implements Source.
func (s Sources) Read(place string) File { return s.of(place).Read(place) }

// Open implements Source.
func (s Sources) Open(place string) (Session, error) { return s.of(place).Open(place) }

// Bytes implements Source.
func (s Sources) Bytes(place string) (io.ReadCloser, error) { return s.of(place).Bytes(place) }

// IsSession reports whether a session has a header or at least messages: lines of an
// unrelated file may parse as entries.
func IsSession(s Session) bool {
	t := s.Entries()
	if t.Header.Version != 0 {
		return true
	}
	for i := range t.Nodes {
		if t.Nodes[i].Type == message.EntryMessage {
			return true
		}
	}
	return false
}

// InSession finds entries in an open session, which need not be in a store.
func InSession(s Session) Expander { return sessionExpander{s} }

type sessionExpander struct{ Session }

// Find implements Expander. The content key of an entry is its index in the session.
func (s sessionExpander) Find(_ context.Context, prefix string, _ []string, limit int) ([]Row, error) {
	t := s.Entries()
	exact := t.Lookup(prefix)
	var rows []Row
	for i := range t.Nodes {
		n := &t.Nodes[i]
		switch {
		case n == exact:
			rows = append([]Row{nodeRow(t, i)}, rows[:min(len(rows), limit-1)]...)
		case len(rows) < limit && n.Type != message.EntrySession && n.ID != prefix && strings.HasPrefix(n.ID, prefix):
			rows = append(rows, nodeRow(t, i))
		}
	}
	return rows, nil
}

// nodeRow describes a node as a store would.
func nodeRow(t *message.Tree, i int) Row {
	n := &t.Nodes[i]
	return Row{
		ID: int64(i), Session: t.Header.ID, EntryID: n.ID, ParentID: n.ParentID, Type: n.Type,
		Role: n.Message.Role, Tool: n.Message.ToolName, IsError: n.Message.IsError,
		Time: n.Time, Content: int64(i), Copies: 1,
	}
}

// Raw implements Expander.
func (s sessionExpander) Raw(_ context.Context, r Row, _ []byte) ([]byte, error) {
	line, err := s.Line(&s.Entries().Nodes[r.ID])
	return bytes.Clone(line), err
}

// Ignored reports whether the settings exclude a session from the store: whether a pattern
// matches any of paths, such as its file and directory; "" is an unknown path. An invalid
// pattern matches nothing; a warning about the settings names it.
func Ignored(patterns []string, paths ...string) bool {
	for _, pattern := range patterns {
		for _, p := range paths {
			if ok, _ := doublestar.Match(pattern, filepath.ToSlash(p)); ok && p != "" {
				return true
			}
		}
	}
	return false
}
