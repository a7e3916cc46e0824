package erase

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// Kept says which matching names Purge and Redact left in the store, because they connect
// what is stored: ids, directories and files of sessions, tools, keys of objects.
func (s *Store) Kept(ctx context.Context, find history.Finder) ([]string, error) {
	out := []string{}
	for _, of := range []struct{ what, sql string }{
		{"session id", `SELECT session_id FROM conversations`},
		{"session directory", `SELECT cwd FROM conversations`},
		{"parent session", `SELECT parent FROM conversations WHERE parent <> ''`},
		{"session file", `SELECT path FROM files`},
		{"entry id", `SELECT entry_id FROM messages`},
		{"parent id", `SELECT DISTINCT parent_id FROM messages WHERE parent_id NOT IN (SELECT entry_id FROM messages)`},
		{"tool name", `SELECT tool FROM messages WHERE tool <> ''`},
		{"object key", `SELECT key FROM objects`},
		{"object document", `SELECT doc FROM object_versions`},
	} {
		n, err := matching(ctx, s, of.sql, find)
		if err != nil {
			return nil, fmt.Errorf("read the store again: %w", sqlite.Explain(err))
		}
		if n > 0 {
			out = append(out, text.Count(n, of.what))
		}
	}
	heads, err := matchingHeads(ctx, s, find)
	if err != nil {
		return nil, fmt.Errorf("read the store again: %w", sqlite.Explain(err))
	}
	if heads > 0 {
		out = append(out, text.Count(heads, "session header"))
	}
	return out, nil
}

// matching counts the texts of a query that contain a match.
func matching(ctx context.Context, s *Store, sql string, find history.Finder) (n int, err error) {
	rows, err := s.db.QueryContext(ctx, sql)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return 0, err
		}
		if history.FindsInJSON(find, []byte(name)) {
			n++
		}
	}
	return n, rows.Err()
}

// matchingHeads counts the first lines of sessions that contain a match.
func matchingHeads(ctx context.Context, s *Store, find history.Finder) (n int, err error) {
	var heads []int64
	if err := s.db.SelectContext(ctx, &heads, `SELECT DISTINCT content FROM messages WHERE type = ?`, string(message.EntrySession)); err != nil {
		return 0, err
	}
	for _, id := range heads {
		line, err := s.db.Text(ctx, s.db, id)
		if err != nil {
			return 0, err
		}
		if history.FindsInJSON(find, line) {
			n++
		}
	}
	return n, nil
}
