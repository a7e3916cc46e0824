package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
)

// Mark is a decision that was made about one tool result of a session: it stays
// pruned, with the same bytes in its place, as long as the entry at which that was
// decided is on the session's branch.
type Mark struct {
	// EntryID is the entry of the result.
	EntryID string
	// Leaf is the entry at which the session stood when it was decided.
	Leaf string
	// Marker stands in place of the content.
	Marker string
	// Source and Reason are those of the Edit; Reason is its code.
	Source, Reason string
	// Tokens and MarkerTokens are the estimates before and after.
	Tokens, MarkerTokens token.Count
	// Time is when it was decided, in Unix milliseconds.
	Time int64
}

// Content is the JSON value that replaces the result's content.
func (m *Mark) Content() []byte { return marker.Content(m.Marker) }

// MarksEntry is the type of the custom entry that carries marks in the session
// of an agent that keeps no context edits itself (pi before 0.87).
const MarksEntry = "pictx.marks"

// MarksData is the data of a MarksEntry.
type MarksData struct {
	Marks []MarkData `json:"marks"`
}

// MarkData is one of its marks.
type MarkData struct {
	ID     string `json:"id"`
	Marker string `json:"marker"`
}

// Branch is the context of a session at one of its entries, with the marks that
// are in force there. It is for one goroutine.
type Branch struct {
	// Session is the session's id.
	Session string
	// Leaf is the entry it stands at.
	Leaf string
	// Messages are in context order, marks and context edits applied.
	Messages []Message
	// Untold are the marks in force whose results the session itself shows
	// unpruned: the agent has still to be told.
	Untold []Mark

	keys    []Key // of Messages
	pruned  []PrunedResult
	decided bool
	stored  []Mark
	source  branchSource

	follower *follower // nil of a branch that is not followed
	input    *Input    // likewise
}

// Key identifies a message of a context without its entry.
type Key struct {
	Role       message.Role
	Timestamp  int64 // Unix milliseconds
	ToolCallID string
}

// NewBranch reads the context of t at leaf. line returns the bytes of an entry,
// which need to be valid only until the next call. stored are the marks that are
// remembered of the session, whatever branch they were made on.
func NewBranch(session string, t *message.Tree, leaf string, line func(*message.Node) ([]byte, error), stored []Mark) (*Branch, error) {
	path := t.Path(leaf)
	items := message.WithoutSystem(message.ContextOf(path))
	b := &Branch{
		Session: session, Leaf: leaf, Messages: make([]Message, len(items)), keys: make([]Key, len(items)),
		source: branchSource{tree: t, path: path, items: items, line: line, plainFrom: ledger.PlainKept(path, items)},
	}
	marks, err := marksOn(path, line, stored)
	if err != nil {
		return nil, err
	}
	b.stored = stored
	b.decided = len(stored) > 0 || carriesDecision(t)
	b.source.locateMarks(marks)
	for i := range items {
		it := &items[i]
		b.keys[i] = Key{it.Head.Role, it.Head.Timestamp, it.Head.ToolCallID}
		if err := b.setMessage(i, it, marks[it.Node.ID]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// setMessage makes the message at i of an item, and of the mark that it has, if any.
func (b *Branch) setMessage(i int, it *message.Item, mark *Mark) error {
	m, err := fromItem(it, b.source.line, mark)
	b.Messages[i] = m
	switch {
	case err != nil:
		return err
	case m.Marked:
		leaf := ""
		if mark != nil {
			leaf = mark.Leaf
		}
		was := token.Estimate(&it.Node.Message)
		b.Messages[i].Was = []Form{{Tokens: was, Until: b.source.since(leaf, it.Edit)}}
		b.pruned = append(b.pruned, PrunedResult{it.Node.ID, it.Head.ToolName, was, token.Estimate(it.Head)})
	case it.Head.Role == message.RoleAssistant && it.Edit != nil:
		b.setTrimmed(i, it, mark)
	case mark != nil && it.Edit == nil:
		b.apply(i, *mark)
	}
	return nil
}

// setTrimmed makes the message at i of an answer that was trimmed in the session.
func (b *Branch) setTrimmed(i int, it *message.Item, mark *Mark) {
	was, now := token.Estimate(&it.Node.Message), token.Estimate(it.Head)
	blocks := message.Blocks(&it.Node.Message)
	if now >= was {
		return // an edit of somebody else's
	}
	leaf := ""
	if mark != nil {
		leaf = mark.Leaf
	}
	b.Messages[i].Was = []Form{{Tokens: was, Blocks: blocks, Until: b.source.since(leaf, it.Edit)}}
	b.pruned = append(b.pruned, PrunedResult{it.Node.ID, "", was, now})
}

// withoutLost returns the branch as the agent knows it. A reply with remembered marks that
// are neither edits nor marks of its session was lost, and the request went out unpruned.
// To tell them now would have the prompt written twice; what they pruned is up to the
// planner once more.
func (b *Branch) withoutLost() (*Branch, error) {
	carried, err := b.carried()
	if err != nil {
		return b, err
	}
	lost := make(map[string]bool)
	for i := range b.Untold {
		if m := &b.Untold[i]; m.Time > 0 && !carried[m.EntryID] {
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
	again, err := NewBranch(b.Session, b.source.tree, b.Leaf, b.source.line, known)
	if again != nil {
		again.decided, again.stored = b.decided, b.stored
	}
	return again, err
}

// carried are the entries whose marks entries of the branch carry.
func (b *Branch) carried() (map[string]bool, error) {
	var p message.Parser
	carried := make(map[string]bool)
	for _, n := range b.source.path {
		if n.Type != message.EntryCustom || n.Message.CustomType != MarksEntry {
			continue
		}
		raw, err := b.source.line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		for _, m := range parseMarks(&p, raw) {
			carried[m.EntryID] = true
		}
	}
	return carried, nil
}

// DecisionEntry is the type of the custom entry that says, in the session, why a
// decision was made.
const DecisionEntry = "pictx.prune"

// carriesDecision reports whether the session says that something was pruned.
func carriesDecision(t *message.Tree) bool {
	for _, n := range t.Customs() {
		if n.Message.CustomType == MarksEntry || n.Message.CustomType == DecisionEntry {
			return true
		}
	}
	return false
}

// Path is the session from its first entry to the branch's.
func (b *Branch) Path() []*message.Node { return b.source.path }

// Decided reports whether anything was pruned in this session before, on whatever
// branch.
func (b *Branch) Decided() bool { return b.decided }

// Remembered returns the marks of the session that NewBranch was handed.
func (b *Branch) Remembered() []Mark { return b.stored }

// marksOn returns the marks in force on a path, by entry: those that the session
// itself carries, and those that are remembered.
func marksOn(path []*message.Node, line func(*message.Node) ([]byte, error), stored []Mark) (map[string]*Mark, error) {
	marks := make(map[string]*Mark, len(stored))
	at := make(map[string][]*Mark) // the remembered ones, by leaf
	for i := range stored {
		at[stored[i].Leaf] = append(at[stored[i].Leaf], &stored[i])
	}
	var p message.Parser
	for _, n := range path {
		if len(at) > 0 {
			for _, m := range at[n.ID] {
				marks[m.EntryID] = m
			}
		}
		kind := n.Message.CustomType
		if n.Type != message.EntryCustom || kind != MarksEntry && kind != PinsEntry {
			continue
		}
		raw, err := line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		if kind == PinsEntry {
			for _, id := range dataList(&p, raw, "restored") {
				delete(marks, message.Unquote(id))
			}
			continue
		}
		for _, m := range parseMarks(&p, raw) {
			if _, known := marks[m.EntryID]; !known {
				m.Leaf, m.Time = n.ID, n.Time
				marks[m.EntryID] = &m
			}
		}
	}
	return marks, nil
}

// parseMarks reads a MarksEntry. What is not as this package writes it is no
// mark: anything may stand in a session file.
func parseMarks(p *message.Parser, entry []byte) []Mark {
	var out []Mark
	for _, one := range dataList(p, entry, "marks") {
		m := Mark{EntryID: p.StringMember(one, "id"), Marker: p.StringMember(one, "marker")}
		if m.EntryID != "" && m.Marker != "" {
			out = append(out, m)
		}
	}
	return out
}

// apply puts a mark in the place of a result that the session shows as it was.
func (b *Branch) apply(i int, m Mark) {
	h := b.Messages[i].Head
	trims := h != nil && h.Role == message.RoleAssistant && marker.IsContent(m.Marker)
	if h == nil || h.Role != message.RoleToolResult && !trims {
		return
	}
	if m.Tokens == 0 { // of a mark that only the session carries
		m.Tokens, m.MarkerTokens = token.Estimate(h), token.OfText(m.Marker)
	}
	b.Messages[i] = replaced(b.Messages[i], m.EntryID, m.Marker, m.Tokens, b.source.since(m.Leaf, nil))
	b.Untold = append(b.Untold, m)
	b.pruned = append(b.pruned, PrunedResult{m.EntryID, h.ToolName, m.Tokens, m.MarkerTokens})
}

// fromItem makes a Message of an item of a session. Only what may be a marker is
// read from the file, and not even that when it is as long as the marker of a mark
// that is known: hundreds of lines would be read for every event.
func fromItem(it *message.Item, line func(*message.Node) ([]byte, error), known *Mark) (Message, error) {
	m := Message{EntryID: it.Node.ID, Head: it.Head}
	if it.Head.Role != message.RoleToolResult || it.Head.Content.Chars > marker.MaxUnits {
		return m, nil
	}
	if known != nil && it.Edit != nil && it.Edit.Message.Content.Chars == token.Units(known.Marker) {
		m.Marked = true
		return m, nil
	}
	from, h := it.Node, *it.Head
	if it.Edit != nil { // what it says now lies in the edit
		from = it.Edit
		h.Content = it.Edit.Message.Content
	}
	raw, err := line(from)
	if err != nil {
		return m, fmt.Errorf("read entry %s: %w", from.ID, err)
	}
	m.Marked = marker.Is(&h, from.Body.Of(raw))
	return m, nil
}

// final reports whether the branch ends with an answer that calls nothing.
func (b *Branch) final() bool {
	n := len(b.Messages)
	if b.input != nil && b.input.Prompt {
		return false
	}
	return n > 0 && b.Messages[n-1].Head.Role == message.RoleAssistant && len(b.Messages[n-1].Head.Calls) == 0
}

// Expect adds a message that is about to come: the user's prompt, of which the
// session has no entry yet.
func (b *Branch) Expect(role message.Role) {
	if b.input != nil && role == message.RoleUser {
		b.input.Prompt = true
		return
	}
	b.Messages = append(b.Messages, Message{Head: &message.Head{Role: role}})
	b.keys = append(b.keys, Key{Role: role})
}

// Align puts the messages in the order of keys, which are those of the context
// that the agent is about to send. What the session does not have yet is a message
// of which only the role is known. It returns the position of every message in
// keys by its entry.
func (b *Branch) Align(keys []Key) map[string]int {
	messages := make([]Message, len(keys))
	at := make(map[string]int, len(keys))
	var byKey map[Key][]int
	next := 0 // almost always the messages are in the order of the session's
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
			messages[i] = Message{Head: &message.Head{Role: k.Role}}
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

// keysFrom returns the positions of the messages from one on, by their keys.
func (b *Branch) keysFrom(first int) map[Key][]int {
	byKey := make(map[Key][]int)
	for i := first; i < len(b.keys); i++ {
		byKey[b.keys[i]] = append(byKey[b.keys[i]], i)
	}
	return byKey
}

// PrunedResult is a result that is pruned on a branch, or an answer that was trimmed.
type PrunedResult struct {
	EntryID string
	// ToolName is "" of an answer.
	ToolName string
	// Tokens and MarkerTokens are the estimates before and after.
	Tokens, MarkerTokens token.Count
}

// Pruned lists the results that are pruned on the branch, in context order.
func (b *Branch) Pruned() []PrunedResult { return b.pruned }

// Results counts the tool results of the branch.
func (b *Branch) Results() int {
	if b.input != nil {
		return len(b.input.past) + len(b.input.results)
	}
	return countResults(b.Messages)
}

// Totals are the tool results of a branch in numbers.
type Totals struct {
	// Pruned and Kept count the results with and without a marker in their place.
	Pruned, Kept int
	// Saved is what the pruned ones were, less their markers.
	Saved token.Count
}

// Totals adds up the branch.
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

// LeftOut is how many tokens the requests of the branch are smaller by, with what was
// pruned before a compaction.
func (b *Branch) LeftOut() token.Count {
	on, shown := b.places()
	total := b.Totals().Saved
	for _, m := range b.stored {
		_, decided := on[m.Leaf]
		if _, counted := shown[m.EntryID]; decided && !counted { // or it was restored
			total += m.Tokens - m.MarkerTokens
		}
	}
	return total
}

// places are the entries of the path and those of the context.
func (b *Branch) places() (on, shown map[string]int) {
	if f := b.follower; f != nil {
		return b.source.messagesUpTo, f.items
	}
	on, shown = make(map[string]int, len(b.source.path)), make(map[string]int, len(b.Messages))
	for i, n := range b.source.path {
		on[n.ID] = i
	}
	for i := range b.Messages {
		shown[b.Messages[i].EntryID] = i
	}
	return on, shown
}
