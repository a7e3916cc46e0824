package store

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/sqlite"
)

var _ prune.PinReader = (*Marks)(nil)

// Pins returns the pins of a session, the oldest first. They must not be changed.
func (s *Marks) Pins(ctx context.Context, session string) ([]prune.Pin, error) {
	table := func(m *cache) map[string][]prune.Pin { return m.pins }
	return cached(ctx, s, table, session, func() ([]prune.Pin, error) { return s.readPins(ctx, session) })
}

func (s *Marks) readPins(ctx context.Context, session string) ([]prune.Pin, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT target, is_path, reason, time FROM pins WHERE session_id = ? ORDER BY time, target`, session)
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	var out []prune.Pin
	for rows.Next() {
		var p prune.Pin
		var kind int
		if err := rows.Scan(&p.Target, &kind, &p.Reason, &p.Time); err != nil {
			return nil, fmt.Errorf("read pins: %w", sqlite.Explain(err))
		}
		p.IsPath, p.Removed = kind&pinPath != 0, kind&pinRemoved != 0
		out = append(out, p)
	}
	if err := rows.Err(); err != nil {
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
	defer s.cache.drop(session)
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
