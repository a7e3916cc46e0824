package history

import (
	"context"
	"math/bits"
	"slices"
	"sort"

	"github.com/coctostan/pictx/core/message"
)

// Prompter is a SearchStore that knows the prompt before an entry.
type Prompter interface {
	// PromptsBefore returns, by Row.Content, the key of the text of the last prompt before
	// each row; a row without a prompt shortly before it is missing.
	PromptsBefore(ctx context.Context, rows []Row) (map[int64]int64, error)
}

const (
	maxPrompted = 60  // best texts whose prompts are considered
	promptShare = 0.5 // share of the weight of a word that only the prompt has
)

// creditPrompts credits the best texts with words of the preceding prompt: "yes, both of
// them" answers a question without repeating a word of it.
func (r *ranking) creditPrompts(ctx context.Context) error {
	st, ok := r.st.(Prompter)
	if !ok {
		return nil
	}
	sort.SliceStable(r.list, func(i, j int) bool { return before(r.list[i], r.list[j]) })
	best := r.list[:min(maxPrompted, len(r.list))]
	var rows []Row
	for _, c := range best {
		if c.text == "" && c.Role != message.RoleUser {
			rows = append(rows, c.Row)
		}
	}
	prompts, err := st.PromptsBefore(ctx, rows)
	if err != nil || len(prompts) == 0 {
		return err
	}
	held, err := r.heldByPrompts(ctx, prompts)
	if err != nil {
		return err
	}
	for i := range best {
		if c := &best[i]; c.text == "" {
			c.inPrompt = held[prompts[c.Content]]
		}
	}
	r.score()
	return nil
}

// heldByPrompts returns which terms some prompts contain, by the keys of their texts.
func (r *ranking) heldByPrompts(ctx context.Context, prompts map[int64]int64) (map[int64]uint64, error) {
	held := make(map[int64]uint64)
	for _, c := range r.list {
		if c.text == "" {
			held[c.Content] = c.held
		}
	}
	var unread []int64
	for _, key := range prompts {
		if _, known := held[key]; !known && !slices.Contains(unread, key) {
			unread = append(unread, key)
		}
	}
	if len(unread) == 0 {
		return held, nil
	}
	within := Filter{Sessions: r.q.Filter.Sessions, Stored: r.q.Filter.Stored}
	_, err := r.st.Scan(ctx, within, Probe{Texts: unread}, r.look, func(row Row, seen Inspection) bool {
		if seen.weight != nil {
			held[row.Content] = seen.weight.held
		}
		return true
	})
	return held, err
}

// inherited is the score of a text for terms that only the prompt before it contains.
func (ws weights) inherited(own, asked uint64) (sum float64) {
	for h := asked &^ own; h != 0; h &= h - 1 {
		sum += ws[bits.TrailingZeros64(h)]
	}
	return promptShare * sum
}
