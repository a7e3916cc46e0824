package store

import (
	"context"
	"fmt"
	"sync"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/sqlite"
)

var _ prune.MarkStore = (*Marks)(nil)

// Marks keeps the marks and the pins of the sessions of one database.
type Marks struct {
	db    *sqlite.DB
	cache cache
}

// newMarks returns what keeps the marks and pins of a database.
func newMarks(db *sqlite.DB) *Marks { return &Marks{db: db} }

// Marks returns the marks of a session. They must not be changed.
func (s *Marks) Marks(ctx context.Context, session string) ([]prune.Mark, error) {
	table := func(m *cache) map[string][]prune.Mark { return m.marks }
	return cached(ctx, s, table, session, func() ([]prune.Mark, error) { return s.readMarks(ctx, session) })
}

func (s *Marks) readMarks(ctx context.Context, session string) ([]prune.Mark, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT entry_id, leaf, marker, source, reason, tokens, marker_tokens, time
		FROM marks WHERE session_id = ?`, session)
	if err != nil {
		return nil, fmt.Errorf("read marks: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	var out []prune.Mark
	for rows.Next() {
		var m prune.Mark
		var tokens, after int
		if err := rows.Scan(&m.EntryID, &m.Leaf, &m.Marker, &m.Source, &m.Reason, &tokens, &after, &m.Time); err != nil {
			return nil, fmt.Errorf("read marks: %w", sqlite.Explain(err))
		}
		m.Tokens, m.MarkerTokens = token.Count(tokens), token.Count(after)
		out = append(out, m)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read marks: %w", sqlite.Explain(err))
	}
	return out, nil
}

// AddMarks remembers marks of a session. A mark that is there stays as it is.
func (s *Marks) AddMarks(ctx context.Context, session string, marks []prune.Mark) error {
	var added []prune.Mark
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		for _, m := range marks {
			res, err := tx.ExecContext(ctx, `
				INSERT INTO marks (session_id, entry_id, leaf, marker, source, reason, tokens, marker_tokens, time)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
				session, m.EntryID, m.Leaf, m.Marker, m.Source, m.Reason, int(m.Tokens), int(m.MarkerTokens), m.Time)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n > 0 {
				added = append(added, m)
			}
		}
		return nil
	})
	if err != nil {
		s.cache.drop(session) // who knows what was written
		return fmt.Errorf("write marks: %w", err)
	}
	s.cache.add(session, added)
	return nil
}

// Pruned is how many tool outputs of the store were pruned since a time, in Unix
// milliseconds, and by how many tokens they became smaller. What forks share counts once.
// What was restored since does not count: restored reports it of an output of a session that
// was pruned at a time.
func (s *Marks) Pruned(ctx context.Context, since int64, restored func(session, entry string, at int64) bool) (results int, tokens int64, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT session_id, entry_id, max(time), tokens - marker_tokens FROM marks
		WHERE time >= ? GROUP BY entry_id, session_id ORDER BY entry_id`, since)
	if err != nil {
		return 0, 0, fmt.Errorf("count marks: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	last := ""
	for rows.Next() {
		var session, entry string
		var at, smaller int64
		if err := rows.Scan(&session, &entry, &at, &smaller); err != nil {
			return 0, 0, fmt.Errorf("count marks: %w", sqlite.Explain(err))
		}
		if entry != last && !restored(session, entry, at) {
			results, tokens, last = results+1, tokens+smaller, entry
		}
	}
	if err := rows.Err(); err != nil {
		return 0, 0, fmt.Errorf("count marks: %w", sqlite.Explain(err))
	}
	return results, tokens, nil
}

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
func (m *cache) refresh(ctx context.Context, s *Marks) error {
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
func cached[T any](ctx context.Context, s *Marks, table func(*cache) map[string][]T, session string, read func() ([]T, error)) ([]T, error) {
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
