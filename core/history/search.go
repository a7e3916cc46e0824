package history

import (
	"context"
)

const (
	defaultLimit   = 20
	defaultContext = 200
)

// Search answers a query. Without a limit it returns 20 results, without a context 200
// characters on each side of a match.
func Search(ctx context.Context, st Searcher, q Query) (Result, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	if q.Context <= 0 {
		q.Context = defaultContext
	}
	return st.Search(ctx, q)
}
