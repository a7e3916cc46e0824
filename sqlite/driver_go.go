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

// copyDatabase calls fn with the copying of a database over the one that dsn names.
func copyDatabase(ctx context.Context, from *sqlx.DB, dsn string, fn func(copying) error) error {
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
			return err
		}
		return errors.Join(fn(goCopy{b}), b.Finish())
	})
}

// goCopy implements copying.
type goCopy struct{ *sqlite.Backup }

// Step implements copying.
func (b goCopy) Step(pages int) error {
	_, err := b.Backup.Step(int32(pages))
	return err
}
