package sqlite

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/prune"
)

var _ prune.PinStore = (*Store)(nil)

// Pins returns the pins of a session, the oldest first. They must not be changed.
func (s *Store) Pins(ctx context.Context, session string) ([]prune.Pin, error) {
	table := func(m *memory) map[string][]prune.Pin { return m.pins }
	return recall(ctx, s, table, session, func() ([]prune.Pin, error) { return s.readPins(ctx, session) })
}

func (s *Store) readPins(ctx context.Context, session string) ([]prune.Pin, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT target, is_path, reason, time FROM pins WHERE session_id = ? ORDER BY time, target`, session)
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", explain(err))
	}
	defer rows.Close()
	var out []prune.Pin
	for rows.Next() {
		var p prune.Pin
		if err := rows.Scan(&p.Target, &p.IsPath, &p.Reason, &p.Time); err != nil {
			return nil, fmt.Errorf("read pins: %w", explain(err))
		}
		out = append(out, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read pins: %w", explain(err))
	}
	return out, nil
}

// AddPin remembers a pin of a session; one that is there gets the new reason.
func (s *Store) AddPin(ctx context.Context, session string, p prune.Pin) error {
	defer s.memory.drop(session)
	err := s.tx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO pins (session_id, target, is_path, reason, time) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (session_id, target, is_path) DO UPDATE SET reason = excluded.reason`,
			session, p.Target, p.IsPath, p.Reason, p.Time)
		return err
	})
	if err != nil {
		return fmt.Errorf("write pin: %w", err)
	}
	return nil
}

// RemovePin forgets a pin of a session, and tells whether there was one.
func (s *Store) RemovePin(ctx context.Context, session, target string) (bool, error) {
	defer s.memory.drop(session)
	var n int64
	err := s.tx(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM pins WHERE session_id = ? AND target = ?`, session, target)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	if err != nil {
		return false, fmt.Errorf("remove pin: %w", err)
	}
	return n > 0, nil
}
