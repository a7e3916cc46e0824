package hooks

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
)

// shortenable reports whether there are results that the model has not seen and that may be
// shortened. It looks at their sizes alone.
func shortenable(ctx context.Context, c *Call) bool {
	session, err := c.Project.Session(ctx)
	if err != nil {
		return false
	}
	tree := session.Entries()
	for n := tree.Lookup(c.Leaf(tree)); n != nil; n = tree.Lookup(n.ParentID) {
		switch {
		case n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant:
			return false
		case n.Type == message.EntryMessage && policy.Shortenable(&n.Message):
			return true
		}
	}
	return false
}

// fold replaces the beginning of the conversation. It comes after the edits behind it: an agent
// that is killed in between has lost nothing but thinking.
func (s Prune) fold(ctx context.Context, c *Call, d *prune.Decision) error {
	k, err := s.Fold(ctx, c, d.Fold.EntryID)
	if err != nil {
		return fmt.Errorf("fold the conversation: %w", err)
	}
	if k == nil {
		return nil
	}
	c.Result().Entries = append(c.Result().Entries, Entry{Type: "compaction", Summary: k.Summary, FirstKeptID: message.AppendQuote(nil, k.FirstKeptID), Details: k.Details})
	c.Note("folded what came before the last responses")
	c.Add(Notify(fmt.Sprintf("pictx folded what came before the last responses into an extract, about %s tokens less: the cache was lost anyway. /tree goes back to before.",
		text.Tokens(d.Fold.Tokens-d.Fold.Summary)), "info"))
	return nil
}
