package store

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/sqlite"
)

var _ prune.PinReader = (*Marks)(nil)

// Pins returns the pins of a session, the oldest first.
func (s *Marks) Pins(ctx context.Context, session string) (out []prune.Pin, err error) {
	err = s.db.SelectContext(ctx, &out, `SELECT target, is_path & ? <> 0 AS ispath, is_path & ? <> 0 AS removed, reason, time
		FROM pins WHERE session_id = ? ORDER BY time, target`, pinPath, pinRemoved, session)
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", sqlite.Explain(err))
	}
	return out, nil
}

// The bits of the column is_path.
const (
	pinPath    = 1
	pinRemoved = 2
)

// AddPin remembers a pin of a session, or that one was taken back, in the place of
// what was known of its target.
func (s *Marks) AddPin(ctx context.Context, session string, p prune.Pin) error {
	kind := 0
	if p.IsPath {
		kind |= pinPath
	}
	if p.Removed {
		kind |= pinRemoved
	}
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM pins WHERE session_id = ? AND target = ? AND is_path IN (?, ?)`,
			session, p.Target, kind&pinPath, kind|pinRemoved)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO pins (session_id, target, is_path, reason, time) VALUES (?, ?, ?, ?, ?)`,
			session, p.Target, kind, p.Reason, p.Time)
		return err
	})
	if err != nil {
		return fmt.Errorf("write pin: %w", err)
	}
	return nil
}
