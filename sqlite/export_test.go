package sqlite

import (
	"context"
	"fmt"

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
