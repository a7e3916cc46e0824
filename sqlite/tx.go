package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// Primary result codes of SQLite.
const (
	codeBusy     = 5
	codeLocked   = 6
	codeReadonly = 8
	codeCorrupt  = 11
	codeCantOpen = 14
	codeNotADB   = 26
)

// Explain maps errors of the driver to the errors of this package, once.
func Explain(err error) error {
	if errors.Is(err, ErrBusy) || errors.Is(err, ErrDamaged) {
		return err
	}
	switch resultCode(err) {
	case codeBusy, codeLocked:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case codeCorrupt, codeNotADB:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// Tx runs fn in a write transaction on the connection that it passes to fn. The transaction
// begins immediate: one that reads before it writes would fail with "locked", regardless of
// the timeout, when another process wrote in between. It does not use database/sql's Tx,
// which starts a goroutine per query and so doubles the time of a short one.
func (d *DB) Tx(ctx context.Context, fn func(tx *sqlx.Conn) error) error {
	conn, err := d.lockInTurn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer d.letOthersIn(time.Now())
	// A transaction that has begun is ended even if the context is done.
	ended := context.WithoutCancel(ctx)
	if err := fn(conn); err != nil {
		// The transaction failed; an error of the rollback adds nothing.
		_, _ = conn.ExecContext(ended, `ROLLBACK`)
		return Explain(err)
	}
	if _, err = conn.ExecContext(ended, `COMMIT`); err != nil {
		_, _ = conn.ExecContext(ended, `ROLLBACK`)
	}
	return Explain(err)
}

// A command that runs one transaction after another leaves no gap in which others, who poll
// every few milliseconds, could begin theirs. So it pauses for longer than their interval
// whenever it has held the store for a while.
const (
	heldAtMost = 100 * time.Millisecond
	pause      = 3 * tryEvery
)

// letOthersIn releases the store's only connection after a transaction, with a pause if
// due.
func (d *DB) letOthersIn(began time.Time) {
	if d.held += time.Since(began); d.mode == Write && d.held >= heldAtMost {
		time.Sleep(pause)
		d.held = 0
	}
}

// patience returns how long a transaction waits for another writer. With an agent waiting
// this is half of the time that is left, so that something can still be done without it.
func (d *DB) patience(ctx context.Context) time.Duration {
	switch end, _ := ctx.Deadline(); {
	case d.mode != Hook:
		return d.mode.wait()
	case !d.awaited(ctx):
		return backgroundTimeout
	default:
		return min(max(time.Until(end)/2, hookTimeout), askedTimeout)
	}
}

// lock begins a write transaction or fails at once when another process has one. SQLite's
// own waiting would ignore the context and block the store's only connection for readers.
func (d *DB) lock(ctx context.Context) (*sqlx.Conn, error) {
	conn, err := d.Connx(ctx)
	if err != nil {
		return nil, Explain(err)
	}
	// None of this waits. If the context ended in between, the connection would go back to
	// the pool with an open transaction.
	at := context.WithoutCancel(ctx)
	if err = waitAtMost(at, conn, 0); err == nil {
		_, err = conn.ExecContext(at, `BEGIN IMMEDIATE`)
		err = errors.Join(err, waitAtMost(at, conn, d.mode.wait()))
	}
	if err != nil {
		_ = conn.Close()
		return nil, Explain(err)
	}
	return conn, nil
}

// waitAtMost sets how long SQLite itself waits for another process.
func waitAtMost(ctx context.Context, conn *sqlx.Conn, wait time.Duration) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, wait.Milliseconds()))
	return err
}

// NoRows reports whether err means that no row was found.
func NoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
