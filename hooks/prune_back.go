package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
)

// askEntry is the custom type of entries that record what the user asked for while a turn was
// running: it is done before the next one.
const askEntry = "pictx.ask"

// askData is the data of an askEntry.
type askData struct {
	// Prune asks for pruning.
	Prune bool `json:"prune,omitzero"`
	// Restore are the ids of results to show again, or restoreAll alone.
	Restore []string `json:"restore,omitempty"`
}

// restoreAll stands for everything that is pruned.
const restoreAll = "all"

// busy reports whether a turn is running. An agent that does not say is taken to be busy while
// its last message waits for an answer.
func busy(ctx context.Context, c *Call) bool {
	if c.Idle != nil {
		return !*c.Idle
	}
	_, path, err := c.Branch(ctx)
	if err != nil {
		return false
	}
	for _, n := range slices.Backward(path) {
		if n.Type != message.EntryMessage {
			continue
		}
		switch h := &n.Message; h.Role {
		case message.RoleAssistant:
			return !message.Voided(h) && len(h.Calls) > 0
		case message.RoleUser, message.RoleToolResult:
			return true
		}
	}
	return false
}

// wait records what is to be done before the next turn.
func wait(c *Call, what askData) {
	c.Result().Entries = append(c.Result().Entries, CustomEntry(askEntry, what))
}

// waiting returns what the user has asked for since the last prompt.
func waiting(ctx context.Context, c *Call) (all askData, err error) {
	session, path, err := c.Branch(ctx)
	if err != nil {
		return all, err
	}
	last := len(path)
	for last > 0 && !(path[last-1].Type == message.EntryMessage && path[last-1].Message.Role == message.RoleUser) {
		last--
	}
	err = eachCustomOf(session, path[last:], askEntry, func(d askData, _ *message.Node) {
		all.Prune = all.Prune || d.Prune
		all.Restore = append(all.Restore, d.Restore...)
	})
	return all, err
}

// clearThinking adds to the reply the removal of thinking that becomes invalid: behind results that
// are shown again or, without any, all of it, because something in front of the conversation changes.
func (s Prune) clearThinking(ctx context.Context, c *Call, back ...string) error {
	m := s.moment(c)
	m.Restored, m.Unsound, m.Boundary = back, len(back) == 0, true
	d, err := s.evaluate(ctx, c, m, prune.Choice{Why: "nothing"})
	if err != nil || len(d.Tell) == 0 {
		return err
	}
	if m.Unsound { // d tells all edits again
		r := c.Result()
		r.Entries = slices.DeleteFunc(r.Entries, func(e Entry) bool { return e.Type == EditEntry("", nil).Type })
	}
	s.addDecision(ctx, c, &d)
	return nil
}

// restoreAllNow runs /pictx restore all: the session becomes what it would be without pruning,
// which is switched off for it.
func (s Prune) restoreAllNow(ctx context.Context, c *Call, what string) error {
	switch {
	case what != restoreAll:
		c.Say("Nothing was restored. To bring back everything: /pictx restore all. To bring back one output: /pictx pin ID", "warning")
		return nil
	case busy(ctx, c):
		wait(c, askData{Restore: []string{restoreAll}})
		c.Say("Everything that is pruned comes back with your next prompt: a turn is running.", "info")
		return nil
	}
	n, err := s.undo(ctx, c)
	if err != nil {
		return err
	}
	if n == 0 {
		c.Say("Nothing is pruned in this session.", "info")
		return nil
	}
	c.Say("Restored "+text.CountPlain(n, "message")+": requests are what they would be without pictx, but for thinking that a change before it had made invalid. Pruning is switched off for this session; /prune-toggle switches it on again.", "info")
	return nil
}

// undo restores everything that is pruned on the branch, and switches pruning off for the
// session. It returns the number of messages that change.
func (s Prune) undo(ctx context.Context, c *Call) (int, error) {
	b, err := branchOf(ctx, c)
	if err != nil || len(b.Pruned()) == 0 {
		return 0, err
	}
	back, err := b.Undo(s.model(c), false)
	if err != nil {
		return 0, err
	}
	var restored prune.PinsData
	var cleared prune.MarksData
	for _, o := range back {
		if c.CanDo(CanContextEdit) {
			c.Result().Entries = append(c.Result().Entries, EditEntry(o.EntryID, o.Content))
		} else if o.Cleared {
			cleared.Marks = append(cleared.Marks, prune.MarkData{ID: o.EntryID, Marker: string(o.Content)})
		}
	}
	for _, p := range b.Pruned() {
		restored.Restored = append(restored.Restored, p.EntryID)
	}
	c.switchedOff = true
	c.Result().Entries = append(c.Result().Entries, CustomEntry(prune.PinsEntry, restored), CustomEntry(toggleEntry, toggleData{Off: true}))
	if len(cleared.Marks) > 0 {
		c.Result().Entries = append(c.Result().Entries, CustomEntry(prune.MarksEntry, cleared))
	}
	c.Add(Status(statusPrune, s.footer(ctx, c, nil, 0)))
	return len(back), nil
}

// restored is a pruned result that is to be shown again.
type restored struct {
	entry   string
	content []byte // as it was, in JSON
}

// restore returns the pruned results of a branch that pins name. Relative paths start from cwd.
func restore(b *prune.Branch, cwd string, pins ...prune.Pin) (out []restored, err error) {
	named := prune.PinsOf(pins)
	for _, r := range b.Shown(cwd) {
		target := slices.ContainsFunc(pins, func(p prune.Pin) bool { return p.Target == r.Entry })
		if !r.Pruned || !target && !named.Names(r.Access, cwd) {
			continue
		}
		h, raw, err := b.Original(r.Entry)
		if err != nil {
			return nil, err
		}
		out = append(out, restored{r.Entry, h.Content.Span.Of(raw)})
	}
	return out, nil
}

// restoredNow returns the pruned results among ids as they were.
func restoredNow(ctx context.Context, c *Call, ids []string) ([]restored, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	b, err := branchOf(ctx, c)
	if err != nil {
		return nil, err
	}
	pins := make([]prune.Pin, len(ids))
	for i, id := range ids {
		pins[i].Target = id
	}
	return restore(b, c.CWD, pins...)
}

// entriesOf returns the ids of restored results.
func entriesOf(back []restored) []string {
	out := make([]string, len(back))
	for i, r := range back {
		out[i] = r.entry
	}
	return out
}

// describeDropped says what providers have reported of thinking that they left out, "" when
// they have reported nothing.
func describeDropped(d prune.Dropped) string {
	if d.Requests == 0 {
		return ""
	}
	says := "The provider left thinking out of " + text.CountPlain(d.Requests, "request") + " because something before it had changed: up to " + text.CountPlain(d.Blocks, "block") + "."
	if d.Ours {
		says += " The first report followed a decision of pictx, so nothing more is pruned in this session. /pictx restore all brings back what is."
	}
	return strings.TrimSpace(says)
}
