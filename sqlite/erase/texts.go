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

// Orphans is the SQL query for texts that nothing refers to.
const Orphans = `SELECT id FROM content t WHERE NOT ` + usedText + `
	AND NOT EXISTS (SELECT 1 FROM purged p WHERE p.content = t.id)`

// Unused deletes those of some texts that nothing refers to. They are never stored again.
func (s *Store) Unused(ctx context.Context, tx *sqlx.Conn, texts []int64) error {
	for _, id := range texts {
		if err := s.eraseOrphan(ctx, tx, id, true, nil); err != nil {
			return err
		}
	}
	return nil
}

// Vacuum deletes texts that nothing refers to and rewrites the database without free space.
// It returns the number of deleted texts.
func (s *Store) Vacuum(ctx context.Context) (int, error) {
	var ids []int64
	if err := s.db.SelectContext(ctx, &ids, Orphans); err != nil {
		return 0, fmt.Errorf("vacuum store: %w", sqlite.Explain(err))
	}
	for some := range slices.Chunk(ids, Batch) {
		err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
			for _, id := range some {
				if err := s.eraseOrphan(ctx, tx, id, false, nil); err != nil {
					return err
				}
			}
			return due(ctx, tx)
		})
		if err != nil {
			return 0, fmt.Errorf("vacuum store: %w", err)
		}
	}
	_, err := s.Scrub(ctx)
	return len(ids), err
}
