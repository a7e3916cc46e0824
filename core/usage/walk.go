package usage

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Read follows all branches of a session, in file order, with the prices of its models.
func Read(s *session.Session, of session.Costs) (*Session, error) {
	r := &reader{
		s: s, counted: make(map[string]placed), restored: make(map[string]bool), parts: make([]Sizes, len(s.Messages)),
		out: &Session{ID: s.ID, CWD: s.CWD, Started: s.Started},
	}
	for m := range s.Messages {
		r.parts[m] = sizesOf(&s.Messages[m])
	}
	for i := range s.Requests {
		if err := r.request(i); err != nil {
			return nil, err
		}
	}
	if err := r.rest(); err != nil {
		return nil, err
	}
	r.explain()
	book := s.Bill(of, func(i int, saved float64) { r.out.Requests[i].Saved = saved })
	r.out.Saved, r.out.Bill = book.Dollars.Saved(), book.Total
	return r.out, nil
}

// reader builds the course of a session.
type reader struct {
	out    *Session
	s      *session.Session
	parser message.Parser
	parts  []Sizes // by message
	sums   []Sizes // cumulative over the context
	at     int     // index of the first node not passed yet

	// pruned and again are those of the coming request; counted says of every result that
	// was pruned so far where it counts, restored which of them are shown again.
	pruned, again Pruned
	counted       map[string]placed
	restored      map[string]bool
}

// placed is where a pruned message counts: the request before which it was first pruned.
type placed struct {
	request int
	Pruned
}

// request adds a request.
func (r *reader) request(i int) error {
	q := &r.s.Requests[i]
	if err := r.pass(q.Answer); err != nil {
		return err
	}
	out := Request{Start: q.Start, Pruned: r.pruned, Again: r.again, Dropped: q.Answer.Message.Dropped}
	r.pruned, r.again = Pruned{}, Pruned{}
	var ok bool
	if out.Response, ok = Of(&q.Answer.Entry); ok {
		r.out.Total.Add(&out.Response)
		r.out.Total.Grow(&out.Response, q.Usage.Output)
	} else {
		out.Response = Response{Model: r.s.Models[q.Model].Name(), Time: q.Answer.Message.Timestamp}
	}
	if out.Response.Time == 0 {
		out.Response.Time = q.Answer.Time
	}
	r.sums = r.sums[:q.Sent.Keep]
	for _, m := range q.Sent.Add {
		var sum Sizes
		if n := len(r.sums); n > 0 {
			sum = r.sums[n-1]
		}
		sum.add(r.parts[m])
		r.sums = append(r.sums, sum)
	}
	if n := len(r.sums); n > 0 {
		out.Sent = r.sums[n-1]
	}
	r.scale(&out, q)
	r.out.Requests = append(r.out.Requests, out)
	return nil
}

// scale scales estimates to what the provider counted.
func (r *reader) scale(out *Request, q *session.Request) {
	m := &r.s.Models[q.Model]
	own := bill.DeclaredAt(r.s.Declared, out.Response.Time).Tokens
	floor := m.Floor + own
	sent := token.Count(q.Counted())
	if sent == 0 {
		sent = floor + m.Scaled(out.Sent.Sum())
	}
	if out.Sent.Sum() == 0 || floor > sent {
		floor = sent
	}
	out.Sent.fit(sent - floor)
	own = min(own, floor)
	out.Sent[Own], out.Sent[System] = own, floor-own
}

// pass advances to an answer, nil for the end of the session, and counts on the way what was
// pruned and what was restored.
func (r *reader) pass(answer *message.Node) error {
	tree := r.s.Tree()
	for ; r.at < len(tree.Nodes) && &tree.Nodes[r.at] != answer; r.at++ {
		n := &tree.Nodes[r.at]
		if n.Type == message.EntryContextEdit {
			r.edited(n)
			continue
		}
		noted, err := session.ReadNoted(&r.parser, n, r.s.Entry)
		if err != nil {
			return err
		}
		for _, one := range noted.Marks { // agents that keep no edits say it only here
			if target := tree.Lookup(one.ID); target != nil {
				r.count(target, token.Estimate(&target.Message)-token.OfText(one.Marker))
			}
		}
		for _, id := range noted.Restored {
			r.restore(id)
		}
	}
	return nil
}

// edited counts a message that an edit changes, or restores: then its size is its own again.
func (r *reader) edited(n *message.Node) {
	target := r.s.Tree().Lookup(n.Target)
	if target == nil {
		return
	}
	left := token.Count(0)
	if !n.Omits {
		left = token.Estimate(message.Item{Node: target}.Edited(n).Head)
	}
	if size := token.Estimate(&target.Message); n.Omits || left != size {
		r.count(target, size-left)
	} else {
		r.restore(n.Target)
	}
}

// count counts a message that was pruned. Responses lose thinking and arguments: they add
// tokens, and no result.
func (r *reader) count(target *message.Node, tokens token.Count) {
	p := Pruned{Tokens: tokens}
	if target.Message.Role != message.RoleAssistant {
		p.Results = 1
	}
	r.pruned.add(p)
	if _, before := r.counted[target.ID]; before {
		r.again.add(p)
	} else {
		r.counted[target.ID] = placed{len(r.out.Requests), p}
	}
	delete(r.restored, target.ID)
}

// restore counts a result that is shown again, if it was pruned.
func (r *reader) restore(entry string) {
	if _, pruned := r.counted[entry]; pruned {
		r.restored[entry] = true
	}
}

// rest sets what was pruned since the last request, and takes off what was restored.
func (r *reader) rest() error {
	if err := r.pass(nil); err != nil {
		return err
	}
	r.out.Unsent = r.pruned
	r.out.Unsent.subtract(r.again)
	for entry := range r.restored {
		c := r.counted[entry]
		if c.request < len(r.out.Requests) {
			r.out.Requests[c.request].Restored.add(c.Pruned)
		} else {
			r.out.Unsent.subtract(c.Pruned)
		}
	}
	return nil
}

// sizesOf returns the parts of one message.
func sizesOf(m *session.Message) (s Sizes) {
	if m.Tokens == 0 {
		return s
	}
	switch h := m.Item.Head; h.Role {
	case message.RoleToolResult:
		s[partOf(m.Item.Node.Message.ToolName)] = m.Tokens
	case message.RoleBashExecution:
		s[Commands] = m.Tokens
	case message.RoleBranchSummary, message.RoleCompactionSummary:
		s[Summaries] = m.Tokens
	case message.RoleAssistant:
		for _, b := range h.Content.Blocks {
			if b.Kind == message.BlockToolCall && b.Call < len(h.Calls) {
				name := h.Calls[b.Call].Name
				s[partOf(name)] += token.OfChars(len(name) + b.Text.End - b.Text.Start)
			}
		}
		s[Talk] = token.OfChars(h.Content.Chars + h.Content.Thinking)
	default:
		s[Talk] = m.Tokens
	}
	return s
}

// partOf returns the part of calls and results of a tool.
func partOf(name string) Part {
	switch tool.ClassOf(name) {
	case tool.Read:
		return Reads
	case tool.Shell:
		return Commands
	}
	return Tools
}

// fit scales all sizes to a given sum. The largest part absorbs rounding.
func (s *Sizes) fit(sum token.Count) {
	factor := float64(sum) / float64(max(1, s.Sum()))
	largest := 0
	for p := range s {
		if s[p] = token.Count(float64(s[p])*factor + 0.5); s[p] > s[largest] {
			largest = p
		}
	}
	s[largest] += sum - s.Sum()
}

// explain finds where the cache held less than the previous request had left in it, and
// why. What another branch left there is unknown.
func (r *reader) explain() {
	const least = 1024 // tokens: the smallest prompt that providers cache
	caches := make(map[string]bool)
	for i := range r.out.Requests {
		u := &r.out.Requests[i].Response
		caches[u.Model] = caches[u.Model] || u.CacheRead+u.CacheWrite > 0
	}
	for i := 1; i < len(r.out.Requests); i++ {
		before, q := &r.out.Requests[i-1], &r.out.Requests[i]
		both := min(r.s.Requests[i-1].Counted(), r.s.Requests[i].Counted())
		lost := both - q.Response.CacheRead
		if !caches[q.Response.Model] || q.Start == session.OnBranch || lost < least || lost < both/10 {
			continue
		}
		q.Cause, q.Lost = causeOf(before, q), token.Count(lost)
	}
}

// causeOf returns the first cause for which there is evidence.
func causeOf(before, q *Request) Cause {
	switch {
	case before.Response.Model != q.Response.Model:
		return Switched
	case q.Start == session.AfterCompaction:
		return Compacted
	case q.Response.Time-before.Response.Time > CacheTime:
		return Paused
	case q.Pruned.Results > 0:
		return Rewritten
	}
	return Unexplained
}
