//go:build !cgo || !(sqlite_fts5 || fts5) || purego

package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// driverName is what database/sql calls the driver: SQLite translated to Go, which needs no C
// compiler and always has full-text search.
const driverName = "sqlite"

// Library describes the SQLite this binary was built with.
func Library() LibraryInfo { return LibraryInfo{Version: lib.SQLITE_VERSION, Driver: "in Go"} }

// setUpConnections does nothing: dsn asks for a defensive connection. Statements are planned
// again for other limits, which costs time alone.
func setUpConnections() {}

// resultCode returns the primary result code of an error of the driver, 0 for any other error.
func resultCode(err error) int {
	var se *sqlite.Error
	if errors.As(err, &se) {
		return se.Code() & 0xff
	}
	return 0
}

// copyDatabase calls fn with what copies pages of a database, all if negative, over the one that
// dsn names, and what counts the pages to copy. It is one transaction of that one.
func copyDatabase(ctx context.Context, from *sqlx.DB, dsn string, fn func(step func(pages int) error, count func() int) error) error {
	conn, err := from.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		own, ok := c.(interface {
			NewBackup(dsn string) (*sqlite.Backup, error)
		})
		if !ok {
			return fmt.Errorf("unexpected driver %T", c)
		}
		b, err := own.NewBackup(dsn)
		if err != nil {
			return Explain(err)
		}
		step := func(pages int) error { _, err := b.Step(int32(pages)); return err }
		return errors.Join(fn(step, b.PageCount), b.Finish())
	})
}
