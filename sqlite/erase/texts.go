package erase

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// usedText tells, as SQL over content t, whether something refers to a text.
const usedText = `(EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id) OR ` + UsedByObject + `)`

// UsedByObject is usedText without the entries of sessions.
const UsedByObject = `(EXISTS (SELECT 1 FROM object_versions v WHERE v.content = t.id) OR EXISTS (SELECT 1 FROM object_versions v WHERE v.doc = t.id))`

// Unused deletes those of some texts that nothing refers to any more. A text that is a
// difference to one of them is stored whole. With forbid they are never stored again. Without
// traces the store is not known to be clean afterwards.
func (s *Store) Unused(ctx context.Context, tx *sqlx.Conn, texts []int64, forbid bool, traces *Traces) error {
	gone := make(map[int64]bool)
	var order []int64
	for _, id := range texts {
		var free bool
		err := tx.GetContext(ctx, &free, `SELECT EXISTS (SELECT 1 FROM content t WHERE t.id = ? AND NOT `+usedText+`
			AND NOT EXISTS (SELECT 1 FROM purged p WHERE p.content = t.id))`, id)
		if err != nil {
			return err
		}
		if free && !gone[id] {
			gone[id] = true
			order = append(order, id)
		}
	}
	if traces == nil && len(order) > 0 {
		if err := soil(ctx, tx); err != nil {
			return err
		}
	}
	if err := s.loosen(ctx, tx, gone); err != nil {
		return err
	}
	// The last first: the others may be what it is a difference to.
	s.texts.Forget()
	for i := len(order) - 1; i >= 0; i-- {
		if err := s.eraseObjectText(ctx, tx, order[i], forbid, traces); err != nil {
			return err
		}
	}
	return nil
}

// soil notes that unused bytes may hold something of which nobody will know how it was stored:
// the next erasing rewrites the database.
func soil(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM meta WHERE key = '`+sqlite.Clean+`'`)
	return err
}

// loosen stores whole what depends on texts that go. The differences that it replaces are
// forgotten, and may be left where SQLite moved them from.
func (s *Store) loosen(ctx context.Context, tx *sqlx.Conn, gone map[int64]bool) error {
	for id := range gone {
		var differs bool
		err := tx.GetContext(ctx, &differs, `SELECT EXISTS (SELECT 1 FROM content WHERE base = ? AND codec = ?)`, id, texts.Delta)
		if err == nil && differs {
			err = soil(ctx, tx)
		}
		if err != nil {
			return err
		}
	}
	return s.texts.Loosen(ctx, tx, gone)
}

// eraseObjectText deletes a text from the table and from the index of objects.
func (s *Store) eraseObjectText(ctx context.Context, tx *sqlx.Conn, id int64, forbid bool, traces *Traces) error {
	if traces != nil {
		if err := s.traceObject(ctx, tx, id, traces); err != nil {
			return err
		}
	}
	if forbid {
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO purged (hash, content, time) SELECT hash, NULL, ? FROM content WHERE id = ?`,
			s.db.Now().UnixMilli(), id); err != nil {
			return err
		}
	}
	return s.erase(ctx, tx, id)
}

// traceObject remembers how a text of an object can be recognised. A damaged one
// leaves no words.
func (s *Store) traceObject(ctx context.Context, tx *sqlx.Conn, id int64, t *Traces) error {
	if err := t.notePacked(ctx, tx, id); err != nil {
		return err
	}
	if raw, err := s.texts.Get(ctx, tx, id); err == nil {
		t.noteWords(string(raw))
		t.NotePlain(string(raw))
	}
	return nil
}

// Vacuum deletes texts that nothing refers to any more and rewrites the database without
// free space. It returns how many texts it deleted.
func (s *Store) Vacuum(ctx context.Context) (int, error) {
	var ids []int64
	err := s.db.SelectContext(ctx, &ids, Orphans)
	if err != nil {
		return 0, fmt.Errorf("vacuum store: %w", sqlite.Explain(err))
	}
	if len(ids) > 0 {
		if err := s.Prepare(ctx); err != nil {
			return 0, err
		}
	}
	for some := range slices.Chunk(ids, Batch) {
		err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
			gone := set(some)
			if err := s.loosen(ctx, tx, gone); err != nil {
				return err
			}
			for _, id := range some {
				if err := s.erase(ctx, tx, id); err != nil {
					return err
				}
			}
			return s.search.EraseFromBlocks(ctx, tx, gone)
		})
		if err != nil {
			return 0, fmt.Errorf("vacuum store: %w", err)
		}
	}
	_, err = s.Scrub(ctx, &Traces{unsure: true})
	return len(ids), err
}

// Orphans is the SQL that finds the texts that nothing refers to.
const Orphans = `SELECT id FROM content t WHERE NOT ` + usedText + `
	AND NOT EXISTS (SELECT 1 FROM purged p WHERE p.content = t.id)`

func set(ids []int64) map[int64]bool {
	out := make(map[int64]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}
