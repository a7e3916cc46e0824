package summaries

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/sqlite"
)

// Lease grants the right to summarize a session. It returns summary.ErrLeased while another
// process has it, unless take is set. Writes of the former holder are rejected from then on.
func (s *Store) Lease(ctx context.Context, session string, take bool) (summary.Lease, error) {
	l := summary.Lease{Session: session}
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		var held struct{ Token, Expires int64 }
		err := tx.GetContext(ctx, &held, `SELECT token, expires FROM leases WHERE session_id = ?`, session)
		if err != nil && !sqlite.NoRows(err) {
			return err
		}
		if held.Expires > s.db.Now().UnixMilli() && !take {
			return summary.ErrLeased
		}
		l.Token = held.Token + 1
		_, err = tx.ExecContext(ctx, `INSERT INTO leases (session_id, token, expires) VALUES (?, ?, ?)
			ON CONFLICT (session_id) DO UPDATE SET token = excluded.token, expires = excluded.expires`,
			session, l.Token, s.expiry())
		return err
	})
	if err != nil {
		return l, fmt.Errorf("lease session: %w", err)
	}
	return l, nil
}

// expiry is when a lease that is renewed now ends, in Unix milliseconds.
func (s *Store) expiry() int64 { return s.db.Now().Add(summary.LeaseTime).UnixMilli() }

// Renew extends a lease. An expired lease still belongs to its holder until another process
// takes it.
func (s *Store) Renew(ctx context.Context, l summary.Lease) error { return s.set(ctx, l, s.expiry()) }

// Release ends a lease, if another process has not taken it.
func (s *Store) Release(ctx context.Context, l summary.Lease) error {
	if err := s.set(ctx, l, 0); !errors.Is(err, summary.ErrFenced) {
		return err
	}
	return nil
}

// set sets when a lease ends.
func (s *Store) set(ctx context.Context, l summary.Lease, expires int64) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error { return set(ctx, tx, l, expires) })
	if err != nil {
		return fmt.Errorf("renew lease: %w", err)
	}
	return nil
}

// set sets when a lease ends within a transaction, which fails when another process has taken
// the lease.
func set(ctx context.Context, tx *sqlx.Conn, l summary.Lease, expires int64) error {
	res, err := tx.ExecContext(ctx, `UPDATE leases SET expires = ? WHERE session_id = ? AND token = ?`, expires, l.Session, l.Token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return summary.ErrFenced
	}
	return nil
}
