package erase

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// A store also has data about entries outside their texts: session names, pins, and the
// markers and reasons of pruned results.

// purgeNotes deletes the data about purged entries, and every matching pin.
func (s *Store) purgeNotes(ctx context.Context, c *Chosen) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		for _, r := range c.rows {
			if _, err := tx.ExecContext(ctx, `DELETE FROM pins WHERE session_id = ? AND target = ? AND is_path & 1 = 0`, r.SessionID, r.EntryID); err != nil {
				return err
			}
		}
		if c.match != nil {
			if err := s.eachPin(ctx, tx, c.match, func(p pinRow) error { return p.drop(ctx, tx) }); err != nil {
				return err
			}
			if err := s.redactHeads(ctx, tx, c.match); err != nil {
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

// redactNotes masks matches in names, pins and marks. A pin of a matching path is deleted:
// masked, it would be a different path.
func (s *Store) redactNotes(ctx context.Context, c *Chosen, re history.Finder) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		if err := s.eachPin(ctx, tx, re, func(p pinRow) error {
			if history.Finds(re, p.Target) {
				return p.drop(ctx, tx)
			}
			_, err := tx.ExecContext(ctx, `UPDATE pins SET reason = ? WHERE session_id = ? AND target = ? AND is_path = ?`,
				history.RedactText(p.Reason, re), p.Session, p.Target, p.IsPath)
			return err
		}); err != nil {
			return err
		}
		if err := redactMarks(ctx, tx, re); err != nil {
			return err
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

type pinRow struct {
	Session        string `db:"session_id"`
	Target, Reason string
	IsPath         int `db:"is_path"`
}

func (p pinRow) drop(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM pins WHERE session_id = ? AND target = ? AND is_path = ?`, p.Session, p.Target, p.IsPath)
	return err
}

// eachPin calls fn for every matching pin.
func (s *Store) eachPin(ctx context.Context, tx *sqlx.Conn, re history.Finder, fn func(pinRow) error) error {
	var all []pinRow
	if err := tx.SelectContext(ctx, &all, `SELECT session_id, target, reason, is_path FROM pins`); err != nil {
		return err
	}
	for _, p := range all {
		if history.Finds(re, p.Target) || history.Finds(re, p.Reason) {
			if err := fn(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// redactMarks masks matches in markers, which contain paths and commands.
func redactMarks(ctx context.Context, tx *sqlx.Conn, re history.Finder) error {
	var all []struct {
		Session      string `db:"session_id"`
		Entry        string `db:"entry_id"`
		Leaf, Marker string
		Reason       string
	}
	if err := tx.SelectContext(ctx, &all, `SELECT session_id, entry_id, leaf, marker, reason FROM marks`); err != nil {
		return err
	}
	for _, m := range all {
		if !history.Finds(re, m.Marker) && !history.Finds(re, m.Reason) {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE marks SET marker = ?, reason = ? WHERE session_id = ? AND entry_id = ? AND leaf = ?`,
			history.RedactText(m.Marker, re), history.RedactText(m.Reason, re), m.Session, m.Entry, m.Leaf); err != nil {
			return err
		}
	}
	return nil
}

// redactHeads masks matches in the headers of sessions, which are purged with no entry, but for
// what says which session it is and where it ran.
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
	var all []struct {
		ID     int64
		Parent string
	}
	if err := tx.SelectContext(ctx, &all, `SELECT id, parent FROM conversations WHERE parent <> ''`); err != nil {
		return err
	}
	for _, c := range all {
		if !history.Finds(re, c.Parent) {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE conversations SET parent = ? WHERE id = ?`, history.RedactText(c.Parent, re), c.ID); err != nil {
			return err
		}
	}
	return nil
}

// rename updates the names of the sessions of which a name entry was purged or redacted.
// Each gets the name that its latest name entry has now, "" for none.
func (s *Store) rename(ctx context.Context, tx *sqlx.Conn, c *Chosen) error {
	var p message.Parser
	named := make(map[string]bool)
	for _, r := range c.rows {
		if r.Type == message.EntrySessionInfo {
			named[r.SessionID] = true
		}
	}
	for session := range named {
		var content []int64
		if err := tx.SelectContext(ctx, &content, `SELECT m.content FROM messages m JOIN conversations c ON c.id = m.conversation
			WHERE c.session_id = ? AND m.type = ? ORDER BY m.ordinal DESC LIMIT 1`, session, string(message.EntrySessionInfo)); err != nil {
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
		if _, err := tx.ExecContext(ctx, `UPDATE conversations SET name = ? WHERE session_id = ?`, name, session); err != nil {
			return err
		}
	}
	return nil
}
