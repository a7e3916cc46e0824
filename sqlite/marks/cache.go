package marks

import (
	"context"
	"fmt"
	"sync"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/sqlite"
)

// cache holds the marks and pins of sessions, which every event asks for, in a store that
// stays open from one event to the next. It is valid until SQLite's data_version changes,
// which counts the commits of others; what this store writes itself it adds, or drops.
type cache struct {
	mu    sync.Mutex
	since int64 // the data_version of what follows
	marks map[string][]prune.Mark
	pins  map[string][]prune.Pin
}

// refresh drops everything when another process wrote.
func (m *cache) refresh(ctx context.Context, s *Store) error {
	now, err := s.db.DataVersion(ctx)
	if err != nil || m.marks == nil || m.since != now {
		m.since, m.marks, m.pins = now, make(map[string][]prune.Mark), make(map[string][]prune.Pin)
	}
	if err != nil {
		return fmt.Errorf("read data version: %w", err)
	}
	return nil
}

// drop removes a session from the cache.
func (m *cache) drop(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.marks, session)
	delete(m.pins, session)
}

// add adds marks that this store has written.
func (m *cache) add(session string, marks []prune.Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, known := m.marks[session]; known {
		m.marks[session] = append(old[:len(old):len(old)], marks...)
	}
}

// cached returns the rows of a session: from the cache while it is valid, else those that
// read returns. The store of a shell command, which asks once, has no cache. The rows must
// not be changed.
func cached[T any](ctx context.Context, s *Store, table func(*cache) map[string][]T, session string, read func() ([]T, error)) ([]T, error) {
	if s.db.Mode() != sqlite.Hook {
		return read()
	}
	m := &s.cache
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.refresh(ctx, s); err != nil {
		return nil, err
	}
	rows, known := table(m)[session]
	if known {
		return rows, nil
	}
	rows, err := read()
	if err == nil {
		table(m)[session] = rows
	}
	return rows, err
}
