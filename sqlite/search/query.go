package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

var (
	_ history.Searcher = (*Store)(nil)
	_ history.Expander = (*Store)(nil)
)

// columns are the columns of a row query, in the order of rowScan.
const columns = `m.id, c.session_id, m.entry_id, m.parent_id, m.type, m.role, m.tool, m.is_error, m.time, m.ordinal, m.content, c.started`

// rowScan receives columns.
type rowScan struct {
	history.Row
	started int64 // when its session began
}

// fields returns where to scan columns; scanning by name takes twice as long.
func (r *rowScan) fields() []any {
	r.Copies = 1
	return []any{
		&r.ID, &r.Session, &r.EntryID, &r.ParentID, (*string)(&r.Type), (*string)(&r.Role),
		&r.Tool, &r.IsError, &r.Time, &r.Ordinal, &r.Content, &r.started,
	}
}

// Where translates a filter into SQL over messages m and conversations c.
func Where(f history.Filter) (string, []any) {
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
	add("m.id <= ?", f.Stored.Entry != 0, f.Stored.Entry)
	for _, id := range f.Except.Entries {
		cond = append(cond, "NOT (m.entry_id = ? AND c.session_id = ?)")
		args = append(args, id, f.Except.Session)
	}
	return strings.Join(cond, " AND "), args
}

// each calls fn with the rows of a query that selects columns, until it returns false.
func (s *Store) each(ctx context.Context, fn func(rowScan) bool, query string, args ...any) error {
	rows, err := s.db.QueryxContext(ctx, query, args...)
	if err == nil {
		defer rows.Close()
		for more := true; more && err == nil && rows.Next(); {
			var r rowScan
			if err = rows.Scan(r.fields()...); err == nil {
				more = fn(r)
			}
		}
		err = cmp.Or(err, rows.Err())
	}
	if err != nil {
		return fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	return nil
}

// rows returns the rows of a query that selects columns.
func (s *Store) rows(ctx context.Context, query string, args ...any) (out []history.Row, err error) {
	err = s.each(ctx, func(r rowScan) bool {
		out = append(out, r.Row)
		return true
	}, query, args...)
	return out, err
}

// Raw returns the line of a row as pi wrote it.
func (s *Store) Raw(ctx context.Context, r history.Row, room []byte) ([]byte, error) {
	raw, err := s.db.TextInto(ctx, s.db, r.Content, room)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", r.EntryID, err)
	}
	return raw, nil
}

// stored returns what is stored now.
func (s *Store) stored(ctx context.Context) (history.Mark, error) {
	var m history.Mark
	err := s.db.GetContext(ctx, &m.Entry, `SELECT coalesce(max(id), 0) FROM messages`)
	if err == nil {
		err = s.db.GetContext(ctx, &m.Summary, `SELECT coalesce(max(id), 0) FROM summaries`)
	}
	return m, sqlite.Explain(err)
}

// Find returns the rows whose entry id begins with prefix, or whose id did before pi
// changed it.
func (s *Store) Find(ctx context.Context, prefix string, sessions []string, limit int) ([]history.Row, error) {
	query, args := findQuery("entry_id", prefix, sessions, limit)
	rows, err := s.rows(ctx, query, args...)
	if err != nil || len(rows) > 0 {
		return rows, err
	}
	query, args = findQuery("alias", prefix, sessions, limit)
	return s.rows(ctx, query, args...)
}

// findQuery is the SQL of Find by entry_id or alias; a test pins its plan. CROSS JOIN keeps
// the planner from reading a whole session.
func findQuery(by, prefix string, sessions []string, limit int) (string, []any) {
	cond, args := Where(history.Filter{Sessions: sessions})
	args = append([]any{prefix, prefix + "\U0010ffff"}, append(args, limit)...)
	return `SELECT ` + columns + ` FROM messages m CROSS JOIN conversations c ON c.id = m.conversation
		WHERE m.` + by + ` >= ? AND m.` + by + ` < ? AND m.` + by + ` <> '' AND m.type <> 'session' AND ` + cond + `
		ORDER BY m.` + by + `, m.entry_id, c.started, c.session_id LIMIT ?`, args
}

// Others implements history.Forks.
func (s *Store) Others(ctx context.Context, session string) (found bool, err error) {
	if err = s.db.GetContext(ctx, &found, `SELECT EXISTS (SELECT 1 FROM conversations WHERE session_id <> ?)`, session); err != nil {
		return false, fmt.Errorf("find other sessions: %w", sqlite.Explain(err))
	}
	return found, nil
}

// Family returns the ids of a session and of all sessions connected with it by forks, none
// for a session that is not stored.
func (s *Store) Family(ctx context.Context, session string) ([]string, error) {
	var out []string
	err := s.db.SelectContext(ctx, &out, `
		WITH RECURSIVE family (id) AS (
		  SELECT id FROM conversations WHERE session_id = ?
		  UNION SELECT p.conversation FROM family JOIN conversations c ON c.id = family.id JOIN files p ON p.path = c.parent
		  UNION SELECT c.id FROM family JOIN files f ON f.conversation = family.id JOIN conversations c ON c.parent = f.path
		  UNION SELECT o.id FROM family JOIN conversations c ON c.id = family.id
		    JOIN conversations o ON o.parent = c.parent AND o.parent <> ''
		)
		SELECT session_id FROM conversations WHERE id IN (SELECT id FROM family) ORDER BY session_id = ? DESC, started, session_id`,
		session, session)
	if err != nil {
		return nil, fmt.Errorf("find forks of session %s: %w", session, sqlite.Explain(err))
	}
	return out, nil
}

// eachSummary calls fn with every model-written summary that a filter admits; an extract
// consists of the very texts that are searched. Of summaries of the same entries it passes the
// lowest, which says most of them. A summary has the time of the last entry that it covers.
func (s *Store) eachSummary(ctx context.Context, f history.Filter, fn func(history.Row, string)) error {
	if f.Tool != "" || len(f.Roles) > 0 && !slices.Contains(f.Roles, string(message.RoleCompactionSummary)) {
		return nil
	}
	cond, args := "1", []any(nil)
	if len(f.Sessions) > 0 {
		cond = "session_id IN (?" + strings.Repeat(", ?", len(f.Sessions)-1) + ")"
		for _, id := range f.Sessions {
			args = append(args, id)
		}
	}
	var rows []struct {
		ID        int64
		Key       string
		SessionID string `db:"session_id"`
		Until     int64
		Text      string
	}
	const (
		until = `coalesce(nullif(ended, 0), created)`
		below = `SELECT 1 FROM summary_sources x JOIN summaries b ON b.key = x.source WHERE x.summary = summaries.id AND b.kind <> 'extract'`
	)
	if f.Stored != (history.Mark{}) {
		cond += " AND id <= ?"
		args = append(args, f.Stored.Summary)
	}
	err := s.db.SelectContext(ctx, &rows, `SELECT id, key, session_id, `+until+` AS until, text FROM summaries
		WHERE `+cond+` AND kind <> 'extract' AND NOT EXISTS (`+below+`) AND `+until+` >= ? AND (? = 0 OR `+until+` < ?) ORDER BY until DESC, key`, append(args, f.After, f.Before, f.Before)...)
	if err != nil {
		return fmt.Errorf("search summaries: %w", sqlite.Explain(err))
	}
	for _, r := range rows {
		fn(history.Row{Session: r.SessionID, EntryID: r.Key, Role: history.RoleSummary, Time: r.Until, Content: -r.ID, Copies: 1}, r.Text)
	}
	return nil
}
