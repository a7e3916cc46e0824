package store

import (
	"context"
	"fmt"
	"time"

	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/sqlite"
)

// OnWrite calls fn before each row change and each commit.
func (s *Store) OnWrite(ctx context.Context, fn func()) error {
	return sqlhook.OnWrite(ctx, s.db.DB, fn)
}

// CountVisits searches a free id for a text at a time, and counts the rows visited by that.
// A view that counts replaces the table.
func (s *Store) CountVisits(ctx context.Context, at time.Time) (visits int, free int64, err error) {
	name := fmt.Sprintf("visited_%p", s)
	err = sqlhook.Function(ctx, s.db.DB, name, func(int64) bool { visits++; return true })
	if err != nil {
		return 0, 0, err
	}
	conn, err := s.db.Connx(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `CREATE TEMP VIEW content AS SELECT * FROM main.content WHERE `+name+`(id)`); err != nil {
		return 0, 0, err
	}
	var taken int64
	if err := conn.GetContext(ctx, &taken, `SELECT min(id) FROM main.content WHERE id >= ?`, sqlite.TextID(at.UnixMilli(), [32]byte{})); err != nil {
		return 0, 0, err
	}
	free, err = sqlite.FreeTextID(ctx, conn, taken)
	return visits, free, err
}
