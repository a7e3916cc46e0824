package replay

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Recording is what the runs of a session need: its calls, each as the difference from the
// previous one, and the earlier text that they used. Runs do not modify it, but they share
// Line, so only one may use it at a time.
type Recording struct {
	// Session, CWD and Started are from the session's header; Started is in Unix
	// milliseconds.
	Session, CWD string
	Started      int64
	// Converted is set on a session that pi did not write: it has no record of the chosen
	// model. What precedes its conversation belongs to another agent.
	Converted bool

	messages     []form
	calls        []call
	calibrations []Calibration
	line         Line
	cost         costs
}

// Line returns the bytes of an entry, which are valid until the next call.
type Line func(*message.Node) ([]byte, error)

// form is a message as contexts show it without pruning. Editing the content of an entry
// makes another form.
type form struct {
	item   message.Item
	marked bool // it is a marker in the recorded session
	tokens token.Count
	blocks int
}

// call is one answered request to the model.
type call struct {
	leaf string // the entry before the answer
	// The context is the first keep messages of the previous call, then add.
	keep  int
	add   []int32
	start Start
	// path are, after a branch switch, the earlier calls whose leaves are on this call's
	// branch.
	path []int32
	// time is when it was sent, in Unix milliseconds.
	time    int64
	touches []int64 // keep-alive requests since the previous call
	model   int     // index into calibrations
	usage   message.Usage
	tools   []toolCall
	// refers are the results that the answer named or used text of.
	refers []int32
	// compaction is set when one precedes the call.
	compaction *compaction
	// states are the states of objects before the call, nil without any.
	states *state.States
}

// recorded is the prompt size that the provider counted, 0 when unknown.
func (c *call) recorded() int64 { return c.usage.Input + c.usage.CacheRead + c.usage.CacheWrite }

// Calibrations are those of the session's models, in the order of their first use.
func (r *Recording) Calibrations() []Calibration { return r.calibrations }

// AssumeFloor overrides the size of the system prompt and the tools, for example in a
// session converted from another agent.
func (r *Recording) AssumeFloor(floor token.Count) {
	for i := range r.calibrations {
		r.calibrations[i].Floor = max(1, floor)
	}
}

// head returns the head of a message.
func (r *Recording) head(m int32) *message.Head { return r.messages[m].item.Head }

// entry returns the entry of a message.
func (r *Recording) entry(m int32) string { return r.messages[m].item.Node.ID }

// key identifies a form of a message.
type key struct {
	node, edit *message.Node
}

func keyOf(it message.Item) key { return key{it.Node, it.Edit} }

// loader makes a Recording.
type loader struct {
	*Recording
	tree   *message.Tree
	parser message.Parser
	known  map[key]int32
	texts  []string // of messages
	models map[string]int

	ctx      []int32               // the context of the previous call
	before   []message.Item        // the same as it was recorded
	same     int                   // how many leading items of before are unchanged in this call
	sizes    []size                // cumulative sizes of before
	lines    []*token.Line         // through the recorded calls, by model
	mentions []mention             // of all calls
	about    map[string][]string   // the paths that calls name, by their ids
	results  map[string][]int32    // the results of such calls, by path
	last     *message.Node         // the previous answer
	declared []bill.Declared       // what pictx declared in the recorded session, not part of pi's floor
	extras   map[*message.Node]int // results of extra, by compaction
}

// size is the estimated size of messages, and the number of their content blocks.
type size struct {
	tokens token.Count
	blocks int
}

// Load makes the recording of a session. line must stay usable until the last run.
func Load(t *message.Tree, line Line) (*Recording, error) {
	l := &loader{
		Recording: &Recording{Session: t.Header.ID, CWD: t.Header.CWD, Started: t.Header.Time, line: line},
		tree:      t, known: make(map[key]int32), models: make(map[string]int),
		about: make(map[string][]string), results: make(map[string][]int32),
		extras: make(map[*message.Node]int),
	}
	var err error
	if l.declared, err = Declared(t, line); err != nil {
		return nil, err
	}
	l.Converted = t.Header.Version >= 3 && !slices.ContainsFunc(t.Nodes, func(n message.Node) bool { return n.Type == message.EntryModelChange })
	for c := range t.ModelCalls() {
		if err := l.add(c); err != nil {
			return nil, err
		}
		l.last = c.Answer
	}
	if err := l.attachKeepAlives(); err != nil {
		return nil, err
	}
	if err := l.attachStates(); err != nil {
		return nil, err
	}
	for i := range l.calibrations {
		l.calibrations[i].fit(l.lines[i])
	}
	l.findHolders()
	return l.Recording, nil
}

// add records a call, unless it failed before it was billed. A stopped answer is billed,
// but never sent again.
func (l *loader) add(mc message.ModelCall) error {
	h := &mc.Answer.Message
	l.same = min(l.same, mc.Same)
	if message.Unbilled(h) {
		return nil
	}
	items := mc.Context
	if l.partOfLast(mc.Answer, items) {
		return l.mention(mc.Answer, len(l.calls)-1)
	}
	c := call{leaf: mc.Answer.ParentID, start: l.startOf(mc.Answer, items)}
	extra := l.extra(c.leaf, items)
	if c.start == AfterCompaction {
		c.compaction = l.compactionOf(items[0].Node, l.before, items[extra:])
	}
	if err := l.follow(items, extra, &c); err != nil {
		return err
	}
	c.time = l.sentAt(items)
	if c.start == OnBranch {
		c.path = l.callsOn(c.leaf)
	}
	if h.HasUsage {
		c.usage = h.Usage
	}
	c.model = l.measure(h, c.recorded()-int64(bill.DeclaredAt(l.declared, h.Timestamp).Tokens()))
	l.calls = append(l.calls, c)
	if unsent(h) {
		return nil
	}
	return l.mention(mc.Answer, len(l.calls)-1)
}

// unsent reports whether an answer failed; pi does not send such answers.
func unsent(h *message.Head) bool {
	return h.Role == message.RoleAssistant && (h.StopReason == "aborted" || h.StopReason == "error")
}

// partOfLast reports whether an answer is another part of the previous one, with only
// results between them. Some agents write an entry for every block of a response, each with
// its id and the usage of the whole.
func (l *loader) partOfLast(answer *message.Node, items []message.Item) bool {
	i := len(items) - 1
	for i >= 0 && items[i].Head.Role == message.RoleToolResult {
		i--
	}
	return i >= 0 && len(l.calls) > 0 && items[i].Node == l.last && message.SameAnswer(&l.last.Message, &answer.Message)
}

// startOf returns how a call relates to the previous one.
func (l *loader) startOf(answer *message.Node, items []message.Item) Start {
	switch {
	case len(l.calls) == 0:
		return StartsSession
	case !l.tree.Follows(answer, l.last):
		return OnBranch
	case len(items) > 0 && items[0].Node.Type == message.EntryCompaction && (len(l.before) == 0 || items[0].Node != l.before[0].Node):
		return AfterCompaction
	}
	return Continues
}

// callsOn returns the calls whose leaves are on the branch of leaf, ascending.
func (l *loader) callsOn(leaf string) []int32 {
	on := make(map[string]bool)
	for _, n := range l.tree.Path(leaf) {
		on[n.ID] = true
	}
	var calls []int32
	for i := range l.calls {
		if on[l.calls[i].leaf] {
			calls = append(calls, int32(i))
		}
	}
	return calls
}

// extra returns how many messages after the summary of a compaction pi kept only because
// pruned messages left room for them. A recording has what plain pi would have kept:
// roomFor gives a policy that prunes its room back.
func (l *loader) extra(leaf string, items []message.Item) int {
	if len(items) == 0 || items[0].Node.Type != message.EntryCompaction {
		return 0
	}
	n, ok := l.extras[items[0].Node]
	if !ok {
		n = ledger.PlainKept(l.tree.Path(leaf), items) - 1
		l.extras[items[0].Node] = n
	}
	return n
}

// follow sets the context of c to items without the extra ones after the first, and prepares
// the comparison with the next call.
func (l *loader) follow(items []message.Item, extra int, c *call) error {
	same := min(l.same, len(l.before))
	for same < min(len(items), len(l.before)) && keyOf(items[same]) == keyOf(l.before[same]) {
		same++
	}
	added := items[same:]
	if extra > 0 {
		added = slices.Concat(items[same:max(same, 1)], items[max(same, 1+extra):])
	}
	add, err := l.messagesOf(added)
	if err != nil {
		return err
	}
	l.before, l.sizes, l.same = append(l.before[:same], items[same:]...), l.sizes[:same], len(items)
	var sum size
	if same > 0 {
		sum = l.sizes[same-1]
	}
	for _, it := range items[same:] {
		if !unsent(it.Head) && !it.Head.Excluded {
			sum.tokens, sum.blocks = sum.tokens+token.Estimate(it.Head), sum.blocks+message.Blocks(it.Head)
		}
		l.sizes = append(l.sizes, sum)
	}
	// Pruning recorded in the session does not change a message.
	c.keep, c.add = max(min(same, 1), same-extra), add
	for len(c.add) > 0 && c.keep < len(l.ctx) && c.add[0] == l.ctx[c.keep] {
		c.keep, c.add = c.keep+1, c.add[1:]
	}
	l.ctx = append(l.ctx[:c.keep], c.add...)
	return nil
}

// sentAt returns when a call with that context was sent: at the time of its last message,
// but not before the previous call or the compaction that it follows.
func (l *loader) sentAt(items []message.Item) int64 {
	var at int64
	if n := len(l.calls); n > 0 {
		at = l.calls[n-1].time
	}
	if n := len(items); n > 0 {
		at = max(at, items[n-1].Head.Timestamp)
		if items[0].Node.Type == message.EntryCompaction {
			at = max(at, items[0].Head.Timestamp)
		}
	}
	return at
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
			list = append(list, bill.Declared{Since: n.Time, Tools: max(0, e.Data.Tokens)})
		}
	}
	return list, nil
}

// measure records what a provider counted, and returns the index of its model.
func (l *loader) measure(h *message.Head, recorded int64) int {
	name := h.Provider + "/" + h.Model
	i, ok := l.models[name]
	if !ok {
		i = len(l.calibrations)
		l.models[name] = i
		l.calibrations, l.lines = append(l.calibrations, Calibration{Model: name}), append(l.lines, &token.Line{})
	}
	if recorded > 0 {
		var sent size
		if n := len(l.sizes); n > 0 {
			sent = l.sizes[n-1]
		}
		l.lines[i].Add(float64(sent.tokens), float64(sent.blocks), float64(recorded))
		l.calibrations[i].Calls++
	}
	return i
}

// messagesOf returns the messages of items.
func (l *loader) messagesOf(items []message.Item) ([]int32, error) {
	out := make([]int32, len(items))
	for i, it := range items {
		k := keyOf(it)
		m, ok := l.known[k]
		if !ok {
			var err error
			if m, err = l.message(it); err != nil {
				return nil, err
			}
			l.known[k] = m
		}
		out[i] = m
	}
	return out, nil
}

// message adds the message of an item. A result that pictx pruned in the recorded session,
// or pruned and restored, is taken as it was before, since "no pruning" must mean that.
func (l *loader) message(it message.Item) (int32, error) {
	raw, err := l.line(it.Node)
	if err != nil {
		return 0, fmt.Errorf("read entry %s: %w", it.Node.ID, err)
	}
	own := it
	own.Edit, own.Head = nil, &it.Node.Message
	text := string(it.Node.AppendText(nil, raw))
	if it.Edit != nil {
		h, edited, err := it.Message(&l.parser, l.line)
		if err != nil {
			return 0, err
		}
		if marker.Is(&h, edited) || h.Role == message.RoleAssistant {
			return l.messageOnce(own, text, false)
		}
		e := message.Entry{Type: message.EntryMessage, Message: h, Body: message.Span{End: len(edited)}}
		changed := string(e.AppendText(nil, edited))
		if changed == text && token.Estimate(&h) == token.Estimate(own.Head) { // restored
			return l.messageOnce(own, text, false)
		}
		return l.append(it, changed, false), nil
	}
	marked := it.Node.Type == message.EntryMessage && marker.Is(it.Head, it.Node.Body.Of(raw))
	return l.append(it, text, marked), nil
}

// messageOnce is append for a form that may exist already.
func (l *loader) messageOnce(it message.Item, text string, marked bool) (int32, error) {
	k := keyOf(it)
	if m, ok := l.known[k]; ok {
		return m, nil
	}
	m := l.append(it, text, marked)
	l.known[k] = m
	return m, nil
}

func (l *loader) append(it message.Item, text string, marked bool) int32 {
	s := form{item: it, marked: marked}
	if h := it.Head; !unsent(h) && !h.Excluded {
		s.tokens, s.blocks = token.Estimate(h), message.Blocks(h)
	} else {
		text = "" // it is not sent, so it shows nothing
	}
	m := int32(len(l.messages))
	if it.Head.Role == message.RoleToolResult {
		for _, p := range l.about[it.Head.ToolCallID] {
			l.results[p] = append(l.results[p], m)
		}
	}
	l.messages, l.texts = append(l.messages, s), append(l.texts, text)
	return m
}

// attachKeepAlives sets the keep-alive requests before every call.
func (l *loader) attachKeepAlives() error {
	nodes := make([]*message.Node, len(l.tree.Nodes))
	for i := range nodes {
		nodes[i] = &l.tree.Nodes[i]
	}
	at, err := ledger.Warmed(nodes, l.line)
	if err != nil {
		return err
	}
	slices.Sort(at)
	for i := range l.calls {
		n, _ := slices.BinarySearch(at, l.calls[i].time)
		l.calls[i].touches, at = at[:n:n], at[n:]
	}
	return nil
}
