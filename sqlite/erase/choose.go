package erase

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// Selection chooses entries to delete from the store.
type Selection struct {
	Filter history.Filter
	// Entries are ids of entries; empty selects any entry.
	Entries []string
	// Match must match the searchable text of an entry; nil accepts all. It is used on
	// several goroutines.
	Match history.Finder
}

// Chosen is the result of a Selection.
type Chosen struct {
	Entries  int
	Texts    int   // texts that no entry outside has
	Bytes    int64 // size of the lines
	Sessions []ChosenSession
	// Elsewhere counts entries outside the selection that have some of the same texts, by
	// session, such as those of forks. A purge leaves them.
	Elsewhere []ChosenSession

	rows  []chosenRow
	match history.Finder
}

// Each calls fn with the session and entry id of every chosen entry.
func (c *Chosen) Each(fn func(session, entry string)) {
	for _, r := range c.rows {
		fn(r.SessionID, r.EntryID)
	}
}

// ChosenSession counts the chosen entries of a session.
type ChosenSession struct {
	ID      string
	Entries int
}

type chosenRow struct {
	ID        int64
	SessionID string `db:"session_id"`
	EntryID   string `db:"entry_id"`
	Type      message.EntryType
	Content   int64
	Size      int64
}

// Choose evaluates a selection without changing anything.
func (s *Store) Choose(ctx context.Context, sel Selection) (*Chosen, error) {
	cond, args := search.Where(sel.Filter)
	if len(sel.Entries) > 0 {
		cond += " AND m.entry_id IN (?" + strings.Repeat(", ?", len(sel.Entries)-1) + ")"
		for _, id := range sel.Entries {
			args = append(args, id)
		}
	}
	rows, err := s.rows(ctx, sel.Match, cond, args)
	if err != nil {
		return nil, fmt.Errorf("choose entries: %w", sqlite.Explain(err))
	}
	if rows, err = s.withEdits(ctx, rows); err != nil {
		return nil, fmt.Errorf("choose edits of entries: %w", sqlite.Explain(err))
	}
	c, err := s.chosen(ctx, rows)
	if err != nil {
		return nil, err
	}
	c.match = sel.Match
	return c, nil
}

// Lines calls fn with the line of every chosen entry.
func (s *Store) Lines(ctx context.Context, c *Chosen, fn func(line []byte)) error {
	for _, r := range c.rows {
		line, err := s.db.Text(ctx, s.db, r.Content)
		if err != nil {
			return fmt.Errorf("read entry %s: %w", r.EntryID, err)
		}
		fn(line)
	}
	return nil
}

// rows returns the entries that satisfy an SQL condition and, unless it is nil, match, one
// session after another. It keeps only these in memory: a store may be larger than that.
func (s *Store) rows(ctx context.Context, match history.Finder, cond string, args []any) (out []chosenRow, err error) {
	var sessions []int64
	if err := s.db.SelectContext(ctx, &sessions, `SELECT id FROM conversations ORDER BY started, session_id`); err != nil {
		return nil, err
	}
	look := matcher{find: match, quick: history.RegexOf(match), unpack: s.db.Unpack}
	for _, session := range sessions {
		rows, err := s.db.QueryxContext(ctx, `SELECT m.id, c.session_id, m.entry_id, m.type, m.content, t.size, t.hash, t.codec, t.data
			FROM messages m JOIN conversations c ON c.id = m.conversation JOIN content t ON t.id = m.content
			WHERE m.conversation = ? AND m.type <> 'session' AND `+cond+` ORDER BY m.ordinal`, append([]any{session}, args...)...)
		if err != nil {
			return nil, err
		}
		out, err = look.read(rows, out)
		if err = errors.Join(err, rows.Close()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// matcher matches stored lines.
type matcher struct {
	find   history.Finder // nil matches every line
	quick  *history.Regex // nil unless find is a regular expression
	unpack func(codec int, data, room []byte) ([]byte, error)
	parser message.Parser
	line   []byte // the last one, whose room the next uses
}

// read appends those of some rows that match.
func (m *matcher) read(rows *sqlx.Rows, out []chosenRow) ([]chosenRow, error) {
	var hash, data sql.RawBytes
	for rows.Next() {
		var r chosenRow
		var codec int
		if err := rows.Scan(&r.ID, &r.SessionID, &r.EntryID, &r.Type, &r.Content, &r.Size, &hash, &codec, &data); err != nil {
			return nil, err
		}
		matches, err := m.matches(codec, data, hash)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", r.EntryID, err)
		}
		if matches {
			out = append(out, r)
		}
	}
	return out, rows.Err()
}

// errOtherHash is returned for a text that was changed after it was stored.
var errOtherHash = fmt.Errorf("%w: its hash differs from the one stored with it", sqlite.ErrDamaged)

// matches reports whether a line matches, ruling most out before they are parsed.
func (m *matcher) matches(codec int, data, hash []byte) (found bool, err error) {
	if m.find == nil {
		return true, nil
	}
	if m.line, err = m.unpack(codec, data, m.line); err != nil {
		return false, err
	}
	if sum := sha256.Sum256(m.line); !bytes.Equal(sum[:], hash) {
		return false, errOtherHash
	}
	if m.quick.Rejects(m.line) {
		return false, nil
	}
	if keys, quick := m.find.(history.Redactor); quick && !keys.Suspect(m.line) {
		return false, nil
	}
	return history.Matches(&m.parser, m.line, m.find), nil
}

// withEdits adds the entries that say what an entry is to the model, which have much of its text:
// edits of it, and the marks of an agent without edits.
func (s *Store) withEdits(ctx context.Context, rows []chosenRow) ([]chosenRow, error) {
	ids := make(map[string]map[string]bool) // of chosen entries, by session
	for _, r := range rows {
		if ids[r.SessionID] == nil {
			ids[r.SessionID] = make(map[string]bool)
		}
		ids[r.SessionID][r.EntryID] = true
	}
	for _, session := range slices.Sorted(maps.Keys(ids)) {
		var edits []chosenRow
		err := s.db.SelectContext(ctx, &edits, `SELECT m.id, c.session_id, m.entry_id, m.type, m.content, t.size
			FROM messages m JOIN conversations c ON c.id = m.conversation JOIN content t ON t.id = m.content
			WHERE c.session_id = ? AND m.type IN (?, ?) ORDER BY m.ordinal`, session, message.EntryContextEdit, message.EntryCustom)
		if err != nil {
			return nil, err
		}
		for _, e := range edits {
			line, err := s.db.Text(ctx, s.db, e.Content)
			if err != nil {
				return nil, fmt.Errorf("read entry %s: %w", e.EntryID, err)
			}
			if !ids[session][e.EntryID] && slices.ContainsFunc(prune.EditedBy(line), func(id string) bool { return ids[session][id] }) {
				rows = append(rows, e)
			}
		}
	}
	return rows, nil
}

// chosen counts the rows.
func (s *Store) chosen(ctx context.Context, rows []chosenRow) (*Chosen, error) {
	c := &Chosen{rows: rows, Entries: len(rows)}
	own := make(map[int64]bool)
	for _, r := range rows {
		own[r.Content] = true
		c.Bytes += r.Size
		if n := len(c.Sessions); n > 0 && c.Sessions[n-1].ID == r.SessionID {
			c.Sessions[n-1].Entries++
		} else {
			c.Sessions = append(c.Sessions, ChosenSession{r.SessionID, 1})
		}
	}
	ids := make(map[int64]bool, len(rows))
	for _, r := range rows {
		ids[r.ID] = true
	}
	left := make(map[string]int)
	for content := range own {
		kept := false
		var all []chosenRow
		err := s.db.SelectContext(ctx, &all, `SELECT m.id, c.session_id FROM messages m JOIN conversations c ON c.id = m.conversation WHERE m.content = ?`, content)
		if err != nil {
			return nil, fmt.Errorf("choose entries: %w", sqlite.Explain(err))
		}
		for _, r := range all {
			if !ids[r.ID] {
				kept = true
				left[r.SessionID]++
			}
		}
		if !kept {
			c.Texts++
		}
	}
	for _, session := range slices.Sorted(maps.Keys(left)) {
		c.Elsewhere = append(c.Elsewhere, ChosenSession{session, left[session]})
	}
	return c, nil
}
