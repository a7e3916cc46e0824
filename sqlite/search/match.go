package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// clause is a phrase in FTS5's query language.
type clause string

// ftsQuery is an expression in FTS5's query language.
type ftsQuery struct {
	list []clause
	any  bool
}

// literal renders an expression without consulting the vocabulary: prefixes stay prefixes.
// Every word is quoted, so that none is taken for an operator.
func literal(x history.Expr) ftsQuery {
	out := ftsQuery{any: x.Any}
	for _, p := range x.Phrases {
		c := Quoted(p.Words)
		if p.Prefix {
			c += "*"
		}
		out.list = append(out.list, clause(c))
	}
	return out
}

// Quoted renders a phrase. Words consist of letters and digits, so they contain no quote.
func Quoted(words []string) string { return `"` + strings.Join(words, " ") + `"` }

// match renders the expression over texts, narrowed by the parts of a filter that are in
// the index.
func (x ftsQuery) match(f history.Filter) string {
	op := " AND "
	if x.any {
		op = " OR "
	}
	var parts []string
	for _, c := range x.list {
		parts = append(parts, string(c))
	}
	expr := `{text} : (` + strings.Join(parts, op) + `)`
	if kind := kindExpr(f); kind != "" {
		expr += ` AND {kind} : (` + kind + `)`
	}
	return expr
}

// kindExpr renders roles and tools in the form of the index. Its matches are checked again,
// because different names may consist of the same words.
func kindExpr(f history.Filter) string {
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	var roles []string
	for _, r := range f.Roles {
		roles = append(roles, quote(r))
	}
	var all []string
	if len(roles) > 0 {
		all = append(all, "("+strings.Join(roles, " OR ")+")")
	}
	if f.Tool != "" {
		all = append(all, quote(f.Tool))
	}
	return strings.Join(all, " AND ")
}

// Match returns the rows whose text the full-text index finds. Entries with the same text,
// as in forks, are one row.
func (s *Store) Match(ctx context.Context, x history.Expr, f history.Filter, o history.Order, limit int) (history.Found, error) {
	if err := (integrity{s.db}).sessions(ctx); err != nil {
		return history.Found{}, err
	}
	clauses, err := s.expand(ctx, x)
	if err != nil || len(clauses.list) == 0 {
		return history.Found{}, err
	}
	at, err := s.span(ctx, f)
	if err != nil {
		return history.Found{}, err
	}
	if o == history.Relevance {
		r := ranking{store: s, expr: x, clauses: clauses, filter: f, at: at}
		return r.find(ctx, limit)
	}
	query, args := matchQuery(clauses, f, at)
	rows, err := newest(ctx, s.db, limit, query, args...)
	if err == nil {
		err = integrity{s.db}.matches(ctx, clauses.match(f), at, limit)
	}
	return history.Found{Rows: rows}, err
}

// span is an inclusive range of ids of texts.
type span struct{ Least, Most int64 }

// span returns the range of texts that a filter can admit. A session is a range of time,
// and so of ids: its texts are found among a million others without visiting those.
func (s *Store) span(ctx context.Context, f history.Filter) (span, error) {
	var at span
	at.Least, at.Most = texts.IDRange(f.After, f.Before)
	if len(f.Sessions) == 0 {
		return at, nil
	}
	all := span{math.MaxInt64, math.MinInt64}
	for _, id := range f.Sessions {
		var own struct{ Least, Most *int64 }
		if err := s.db.GetContext(ctx, &own, spanQuery, id, id); err != nil {
			return at, fmt.Errorf("search history: %w", sqlite.Explain(err))
		}
		if own.Least != nil {
			all.Least, all.Most = min(all.Least, *own.Least), max(all.Most, *own.Most)
		}
	}
	return span{max(at.Least, all.Least), min(at.Most, all.Most)}, nil
}

// spanQuery finds the ends of a session. Two separate subqueries take one step in the index
// each. A test pins its plan.
const spanQuery = `SELECT
	(SELECT min(content) FROM messages WHERE conversation = (SELECT id FROM conversations WHERE session_id = ?)) AS least,
	(SELECT max(content) FROM messages WHERE conversation = (SELECT id FROM conversations WHERE session_id = ?)) AS most`

// matchQuery is the SQL of Match; a test pins its plan. Its rows come in the order of the
// index, newest first, without sorting, so that reading can stop when there are enough.
// CROSS JOIN keeps the index in the outer loop, where the planner might put all messages
// instead.
func matchQuery(x ftsQuery, f history.Filter, at span) (string, []any) {
	cond, args := Where(f)
	query := `
		SELECT ` + columns + `, 1 AS copies
		FROM words_fts f CROSS JOIN messages m ON m.content = f.rowid CROSS JOIN conversations c ON c.id = m.conversation
		WHERE f.words_fts MATCH ? AND f.rowid >= ? AND f.rowid <= ? AND ` + cond + ` ORDER BY f.rowid DESC`
	return query, append([]any{x.match(f), at.Least, at.Most}, args...)
}

// newest reads the rows of a query that is ordered by text, newest first, until it has
// enough and all others of the same second, within which there is no order.
func newest(ctx context.Context, db sqlx.QueryerContext, enough int, query string, args ...any) ([]history.Row, error) {
	rows, err := db.QueryxContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	g := grouper{}
	for rows.Next() {
		var r rowScan
		if err := scanRow(rows, &r); err != nil {
			return nil, fmt.Errorf("search history: %w", sqlite.Explain(err))
		}
		if len(g.out) > enough && r.Content>>texts.SlotBits != g.out[len(g.out)-1].Content>>texts.SlotBits {
			break
		}
		g.add(r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	out := g.rows()
	return out[:min(enough, len(out))], nil
}

// scanRow reads columns and copies. Scanning by name takes twice as long.
func scanRow(rows *sqlx.Rows, r *rowScan) error {
	return rows.Scan(&r.ID, &r.SessionID, &r.EntryID, &r.ParentID, &r.Type, &r.Role,
		&r.Tool, &r.IsError, &r.Time, &r.Ordinal, &r.Content, &r.Started, &r.Copies)
}

// grouper merges rows with the same text.
type grouper struct{ out []rowScan }

// add adds the next row. Of entries with the same text, the one of the oldest session
// represents all, because a fork is newer than its origin.
func (g *grouper) add(r rowScan) {
	n := len(g.out)
	if n == 0 || g.out[n-1].Content != r.Content {
		g.out = append(g.out, r)
		return
	}
	last := &g.out[n-1]
	copies := last.Copies + 1
	if r.Started < last.Started || r.Started == last.Started && r.SessionID < last.SessionID {
		*last = r
	}
	last.Copies = copies
}

// rows returns the rows, newest first.
func (g *grouper) rows() []history.Row {
	out := make([]history.Row, len(g.out))
	for i := range g.out {
		out[i] = g.out[i].row()
	}
	slices.SortFunc(out, func(a, b history.Row) int {
		if history.Newer(a, b) {
			return -1
		}
		return 1
	})
	return out
}
