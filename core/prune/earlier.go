package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// withPast adds to the situation what happened on the branch before its last compaction, and
// what requests on other branches cost. An account that started over would count earlier
// savings as lost, and a provider whose cache missed before will miss again. The bill of a
// request that a compaction kept counts once; its collapse counts on both sides, which errs
// on the side of caution.
func (b *Branch) withPast(sit policy.Situation) (policy.Situation, error) {
	with, err := b.compacted(sit)
	if err == nil {
		err = b.addForks(&with, sit)
	}
	return with, err
}

// maxForkMessages bounds how many messages are billed again because they lead to requests
// on other branches. A session file that consists of forks would take forever.
const maxForkMessages = 50_000

// addForks adds to the bill what the requests on other branches of the session cost. Those
// of old branches are left out when there are too many.
func (b *Branch) addForks(with *policy.Situation, sit policy.Situation) error {
	room := maxForkMessages
	billAt := func(leaf string) (bill.Bill, error) {
		at, err := NewBranch(b.Session, b.source.tree, leaf, b.source.line, b.stored)
		if err != nil {
			return bill.Bill{}, fmt.Errorf("read another branch: %w", err)
		}
		room -= len(at.Messages)
		there := sit
		there.Declared = sit.DeclaredAt(at.source.asides())
		if there.Warmed, err = ledger.Warmed(at.source.asides(), b.source.line); err != nil {
			return bill.Bill{}, err
		}
		there, err = at.compacted(there)
		there.PlainFrom = at.source.plainFrom
		return policy.PastOf(there, at.Messages).Bill, err
	}
	for _, f := range b.source.tree.Forks(b.Leaf) {
		if room < 0 {
			with.Before.Unbilled++
			continue
		}
		end, err := billAt(f.Leaf)
		if err != nil {
			return err
		}
		start, err := billAt(f.From)
		if err != nil {
			return err
		}
		with.Before = with.Before.Plus(end.Minus(start))
	}
	return nil
}

// compacted adds to a situation what happened before the compactions of the branch.
func (b *Branch) compacted(sit policy.Situation) (policy.Situation, error) {
	with := sit
	for _, node := range b.source.asides() {
		if node.Type != message.EntryCompaction {
			continue
		}
		before, err := NewBranch(b.Session, b.source.tree, node.ParentID, b.source.line, b.stored)
		if err != nil {
			return sit, fmt.Errorf("read what was compacted: %w", err)
		}
		with.PlainFrom = before.source.plainFrom
		past := policy.PastOf(with, before.Messages)
		if err := compact(&past, b, before, node); err != nil {
			return sit, err
		}
		with = past.Before(with)
	}
	with.PlainFrom = sit.PlainFrom
	return with, nil
}

// compact adds the requests of a compaction to what happened before it. The session says
// what was sent. A compaction by the agent itself costs the same with and without pictx.
func compact(p *policy.Past, b, before *Branch, node *message.Node) error {
	path := b.source.tree.Path(node.ID)
	after := message.WithoutSystem(message.ContextOf(path))
	plain := ledger.PlainCompaction(before.source.items, after[ledger.PlainKept(path, after):], token.Estimate(&node.Message))
	plain.Input, plain.Output = p.Billed(plain.Input), p.Billed(plain.Output)
	raw, err := b.source.line(node)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", node.ID, err)
	}
	sent, known, ours := ledger.Summarized(raw)
	if !known {
		sent = plain
	}
	if !ours {
		plain = sent
	}
	p.Compact(plain, sent)
	return nil
}
