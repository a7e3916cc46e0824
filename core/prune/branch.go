package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Mark is a decision about one tool result of a session. The result stays pruned, with the
// same replacement bytes, wherever the entry at which that was decided is on the branch.
type Mark struct {
	// EntryID is the entry of the result.
	EntryID string
	// Leaf is the entry at which the session stood when the decision was made.
	Leaf string
	// Marker replaces the content.
	Marker string
	// Source is that of the Edit, Reason the code of the Edit's reason.
	Source, Reason string
	// Tokens and MarkerTokens are the estimated sizes before and after.
	Tokens, MarkerTokens token.Count
	// Time is when the decision was made, in Unix milliseconds.
	Time int64
}

// Content is the JSON value that replaces the result's content.
func (m *Mark) Content() []byte { return marker.Content(m.Marker) }

// MarksEntry is the type of the custom entry that carries marks in the session of an agent
// that has no context edits itself (pi before 0.87).
const MarksEntry = session.MarksEntry

// MarksData is the data of a MarksEntry.
type MarksData struct {
	Marks []MarkData `json:"marks"`
}

// MarkData is one mark of a MarksEntry.
type MarkData = session.NotedMark

// Branch is the context of a session at one of its entries, with the marks applied that are
// in force there. It is not safe for concurrent use.
type Branch struct {
	// Session is the id of the session.
	Session string
	// Leaf is the entry at which it stands.
	Leaf string
	// Messages are in context order, with marks and context edits applied.
	Messages []policy.Message
	// Untold are the marks in force whose results are unpruned in the session itself: the
	// agent has still to be told.
	Untold []Mark

	keys    []Key // parallel to Messages
	pruned  []PrunedResult
	decided bool
	stored  []Mark
	earlier token.Count     // left out by marks in force on messages that a compaction removed
	carried map[string]bool // the entries whose marks the session itself has on this branch
	walked  *session.Session

	tree  *message.Tree
	path  []*message.Node
	items []message.Item // parallel to Messages before Expect and Align
	line  session.Line
	text  []byte // buffer of textOf
}

// Key identifies a message of a context when its entry is unknown.
type Key struct {
	Role       message.Role
	Timestamp  int64 // Unix milliseconds
	ToolCallID string
}

// NewBranch reads the context of t at leaf. line returns the bytes of an entry, which need
// to be valid only until the next call. stored are the stored marks of the session, from
// all of its branches.
func NewBranch(session string, t *message.Tree, leaf string, line func(*message.Node) ([]byte, error), stored []Mark) (*Branch, error) {
	path := t.Path(leaf)
	items := message.WithoutSystem(message.ContextOf(path))
	b := &Branch{
		Session: session, Leaf: leaf, Messages: make([]policy.Message, len(items)), keys: make([]Key, len(items)),
		tree: t, path: path, items: items, line: line,
	}
	marks, carried, err := marksOn(path, line, stored)
	if err != nil {
		return nil, err
	}
	b.stored, b.carried = stored, carried
	b.decided = len(stored) > 0 || carriesDecision(t)
	for i := range items {
		it := &items[i]
		b.keys[i] = Key{it.Head.Role, it.Head.Timestamp, it.Head.ToolCallID}
		if err := b.setMessage(i, it, marks[it.Node.ID]); err != nil {
			return nil, err
		}
		delete(marks, it.Node.ID)
	}
	for _, m := range marks {
		b.earlier += m.Tokens - m.MarkerTokens
	}
	return b, nil
}

// setMessage makes the message at i from an item and its mark, which may be nil.
func (b *Branch) setMessage(i int, it *message.Item, mark *Mark) error {
	m, err := fromItem(it, b.line, mark)
	b.Messages[i] = m
	switch {
	case err != nil:
		return err
	case m.Marked, m.Excerpt:
		b.pruned = append(b.pruned, PrunedResult{it.Node.ID, it.Head.ToolName, token.Estimate(&it.Node.Message), token.Estimate(it.Head)})
	case it.Head.Role == message.RoleAssistant && it.Edit != nil:
		b.noteTrimmed(it)
	case mark != nil && it.Edit == nil:
		b.apply(i, *mark)
	}
	return nil
}

// noteTrimmed lists an assistant message that the session's own edit has trimmed.
func (b *Branch) noteTrimmed(it *message.Item) {
	was, now := token.Estimate(&it.Node.Message), token.Estimate(it.Head)
	if now < was || it.Head.Content.ThinkingBlocks() != it.Node.Message.Content.ThinkingBlocks() { // else it is not an edit of pictx
		b.pruned = append(b.pruned, PrunedResult{it.Node.ID, "", was, now})
	}
}

// withoutLost returns the branch as the agent knows it. When stored marks are neither edits
// nor marks in the session, the reply that carried them was lost and the request went out
// unpruned. To tell the agent now would have the prompt written to the cache twice, so the
// planner decides about their results again.
func (b *Branch) withoutLost() (*Branch, error) {
	lost := make(map[string]bool)
	for i := range b.Untold {
		if m := &b.Untold[i]; m.Time > 0 && !b.carried[m.EntryID] {
			lost[m.EntryID] = true
		}
	}
	if len(lost) == 0 {
		return b, nil
	}
	var known []Mark
	for _, m := range b.stored {
		if !lost[m.EntryID] {
			known = append(known, m)
		}
	}
	again, err := NewBranch(b.Session, b.tree, b.Leaf, b.line, known)
	if again != nil {
		again.decided, again.stored = b.decided, b.stored
	}
	return again, err
}

// DecisionEntry is the type of the custom entry that explains a decision in the session.
const DecisionEntry = "pictx.prune"

// carriesDecision reports whether the session records that something was pruned.
func carriesDecision(t *message.Tree) bool {
	for _, n := range t.Customs() {
		if n.Message.CustomType == MarksEntry || n.Message.CustomType == DecisionEntry {
			return true
		}
	}
	return false
}

// Walked returns the requests of the session once a decision has asked for them, nil before.
func (b *Branch) Walked() *session.Session { return b.walked }

// Decided reports whether anything was pruned in this session before, on any branch.
func (b *Branch) Decided() bool { return b.decided }

// Remembered returns the stored marks that NewBranch was given.
func (b *Branch) Remembered() []Mark { return b.stored }

// MarksOn returns the marks in force on a path, by entry: those in the session itself and
// the stored ones.
func MarksOn(path []*message.Node, line func(*message.Node) ([]byte, error), stored []Mark) (map[string]*Mark, error) {
	inForce, _, err := marksOn(path, line, stored)
	return inForce, err
}

// marksOn is MarksOn, with the entries whose marks the session itself has.
func marksOn(path []*message.Node, line session.Line, stored []Mark) (inForce map[string]*Mark, carried map[string]bool, err error) {
	inForce, carried = make(map[string]*Mark, len(stored)), make(map[string]bool)
	at := make(map[string][]*Mark) // the stored ones, by leaf
	for i := range stored {
		at[stored[i].Leaf] = append(at[stored[i].Leaf], &stored[i])
	}
	var p message.Parser
	for _, n := range path {
		for _, m := range at[n.ID] {
			inForce[m.EntryID] = m
		}
		noted, err := session.ReadNoted(&p, n, line)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range noted.Marks {
			carried[m.ID] = true
			if _, known := inForce[m.ID]; !known {
				inForce[m.ID] = &Mark{EntryID: m.ID, Marker: m.Marker, Leaf: n.ID, Time: n.Time}
			}
		}
		for _, id := range noted.Restored {
			delete(inForce, id)
		}
	}
	return inForce, carried, nil
}

// EditedBy returns the entries whose content the line of an entry replaces: of a context edit, or
// of a MarksEntry.
func EditedBy(line []byte) (ids []string) {
	var p message.Parser
	e, err := p.ParseEntry(line)
	switch {
	case err != nil:
	case e.Type == message.EntryContextEdit:
		ids = append(ids, e.Target)
	case e.Message.CustomType == MarksEntry:
		for _, m := range session.ParseNoted(&p, line).Marks {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// apply applies a mark to a message that is unpruned in the session.
func (b *Branch) apply(i int, m Mark) {
	h := b.Messages[i].Head
	trims := h != nil && h.Role == message.RoleAssistant && marker.IsContent(m.Marker)
	if h == nil || h.Role != message.RoleToolResult && !trims {
		return
	}
	if m.Tokens == 0 { // the session carries the mark, the store does not
		m.Tokens, m.MarkerTokens = token.Estimate(h), token.OfText(m.Marker)
	}
	b.Messages[i] = policy.Replaced(b.Messages[i], m.EntryID, m.Marker)
	b.Untold = append(b.Untold, m)
	b.pruned = append(b.pruned, PrunedResult{m.EntryID, h.ToolName, m.Tokens, m.MarkerTokens})
}

// fromItem makes a Message of an item of a session. It reads from the file only what may be
// a marker or an excerpt, and not even that when it is as long as the marker of a known mark:
// otherwise every event would read hundreds of lines.
func fromItem(it *message.Item, line func(*message.Node) ([]byte, error), known *Mark) (policy.Message, error) {
	m := policy.Message{EntryID: it.Node.ID, Head: it.Head}
	if it.Head.Role != message.RoleToolResult || it.Edit == nil && it.Head.Content.Chars > marker.MaxUnits {
		return m, nil
	}
	if known != nil && it.Edit != nil && it.Edit.Message.Content.Chars == text.Units(known.Marker) {
		m.Excerpt = marker.IsExcerpt(known.Marker)
		m.Marked = !m.Excerpt
		return m, nil
	}
	from, h := it.Node, *it.Head
	if it.Edit != nil { // the edit holds the current content
		from = it.Edit
		h.Content = it.Edit.Message.Content
	}
	raw, err := line(from)
	if err != nil {
		return m, fmt.Errorf("read entry %s: %w", from.ID, err)
	}
	m.Marked = marker.Is(&h, from.Body.Of(raw))
	m.Excerpt = it.Edit != nil && !m.Marked && marker.HasExcerpt(&h, from.Body.Of(raw))
	return m, nil
}

// Expect adds a message that is about to come, such as the user's prompt, and has no entry
// yet.
func (b *Branch) Expect(role message.Role) {
	b.Messages = append(b.Messages, policy.Message{Head: &message.Head{Role: role}})
	b.keys = append(b.keys, Key{Role: role})
}

// Align reorders the messages to match keys, which are those of the context that the agent
// is about to send. Of a message that is not in the session only the role is known. Align
// returns the position in keys of every message, by its entry; the map belongs to the
// branch.
func (b *Branch) Align(keys []Key) map[string]int {
	messages := make([]policy.Message, len(keys))
	at := make(map[string]int, len(keys))
	var byKey map[Key][]int
	next := 0 // almost always both have the same order
	for i, k := range keys {
		from := -1
		if byKey == nil && next < len(b.keys) && b.keys[next] == k {
			from = next
			next++
		} else {
			if byKey == nil {
				byKey = b.keysFrom(next)
			}
			if found := byKey[k]; len(found) > 0 {
				from, byKey[k] = found[0], found[1:]
			}
		}
		if from < 0 {
			messages[i] = policy.Message{Head: &message.Head{Role: k.Role}}
			continue
		}
		messages[i] = b.Messages[from]
		if id := messages[i].EntryID; id != "" {
			at[id] = i
		}
	}
	b.Messages, b.keys = messages, append([]Key(nil), keys...)
	return at
}

// keysFrom returns the positions of the messages from first on, by their keys.
func (b *Branch) keysFrom(first int) map[Key][]int {
	byKey := make(map[Key][]int)
	for i := first; i < len(b.keys); i++ {
		byKey[b.keys[i]] = append(byKey[b.keys[i]], i)
	}
	return byKey
}

// PrunedResult is a pruned result of a branch, or a trimmed assistant message.
type PrunedResult struct {
	EntryID string
	// ToolName is "" for an assistant message.
	ToolName string
	// Tokens and MarkerTokens are the estimated sizes before and after.
	Tokens, MarkerTokens token.Count
}

// Pruned lists what is pruned on the branch, in context order.
func (b *Branch) Pruned() []PrunedResult { return b.pruned }

// Results returns the number of tool results of the branch.
func (b *Branch) Results() int {
	return policy.CountResults(b.Messages)
}

// Totals counts the tool results of a branch.
type Totals struct {
	// Pruned and Kept are the numbers of results with and without a marker.
	Pruned, Kept int
	// Saved is the size of the pruned ones less that of their markers.
	Saved token.Count
}

// Totals returns the totals of the branch.
func (b *Branch) Totals() Totals {
	t := Totals{Pruned: len(b.pruned), Kept: b.Results()}
	for _, p := range b.pruned {
		if p.ToolName != "" {
			t.Kept--
		}
		t.Saved += p.Tokens - p.MarkerTokens
	}
	return t
}

// LeftOut is how many tokens shorter the requests of the branch are, including what was
// pruned before a compaction. What was restored is sent again, and does not count.
func (b *Branch) LeftOut() token.Count { return b.Totals().Saved + b.earlier }
