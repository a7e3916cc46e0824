package search

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/history"
)

// maxTurnLength is how many entries after one are looked at for what came of it.
const maxTurnLength = 2000

// answers returns the last replies between an entry and the next prompt of its session that a
// filter admits, at most a few, the last one first.
func (s *Store) answers(ctx context.Context, entry history.Row, f history.Filter) ([]history.Row, error) {
	query, args := answersQuery(entry, f)
	return s.rows(ctx, query, args...)
}

// results returns the results of the calls in an entry that a filter admits, in order.
func (s *Store) results(ctx context.Context, call history.Row, f history.Filter) ([]history.Row, error) {
	query, args := resultsQuery(call, f)
	return s.rows(ctx, query, args...)
}

// answersQuery is the SQL of Answers; a test pins its plan.
func answersQuery(entry history.Row, f history.Filter) (string, []any) {
	return followers(entry, f, `n.role = 'user'`, `m.role = 'assistant' AND %s ORDER BY m.ordinal DESC LIMIT 3`)
}

// resultsQuery is the SQL of Results; a test pins its plan.
func resultsQuery(call history.Row, f history.Filter) (string, []any) {
	return followers(call, f, `n.role IN ('user', 'assistant')`, `m.role = 'toolResult' AND %s ORDER BY m.ordinal LIMIT 50`)
}

// followers is the SQL of entries that follow one in its session, before the next that ends
// them. It visits those entries once for where they end and once for which are wanted; wanted
// has a place for the conditions of the filter.
func followers(r history.Row, f history.Filter, ending, wanted string) (string, []any) {
	cond, args := Where(f)
	until := r.Ordinal + maxTurnLength
	return `SELECT ` + columns + `
		FROM messages p CROSS JOIN messages m INDEXED BY messages_conversation ON m.conversation = p.conversation CROSS JOIN conversations c ON c.id = m.conversation
		WHERE p.id = ? AND m.ordinal > ? AND m.ordinal < coalesce((SELECT n.ordinal FROM messages n INDEXED BY messages_conversation
			WHERE n.conversation = p.conversation AND n.ordinal > ? AND n.ordinal < ? AND ` + ending + ` ORDER BY n.ordinal LIMIT 1), ?) AND ` +
		fmt.Sprintf(wanted, cond), append([]any{r.ID, r.Ordinal, r.Ordinal, until, until}, args...)
}
