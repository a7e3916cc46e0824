package sqlite

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/internal/sqlhook"
)

// SetAsideStepwise is SetAside, which calls fn before each of its steps: each row, each
// commit, and the copy that gets its name.
func SetAsideStepwise(ctx context.Context, path string, fn func()) error {
	db, err := sqlx.ConnectContext(ctx, "sqlite3", dsn(path, Write))
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
