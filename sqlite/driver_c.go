//go:build cgo && (sqlite_fts5 || fts5) && !purego

package sqlite

/*
typedef struct sqlite3 sqlite3;
int sqlite3_auto_extension(void (*)(void));
int sqlite3_db_config(sqlite3 *, int, ...);

// SQLITE_DBCONFIG_* in SQLite's interface.
enum { enableQPSG = 1007, defensive = 1010, trustedSchema = 1017 };

// Only plans may be what the library makes of them: without the others nothing is opened.
static int setUp(sqlite3 *db, char **message, const void *api) {
	sqlite3_db_config(db, enableQPSG, 1, (int *)0);
	int failed = sqlite3_db_config(db, defensive, 1, (int *)0);
	return failed ? failed : sqlite3_db_config(db, trustedSchema, 0, (int *)0);
}

static void pictxSetUp(void) { sqlite3_auto_extension((void (*)(void))setUp); }
*/
import "C"

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// driverName is what database/sql calls the driver: SQLite in C.
const driverName = "sqlite3"

// Library describes the SQLite this binary was built with.
func Library() LibraryInfo {
	version, _, _ := sqlite3.Version()
	return LibraryInfo{Version: version, Driver: "in C"}
}

// resultCode returns the primary result code of an error of the driver, 0 for any other error.
func resultCode(err error) int {
	var se sqlite3.Error
	if errors.As(err, &se) {
		return int(se.Code)
	}
	return 0
}

// copyDatabase calls fn with what copies pages of a database, all if negative, over the one that
// dsn names, and what counts the pages to copy. It is one transaction of that one.
func copyDatabase(ctx context.Context, from *sqlx.DB, dsn string, fn func(step func(pages int) error, count func() int) error) error {
	db, err := connectTo(ctx, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	return withDriver(ctx, db, func(into *sqlite3.SQLiteConn) error {
		return withDriver(ctx, from, func(from *sqlite3.SQLiteConn) error {
			b, err := into.Backup("main", from, "main")
			if err != nil {
				return err
			}
			step := func(pages int) error { _, err := b.Step(pages); return err }
			return errors.Join(fn(step, b.PageCount), b.Finish())
		})
	})
}

func withDriver(ctx context.Context, db *sqlx.DB, fn func(*sqlite3.SQLiteConn) error) error {
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

// setUpConnections sets what the driver has no function for, in every connection of the
// process that is opened from now on. Calling it again changes nothing.
//
// The schema of a file that somebody else made runs no function with side effects, and no
// statement writes to the schema itself or to the tables in which FTS5 keeps its indexes.
//
// A statement is planned once, whatever is bound to its parameters. Otherwise SQLite prepares
// one with "LIMIT ?" again for each other limit, and one with "x = ?" when the value becomes
// or stops being 0 or 1. FTS5 looks up every word in every segment with such a statement, and
// there mostly is a segment 1: two of three statements that a search prepared were those.
func setUpConnections() { C.pictxSetUp() }
