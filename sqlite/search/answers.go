package search

import (
	"context"

	"github.com/coctostan/pictx/core/history"
)

const (
	maxAnswers    = 3    // the last replies of a turn, of which some may have calls
	maxTurnLength = 2000 // entries of a turn, after which an answer is no longer looked for
)

// Answers implements history.Answerer.
func (s *Store) Answers(ctx context.Context, prompt history.Row, f history.Filter) ([]history.Row, error) {
	query, args := answersQuery(prompt, f)
	return s.rows(ctx, query, args...)
}

// answersQuery is the SQL of Answers; a test pins its plan. It visits the entries of one
// turn, once for where the next begins and once for the replies before that.
func answersQuery(prompt history.Row, f history.Filter) (string, []any) {
	cond, args := Where(f)
	until := prompt.Ordinal + maxTurnLength
	args = append([]any{prompt.ID, prompt.Ordinal, prompt.Ordinal, until, until}, append(args, maxAnswers)...)
	return `SELECT ` + columns + `, 1 AS copies
		FROM messages p CROSS JOIN messages m INDEXED BY messages_conversation ON m.conversation = p.conversation CROSS JOIN conversations c ON c.id = m.conversation
		WHERE p.id = ? AND m.ordinal > ? AND m.ordinal < coalesce((SELECT n.ordinal FROM messages n INDEXED BY messages_conversation
			WHERE n.conversation = p.conversation AND n.ordinal > ? AND n.ordinal < ? AND n.role = 'user' ORDER BY n.ordinal LIMIT 1), ?)
			AND m.role = 'assistant' AND ` + cond + ` ORDER BY m.ordinal DESC LIMIT ?`, args
}
