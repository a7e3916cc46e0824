//go:build !cgo || !(sqlite_fts5 || fts5) || purego

// Package sqlhook tells tests what SQLite does. It knows no store, so that the tests
// inside the packages of the store can use it.
package sqlhook

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Driver is the name of the store's driver.
const Driver = "sqlite"

// OnWrite calls fn before each row is changed and before each commit, for tests that
// kill the process there.
func OnWrite(ctx context.Context, db *sqlx.DB, fn func()) error {
	return with(ctx, db, func(c sqlite.HookRegisterer) error {
		c.RegisterPreUpdateHook(func(sqlite.SQLitePreUpdateData) { fn() })
		c.RegisterCommitHook(func() int32 { fn(); return 0 })
		return nil
	})
}

// OnPrepare calls fn before each statement that reads a table is prepared, and when SQLite
// prepares one again.
func OnPrepare(ctx context.Context, db *sqlx.DB, fn func()) error {
	return authorize(ctx, db, func(op sqlite.AuthorizerActionCode, _, _ string) {
		if op == lib.SQLITE_SELECT {
			fn()
		}
	})
}

// OnTruncate calls fn before a checkpoint truncates the log.
func OnTruncate(ctx context.Context, db *sqlx.DB, fn func()) error {
	return authorize(ctx, db, func(op sqlite.AuthorizerActionCode, pragma, how string) {
		if op == lib.SQLITE_PRAGMA && pragma == "wal_checkpoint" && how == "TRUNCATE" {
			fn()
		}
	})
}

func authorize(ctx context.Context, db *sqlx.DB, fn func(op sqlite.AuthorizerActionCode, first, second string)) error {
	return with(ctx, db, func(c sqlite.AuthorizerRegisterer) error {
		return c.RegisterAuthorizer(func(op sqlite.AuthorizerActionCode, first, second, _, _ string) sqlite.AuthorizerReturnCode {
			fn(op, first, second)
			return sqlite.AuthorizerOK
		})
	})
}

// with hands what the connection of a database that has one can do to fn.
func with[T any](ctx context.Context, db *sqlx.DB, fn func(T) error) error {
	conn, err := db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		own, ok := c.(T)
		if !ok {
			return fmt.Errorf("unexpected driver %T", c)
		}
		return fn(own)
	})
}

// Function gives SQL a function of a number that is called for each row, in a new connection. A
// process has one function of a name.
func Function(ctx context.Context, db *sqlx.DB, name string, fn func(int64) bool) error {
	err := sqlite.RegisterScalarFunction(name, 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		n, _ := args[0].(int64)
		return fn(n), nil
	})
	if err != nil {
		return err
	}
	conn, err := db.Connx(ctx)
	if err != nil {
		return err
	}
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // those opened before lack it
	_ = conn.Close()
	return nil
}
