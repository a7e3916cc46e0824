//go:build cgo && (sqlite_fts5 || fts5) && !purego

// Package sqlhook tells tests what SQLite does. It knows no store, so that the tests
// inside the packages of the store can use it.
package sqlhook

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// Driver is the name of the store's driver.
const Driver = "sqlite3"

// OnWrite calls fn before each row is changed and before each commit, for tests that
// kill the process there.
func OnWrite(ctx context.Context, db *sqlx.DB, fn func()) error {
	return driver(ctx, db, func(c *sqlite3.SQLiteConn) error {
		c.RegisterUpdateHook(func(int, string, string, int64) { fn() })
		c.RegisterCommitHook(func() int { fn(); return 0 })
		return nil
	})
}

// OnPrepare calls fn before each statement that reads a table is prepared, and when SQLite
// prepares one again.
func OnPrepare(ctx context.Context, db *sqlx.DB, fn func()) error {
	return driver(ctx, db, func(c *sqlite3.SQLiteConn) error {
		c.RegisterAuthorizer(func(op int, _, _, _ string) int {
			if op == sqlite3.SQLITE_SELECT {
				fn()
			}
			return sqlite3.SQLITE_OK
		})
		return nil
	})
}

// OnTruncate has fn decide whether the log may be truncated by a checkpoint.
func OnTruncate(ctx context.Context, db *sqlx.DB, fn func()) error {
	return driver(ctx, db, func(c *sqlite3.SQLiteConn) error {
		c.RegisterAuthorizer(func(op int, pragma, how, _ string) int {
			if op == sqlite3.SQLITE_PRAGMA && pragma == "wal_checkpoint" && how == "TRUNCATE" {
				fn()
			}
			return sqlite3.SQLITE_OK
		})
		return nil
	})
}

// Function gives SQL a function of a number that is called for each row.
func Function(ctx context.Context, db *sqlx.DB, name string, fn func(int64) bool) error {
	return driver(ctx, db, func(c *sqlite3.SQLiteConn) error { return c.RegisterFunc(name, fn, false) })
}

// driver hands the connection of a database that has one to fn.
func driver(ctx context.Context, db *sqlx.DB, fn func(*sqlite3.SQLiteConn) error) error {
	conn, err := db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		own, ok := c.(*sqlite3.SQLiteConn)
		if !ok {
			return fmt.Errorf("unexpected driver %T", c)
		}
		return fn(own)
	})
}
