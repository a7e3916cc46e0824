package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

var (
	_ history.SearchStore = (*Store)(nil)
	_ history.Expander    = (*Store)(nil)
)

// columns are what every query of rows selects, in rowScan's order.
const columns = `m.id, c.session_id, m.entry_id, m.parent_id, m.type, m.role, m.tool, m.is_error, m.time, m.content`

// rowScan receives columns.
type rowScan struct {
	ID        int64
	SessionID string `db:"session_id"`
	EntryID   string `db:"entry_id"`
	ParentID  string `db:"parent_id"`
	Type      string
	Role      string
	Tool      string
	IsError   bool `db:"is_error"`
	Time      int64
	Content   int64
	Copies    int
}

func (r *rowScan) row() history.Row {
	return history.Row{
		ID: r.ID, Session: r.SessionID, EntryID: r.EntryID, ParentID: r.ParentID,
		Type: message.EntryType(r.Type), Role: message.Role(r.Role), Tool: r.Tool,
		IsError: r.IsError, Time: r.Time, Content: r.Content, Copies: r.Copies,
	}
}

// where turns a filter into SQL over messages m and conversations c.
func where(f history.Filter) (string, []any) {
	cond, args := []string{"1"}, []any(nil)
	in := func(column string, values []string) {
		if len(values) == 0 {
			return
		}
		cond = append(cond, column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")")
		for _, v := range values {
			args = append(args, v)
		}
	}
	add := func(sql string, on bool, v any) {
		if on {
			cond = append(cond, sql)
			args = append(args, v)
		}
	}
	in("c.session_id", f.Sessions)
	in("m.role", f.Roles)
	add("m.tool = ?", f.Tool != "", f.Tool)
	add("m.time >= ?", f.After != 0, f.After)
	add("m.time < ?", f.Before != 0, f.Before)
	return strings.Join(cond, " AND "), args
}

// matchExpr renders an expression in FTS5's language. Every word is quoted, so
// that nothing in it is an operator.
func matchExpr(x history.Expr) string {
	var parts []string
	for _, p := range x.Phrases {
		// Words are runs of letters and digits: no quote can be in them.
		part := `"` + strings.Join(p.Words, " ") + `"`
		if p.Prefix {
			part += "*"
		}
		parts = append(parts, part)
	}
	op := " AND "
	if x.Any {
		op = " OR "
	}
	return strings.Join(parts, op)
}

// Match returns the rows whose text the full-text index finds. Entries with the
// same text, as forks have them, are one row.
func (s *Store) Match(ctx context.Context, x history.Expr, f history.Filter, o history.Order, limit, offset int) ([]history.Row, error) {
	query, args := MatchQuery(x, f, o, limit, offset)
	return s.rows(ctx, query, args...)
}

// MatchQuery is the SQL of Match, for the test that pins its plan.
//
// The matches are materialised and CROSS JOIN keeps them the outer loop: left to
// itself the planner may start from all messages instead.
func MatchQuery(x history.Expr, f history.Filter, o history.Order, limit, offset int) (string, []any) {
	cond, args := where(f)
	score, order := "0", "m.time DESC, m.id DESC"
	if o == history.Relevance {
		score, order = "rank", "f.score, m.time DESC, m.id DESC"
	}
	query := `
		WITH f AS MATERIALIZED (SELECT rowid AS content, ` + score + ` AS score FROM messages_fts WHERE messages_fts MATCH ?)
		SELECT ` + strings.Replace(columns, "m.id", "min(m.id) AS id", 1) + `, count(*) AS copies
		FROM f CROSS JOIN messages m ON m.content = f.content JOIN conversations c ON c.id = m.conversation
		WHERE ` + cond + ` GROUP BY f.content ORDER BY ` + order + ` LIMIT ? OFFSET ?`
	return query, append(append([]any{matchExpr(x)}, args...), limit, offset)
}

// rows runs a query that selects columns, and perhaps copies.
func (s *Store) rows(ctx context.Context, query string, args ...any) ([]history.Row, error) {
	var found []rowScan
	if err := s.db.SelectContext(ctx, &found, query, args...); err != nil {
		return nil, fmt.Errorf("search history: %w", explain(err))
	}
	out := make([]history.Row, len(found))
	for i := range found {
		out[i] = found[i].row()
	}
	return out, nil
}

// Scan calls fn with every row that a filter admits and its line, newest first,
// until fn returns false. The line is valid until fn returns.
func (s *Store) Scan(ctx context.Context, f history.Filter, unindexed bool, fn func(history.Row, []byte) bool) error {
	cond, args := where(f)
	if unindexed {
		cond += " AND m.content IN (SELECT content FROM unindexed)"
	}
	rows, err := s.db.QueryContext(ctx, `
		SELECT `+columns+`, t.codec, t.data FROM messages m
		JOIN conversations c ON c.id = m.conversation JOIN content t ON t.id = m.content
		WHERE `+cond+` ORDER BY m.time DESC, m.id DESC`, args...)
	if err != nil {
		return fmt.Errorf("search history: %w", explain(err))
	}
	defer rows.Close()
	var buf []byte
	for rows.Next() {
		var r rowScan
		var kind int
		var data []byte
		if err := rows.Scan(&r.ID, &r.SessionID, &r.EntryID, &r.ParentID, &r.Type, &r.Role,
			&r.Tool, &r.IsError, &r.Time, &r.Content, &kind, &data); err != nil {
			return fmt.Errorf("search history: %w", explain(err))
		}
		if buf, err = s.codec.unpack(kind, data, buf); err != nil {
			return fmt.Errorf("entry %s: %w", r.EntryID, err)
		}
		r.Copies = 1
		if !fn(r.row(), buf) {
			return nil
		}
	}
	return explain(rows.Err())
}

// Raw returns the line of a row as pi wrote it.
func (s *Store) Raw(ctx context.Context, r history.Row) ([]byte, error) {
	raw, err := s.contentByID(ctx, s.db, r.Content)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", r.EntryID, err)
	}
	return raw, nil
}

// Find returns the rows whose entry id begins with prefix, or whose id did
// before pi gave the entry another.
func (s *Store) Find(ctx context.Context, prefix string, sessions []string, limit int) ([]history.Row, error) {
	cond, args := where(history.Filter{Sessions: sessions})
	from := `FROM messages m JOIN conversations c ON c.id = m.conversation `
	args = append([]any{prefix, prefix + "\U0010ffff"}, append(args, limit)...)
	rows, err := s.rows(ctx, `SELECT `+columns+`, 1 AS copies `+from+`
		WHERE m.entry_id >= ? AND m.entry_id < ? AND m.type <> 'session' AND `+cond+`
		ORDER BY m.entry_id, m.id LIMIT ?`, args...)
	if err != nil || len(rows) > 0 {
		return rows, err
	}
	return s.rows(ctx, `SELECT `+columns+`, 1 AS copies `+from+`
		WHERE m.alias >= ? AND m.alias < ? AND m.alias <> '' AND `+cond+` ORDER BY m.id LIMIT ?`, args...)
}

// SessionRow describes a session in the store.
type SessionRow struct {
	ID      string `db:"session_id"`
	CWD     string
	Name    string
	Parent  string
	Version int
	Started int64 // Unix milliseconds
	Last    int64 // of its last entry
	Entries int
	Calls   int // answers of the model
	Bytes   int64
	File    string
}

// Sessions lists the sessions of the store, the latest first.
func (s *Store) Sessions(ctx context.Context) ([]SessionRow, error) {
	var out []SessionRow
	err := s.db.SelectContext(ctx, &out, `
		SELECT c.session_id, c.cwd, c.name, c.parent, c.version, c.started,
		       coalesce(max(m.time), c.started) AS last, count(m.id) AS entries,
		       coalesce(sum(m.role = 'assistant'), 0) AS calls, coalesce(sum(t.size), 0) AS bytes,
		       coalesce((SELECT path FROM files f WHERE f.conversation = c.id ORDER BY path LIMIT 1), '') AS file
		FROM conversations c LEFT JOIN messages m ON m.conversation = c.id
		LEFT JOIN content t ON t.id = m.content
		GROUP BY c.id ORDER BY last DESC, c.id DESC`)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", explain(err))
	}
	return out, nil
}
