package search

import (
	"context"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/sqlhook"
)

// OnPrepare calls fn whenever SQLite prepares a query.
func (s *Store) OnPrepare(ctx context.Context, fn func()) error {
	return sqlhook.OnPrepare(ctx, s.db.DB, fn)
}

// What the tests that pin the plans of queries need.
type Span = span

var (
	AnswersQuery = answersQuery
	FindQuery    = findQuery
	MatchNeed    = matchNeed
	NewestQuery  = newestQuery
	ResultsQuery = resultsQuery
	RowsQuery    = rowsQuery
	ScanQuery    = scanQuery
)

const (
	StatusQuery = statusQuery
	SpanQuery   = spanQuery
	TurnsQuery  = turnsQuery
)

// CommonWord is how many texts must have a word for only the newest of them to be ranked by it.
const CommonWord = commonWord

// NeedOf is the condition for containing a string.
func NeedOf(s string) history.Need { return history.NeedOf([]string{s}) }

// Reading answers queries by reading every text instead of asking the indexes.
type Reading struct{ *Store }

// Search implements history.Searcher.
func (s Reading) Search(ctx context.Context, q history.Query) (history.Result, error) {
	steps, err := plan(q)
	for i := range steps {
		steps[i].words, steps[i].need = nil, nil
	}
	if err != nil {
		return history.Result{}, err
	}
	return s.follow(ctx, q, steps)
}
