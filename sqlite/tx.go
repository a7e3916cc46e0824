package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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
	conn, err := d.Connx(ctx)
	if err != nil {
		return Explain(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return Explain(err)
	}
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

// NoRows reports whether err only says that a row was not found.
func NoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
