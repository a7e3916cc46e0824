package erase

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// Store erases content from one database.
type Store struct {
	db     *sqlite.DB
	search *search.Store
}

// New returns a Store for a database.
func New(db *sqlite.DB, index *search.Store) *Store {
	return &Store{db: db, search: index}
}

// Unscrubbed is the key in meta that records that the file may still contain deleted bytes.
const Unscrubbed = "Unscrubbed"

// Batch is the number of entries or texts per transaction.
const Batch = 200

// Purge deletes the chosen entries, the texts that no other entry has, their index data,
// and the summaries made from them. It records the hashes of deleted texts, which are never
// stored again. After a kill, purging the same selection continues. The bytes are gone from
// the file after Scrub.
func (s *Store) Purge(ctx context.Context, c *Chosen) error {
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	for rows := range slices.Chunk(c.rows, Batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.purgeRows(ctx, rows); err != nil {
			return fmt.Errorf("purge entries: %w", err)
		}
	}
	return s.purgeNotes(ctx, c)
}

// Prepare records that Scrub is due.
func (s *Store) Prepare(ctx context.Context) error {
	return s.db.Tx(ctx, func(tx *sqlx.Conn) error { return due(ctx, tx) })
}

func (s *Store) purgeRows(ctx context.Context, rows []chosenRow) error {
	return s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		for _, r := range rows {
			if err := s.purgeRow(ctx, tx, r); err != nil {
				return err
			}
			if err := s.eraseOrphan(ctx, tx, r.Content, true, nil); err != nil {
				return err
			}
		}
		return due(ctx, tx)
	})
}

// purgeRow deletes an entry and everything that refers to it.
func (s *Store) purgeRow(ctx context.Context, tx *sqlx.Conn, r chosenRow) error {
	now := s.db.Now().UnixMilli()
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`INSERT OR IGNORE INTO purged_from (session_id, hash, time) SELECT ?, hash, ? FROM content WHERE id = ?`, []any{r.SessionID, now, r.Content}},
		{`DELETE FROM messages WHERE id = ?`, []any{r.ID}},
		{`DELETE FROM marks WHERE session_id = ? AND entry_id = ?`, []any{r.SessionID, r.EntryID}},
		{`WITH RECURSIVE made (id) AS (
			SELECT s.id FROM summary_sources x JOIN summaries s ON s.id = x.summary WHERE s.depth = 0 AND x.source = ?
			UNION SELECT p.id FROM made JOIN summaries s ON s.id = made.id
			  JOIN summary_sources x ON x.source = s.key JOIN summaries p ON p.id = x.summary)
			DELETE FROM summaries WHERE id IN (SELECT id FROM made)`, []any{r.EntryID}},
	} {
		if _, err := tx.ExecContext(ctx, q.sql, q.args...); err != nil {
			return err
		}
	}
	return nil
}

// eraseOrphan deletes a text that nothing refers to, and with forbid records its hash, so that it
// is never stored again. instead is the id of the text that replaces it, nil for none.
func (s *Store) eraseOrphan(ctx context.Context, tx *sqlx.Conn, id int64, forbid bool, instead *int64) error {
	var free bool
	err := tx.GetContext(ctx, &free, `SELECT EXISTS (SELECT 1 FROM content t WHERE t.id = ? AND NOT `+usedText+`)`, id)
	if err != nil || !free {
		return err
	}
	if forbid {
		_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO purged (hash, content, time) SELECT hash, ?, ? FROM content WHERE id = ?`,
			instead, s.db.Now().UnixMilli(), id)
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE purged SET content = ? WHERE content = ?`, instead, id)
		}
		if err != nil {
			return err
		}
	}
	if err := s.search.Remove(ctx, tx, id); err != nil && !errors.Is(err, sqlite.ErrDamaged) {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM content WHERE id = ?`, id)
	return err
}

// Redact masks matches in the texts of the chosen entries, for all entries that share these
// texts, and in the summaries of the store. Entries keep their ids.
func (s *Store) Redact(ctx context.Context, c *Chosen, re history.Finder) error {
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	// One row for each text, in the order of texts: FTS5 writes what it has in memory whenever a
	// document precedes the one before.
	texts := slices.SortedStableFunc(slices.Values(c.rows), func(a, b chosenRow) int { return cmp.Compare(a.Content, b.Content) })
	texts = slices.CompactFunc(texts, func(a, b chosenRow) bool { return a.Content == b.Content })
	for rows := range slices.Chunk(texts, Batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
			for _, r := range rows {
				if err := s.redactText(ctx, tx, r.Content, re); err != nil {
					return fmt.Errorf("redact entry %s: %w", r.EntryID, err)
				}
			}
			return due(ctx, tx)
		})
		if err != nil {
			return err
		}
	}
	return s.redactNotes(ctx, c, re)
}

// redactText replaces a text by its redacted form.
func (s *Store) redactText(ctx context.Context, tx *sqlx.Conn, id int64, re history.Finder) error {
	raw, err := s.db.Text(ctx, tx, id)
	if err != nil {
		return err
	}
	line, n := history.Redact(raw, re)
	if n == 0 {
		return nil
	}
	fresh, err := s.addText(ctx, tx, id, line)
	if err != nil {
		return err
	}
	leaves, err := leavesOf(ctx, tx, id)
	if err != nil {
		return err
	}
	var p message.Parser
	e, err := p.ParseEntry(line)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE messages SET content = ?, tool = ? WHERE content = ?`, fresh, e.Message.ToolName, id); err != nil {
		return err
	}
	if err := follow(ctx, tx, leaves); err != nil {
		return err
	}
	return s.eraseOrphan(ctx, tx, id, true, &fresh)
}

// addText stores and indexes a line near the id of another, so that it sorts at the same
// time.
func (s *Store) addText(ctx context.Context, tx *sqlx.Conn, near int64, line []byte) (int64, error) {
	kind, data, err := s.db.Pack(line)
	if err != nil {
		return 0, err
	}
	hash := sha256.Sum256(line)
	var id int64
	err = tx.GetContext(ctx, &id, `SELECT id FROM content WHERE hash = ?`, hash[:])
	if err == nil || !sqlite.NoRows(err) {
		return id, err
	}
	if id, err = sqlite.FreeTextID(ctx, tx, near); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO content (id, hash, codec, size, data) VALUES (?, ?, ?, ?, ?)`, id, hash[:], kind, len(line), data); err != nil {
		return 0, err
	}
	return id, s.search.IndexOne(ctx, tx, id)
}
