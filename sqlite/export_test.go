package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// OnWrite calls fn before each row is changed and before each commit, for tests that
// kill the process there.
func (s *Store) OnWrite(ctx context.Context, fn func()) error {
	conn, err := s.db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		own, ok := c.(*sqlite3.SQLiteConn)
		if !ok {
			return fmt.Errorf("unexpected driver %T", c)
		}
		own.RegisterUpdateHook(func(int, string, string, int64) { fn() })
		own.RegisterCommitHook(func() int { fn(); return 0 })
		return nil
	})
}

// Segments counts the segments of the index of words, by the pages that FTS5 looks words
// up in.
func (s *Store) Segments(ctx context.Context) (n int, err error) {
	err = s.db.GetContext(ctx, &n, `SELECT count(DISTINCT segid) FROM words_fts_idx`)
	return n, err
}

// SetAsideStepwise is SetAside, which calls fn before each of its steps: each row, each
// commit, and the copy that gets its name.
func SetAsideStepwise(ctx context.Context, path string, fn func()) error {
	db, err := sqlx.ConnectContext(ctx, "sqlite3", dsn(path, Write))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	s := &Store{db: db, path: path, mode: Write, now: func() time.Time { fn(); return time.Now() }}
	if err := s.OnWrite(ctx, fn); err != nil {
		return err
	}
	_, err = s.setAside(ctx)
	return err
}
