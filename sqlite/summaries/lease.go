package summaries

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/sqlite"
)

// leaseTime is the default duration of a lease: longer than a model takes to answer.
const leaseTime = 3 * time.Minute

// Lease grants the right to summarize a session. It returns summary.ErrLeased while another
// process has it, unless take is set. Writes of the former holder are rejected from then on.
func (s *Store) Lease(ctx context.Context, session string, lasts time.Duration, take bool) (summary.Lease, error) {
	l := summary.Lease{Session: session, For: lasts}
	now := s.db.Now()
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		var held struct{ Token, Expires int64 }
		err := tx.GetContext(ctx, &held, `SELECT token, expires FROM leases WHERE session_id = ?`, session)
		if err != nil && !sqlite.NoRows(err) {
			return err
		}
		if held.Expires > now.UnixMilli() && !take {
			return summary.ErrLeased
		}
		l.Token = held.Token + 1
		_, err = tx.ExecContext(ctx, `INSERT INTO leases (session_id, token, expires) VALUES (?, ?, ?)
			ON CONFLICT (session_id) DO UPDATE SET token = excluded.token, expires = excluded.expires`,
			session, l.Token, expiry(now, lasts))
		return err
	})
	if err != nil {
		return l, fmt.Errorf("lease session: %w", err)
	}
	return l, nil
}

// expiry returns when a lease renewed now ends, in Unix milliseconds.
func expiry(now time.Time, lasts time.Duration) int64 {
	if lasts <= 0 {
		lasts = leaseTime
	}
	return now.Add(lasts).UnixMilli()
}

// Renew extends a lease. An expired lease still belongs to its holder until another process
// takes it.
func (s *Store) Renew(ctx context.Context, l summary.Lease) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error { return s.renew(ctx, tx, l) })
	if err != nil {
		return fmt.Errorf("renew lease: %w", err)
	}
	return nil
}

// renew extends a lease within a transaction, which fails when another process has taken
// the lease.
func (s *Store) renew(ctx context.Context, tx *sqlx.Conn, l summary.Lease) error {
	res, err := tx.ExecContext(ctx, `UPDATE leases SET expires = ? WHERE session_id = ? AND token = ?`,
		expiry(s.db.Now(), l.For), l.Session, l.Token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return summary.ErrFenced
	}
	return nil
}

// Release ends a lease.
func (s *Store) Release(ctx context.Context, l summary.Lease) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		_, err := tx.ExecContext(ctx, `UPDATE leases SET expires = 0 WHERE session_id = ? AND token = ?`, l.Session, l.Token)
		return err
	})
	if err != nil {
		return fmt.Errorf("release lease: %w", err)
	}
	return nil
}
