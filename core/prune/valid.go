package prune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
)

// changed returns the position of the first message with thinking that is invalid: something
// before it has changed since the model wrote it, or changes at this moment. It returns 0 when
// there is none. binds reports whether the model of a response binds its thinking.
//
// It follows from the entries alone, so that what another process decided, an interrupted
// decision, a compaction by the agent itself and the edits of an older pictx are all found.
func (b *Branch) changed(m Moment, binds func(*message.Head) bool) (int, error) {
	refused, err := b.refused()
	if m.Unsound || refused || err != nil {
		return 1, err
	}
	decided := make(map[string][]string) // the entries of marks, by that at which they were decided
	for i := range b.Untold {
		decided[b.Untold[i].Leaf] = append(decided[b.Untold[i].Leaf], b.Untold[i].EntryID)
	}
	since := make(map[string]int) // the last change of each entry, by its place on the path
	last := -1                    // the last change of anything before the present entry
	for i, n := range b.path {
		switch n.Type {
		case message.EntryCompaction:
			last = i
		case message.EntryContextEdit:
			since[n.Target] = i
		}
		for _, entry := range decided[n.ID] {
			since[entry] = i
		}
	}
	for _, entry := range m.Restored {
		since[entry] = len(b.path)
	}
	thinks := make(map[string]int) // positions in the context
	for i := range b.Messages {
		if h := b.Messages[i].Head; policy.Clearable(h) && binds(h) {
			thinks[b.Messages[i].EntryID] = i
		}
	}
	for i, n := range b.path {
		if place, ok := thinks[n.ID]; ok && last >= i {
			return place, nil
		}
		if at, ok := since[n.ID]; ok {
			last = max(last, at)
		}
	}
	return 0, nil
}

// refused reports whether the provider refused the last request because of thinking that is
// not valid any more.
func (b *Branch) refused() (bool, error) {
	for _, n := range slices.Backward(b.path) {
		if n.Type != message.EntryMessage || n.Message.Role != message.RoleAssistant {
			continue
		}
		if n.Message.StopReason != "error" {
			return false, nil
		}
		raw, err := b.line(n)
		if err != nil {
			return false, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		var p message.Parser
		return isRefusal(p.StringMember(n.Body.Of(raw), "errorMessage")), nil
	}
	return false, nil
}

// isRefusal reports whether the text of a failed request says that thinking does not belong
// where it stands. Providers word it in several ways.
func isRefusal(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "thinking") && (strings.Contains(text, "signature") || strings.Contains(text, "different conversation"))
}

// Dropped is what providers have reported of thinking that they left out of requests.
type Dropped struct {
	// Blocks is the largest number of blocks that one request of the branch left out, and
	// Requests the number of requests that left any out.
	Blocks, Requests int
	// Ours is set when the first such report follows a decision to prune, which should have
	// cleared that thinking. Nothing more is pruned in that session then.
	Ours bool
}

// Dropped returns what providers have reported on the branch. Providers repeat their reports
// with every request. Where the thinking of a response cannot be removed from the session (see
// policy), that of the time before a decision is expected to be left out.
func (b *Branch) Dropped() (d Dropped) {
	blocks, left, before := 0, 0, 0 // thinking so far, that before a decision, that of the last report
	decided := false                // since the last response
	for _, n := range b.path {
		if kind := n.Message.CustomType; n.Type == message.EntryCustom && (kind == DecisionEntry || kind == MarksEntry) {
			decided, left = true, blocks
		}
		if n.Type != message.EntryMessage || n.Message.Role != message.RoleAssistant || message.Voided(&n.Message) {
			continue
		}
		dropped := len(n.Message.Dropped)
		if dropped > 0 {
			d.Requests++
			d.Blocks = max(d.Blocks, dropped)
			tied := strings.HasSuffix(n.Message.API, "-responses") // to its calls: it cannot be removed
			d.Ours = d.Ours || decided && dropped > before && (!tied || dropped > left)
		}
		before, decided = dropped, false
		blocks += n.Message.Content.ThinkingBlocks()
	}
	return d
}
