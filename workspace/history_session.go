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
func CompactionEntry(h *HistorySession, b *summary.Branch, c *summary.Cover, body string, now time.Time) ([]byte, error) {
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
	sum := sha256.Sum256([]byte(h.Id + leaf + body))
	return pi.Compaction{
		ID: hex.EncodeToString(sum[:4]), Parent: leaf, Time: now, Summary: body, Kept: keptAfter(h, b), Before: before,
		Details: map[string]any{"readFiles": files.Read, "modifiedFiles": files.Modified, "pictx": map[string]any{"summaries": keys}},
	}.Line()
}

// keptAfter returns the first entry after those that a branch covers.
func keptAfter(h *HistorySession, b *summary.Branch) string {
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
func ExportLines(h *HistorySession) ([]byte, error) {
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

// HistorySession is a session opened for reading: its entries from its file, or from the
// store if the file is gone, and the store with its summaries.
type HistorySession struct {
	Id, File  string // File is "" if it is gone
	Tree      *message.Tree
	Line      func(*message.Node) ([]byte, error)
	Summaries summary.Reader // nil without a store
	St        *store.Store   // nil if there is none to close
	open      history.Session
	sources   history.Source
}

// Marks returns what was pruned from the session, nil without a store.
func (h *HistorySession) Marks(ctx context.Context) ([]prune.Mark, error) {
	if h.St == nil {
		return nil, nil
	}
	return h.St.Marks.Marks(ctx, h.Id)
}

// Bytes returns the whole session file, including lines that are not entries.
func (h *HistorySession) Bytes() ([]byte, error) {
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

// OpenHistory opens the session with an id or a file name. Without a name it opens the
// session of the agent that runs this process, else the latest in the store. The store is
// opened for reading; a session file can be read without one.
func (a *Workspace) OpenHistory(ctx context.Context, name string) (*HistorySession, error) {
	st, _, err := a.Store(ctx, sqlite.Read)
	h := &HistorySession{}
	if err == nil {
		h.St, h.Summaries = st, st.Summaries
	}
	if name == "" {
		name = a.Env.Getenv("PI_SESSION_ID")
	}
	if name != "" && a.Sources().Has(a.Path(name)) {
		h.File = a.Path(name)
		if err != nil && !errors.Is(err, sqlite.ErrNoStore) {
			return nil, err
		}
		if err := MayReadSession(a, h.File); err != nil {
			h.Close()
			return nil, err
		}
		return h, h.read(ctx, MaskedSources(ctx, a))
	}
	if err != nil {
		return nil, Elsewhere(a, err, "pictx import, or pictx sessions --all")
	}
	row, err := FindSession(ctx, st, name)
	if err != nil {
		h.Close()
		return nil, err
	}
	h.Id = row.ID
	if a.Sources().Has(row.File) {
		h.File = row.File
	}
	return h, h.read(ctx, MaskedSources(ctx, a))
}

// read reads the entries. It closes the session if that fails.
func (h *HistorySession) read(ctx context.Context, sources history.Source) (err error) {
	h.sources = sources
	defer func() {
		if err != nil {
			h.Close()
		}
	}()
	if h.File == "" {
		h.Tree, h.Line, err = summary.Tree(ctx, h.St.Summaries, h.Id)
		return err
	}
	if h.open, err = sources.Open(h.File); err != nil {
		return fmt.Errorf("open session %s: %w", h.File, err)
	}
	h.Tree, h.Line = h.open.Entries(), h.open.Line
	h.Id = h.Tree.Header.ID
	return nil
}

// Close closes what was opened.
func (h *HistorySession) Close() {
	if h.open != nil {
		_ = h.open.Close()
	}
	if h.St != nil {
		_ = h.St.Close()
	}
}

// View returns the session's branch with its summaries, in local time.
func (h *HistorySession) View(ctx context.Context) (*summary.View, error) {
	b, err := summary.ReadBranch(h.Tree, h.Tree.Leaf(), "", summary.Limits{}, h.Line)
	if err != nil {
		return nil, err
	}
	b.Session = h.Id
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
