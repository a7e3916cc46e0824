package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// CompactionEntry returns the compaction of a session as an entry for its agent.
func CompactionEntry(h *Session, b *summary.Branch, c *summary.Cover, body string, now time.Time) ([]byte, error) {
	leaf := h.Tree.Leaf()
	var before token.Count
	for _, it := range h.Tree.Context(leaf) {
		before += token.Estimate(it.Head)
	}
	files := b.Files()
	keys := make([]string, len(c.Roots))
	for i, r := range c.Roots {
		keys[i] = r.Key
	}
	sum := sha256.Sum256([]byte(h.ID + leaf + body))
	return pi.Compaction{
		ID: hex.EncodeToString(sum[:4]), Parent: leaf, Time: now, Summary: body, Kept: keptAfter(h, b), Before: before,
		Details: map[string]any{"readFiles": files.Read, "modifiedFiles": files.Modified, "pictx": map[string]any{"summaries": keys}},
	}.Line()
}

// keptAfter returns the first entry after those that a branch covers.
func keptAfter(h *Session, b *summary.Branch) string {
	last := b.Units[len(b.Units)-1].ID
	path := h.Tree.Path(h.Tree.Leaf())
	for i, n := range path {
		if n.ID == last && i+1 < len(path) {
			return path[i+1].ID
		}
	}
	return last
}

// ExportLines returns the entries of a session as the lines of a session file.
func ExportLines(h *Session) ([]byte, error) {
	var b bytes.Buffer
	for i := range h.Tree.Nodes {
		raw, err := h.Line(&h.Tree.Nodes[i])
		if err != nil {
			return nil, err
		}
		b.Write(raw)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// Session is a session opened for reading: its entries from its file, or from the store if the
// file is gone.
type Session struct {
	ID, File  string // File is "" if it is gone
	Tree      *message.Tree
	Line      func(*message.Node) ([]byte, error)
	Summaries summary.Reader // nil without a store
	St        *store.Store   // nil if there is none to close
	open      history.Session
	sources   history.Source
}

// Marks returns what was pruned from the session, nil without a store.
func (h *Session) Marks(ctx context.Context) ([]prune.Mark, error) {
	if h.St == nil {
		return nil, nil
	}
	return h.St.Marks.Marks(ctx, h.ID)
}

// Bytes returns the whole session file, including lines that are not entries.
func (h *Session) Bytes() ([]byte, error) {
	if h.File == "" {
		return ExportLines(h)
	}
	r, err := h.sources.Bytes(h.File)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// OpenSession opens the session with an id or a file name. Without a name it opens the
// session of the agent that runs this process, else the latest in the store. The store is
// opened for reading; a session file can be read without one.
func (a *Workspace) OpenSession(ctx context.Context, name string) (*Session, error) {
	st, _, err := a.Store(ctx, sqlite.Read)
	if err != nil && !errors.Is(err, sqlite.ErrNoStore) {
		return nil, err
	}
	h := &Session{St: st}
	if st != nil {
		h.Summaries = st.Summaries
	}
	id, file, err := a.find(ctx, st, err, name)
	switch sources := MaskedSources(ctx, a); {
	case err != nil:
	case id == "" || a.Sources().Has(file):
		err = h.read(sources, file)
	default:
		h.ID = id
		h.Tree, h.Line, err = summary.Tree(ctx, st.Summaries, id)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// OpenAtEnd opens a session by its place, without a store.
func OpenAtEnd(sources history.Source, place string) (*Session, error) {
	h := &Session{}
	if err := h.read(sources, place); err != nil {
		return nil, err
	}
	return h, nil
}

// read reads the entries from the session's file.
func (h *Session) read(sources history.Source, file string) error {
	s, err := sources.Open(file)
	if err != nil {
		return fmt.Errorf("open session %s: %w", file, err)
	}
	if !history.IsSession(s) {
		s.Close()
		return fmt.Errorf("open session %s: %w", file, history.ErrNoSession)
	}
	h.File, h.sources, h.open, h.Tree, h.Line = file, sources, s, s.Entries(), s.Line
	h.ID = h.Tree.Header.ID
	return nil
}

// Close closes what was opened.
func (h *Session) Close() {
	if h.open != nil {
		_ = h.open.Close()
	}
	if h.St != nil {
		_ = h.St.Close()
	}
}

// View returns the session's branch with its summaries, in local time.
func (h *Session) View(ctx context.Context) (*summary.View, error) {
	b, err := summary.ReadBranch(h.Tree, h.Tree.Leaf(), "", summary.Limits{}, h.Line)
	if err != nil {
		return nil, err
	}
	b.Session = h.ID
	if h.Summaries == nil {
		return &summary.View{Branch: b, Cover: b.Cover(nil), Zone: time.Local}, nil
	}
	v, err := summary.ViewOf(ctx, h.Summaries, b)
	if err != nil {
		return nil, err
	}
	v.Zone = time.Local
	return v, nil
}

// Problems lists the lines of the session's file that could not be read as entries.
func (h *Session) Problems() []history.Problem { return h.open.Problems() }
