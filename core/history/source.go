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

// Source is where an agent keeps its sessions. It alone knows the format that they have
// there. Everything else sees entries as package message models them: the source of
// another agent than pi presents its records so, always with the same ids.
//
// A place is whatever the source takes for one session, usually the path of a file. The
// sessions of a database have places too, such as its path with an id after a "#".
// Offsets count the bytes of a session as Bytes yields them, which need not exist as
// such anywhere.
type Source interface {
	// Find lists the places of all sessions that the agent keeps, or of those in a
	// directory. Where there is nothing, it lists nothing.
	Find(dir string) ([]string, error)
	// Head returns what a session says of itself: its id, its directory, when it began
	// and what it was forked from. A session may lack a head, which is an error.
	Head(place string) (message.Header, error)
	// Read returns the session at a place for Ingest. Its Info fails when there is
	// none of this source.
	Read(place string) File
	// Open reads the tree of a session, ErrNoSession when it has no entries. The caller
	// closes it.
	Open(place string) (Session, error)
	// Bytes yields all of a session: its entries, a line each, and what lies between
	// them.
	Bytes(place string) (io.ReadCloser, error)
}

// Session is an open session: the tree of its entries, and their text.
type Session interface {
	// Entries is the tree. Refresh adds to it.
	Entries() *message.Tree
	// Line returns the bytes of an entry, valid until the next call.
	Line(n *message.Node) ([]byte, error)
	// Problems lists the lines that could not be read as entries.
	Problems() []Problem
	// Refresh reads what was added since, and returns ErrReplaced when what was read is
	// gone. After an error the session is of no more use.
	Refresh() error
	Close() error
}

var (
	// ErrNoSession is returned for a place at which no line is an entry.
	ErrNoSession = errors.New("no session entries in it")
	// ErrReplaced is returned for a session that is no longer the one that was opened: it
	// must be opened again.
	ErrReplaced = errors.New("the session file was replaced")
)

// Sources are several sources as one. A place that none of them has is asked of the last,
// whose errors say what is wrong with it.
type Sources []Source

var _ Source = Sources(nil)

// of returns the source that a place belongs to.
func (s Sources) of(place string) Source {
	last := len(s) - 1
	for _, source := range s[:last] {
		if _, err := source.Read(place).Info(); err == nil {
			return source
		}
	}
	return s[last]
}

// Has reports whether there is a session at a place, as far as can be told without
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

// IsSession reports whether a session has a head, or messages without one: a file of
// something else can have lines that read as entries.
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

// Find implements Expander. The place of an entry in its session is its content.
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

// nodeRow describes a node as a store does.
func nodeRow(t *message.Tree, i int) Row {
	n := &t.Nodes[i]
	return Row{
		ID: int64(i), Session: t.Header.ID, EntryID: n.ID, ParentID: n.ParentID, Type: n.Type,
		Role: n.Message.Role, Tool: n.Message.ToolName, IsError: n.Message.IsError,
		Time: n.Time, Content: int64(i), Copies: 1,
	}
}

// Raw implements Expander.
func (s sessionExpander) Raw(_ context.Context, r Row) ([]byte, error) {
	line, err := s.Line(&s.Entries().Nodes[r.ID])
	return bytes.Clone(line), err
}

// Ignored reports whether a session is not to be stored: whether a pattern of the
// settings matches its file or its directory, "" for unknown. A pattern that cannot be
// read matches nothing; a warning about the settings names it.
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
