package store

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/sqlite"
)

var _ prune.MarkStore = (*Marks)(nil)

// Marks keeps the marks and the pins of the sessions of one database.
type Marks struct {
	db *sqlite.DB
}

// Marks returns the marks of a session.
func (s *Marks) Marks(ctx context.Context, session string) (out []prune.Mark, err error) {
	err = s.db.SelectContext(ctx, &out, `
		SELECT entry_id AS entryid, leaf, marker, source, reason, tokens, marker_tokens AS markertokens, time
		FROM marks WHERE session_id = ?`, session)
	if err != nil {
		return nil, fmt.Errorf("read marks: %w", sqlite.Explain(err))
	}
	return out, nil
}

// AddMarks remembers marks of a session. A mark that is there stays as it is.
func (s *Marks) AddMarks(ctx context.Context, session string, marks []prune.Mark) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		for _, m := range marks {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO marks (session_id, entry_id, leaf, marker, source, reason, tokens, marker_tokens, time)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
				session, m.EntryID, m.Leaf, m.Marker, m.Source, m.Reason, int(m.Tokens), int(m.MarkerTokens), m.Time)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write marks: %w", err)
	}
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
