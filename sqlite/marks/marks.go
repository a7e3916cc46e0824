package marks

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/sqlite"
)

var _ prune.MarkStore = (*Store)(nil)

// Store keeps the marks and the pins of the sessions of one database.
type Store struct {
	db    *sqlite.DB
	cache cache
}

// New returns what keeps the marks and pins of a database.
func New(db *sqlite.DB) *Store { return &Store{db: db} }

// Marks returns the marks of a session. They must not be changed.
func (s *Store) Marks(ctx context.Context, session string) ([]prune.Mark, error) {
	table := func(m *cache) map[string][]prune.Mark { return m.marks }
	return cached(ctx, s, table, session, func() ([]prune.Mark, error) { return s.readMarks(ctx, session) })
}

func (s *Store) readMarks(ctx context.Context, session string) ([]prune.Mark, error) {
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
func (s *Store) AddMarks(ctx context.Context, session string, marks []prune.Mark) error {
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
func (s *Store) Pruned(ctx context.Context, since int64) (results int, tokens int64, err error) {
	row := s.db.QueryRowxContext(ctx, `SELECT count(*), coalesce(sum(tokens - marker_tokens), 0)
		FROM (SELECT tokens, marker_tokens FROM marks WHERE time >= ? GROUP BY entry_id)`, since)
	if err := row.Scan(&results, &tokens); err != nil {
		return 0, 0, fmt.Errorf("count marks: %w", sqlite.Explain(err))
	}
	return results, tokens, nil
}
