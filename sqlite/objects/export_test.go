package objects

import (
	"context"

	"github.com/coctostan/pictx/internal/sqlhook"
)

// OnWrite calls fn before each row is changed and before each commit.
func (s *Store) OnWrite(ctx context.Context, fn func()) error {
	return sqlhook.OnWrite(ctx, s.db.DB, fn)
}

// AsOfQueries is for the test that pins the plans of queries.
var AsOfQueries = asOfQueries
