package objects

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

// namedFiles caches, in a store that stays open, the files that results named, by session:
// the layout "pools" lists them before every request. Events are only ever added, so only
// new ones are read. A file is read again when this store wrote it, and all files when
// SQLite's data_version shows that another process wrote.
type namedFiles struct {
	mu       sync.Mutex
	sessions map[string]*namedSession
}

// namedSession is the cache of one session.
type namedSession struct {
	version int64 // data_version when files were read
	last    int64 // Seq of the last event read
	naming  object.Mentions
	files   map[string]*object.Version // versions in force by id, nil for none
	stale   map[string]bool            // ids to be read again
	until   object.Time                // the earliest end of a version
}

// maxNamedSessions is how many sessions are cached.
const maxNamedSessions = 8

// forget drops everything.
func (n *namedFiles) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sessions = nil
}

// wrote marks objects that this store has written as stale. It waits for readers, which
// need the store's only connection, so no transaction may be in progress.
func (n *namedFiles) wrote(objects map[int64]*row) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.sessions {
		for _, o := range objects {
			if _, known := s.files[o.ID]; known && o.wrote {
				s.stale[o.ID] = true
			}
		}
	}
}

// Named returns a function that lists the files that the result of a tool call of a session
// named, in their present versions and without deleted ones.
func (s *Store) Named(ctx context.Context, session string) (func(call string) []object.Version, error) {
	n := &s.named
	n.mu.Lock()
	defer n.mu.Unlock()
	one := n.sessions[session]
	if one == nil {
		if one = newNamedSession(); n.sessions == nil || len(n.sessions) >= maxNamedSessions {
			n.sessions = make(map[string]*namedSession)
		}
	}
	delete(n.sessions, session) // until it is read completely
	if err := one.refresh(ctx, s, session); err != nil {
		return nil, fmt.Errorf("read what results named: %w", sqlite.Explain(err))
	}
	n.sessions[session] = one
	return func(call string) []object.Version {
		n.mu.Lock()
		defer n.mu.Unlock()
		return one.by(call)
	}, nil
}

func newNamedSession() *namedSession {
	return &namedSession{files: make(map[string]*object.Version), stale: make(map[string]bool)}
}

func (n *namedSession) by(call string) []object.Version {
	var out []object.Version
	for _, id := range n.naming.Of(call) {
		if v := n.files[id]; v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// refresh reads what is new.
func (n *namedSession) refresh(ctx context.Context, s *Store, session string) error {
	var version int64
	if err := s.db.GetContext(ctx, &version, `PRAGMA data_version`); err != nil {
		return err
	}
	now, err := s.present(ctx, s.db)
	if err != nil {
		return err
	}
	if version != n.version || now >= n.until {
		n.version, n.until = version, object.Forever
		for id := range n.files {
			n.stale[id] = true
		}
	}
	if err := n.read(ctx, s, session); err != nil {
		return err
	}
	return n.look(ctx, s, now)
}

// read reads the events added since.
func (n *namedSession) read(ctx context.Context, s *Store, session string) error {
	rows, err := s.db.QueryContext(ctx, `SELECT e.seq, e.leaf, o.id, o.kind, e.what FROM object_sessions s
		CROSS JOIN object_events e ON e.session = s.id CROSS JOIN objects o ON o.oid = e.oid
		WHERE s.session_id = +?1 AND e.seq > ?2 ORDER BY e.seq`, session, n.last)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var e object.Event
		var kind object.Kind
		if err := rows.Scan(&e.Seq, &e.Leaf, &e.Object, &kind, &e.Kind); err != nil {
			return err
		}
		n.last = e.Seq
		n.naming.Add(&e, kind == object.KindToolcall)
		if _, known := n.files[e.Object]; !known && e.Kind == object.Discovered && kind == object.KindFile {
			n.files[e.Object], n.stale[e.Object] = nil, true
		}
	}
	return rows.Err()
}

// look reads the files that may have changed. A file that does not exist yet stays stale.
func (n *namedSession) look(ctx context.Context, s *Store, now object.Time) error {
	for id := range n.stale {
		v, err := s.Get(ctx, id, object.At{Valid: now})
		switch {
		case errors.Is(err, object.ErrNotYet):
			n.files[id] = nil
			continue
		case err != nil:
			return err
		}
		if n.files[id] = v; v.Doc.File == nil || v.Doc.Deleted {
			n.files[id] = nil
		}
		n.until = min(n.until, v.Valid.To)
		delete(n.stale, id)
	}
	return nil
}
