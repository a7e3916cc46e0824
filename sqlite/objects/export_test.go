package objects

import (
	"context"

	"github.com/coctostan/pictx/internal/sqlhook"
)

// OnWrite calls fn before each row is changed and before each commit.
func (s *Store) OnWrite(ctx context.Context, fn func()) error {
	return sqlhook.OnWrite(ctx, s.db.DB, fn)
}

// AtQuery is for the test that pins the plan of the query.
const AtQuery = atQuery
