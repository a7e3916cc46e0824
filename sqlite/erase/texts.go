package erase

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/sqlite"
)

// usedText is an SQL condition over content t: something refers to the text.
const usedText = `(EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id) OR EXISTS (SELECT 1 FROM object_versions v WHERE v.content = t.id))`

// Unused deletes those of some texts that nothing refers to. A text stored as a delta to
// one of them is stored in full first. With forbid the texts are never stored again.
func (s *Store) Unused(ctx context.Context, tx *sqlx.Conn, texts []int64, forbid bool) error {
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
	if err := s.db.Loosen(ctx, tx, gone); err != nil {
		return err
	}
	// Later texts first: earlier ones may be the bases of their deltas.
	for i := len(order) - 1; i >= 0; i-- {
		if err := s.eraseText(ctx, tx, order[i], forbid); err != nil {
			return err
		}
	}
	return nil
}

// eraseText deletes a text of objects.
func (s *Store) eraseText(ctx context.Context, tx *sqlx.Conn, id int64, forbid bool) error {
	if forbid {
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO purged (hash, content, time) SELECT hash, NULL, ? FROM content WHERE id = ?`,
			s.db.Now().UnixMilli(), id); err != nil {
			return err
		}
	}
	return s.erase(ctx, tx, id)
}

// Vacuum deletes texts that nothing refers to and rewrites the database without free space.
// It returns the number of deleted texts.
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
			if err := s.db.Loosen(ctx, tx, gone); err != nil {
				return err
			}
			for _, id := range some {
				if err := s.erase(ctx, tx, id); err != nil {
					return err
				}
			}
			return due(ctx, tx)
		})
		if err != nil {
			return 0, fmt.Errorf("vacuum store: %w", err)
		}
	}
	_, err = s.Scrub(ctx)
	return len(ids), err
}

// Orphans is the SQL query for texts that nothing refers to.
const Orphans = `SELECT id FROM content t WHERE NOT ` + usedText + `
	AND NOT EXISTS (SELECT 1 FROM purged p WHERE p.content = t.id)`

func set(ids []int64) map[int64]bool {
	out := make(map[int64]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}
