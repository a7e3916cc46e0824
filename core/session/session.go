package session

import (
	"cmp"
	"math"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Session is the requests of a session, each as the difference from the previous one.
type Session struct {
	// ID, CWD and Started are from the header; Started is in Unix milliseconds.
	ID, CWD string
	Started int64
	// Converted is set on a session that pi did not write: it has no record of the chosen
	// model. What precedes its conversation belongs to another agent.
	Converted bool
	// Messages are all that stood in any context, in order of their first request.
	Messages []Message
	// Requests are those that were billed, in the order of the file.
	Requests []Request
	// Models are those that answered, in the order of their first answer.
	Models []Model
	// Declared is what pictx declared, ordered by Since. It is not part of the floor of a model.
	Declared []bill.Declared
	// Asides are requests besides the conversation, in the order of the file.
	Asides []Aside
	// Pending is a compaction that no request has followed yet, nil for none.
	Pending *Compaction
	// Warmed are the times of requests since the last one that only kept the cache alive.
	Warmed []int64

	tree  *message.Tree
	line  Line
	marks *marks // of an agent without context edits, nil where there are none
	last  lastRequest
}

// lastRequest is the context of the last request, and the last response of all, billed or not.
type lastRequest struct {
	items   []message.Item
	markers map[string]string
	answer  *message.Node
}

// Line returns the bytes of an entry, which are valid until the next call.
type Line func(*message.Node) ([]byte, error)

// Kind is what a message is to the bill.
type Kind uint8

// The kinds of messages.
const (
	Ordinary Kind = iota
	Marker        // a tool result whose text was pruned
	Injected      // a message of pictx
	Fetched       // text that was brought back, or the response that asked for it
)

// Message is a message as a context has it. Editing the content of an entry makes another
// message.
type Message struct {
	Item message.Item
	Kind Kind
	// Tokens and Blocks are its size as pi estimates it, 0 for what is not sent.
	Tokens token.Count
	Blocks int
	// Plain is the index of the message in its place in plain pi, -1 for none: of what was
	// pruned, the original.
	Plain int32
}

// Request is an answered request to a model.
type Request struct {
	// Answer is the first entry of the response, More are further ones: some agents write an
	// entry for every block.
	Answer *message.Node
	More   []*message.Node
	// Sent and Plain are the context as it was sent, and as plain pi would have sent it.
	Sent, Plain Context
	// Fetch is set when the request only brought text back. Plain pi would not have made it.
	Fetch bool
	// Start is how it relates to the previous request.
	Start Start
	// At is the earliest time at which it can have been sent, in Unix milliseconds. Running is
	// set when it continues the work of the one before.
	At      int64
	Running bool
	// Warmed are the times of the requests since the previous one that only kept the cache
	// alive.
	Warmed []int64
	// Model is an index into Session.Models, Usage what the provider counted.
	Model int
	Usage message.Usage
	// Compaction precedes the request, nil for none.
	Compaction *Compaction
}

// Context is the difference of a context to the previous one: its first Keep messages, then
// those of Add, indexes into Session.Messages.
type Context struct {
	Keep int
	Add  []int32
}

// Counted is the prompt size that the provider counted, 0 when unknown.
func (r *Request) Counted() int64 { return r.Usage.Input + r.Usage.CacheRead + r.Usage.CacheWrite }

// Start is how a request relates to the previous one.
type Start uint8

// The kinds of starts.
const (
	Continues       Start = iota
	StartsSession         // the first request
	AfterCompaction       // pi summarized what came before
	OnBranch              // the user moved to another branch
)

// Model is a model of a session, with the line that converts pi's estimates of a conversation
// to what its provider counts: Floor + Scale * estimate.
type Model struct {
	Provider, ID, API string
	// Floor is the size of what precedes the conversation.
	Floor token.Count
	Scale float64
	// Counted is the number of requests that the line is based on. Without any, Floor and
	// Scale are assumed.
	Counted int
	// Paid is what the session records of its price.
	Paid bill.Paid

	line token.Line
}

// Name is the name of the model with that of its provider.
func (m *Model) Name() string {
	if m.Provider == "" {
		return m.ID
	}
	return m.Provider + "/" + m.ID
}

// Scaled converts an estimate.
func (m *Model) Scaled(estimate token.Count) token.Count {
	return token.Count(math.Round(m.Scale * float64(estimate)))
}

// Compaction converts estimates.
func (m *Model) Compaction(c bill.Compaction) bill.Compaction {
	c.Input, c.Output = m.Scaled(c.Input), m.Scaled(c.Output)
	return c
}

// Compaction is what the summary of a compaction took.
type Compaction struct {
	// Node is its entry.
	Node *message.Node
	// Plain is the request of plain pi, as pi estimates tokens.
	Plain bill.Compaction
	// Sent is what the session records. Without Known it says nothing of it. Ours is set when
	// pictx wrote the summary: one of the agent itself costs the same on both sides.
	Sent        bill.Compaction
	Known, Ours bool
	// Before is the context that it ended, its size in Tokens.
	Tokens token.Count
}

// Bill returns what the compaction is billed on both sides, as the provider of a model counts.
func (c *Compaction) Bill(m *Model) (plain, sent bill.Compaction) {
	plain, sent = m.Compaction(c.Plain), c.Sent
	if !c.Known {
		sent = plain
	}
	if !c.Ours {
		plain = sent
	}
	return plain, sent
}

// Aside is a request besides the conversation that the session records with its cost, such
// as for the summary of a branch.
type Aside struct {
	Node *message.Node
	// Before is the index of the next request.
	Before int
}

// AssumeFloor overrides the size of the system prompt and the tools, for example in a
// session converted from another agent.
func (s *Session) AssumeFloor(floor token.Count) {
	for i := range s.Models {
		s.Models[i].Floor = max(1, floor)
	}
}

// fit sets Floor and Scale from the line through the counted requests.
func (m *Model) fit() {
	m.Floor, m.Scale = m.line.Fit()
	m.Floor = cmp.Or(m.Floor, token.AssumedFloor)
}

// Earlier returns the requests before one that are on its branch, in order: those that the
// context of a request on another branch goes on from.
func (s *Session) Earlier(request int) []int32 {
	on := make(map[string]bool)
	for _, n := range s.tree.Path(s.Requests[request].Answer.ParentID) {
		on[n.ID] = true
	}
	var out []int32
	for i := range s.Requests[:request] {
		if on[s.Requests[i].Answer.ParentID] {
			out = append(out, int32(i))
		}
	}
	return out
}

// Raw returns a message as pi builds it, with its head, nil when it cannot be read. The bytes
// are valid until the next call of the session's line.
func (s *Session) Raw(m int32) (*message.Head, []byte) {
	var p message.Parser
	h, raw, err := s.Messages[m].Item.Message(&p, s.line)
	if err != nil {
		return nil, nil
	}
	return &h, raw
}

// Text returns the text of a message, nil when it cannot be read.
func (s *Session) Text(m int32) []byte {
	text, err := s.Messages[m].Item.AppendText(nil, s.line)
	if err != nil {
		return nil
	}
	return text
}

// Entry returns the bytes of an entry, valid until the next call.
func (s *Session) Entry(n *message.Node) ([]byte, error) { return s.line(n) }

// Tree returns the entries of the session.
func (s *Session) Tree() *message.Tree { return s.tree }
