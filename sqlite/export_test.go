package sqlite

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/internal/sqlhook"
)

// SetAsideStepwise is SetAside with a call of fn before each step: each row change, each
// commit, and the renaming of the copy.
func SetAsideStepwise(ctx context.Context, path string, fn func()) error {
	db, err := sqlx.ConnectContext(ctx, driverName, dsn(path, Write))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if err := sqlhook.OnWrite(ctx, db, fn); err != nil {
		return err
	}
	d := &DB{DB: db, path: path, mode: Write, now: func() time.Time { fn(); return time.Now() }}
	_, err = d.setAside(ctx)
	return err
}

// OpenAfter is Open by a later program, which has these migrations besides.
func OpenAfter(ctx context.Context, path string, mode Mode, later ...string) (*DB, error) {
	return openMigrated(ctx, path, mode, time.Now, append(migrations(), later...))
}

// Migrations are those of this program.
func Migrations() []string { return migrations() }

// Marked reports whether a writer that an agent waits for is waiting for a store.
func Marked(path string) bool { return marked(path) }

// MarkSuffix makes the path of a mark from that of the store.
const MarkSuffix = markSuffix
