package erase

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// A store also has data about entries outside their texts: session names, headers, pins, summaries,
// and the markers and reasons of pruned results.

// purgeNotes deletes the data about purged entries, and every matching pin. It masks matches in
// the headers of sessions, which are purged with no entry.
func (s *Store) purgeNotes(ctx context.Context, c *Chosen) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		for _, r := range c.rows {
			if _, err := tx.ExecContext(ctx, `DELETE FROM pins WHERE session_id = ? AND target = ? AND is_path & 1 = 0`, r.SessionID, r.EntryID); err != nil {
				return err
			}
		}
		if c.match != nil {
			err := eachMatch(ctx, tx, c.match, "pins.target", `DELETE FROM pins WHERE target = ?1`)
			if err == nil {
				err = eachMatch(ctx, tx, c.match, "pins.reason", `DELETE FROM pins WHERE reason = ?1`)
			}
			if err == nil {
				err = s.redactHeads(ctx, tx, c.match)
			}
			if err != nil {
				return err
			}
		}
		return s.rename(ctx, tx, c)
	})
	if err != nil {
		return fmt.Errorf("purge what is said of entries: %w", sqlite.Explain(err))
	}
	return nil
}

// redactNotes masks matches in names, headers, pins, marks and summaries. A pin of a matching path
// is deleted: masked, it would be a different path.
func (s *Store) redactNotes(ctx context.Context, c *Chosen, re history.Finder) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		for _, at := range []struct{ column, change string }{
			{"pins.target", `DELETE FROM pins WHERE target = ?1`},
			{"pins.reason", `UPDATE pins SET reason = ?2 WHERE reason = ?1`},
			{"marks.marker", `UPDATE marks SET marker = ?2 WHERE marker = ?1`},
			{"marks.reason", `UPDATE marks SET reason = ?2 WHERE reason = ?1`},
			{"summaries.text", `UPDATE summaries SET text = ?2 WHERE text = ?1`},
		} {
			if err := eachMatch(ctx, tx, re, at.column, at.change); err != nil {
				return err
			}
		}
		if err := s.redactHeads(ctx, tx, re); err != nil {
			return err
		}
		return s.rename(ctx, tx, c)
	})
	if err != nil {
		return fmt.Errorf("redact what is said of entries: %w", sqlite.Explain(err))
	}
	return nil
}

// eachMatch runs a statement for each value of a column that matches: with the value and its
// masked form.
func eachMatch(ctx context.Context, tx *sqlx.Conn, re history.Finder, column, change string) error {
	var values []string
	table, _, _ := strings.Cut(column, ".")
	if err := tx.SelectContext(ctx, &values, `SELECT DISTINCT `+column+` FROM `+table); err != nil {
		return err
	}
	for _, v := range values {
		if !history.Finds(re, v) {
			continue
		}
		if _, err := tx.ExecContext(ctx, change, v, history.RedactText(v, re)); err != nil {
			return err
		}
	}
	return nil
}

// redactHeads masks matches in the headers of sessions, but for what says which session it is and
// where it ran.
func (s *Store) redactHeads(ctx context.Context, tx *sqlx.Conn, re history.Finder) error {
	var heads []int64
	if err := tx.SelectContext(ctx, &heads, `SELECT DISTINCT content FROM messages WHERE type = ?`, string(message.EntrySession)); err != nil {
		return err
	}
	for _, id := range heads {
		if err := s.redactText(ctx, tx, id, re); err != nil {
			return err
		}
	}
	return eachMatch(ctx, tx, re, "conversations.parent", `UPDATE conversations SET parent = ?2 WHERE parent = ?1`)
}

// rename updates the names of the sessions of which a name entry was purged or redacted.
// Each gets the name that its latest name entry has now, "" for none.
func (s *Store) rename(ctx context.Context, tx *sqlx.Conn, c *Chosen) error {
	var p message.Parser
	for _, r := range c.rows {
		if r.Type != message.EntrySessionInfo {
			continue
		}
		var content []int64
		if err := tx.SelectContext(ctx, &content, `SELECT m.content FROM messages m JOIN conversations c ON c.id = m.conversation
			WHERE c.session_id = ? AND m.type = ? ORDER BY m.ordinal DESC LIMIT 1`, r.SessionID, string(message.EntrySessionInfo)); err != nil {
			return err
		}
		name := ""
		if len(content) > 0 {
			raw, err := s.db.Text(ctx, tx, content[0])
			if err != nil {
				return err
			}
			if e, err := p.ParseEntry(raw); err == nil {
				name = e.Name
			}
		}
		if _, err := tx.ExecContext(ctx, `UPDATE conversations SET name = ? WHERE session_id = ?`, name, r.SessionID); err != nil {
			return err
		}
	}
	return nil
}
