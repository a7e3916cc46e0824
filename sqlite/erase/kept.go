package erase

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// Kept says which matching names Purge and Redact left in the store, because they connect
// what is stored: ids, directories and files of sessions, tools, keys of objects.
func (s *Store) Kept(ctx context.Context, find history.Finder) ([]string, error) {
	out := []string{}
	for _, of := range []struct{ what, sql string }{
		{"session id", `SELECT 0, session_id FROM conversations`},
		{"session directory", `SELECT 0, cwd FROM conversations`},
		{"parent session", `SELECT 0, parent FROM conversations WHERE parent <> ''`},
		{"session file", `SELECT 0, path FROM files`},
		{"entry id", `SELECT 0, entry_id FROM messages`},
		{"parent id", `SELECT DISTINCT 0, parent_id FROM messages WHERE parent_id NOT IN (SELECT entry_id FROM messages)`},
		{"tool name", `SELECT 0, tool FROM messages WHERE tool <> ''`},
		{"object key", `SELECT 0, key FROM objects`},
		{"object document", `SELECT 0, doc FROM object_versions`},
		{"session header", `SELECT codec, data FROM content WHERE id IN (SELECT content FROM messages WHERE type = 'session')`},
	} {
		n, err := matching(ctx, s, of.sql, find)
		if err != nil {
			return nil, fmt.Errorf("read the store again: %w", sqlite.Explain(err))
		}
		if n > 0 {
			out = append(out, text.Count(n, of.what))
		}
	}
	return out, nil
}

// matching counts the texts of a query, each after its codec, that contain a match.
func matching(ctx context.Context, s *Store, query string, find history.Finder) (n int, err error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var data sql.RawBytes
	var text []byte
	for rows.Next() {
		var codec int
		if err = rows.Scan(&codec, &data); err == nil {
			text, err = s.db.Unpack(codec, data, text)
		}
		if err != nil {
			return 0, err
		}
		if history.FindsInJSON(find, text) {
			n++
		}
	}
	return n, rows.Err()
}
