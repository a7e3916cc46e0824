package summaries

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// DropBroken deletes the summaries whose sources are gone, from the leaves up: a node made
// from a deleted one has lost a source too.
func (s *Store) DropBroken(ctx context.Context) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		for {
			res, err := tx.ExecContext(ctx, `DELETE FROM summaries WHERE id IN (`+Broken+`)`)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 0 {
				return err
			}
		}
	})
	if err != nil {
		return fmt.Errorf("delete summaries: %w", err)
	}
	return nil
}

// Broken selects the summaries that lack a source, or whose source is not less deep.
const Broken = `SELECT DISTINCT s.id FROM summaries s JOIN summary_sources x ON s.id = x.summary
	WHERE (s.depth = 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.entry_id = x.source OR m.alias = x.source))
	   OR (s.depth > 0 AND NOT EXISTS (SELECT 1 FROM summaries b WHERE b.key = x.source AND b.depth < s.depth))`
