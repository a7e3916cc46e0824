package marks

import (
	"context"
	"fmt"
	"sync"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/sqlite"
)

// memory is what a store that stays open from one event to the next remembers of
// the small tables that every event asks for. It holds as long as SQLite's
// data_version, which counts the commits of everybody else; what this store writes
// itself it adds, or drops.
type memory struct {
	mu    sync.Mutex
	since int64 // the data_version of what follows
	marks map[string][]prune.Mark
	pins  map[string][]prune.Pin
}

// refresh drops everything when somebody else wrote.
func (m *memory) refresh(ctx context.Context, s *Store) error {
	now, err := s.db.DataVersion(ctx)
	if err != nil || m.marks == nil || m.since != now {
		m.since, m.marks, m.pins = now, make(map[string][]prune.Mark), make(map[string][]prune.Pin)
	}
	if err != nil {
		return fmt.Errorf("read data version: %w", err)
	}
	return nil
}

// drop forgets what is remembered of a session.
func (m *memory) drop(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.marks, session)
	delete(m.pins, session)
}

// add remembers marks that this store has written.
func (m *memory) add(session string, marks []prune.Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, known := m.marks[session]; known {
		m.marks[session] = append(old[:len(old):len(old)], marks...)
	}
}

// recall returns the rows that a table has of a session: those remembered, while
// nobody wrote, else those that read returns. The store of a shell command, which
// asks once, remembers nothing. The rows must not be changed.
func recall[T any](ctx context.Context, s *Store, table func(*memory) map[string][]T, session string, read func() ([]T, error)) ([]T, error) {
	if s.db.Mode() != sqlite.Hook {
		return read()
	}
	m := &s.memory
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
