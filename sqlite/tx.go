package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// Explain turns the driver's errors into the ones callers branch on.
func Explain(err error) error {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return err
	}
	switch se.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// Tx runs fn in a write transaction, over the connection that fn gets. It begins
// immediate: one that reads first and writes later fails with "locked" whatever the
// timeout, when another process wrote in between. It is begun and ended here, because
// database/sql's own Tx starts a goroutine for every query within it, which takes as long
// as a short query.
func (d *DB) Tx(ctx context.Context, fn func(tx *sqlx.Conn) error) error {
	var conn *sqlx.Conn
	err := patiently(ctx, d.patience(ctx), func() (err error) {
		conn, err = d.lock(ctx)
		return err
	})
	if err != nil {
		return err
	}
	defer conn.Close()
	defer d.letOthersIn(time.Now())
	// Once begun it is ended, whatever became of the context.
	ended := context.WithoutCancel(ctx)
	if err := fn(conn); err != nil {
		// The transaction failed; what rolling it back says adds nothing.
		_, _ = conn.ExecContext(ended, `ROLLBACK`)
		return Explain(err)
	}
	if _, err = conn.ExecContext(ended, `COMMIT`); err != nil {
		_, _ = conn.ExecContext(ended, `ROLLBACK`)
	}
	return Explain(err)
}

// A command that writes one transaction after the other leaves no time between them in which
// others, who look every few milliseconds, could begin theirs. So it pauses for longer than that,
// whenever it has held the store for some time.
const (
	heldAtMost = 100 * time.Millisecond
	pause      = 3 * tryEvery
)

// letOthersIn ends the use of a transaction's connection, the store's only one.
func (d *DB) letOthersIn(began time.Time) {
	if d.held += time.Since(began); d.mode == Write && d.held >= heldAtMost {
		time.Sleep(pause)
		d.held = 0
	}
}

// patience is how long a transaction waits for another writer. A hook that an agent waits
// for has a deadline that is near.
func (d *DB) patience(ctx context.Context) time.Duration {
	switch end, waited := ctx.Deadline(); {
	case d.mode != Hook:
		return d.mode.wait()
	case !waited:
		return backgroundTimeout
	case time.Until(end) > askedTimeout:
		return askedTimeout
	}
	return hookTimeout
}

// lock begins a write transaction, or says at once that another process has one. SQLite
// would wait without looking at the context, and keep the store's one connection from
// whoever only wants to read.
func (d *DB) lock(ctx context.Context) (*sqlx.Conn, error) {
	conn, err := d.Connx(ctx)
	if err != nil {
		return nil, Explain(err)
	}
	// None of this waits. A context that ended meanwhile would return the connection with
	// a transaction that nobody ends.
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

// NoRows reports whether err only says that a row was not found.
func NoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
