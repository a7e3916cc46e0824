package prune

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
)

// Original is what a message is to say once nothing is pruned any more.
type Original struct {
	EntryID string
	// Content is its content, a JSON value. That of a response is without thinking that is
	// invalid behind what changes; Cleared is set then.
	Content []byte
	Cleared bool
}

// Undo returns the messages to change so that the model sees the session as if nothing had been
// pruned, the newest first. All thinking behind the first of them has to go, and with all that
// in front of it, too: then a change of what precedes the conversation is safe as well, such as
// that tools are declared no more. m is the model of the coming request.
func (b *Branch) Undo(m Model, all bool) ([]Original, error) {
	ours := make(map[string]bool, len(b.pruned))
	for _, p := range b.pruned {
		ours[p.EntryID] = true
	}
	var out []Original
	behind := all
	for i := range b.items {
		it := &b.items[i]
		pruned := ours[it.Node.ID]
		behind = behind || pruned
		if !behind {
			continue
		}
		one, changed, err := b.original(it, pruned, &m)
		if err != nil {
			return nil, err
		}
		if changed {
			out = append(out, one)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// original returns what the message of an item is to say, and whether it says that already. A
// message that is not pruned stays as it is but for its thinking.
func (b *Branch) original(it *message.Item, pruned bool, m *Model) (Original, bool, error) {
	one := Original{EntryID: it.Node.ID}
	raw, err := b.line(it.Node)
	if err != nil {
		return one, false, fmt.Errorf("read entry %s: %w", it.Node.ID, err)
	}
	h, body := it.Node.Message, it.Node.Body.Of(raw)
	if it.Edit != nil && !pruned {
		var p message.Parser
		if h, body, err = it.Message(&p, b.line); err != nil {
			return one, false, fmt.Errorf("read entry %s: %w", it.Node.ID, err)
		}
	}
	if policy.Clearable(&h) && m.binds(&h) {
		content, ok := policy.WithoutThinking(&h, body)
		one.Content, one.Cleared = []byte(content), ok
		return one, ok, nil
	}
	one.Content = slices.Clone(h.Content.Span.Of(body))
	return one, pruned, nil
}
