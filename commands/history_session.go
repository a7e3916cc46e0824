package commands

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/sqlite"
)

// historySession is a session that is looked at: its entries from its file, or
// from the store when the file is gone, and the store with its summaries.
type historySession struct {
	id, file string // file is "" when there is none
	tree     *message.Tree
	line     func(*message.Node) ([]byte, error)
	// summaries are those of the store, nil when there is none.
	summaries summary.Reader
	st        *sqlite.Store // nil when there is none to close
	open      *jsonl.Session
}

// openHistory opens the session that a user names by id or file; the agent's own
// without a name, else the latest of the store. The store is opened read-only, and
// may be missing for a file.
func (a *app) openHistory(ctx context.Context, name string) (*historySession, error) {
	st, _, err := a.store(ctx, sqlite.Read)
	h := &historySession{}
	if err == nil {
		h.st, h.summaries = st, st
	}
	if name == "" {
		name = a.env.Getenv("PI_SESSION_ID")
	}
	if info, ferr := os.Stat(a.path(name)); name != "" && ferr == nil && info.Mode().IsRegular() {
		h.file = a.path(name)
		if err != nil && !errors.Is(err, sqlite.ErrNoStore) {
			return nil, err
		}
		return h, h.read(ctx)
	}
	if err != nil {
		return nil, err
	}
	row, err := pickHistory(ctx, st, name)
	if err != nil {
		h.close()
		return nil, err
	}
	h.id = row.ID
	if _, ferr := os.Stat(row.File); ferr == nil {
		h.file = row.File
	}
	return h, h.read(ctx)
}

// pickHistory is the session of a store that a user names, the latest without a
// name.
func pickHistory(ctx context.Context, st *sqlite.Store, name string) (sqlite.SessionRow, error) {
	if name != "" {
		return findSession(ctx, st, name)
	}
	rows, err := st.Sessions(ctx)
	if err == nil && len(rows) == 0 {
		err = withHint(exitNotFound, "pictx import", errors.New("the store holds no sessions"))
	}
	if err != nil {
		return sqlite.SessionRow{}, err
	}
	return rows[0], nil
}

// read reads the entries. What was opened is closed when that fails.
func (h *historySession) read(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	if h.file == "" {
		h.tree, h.line, err = summary.Tree(ctx, h.st, h.id)
		return err
	}
	if h.open, err = jsonl.Open(h.file); err != nil {
		return fmt.Errorf("open session %s: %w", h.file, err)
	}
	h.tree, h.line, h.id = h.open.Tree, h.open.Line, h.open.Tree.Header.ID
	return nil
}

func (h *historySession) close() {
	if h.open != nil {
		_ = h.open.Close()
	}
	if h.st != nil {
		_ = h.st.Close()
	}
}

// view is the session's branch with its summaries.
func (h *historySession) view(ctx context.Context) (*summary.View, error) {
	b, err := summary.ReadBranch(h.tree, h.tree.Leaf(), "", 0, h.line)
	if err != nil {
		return nil, err
	}
	b.Session = h.id
	if h.summaries == nil {
		return &summary.View{Branch: b, Cover: b.Cover(nil)}, nil
	}
	return summary.ViewOf(ctx, h.summaries, b)
}
