package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// key identifies a form of a message.
type key struct {
	node, edit *message.Node
	marker     string
}

// loader makes a Session.
type loader struct {
	*Session
	parser message.Parser
	known  map[key]int32
	models map[string]int

	items   []message.Item // the context of the previous call
	ctx     []int32        // the same, as messages
	sent    sizes          // of ctx
	plain   []int32        // the context of plain pi
	places  []int          // the number of leading messages of plain that precede each of ctx
	same    int            // how many leading items are unchanged in this call
	last    *message.Node  // the previous answer
	expands map[string]bool
	folds   map[*message.Node]*fold // by their entries, nil for compactions
	extras  map[*message.Node]int
	laid    int // messages of contexts that may differ from the one before
}

// mostLaid bounds those messages. Every answer that stands on another branch than the one before
// has its whole context laid out again: a file that consists of them would take hours.
const mostLaid = 2_000_000

// Load reads the requests of a session. line must stay usable as long as the session is.
func Load(t *message.Tree, line Line) (*Session, error) {
	l := &loader{
		Session: &Session{ID: t.Header.ID, CWD: t.Header.CWD, Started: t.Header.Time, tree: t, line: line, marks: newMarks(t, line)},
		known:   make(map[key]int32), models: make(map[string]int), expands: make(map[string]bool),
		extras: make(map[*message.Node]int), folds: make(map[*message.Node]*fold),
	}
	var err error
	if l.Declared, err = Declared(t, line); err != nil {
		return nil, err
	}
	l.Converted = t.Header.Version >= 3 && !slices.ContainsFunc(t.Nodes, func(n message.Node) bool { return n.Type == message.EntryModelChange })
	for c := range t.ModelCalls() {
		if err := l.add(c); err != nil {
			return nil, err
		}
		l.last = c.Answer
	}
	l.Session.last.items, l.Session.last.answer = l.items, l.last
	l.attachAsides()
	if err := l.pending(); err != nil {
		return nil, err
	}
	for i := range l.Models {
		l.Models[i].fit()
	}
	return l.Session, nil
}

// pending reads a compaction that no request has followed yet.
func (l *loader) pending() (err error) {
	items := l.tree.Context(l.tree.Leaf())
	if l.last == nil || len(items) == 0 || items[0].Node.Type != message.EntryCompaction || !l.tree.Follows(items[0].Node, l.last) {
		return nil
	}
	if f, err := l.folded(items); err != nil || f != nil {
		return err
	}
	l.Pending, err = l.compaction(items[0].Node, items)
	return err
}

// add adds a request, unless it failed before it was billed. A stopped response is billed,
// but never sent again.
func (l *loader) add(mc message.ModelCall) error {
	h := &mc.Answer.Message
	l.same = min(l.same, mc.Same)
	if message.Unbilled(h) {
		return nil
	}
	if l.partOfLast(mc.Answer, mc.Context) {
		r := &l.Requests[len(l.Requests)-1]
		r.More = append(r.More, mc.Answer)
		r.Usage.Output = max(r.Usage.Output, h.Usage.Output)
		return nil
	}
	r := Request{Answer: mc.Answer, Start: l.startOf(mc.Answer, mc.Context), Fetch: fetches(h)}
	extra := l.extra(mc.Answer.ParentID, mc.Context)
	if folded, err := l.folded(mc.Context); err != nil {
		return err
	} else if folded != nil { // plain pi would have gone on
		extra = 0
		if r.Start == AfterCompaction {
			r.Start = Continues
		}
	}
	if r.Start == AfterCompaction {
		var err error
		if r.Compaction, err = l.compaction(mc.Context[0].Node, mc.Context[extra:]); err != nil {
			return err
		}
	}
	if err := l.follow(mc, extra, &r); err != nil {
		return err
	}
	r.At = l.sentAt(mc.Context)
	if n := len(mc.Context); n > 0 {
		r.Running = mc.Context[n-1].Head.Role == message.RoleToolResult
	}
	if h.HasUsage {
		r.Usage = h.Usage
	}
	r.Model = l.measure(h, &r)
	l.Requests = append(l.Requests, r)
	return nil
}

// partOfLast reports whether an answer is another part of the previous one, with only
// results between them.
func (l *loader) partOfLast(answer *message.Node, items []message.Item) bool {
	i := len(items) - 1
	for i >= 0 && items[i].Head.Role == message.RoleToolResult {
		i--
	}
	return i >= 0 && len(l.Requests) > 0 && items[i].Node == l.last && message.SameAnswer(&l.last.Message, &answer.Message)
}

// startOf returns how a request relates to the previous one.
func (l *loader) startOf(answer *message.Node, items []message.Item) Start {
	switch {
	case len(l.Requests) == 0:
		return StartsSession
	case !l.tree.Follows(answer, l.last):
		return OnBranch
	case len(items) > 0 && items[0].Node.Type == message.EntryCompaction && (len(l.items) == 0 || items[0].Node != l.items[0].Node):
		return AfterCompaction
	}
	return Continues
}

// extra returns how many messages after the summary of a compaction pi kept only because
// pruned messages left room for them.
func (l *loader) extra(leaf string, items []message.Item) int {
	if len(items) == 0 || items[0].Node.Type != message.EntryCompaction {
		return 0
	}
	n, ok := l.extras[items[0].Node]
	if !ok {
		n = plainKept(l.tree.Path(leaf), items) - 1
		l.extras[items[0].Node] = n
	}
	return n
}

// follow sets the contexts of a request whose messages are those of mc.
func (l *loader) follow(mc message.ModelCall, extra int, r *Request) error {
	items := mc.Context
	marked, changed, err := l.marks.on(mc.Answer.ParentID)
	if err != nil {
		return err
	}
	same := min(l.same, len(l.items))
	if changed {
		same = 0 // where the marks changed is not known
		l.Session.last.markers = maps.Clone(marked)
	}
	if l.laid += len(items) - same; l.laid > mostLaid {
		return fmt.Errorf("read requests of session %s: its answers change branches so often that more than %d messages would have to be billed", l.ID, mostLaid)
	}
	var ids []int32
	for i := same; i < len(items); i++ {
		m, err := l.messageOf(items[i], marked[items[i].Node.ID])
		if err != nil {
			return err
		}
		ids = append(ids, m)
	}
	keep := same
	for len(ids) > 0 && keep < len(l.ctx) && ids[0] == l.ctx[keep] {
		keep, ids = keep+1, ids[1:]
	}
	r.Sent = Context{keep, ids}
	l.items, l.same = append(l.items[:keep], items[keep:]...), len(items)
	l.ctx = append(l.ctx[:keep], ids...)
	l.sent.follow(l.Session, r.Sent)
	l.followPlain(keep, extra, r)
	return nil
}

// followPlain sets the context of plain pi. The first keep messages that were sent are those
// of the previous request.
func (l *loader) followPlain(keep, extra int, r *Request) {
	if keep > 0 && keep <= extra { // the messages that pi kept for lack of others
		keep = 1
	}
	from := 0 // what precedes a fold is laid out again
	if keep > 0 && keep < len(l.places) {
		from = l.places[keep]
	} else if keep > 0 {
		from = len(l.plain)
	}
	l.places = l.places[:min(keep, len(l.places))]
	var add []int32
	if keep == 0 && len(l.items) > 0 {
		if f := l.folds[l.items[0].Node]; f != nil {
			add = append(add, f.plain...)
		}
	}
	for i := keep; i < len(l.ctx); i++ {
		l.places = append(l.places, from+len(add))
		if p := l.Messages[l.ctx[i]].Plain; p >= 0 && (i == 0 || i > extra) {
			add = append(add, p)
		}
	}
	for len(add) > 0 && from < len(l.plain) && add[0] == l.plain[from] {
		from, add = from+1, add[1:]
	}
	r.Plain = Context{from, add}
	l.plain = append(l.plain[:from], add...)
}

// sentAt returns when a request with that context was sent: at the time of its last message,
// but not before the previous request or the compaction that it follows.
func (l *loader) sentAt(items []message.Item) int64 {
	var at int64
	if n := len(l.Requests); n > 0 {
		at = l.Requests[n-1].At
	}
	if n := len(items); n > 0 {
		at = max(at, items[n-1].Head.Timestamp)
		if items[0].Node.Type == message.EntryCompaction {
			at = max(at, items[0].Head.Timestamp)
		}
	}
	return at
}

// measure records what a provider counted, and returns the index of its model.
func (l *loader) measure(h *message.Head, r *Request) int {
	name := h.Provider + "/" + h.Model
	i, ok := l.models[name]
	if !ok {
		i = len(l.Models)
		l.models[name] = i
		l.Models = append(l.Models, Model{Provider: h.Provider, ID: h.Model, API: h.API})
	}
	m := &l.Models[i]
	m.Paid.Add(h)
	if n := r.Counted(); n > 0 {
		sent := l.sent.all()
		own := bill.DeclaredAt(l.Declared, h.Timestamp).Tokens
		m.line.Add(float64(sent.tokens), float64(sent.blocks), float64(n-int64(own)))
		m.Counted++
	}
	return i
}

// messageOf returns the message of an item that a marker replaces, unless that is "".
func (l *loader) messageOf(it message.Item, with string) (int32, error) {
	if it.Edit != nil || it.Node.Message.Role != message.RoleToolResult {
		with = ""
	}
	k := key{it.Node, it.Edit, with}
	if m, ok := l.known[k]; ok {
		return m, nil
	}
	m, err := l.message(it, with)
	l.known[k] = m
	return m, err
}

// message adds the message of an item.
func (l *loader) message(it message.Item, with string) (int32, error) {
	own := it
	own.Edit, own.Head = nil, &it.Node.Message
	m := Message{Item: it}
	if h := it.Head; !message.Voided(h) && !h.Excluded {
		m.Tokens, m.Blocks = token.Estimate(h), message.Blocks(h)
	}
	plain := int32(-2) // itself
	switch kind, err := l.editedBy(&it); {
	case err != nil:
		return 0, err
	case with != "":
		m.Kind, m.Tokens, m.Blocks = Marker, token.OfText(with), 1
		plain, _ = l.messageOf(own, "")
	case kind == restored:
		return l.messageOf(own, "")
	case kind == pruned:
		if it.Head.Role == message.RoleToolResult {
			m.Kind = Marker
		}
		plain, err = l.messageOf(own, "")
		if err != nil {
			return 0, err
		}
	case injected(it.Head), l.folds[it.Node] != nil:
		m.Kind, plain = Injected, -1
	case l.fetched(it.Head):
		m.Kind, plain = Fetched, -1
	}
	id := int32(len(l.Messages))
	if m.Plain = plain; plain == -2 {
		m.Plain = id
	}
	l.Messages = append(l.Messages, m)
	return id, nil
}

// editing is what an edit does to a message.
type editing uint8

const (
	unedited editing = iota
	edited           // by somebody else
	pruned
	restored
)

// editedBy tells the edits of pictx from others. One that leaves a message as it was restored
// it.
func (l *loader) editedBy(it *message.Item) (editing, error) {
	switch {
	case it.Edit == nil:
		return unedited, nil
	case it.Head.Role == message.RoleAssistant:
		if token.Estimate(it.Head) == token.Estimate(&it.Node.Message) {
			return restored, nil
		}
		return pruned, nil
	case it.Head.Role == message.RoleToolResult:
		h, raw, err := it.Message(&l.parser, l.line)
		if err != nil {
			return edited, err
		}
		if marker.Is(&h, raw) || marker.HasExcerpt(&h, raw) {
			return pruned, nil
		}
	}
	if was := &it.Node.Message; was.Content.Chars != it.Head.Content.Chars || was.Content.Images != it.Head.Content.Images {
		return edited, nil
	}
	return restored, nil
}

// ownTypePrefix begins the types of pictx's own messages.
const ownTypePrefix = "pictx"

// injected reports whether pictx put a message into the conversation.
func injected(h *message.Head) bool {
	return h.Role == message.RoleCustom && strings.HasPrefix(h.CustomType, ownTypePrefix)
}

// fetches reports whether a response consists only of calls that bring text back.
func fetches(h *message.Head) bool {
	for i := range h.Calls {
		if !tool.Expands(&h.Calls[i]) {
			return false
		}
	}
	return len(h.Calls) > 0
}

// fetched reports whether a message only brings text back: the result, or the response that
// asked for it.
func (l *loader) fetched(h *message.Head) bool {
	switch h.Role {
	case message.RoleAssistant:
		for i := range h.Calls {
			if tool.Expands(&h.Calls[i]) {
				l.expands[h.Calls[i].ID] = true
			}
		}
		return fetches(h)
	case message.RoleToolResult:
		return l.expands[h.ToolCallID]
	}
	return false
}

// attachAsides finds the requests besides the conversation. Those that kept the cache alive
// are parts of the next request.
func (l *loader) attachAsides() {
	var warmed []int64
	answers := make(map[*message.Node]int, len(l.Requests))
	for i := range l.Requests {
		answers[l.Requests[i].Answer] = i
	}
	next := 0
	for i := range l.tree.Nodes {
		n := &l.tree.Nodes[i]
		if at, ok := answers[n]; ok {
			next = at + 1
		}
		switch {
		case n.Type == message.EntryUsage && n.Kind == message.UsageWarm:
			warmed = append(warmed, n.Time)
		case n.Type == message.EntryUsage || n.Type == message.EntryBranchSummary:
			if n.Message.HasUsage {
				l.Asides = append(l.Asides, Aside{n, next})
			}
		}
	}
	slices.Sort(warmed)
	for i := range l.Requests {
		n, _ := slices.BinarySearch(warmed, l.Requests[i].At)
		l.Requests[i].Warmed, warmed = warmed[:n:n], warmed[n:]
	}
	l.Warmed = warmed
}

// Declared returns what the session records that pictx declared, and when.
func Declared(t *message.Tree, line Line) (list []bill.Declared, err error) {
	for _, n := range t.Customs() {
		if n.Message.CustomType != tool.DeclaredEntry {
			continue
		}
		raw, err := line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		var e struct {
			Data tool.Declared `json:"data"`
		}
		if json.Unmarshal(raw, &e) == nil { // unreadable data declares nothing
			list = append(list, bill.Declared{Since: n.Time, Tokens: max(0, e.Data.Tokens)})
		}
	}
	return list, nil
}
