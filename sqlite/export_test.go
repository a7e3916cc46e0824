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

// CountVisits looks for an id for a text of some time, and counts the rows of texts that
// this looks at: a view that counts stands in the place of their table.
func (s *Store) CountVisits(ctx context.Context, at time.Time) (visits int, free int64, err error) {
	conn, err := s.db.Connx(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		own, ok := c.(*sqlite3.SQLiteConn)
		if !ok {
			return fmt.Errorf("unexpected driver %T", c)
		}
		return own.RegisterFunc("visited", func(int64) bool { visits++; return true }, false)
	})
	if err != nil {
		return 0, 0, err
	}
	if _, err := conn.ExecContext(ctx, `CREATE TEMP VIEW content AS SELECT * FROM main.content WHERE visited(id)`); err != nil {
		return 0, 0, err
	}
	var taken int64
	if err := conn.GetContext(ctx, &taken, `SELECT min(id) FROM main.content WHERE id >= ?`, textID(at.UnixMilli(), [32]byte{})); err != nil {
		return 0, 0, err
	}
	free, err = nextFree(ctx, conn, taken)
	return visits, free, err
}
