package message

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// Item is one message of a context, with its origin.
type Item struct {
	// Node is the entry that the message was made from.
	Node *Node
	// Head is the message as the model sees it, with edits applied.
	Head *Head
	// Edit is the context edit in force, nil without one.
	Edit *Node
	// System is set on the system message that a compaction carries.
	System bool

	omitted bool // by a context edit; a later edit may bring it back
}

// Context returns the messages that pi builds for the model at leaf: the path from the
// root, with its last compaction applied, then the latest context edit of each target (pi's
// buildSessionProjection). It includes system messages, as pi's projection does; the list
// of a "context" event does not.
func (t *Tree) Context(leaf string) []Item { return ContextOf(t.Path(leaf)) }

// ContextOf is Context for a result of Path.
func ContextOf(path []*Node) []Item {
	var c cursor
	c.rebuild(path)
	return c.visible()
}

// WithoutSystem returns items without system messages: the list that pi's
// "context" event carries.
func WithoutSystem(items []Item) []Item {
	isSystem := func(it Item) bool { return it.Head.Role == RoleSystem }
	if !slices.ContainsFunc(items, isSystem) {
		return items
	}
	out := make([]Item, 0, len(items))
	for _, it := range items {
		if !isSystem(it) {
			out = append(out, it)
		}
	}
	return out
}

// ModelCall is one request to the model with its answer.
type ModelCall struct {
	// Answer is the assistant entry that the request produced.
	Answer *Node
	// Context holds the messages of the request, without system messages. It is valid
	// until the next iteration.
	Context []Item
	// Same is a number of leading messages that are known to equal those of the previous
	// request. More may be equal.
	Same int
}

// ModelCalls yields every request of the session in file order, abandoned branches
// included. Following one branch takes time linear in its length.
func (t *Tree) ModelCalls() iter.Seq[ModelCall] {
	return func(yield func(ModelCall) bool) {
		var c cursor
		for i := range t.Nodes {
			n := &t.Nodes[i]
			if n.Type != EntryMessage || n.Message.Role != RoleAssistant {
				continue
			}
			c.moveTo(t, n.ParentID)
			items, same := c.request()
			if !yield(ModelCall{Answer: n, Context: items, Same: same}) {
				return
			}
		}
	}
}

// cursor builds contexts incrementally along a branch.
type cursor struct {
	leaf  string
	path  []*Node
	items []Item
	slots []slot // by ref
	// omitted is the number of items that an edit removes from the context, systems that of
	// system messages.
	omitted, systems int
	// same is the number of leading items that are unchanged since the last request.
	same int
}

// request returns the context without system messages, and how many leading messages are
// known to be the same as at the previous call.
func (c *cursor) request() (items []Item, same int) {
	if c.omitted+c.systems > 0 {
		c.same = 0
		return WithoutSystem(c.visible()), 0
	}
	same, c.same = c.same, len(c.items)
	return c.items, same
}

// slot is what a cursor knows about an id.
type slot struct {
	item int32 // index in items of the entry's first item, plus 1; 0 for none
	edit *Node // the latest edit of the entry, nil for none
}

// slot returns the slot of an id.
func (c *cursor) slot(r ref) *slot {
	if int(r) >= len(c.slots) {
		c.slots = append(c.slots, make([]slot, int(r)+1-len(c.slots))...)
	}
	return &c.slots[r]
}

// visible returns the items that are in the context.
func (c *cursor) visible() []Item {
	if c.omitted == 0 {
		return c.items
	}
	out := make([]Item, 0, len(c.items)-c.omitted)
	for _, it := range c.items {
		if !it.omitted {
			out = append(out, it)
		}
	}
	return out
}

// moveTo moves the cursor to leaf, extending its path when leaf continues it.
func (c *cursor) moveTo(t *Tree, leaf string) {
	if leaf == c.leaf && c.path != nil {
		return
	}
	added, ok := t.climb(leaf, c.leaf)
	c.leaf = leaf
	if !ok || c.path == nil {
		c.rebuild(added)
		return
	}
	c.path = append(c.path, added...)
	for _, n := range added {
		if n.Type == EntryCompaction {
			c.rebuild(c.path)
			return
		}
	}
	for _, n := range added {
		c.append(n)
	}
}

// rebuild computes the context of a path from scratch.
func (c *cursor) rebuild(path []*Node) {
	last, highest := -1, ref(0)
	for i, n := range path {
		if n.Type == EntryCompaction {
			last = i
		}
		highest = max(highest, n.own, n.target)
	}
	c.path, c.items = path, make([]Item, 0, len(path))
	c.omitted, c.systems, c.same = 0, 0, 0
	c.slots = make([]slot, highest+1)
	kept := 0
	if last >= 0 {
		c.appendCompaction(path[last])
		kept = last
		for i, n := range path[:last] {
			if n.ID == path[last].FirstKept {
				kept = i
				break
			}
		}
	}
	for i, n := range path[kept:] {
		switch {
		case n.Type == EntryCompaction:
		case kept+i < last && n.Type == EntryMessage && n.Message.Role == RoleSystem:
		default:
			c.append(n)
		}
	}
}

// appendCompaction adds the items that replace everything before a compaction.
func (c *cursor) appendCompaction(n *Node) {
	c.slot(n.own).item = int32(len(c.items) + 1)
	if n.System.End > 0 {
		c.items = append(c.items, Item{Node: n, Head: &Head{Role: RoleSystem}, System: true})
		c.systems++
	}
	c.items = append(c.items, Item{Node: n, Head: &n.Message})
}

// append adds the message of an entry, or applies its edit.
func (c *cursor) append(n *Node) {
	switch n.Type {
	case EntryContextEdit:
		c.slot(n.target).edit = n
		c.edit(n)
	case EntryBranchSummary:
		if n.Message.Body.End > 0 { // an empty summary makes no message
			c.put(n)
		}
	case EntryMessage:
		if n.Body.End > 0 {
			c.put(n)
		}
	case EntryCustomMessage:
		c.put(n)
	}
}

func (c *cursor) put(n *Node) {
	s := c.slot(n.own)
	s.item = int32(len(c.items) + 1)
	c.items = append(c.items, Item{Node: n, Head: &n.Message})
	if n.Message.Role == RoleSystem {
		c.systems++
	}
	if s.edit != nil { // pi itself never writes an edit before its target
		c.edit(s.edit)
	}
}

// edit applies a context edit to its target, if that is in the context. The latest edit of
// a target wins. A compaction may have two items.
func (c *cursor) edit(n *Node) {
	i := int(c.slot(n.target).item) - 1
	if i < 0 {
		return
	}
	c.same = min(c.same, i)
	for target := c.items[i].Node; i < len(c.items) && c.items[i].Node == target; i++ {
		c.editItem(&c.items[i], n)
	}
}

func (c *cursor) editItem(it *Item, n *Node) {
	if it.omitted {
		it.omitted = false
		c.omitted--
	}
	if n.Omits {
		it.omitted = true
		c.omitted++
		return
	}
	*it = it.Edited(n)
}

// Edited returns the item with a context edit applied that does not omit it.
func (it Item) Edited(n *Node) Item {
	switch it.Node.Message.Role {
	case RoleUser, RoleAssistant, RoleToolResult, RoleCustom:
	default:
		return it
	}
	it.Head, it.Edit = &it.Node.Message, nil
	if n.Message.Content.Span.End == 0 { // pi never writes an edit without content
		return it
	}
	h := it.Node.Message
	span := h.Content.Span
	h.Content = n.Message.Content
	h.Content.Span = span
	h.Calls = n.Message.Calls
	it.Head, it.Edit = &h, n
	return it
}

// AppendMessage appends the item's message as pi builds it. line returns the bytes of an
// entry; they need to be valid only until the next call.
func (it Item) AppendMessage(dst []byte, line func(*Node) ([]byte, error)) ([]byte, error) {
	raw, err := line(it.Node)
	if err != nil {
		return dst, fmt.Errorf("read entry %s: %w", it.Node.ID, err)
	}
	switch it.Node.Type {
	case EntryMessage:
		if it.Node.renamed {
			return it.appendRenamed(dst, it.Node.Body.Of(raw), line)
		}
		return it.appendOriginal(dst, it.Node.Body.Of(raw), line)
	case EntryCompaction:
		if it.System {
			return append(dst, it.Node.System.Of(raw)...), nil
		}
		return appendCompactionSummary(dst, raw, it.Node), nil
	case EntryBranchSummary:
		return appendBranchSummary(dst, raw, it.Node), nil
	case EntryCustomMessage:
		return it.appendCustom(dst, raw, line)
	}
	return dst, fmt.Errorf("read entry %s: a %q holds no message", it.Node.ID, it.Node.Type)
}

// Message returns the item's message as pi builds it, with its head, whose spans are in these
// bytes; those of Item.Head are in the entry, or in the edit that the content is from. The bytes
// are valid until the next call of line.
func (it Item) Message(p *Parser, line func(*Node) ([]byte, error)) (Head, []byte, error) {
	if n := it.Node; it.Edit == nil && n.Type == EntryMessage && !n.renamed && n.Message.Content.Kind != ContentMissing {
		raw, err := line(n)
		if err != nil {
			return Head{}, nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		return n.Message, n.Body.Of(raw), nil // parsed already
	}
	raw, err := it.AppendMessage(nil, line)
	if err != nil {
		return Head{}, nil, err
	}
	h, err := p.ParseMessage(raw)
	return h, raw, err
}

// AppendText appends the text of the message without labels: see Entry.AppendBody.
func (it Item) AppendText(dst []byte, line func(*Node) ([]byte, error)) ([]byte, error) {
	if it.Edit == nil {
		raw, err := line(it.Node)
		if err != nil {
			return dst, fmt.Errorf("read entry %s: %w", it.Node.ID, err)
		}
		return it.Node.AppendBody(dst, raw), nil
	}
	var p Parser
	h, raw, err := it.Message(&p, line)
	if err != nil {
		return dst, err
	}
	e := Entry{Type: EntryMessage, Message: h, Body: Span{End: len(raw)}}
	return e.AppendBody(dst, raw), nil
}

// appendOriginal appends a message entry's own message, edits applied.
func (it Item) appendOriginal(dst, body []byte, line func(*Node) ([]byte, error)) ([]byte, error) {
	h := &it.Node.Message
	if it.Edit != nil {
		// body may not outlive the next call of line.
		body = append([]byte(nil), body...)
		content, err := it.editContent(line)
		if err != nil {
			return dst, err
		}
		return AppendWithContent(dst, body, h, content), nil
	}
	if h.Content.Kind == ContentMissing {
		switch h.Role {
		case RoleUser, RoleAssistant, RoleToolResult:
			return AppendWithContent(dst, body, h, []byte("[]")), nil
		case RoleSystem:
			return AppendWithContent(dst, body, h, []byte(`""`)), nil
		}
	}
	return append(dst, body...), nil
}

// appendRenamed appends a message with the name that its role has since version 3.
func (it Item) appendRenamed(dst, body []byte, line func(*Node) ([]byte, error)) ([]byte, error) {
	msg, err := it.appendOriginal(nil, body, line)
	if err != nil {
		return dst, err
	}
	var p Parser
	role, err := p.Member(msg, "role")
	if err != nil {
		return dst, err
	}
	dst = append(append(dst, msg[:role.Start]...), `"custom"`...)
	return append(dst, msg[role.End:]...), nil
}

// editContent returns the content of the context edit, as an array where the role needs
// one.
func (it Item) editContent(line func(*Node) ([]byte, error)) ([]byte, error) {
	raw, err := line(it.Edit)
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", it.Edit.ID, err)
	}
	content := it.Edit.Message.Content
	text := content.Span.Of(it.Edit.Body.Of(raw))
	if content.Kind == ContentText && (it.Head.Role == RoleAssistant || it.Head.Role == RoleToolResult) {
		return append(append([]byte(`[{"type":"text","text":`), text...), "}]"...), nil
	}
	return text, nil
}

// appendCustom appends the message pi makes of a custom_message entry.
func (it Item) appendCustom(dst, raw []byte, line func(*Node) ([]byte, error)) ([]byte, error) {
	n := it.Node
	content := n.Message.Content.Span.Of(raw)
	if n.Message.Content.Kind == ContentMissing {
		content = []byte("[]")
	}
	// raw is valid only until the next call of line.
	dst = append(dst, `{"role":"custom"`...)
	dst = appendMember(dst, "customType", n.customType.Of(raw))
	if it.Edit == nil {
		dst = appendMember(dst, "content", content)
	}
	tail := appendMember(appendMember(nil, "display", n.Display.Of(raw)), "details", n.Details.Of(raw))
	if it.Edit != nil {
		edited, err := it.editContent(line)
		if err != nil {
			return dst, err
		}
		dst = appendMember(dst, "content", edited)
	}
	dst = append(dst, tail...)
	return appendTimestamp(dst, n.Time), nil
}

func appendCompactionSummary(dst, raw []byte, n *Node) []byte {
	dst = append(dst, `{"role":"compactionSummary"`...)
	dst = appendMember(dst, "summary", n.Message.Body.Of(raw))
	dst = appendMember(dst, "tokensBefore", n.TokensBefore.Of(raw))
	return appendTimestamp(dst, n.Time)
}

func appendBranchSummary(dst, raw []byte, n *Node) []byte {
	dst = append(dst, `{"role":"branchSummary"`...)
	dst = appendMember(dst, "summary", n.Message.Body.Of(raw))
	dst = appendMember(dst, "fromId", n.From.Of(raw))
	return appendTimestamp(dst, n.Time)
}

// appendMember appends `,"name":value`, or nothing when the value is absent, as
// JSON.stringify leaves out undefined values.
func appendMember(dst []byte, name string, value []byte) []byte {
	if value == nil {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return append(dst, value...)
}

// appendTimestamp completes a message that pi makes of an entry. An unreadable time becomes
// null, as JSON.stringify writes NaN.
func appendTimestamp(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, `,"timestamp":null}`...)
	}
	return append(strconv.AppendInt(append(dst, `,"timestamp":`...), ms, 10), '}')
}
