package entries

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/sqlite"
)

// Session describes a session in the store.
type Session struct {
	ID      string `db:"session_id"`
	CWD     string
	Name    string
	Parent  string
	Started int64 // Unix milliseconds
	Last    int64 // of its last entry
	Entries int
	Calls   int // answers of the model
	Bytes   int64
	File    string
}

// Names lists the sessions of the store with their files, without counts, which take
// seconds in a large store.
func (s *Store) Names(ctx context.Context) ([]Session, error) {
	var out []Session
	err := s.db.SelectContext(ctx, &out, `
		SELECT c.session_id, c.cwd, c.name, c.parent, c.started,
		       coalesce((SELECT path FROM files f WHERE f.conversation = c.id ORDER BY path LIMIT 1), '') AS file
		FROM conversations c ORDER BY c.started DESC, c.session_id DESC`)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", sqlite.Explain(err))
	}
	return out, nil
}

// Sessions lists the sessions of the store, latest first.
func (s *Store) Sessions(ctx context.Context) ([]Session, error) { return s.Latest(ctx, 0) }

// Latest lists the n most recently used sessions, latest first; 0 means all. It counts the
// entries of only these: counting all takes a second in a large store.
func (s *Store) Latest(ctx context.Context, n int) ([]Session, error) {
	if n == 0 {
		n = -1
	}
	var out []Session
	if err := s.db.SelectContext(ctx, &out, latestQuery, n); err != nil {
		return nil, fmt.Errorf("list sessions: %w", sqlite.Explain(err))
	}
	return out, nil
}

// latestQuery is the SQL of Latest. Ids of texts grow with time, so the newest text of a session
// is one step in an index.
const latestQuery = `
	SELECT c.session_id, c.cwd, c.name, c.parent, c.started,
	       coalesce(max(m.time), c.started) AS last, count(m.id) AS entries,
	       coalesce(sum(m.role = 'assistant'), 0) AS calls, coalesce(sum(t.size), 0) AS bytes,
	       coalesce((SELECT path FROM files f WHERE f.conversation = c.id ORDER BY path LIMIT 1), '') AS file
	FROM (SELECT id FROM conversations c ORDER BY coalesce(
	        (SELECT time FROM messages INDEXED BY messages_span WHERE conversation = c.id ORDER BY content DESC LIMIT 1), started) DESC, session_id DESC LIMIT ?1) l
	CROSS JOIN conversations c ON c.id = l.id LEFT JOIN messages m ON m.conversation = c.id
	LEFT JOIN content t ON t.id = m.content
	GROUP BY c.id ORDER BY last DESC, c.session_id DESC`
