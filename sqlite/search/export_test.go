package search

import (
	"context"

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
	ResultsQuery = resultsQuery
	FindQuery    = findQuery
	KindQuery    = kindQuery
	MatchQuery   = matchQuery
	ScanQuery    = scanQuery
	Spell        = literal
)

const (
	DueQuery      = dueQuery
	LackingQuery  = lackingQuery
	PromptsQuery  = promptsQuery
	ReplacedQuery = replacedQuery
	SpanQuery     = spanQuery
	TurnsQuery    = turnsQuery
)

// AloneTexts is how many texts of a scan the goroutine that reads them inspects itself.
const AloneTexts = aloneTexts
