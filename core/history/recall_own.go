package history

import (
	"bytes"
	"context"

	"github.com/coctostan/pictx/core/message"
)

// withoutOwnCalls is a store in which our tools were never called. A call holds
// the words it searches for: it would be the first to be found by the same
// question, and the question would never be loosened. Their results are not
// searched in any store.
type withoutOwnCalls struct{ SearchStore }

// Match implements SearchStore: the rows that match by more than a call.
func (s withoutOwnCalls) Match(ctx context.Context, x Expr, f Filter, o Order, limit, offset int) ([]Row, error) {
	var kept []Row
	size := limit + offset
	for at := 0; ; at += size {
		rows, err := s.SearchStore.Match(ctx, x, f, o, size, at)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			ok, err := s.matches(ctx, x, r)
			if err != nil {
				return nil, err
			}
			if ok {
				kept = append(kept, r)
			}
		}
		if len(rows) < size || len(kept) >= size {
			return kept[min(offset, len(kept)):min(size, len(kept))], nil
		}
	}
}

// matches tells whether a row that matches does so without calls of our tools.
func (s withoutOwnCalls) matches(ctx context.Context, x Expr, r Row) (bool, error) {
	if r.Role != message.RoleAssistant {
		return true, nil
	}
	raw, err := s.SearchStore.Raw(ctx, r)
	if err != nil {
		return false, err
	}
	rest, changed := leaveOut(raw)
	return !changed || x.held(rowText(rest)) != 0, nil
}

// Scan implements SearchStore.
func (s withoutOwnCalls) Scan(ctx context.Context, f Filter, unindexed bool, fn func(Row, []byte) bool) error {
	return s.SearchStore.Scan(ctx, f, unindexed, func(r Row, raw []byte) bool {
		if r.Role == message.RoleAssistant {
			raw, _ = leaveOut(raw)
		}
		return fn(r, raw)
	})
}

// Raw implements SearchStore.
func (s withoutOwnCalls) Raw(ctx context.Context, r Row) ([]byte, error) {
	raw, err := s.SearchStore.Raw(ctx, r)
	if err == nil && r.Role == message.RoleAssistant {
		raw, _ = leaveOut(raw)
	}
	return raw, err
}

// leaveOut returns an answer's line as it is when it has no call of ours, else
// one that says the same but for these calls, and whether it is another.
func leaveOut(raw []byte) ([]byte, bool) {
	if !bytes.Contains(raw, []byte(`"`+ownPrefix)) {
		return raw, false
	}
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return raw, false
	}
	c := &e.Message.Content
	var kept []message.Block
	for _, b := range c.Blocks {
		if b.Kind != message.BlockToolCall || !OwnTool(e.Message.Calls[b.Call].Name) {
			kept = append(kept, b)
		}
	}
	if len(kept) == len(c.Blocks) {
		return raw, false
	}
	c.Blocks = kept
	text := string(e.AppendText(nil, raw))
	line := message.AppendQuote([]byte(`{"type":"message","message":{"role":"assistant","content":`), text)
	return append(line, "}}"...), true
}

// ownPrefix is what OwnTool knows our tools by, for a look at lines that are not
// parsed. A name that is escaped in its line is not found by it: pi escapes none.
const ownPrefix = "lcm_"
