package sqlite

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// SegmentFrom sets how many texts an import makes a segment of.
func (s *Store) SegmentFrom(n int) { s.segmentFrom = n }

// OnWrite calls fn before each row is changed and before each commit, for tests that
// kill the process there.
func (s *Store) OnWrite(ctx context.Context, fn func()) error {
	bulk, err := s.bulk.open(s)
	if err != nil {
		return err
	}
	for _, db := range []*sqlx.DB{s.db, bulk} {
		if err := onWrite(ctx, db, fn); err != nil {
			return err
		}
	}
	return nil
}

func onWrite(ctx context.Context, db *sqlx.DB, fn func()) error {
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
		own.RegisterUpdateHook(func(int, string, string, int64) { fn() })
		own.RegisterCommitHook(func() int { fn(); return 0 })
		return nil
	})
}

// Segments counts the segments of the index of words.
func (s *Store) Segments(ctx context.Context) (n int, err error) {
	record, err := s.structure(ctx, "words_fts")
	if err != nil {
		return 0, err
	}
	st, _ := readStructure(record)
	for _, l := range st.levels {
		n += len(l.segments)
	}
	return n, nil
}
