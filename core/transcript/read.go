package transcript

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/usage"
)

// Read reads the branch that ends at leaf. line returns the bytes of an entry; marks are
// the stored marks of the session, nil without any.
func Read(t *message.Tree, leaf string, line func(*message.Node) ([]byte, error), marks []prune.Mark) (*Transcript, error) {
	r := &reader{calls: make(map[string]*Call), results: make(map[string]*Result), cwd: t.Header.CWD}
	name := ""
	for _, n := range t.Path(leaf) {
		named := n.Type == message.EntrySessionInfo
		if !named && !isShown(n) {
			continue
		}
		raw, err := line(n)
		if err != nil {
			return nil, err
		}
		if named {
			name = n.Name // after reading the line, which applies redactions to the node
			continue
		}
		r.read(n, raw)
	}
	inForce, err := prune.MarksOn(t.Path(leaf), line, marks)
	if err != nil {
		return nil, err
	}
	r.mark(inForce)
	r.out.Title = usage.Title(name, r.first)
	return &r.out, nil
}

// isShown reports whether an entry is an item, or affects one.
func isShown(n *message.Node) bool {
	switch n.Type {
	case message.EntryMessage, message.EntryCustomMessage, message.EntryCompaction, message.EntryBranchSummary, message.EntryContextEdit:
		return n.Message.Role != message.RoleSystem
	}
	return false
}

// reader builds a transcript, entry by entry.
type reader struct {
	out      Transcript
	calls    map[string]*Call   // by the id of the call
	results  map[string]*Result // by the id of the entry
	first    string             // the first prompt
	last     *message.Head      // the last answer, whose cost counts once for all its parts
	response *usage.Response    // its cost
	cwd      string
}

func (r *reader) read(n *message.Node, raw []byte) {
	if n.Type == message.EntryContextEdit {
		r.edited(n, raw)
		return
	}
	it := Item{ID: n.ID, Time: n.Time}
	body := raw
	if n.Type == message.EntryMessage {
		body = n.Body.Of(raw)
	}
	h := &n.Message
	switch h.Role {
	case message.RoleToolResult:
		res := r.result(n.ID, h, body)
		if c := r.calls[h.ToolCallID]; c != nil && c.Result == nil {
			c.Result = res
			res.Output.Language = c.language()
			return
		}
		it.Kind, it.Name, it.Result = Orphan, h.ToolName, res
	case message.RoleAssistant:
		r.answer(&it, n, body)
	case message.RoleBashExecution:
		it.Kind, it.Name = Command, message.Unquote(h.Command.Of(body))
		it.Result = &Result{ID: n.ID, Output: Code{Text: message.Unquote(h.Body.Of(body))}}
		r.results[n.ID] = it.Result
	case message.RoleUser:
		it.Kind, it.Text, it.Images = Prompt, h.Text(body), h.Content.Images
		if !usage.Recognisable(usage.Title("", r.first)) && strings.TrimSpace(it.Text) != "" {
			r.first = it.Text
		}
	default:
		it.Kind, it.Name, it.Text = kindOf(n), h.CustomType, string(n.AppendBody(nil, raw))
		it.Before = token.Count(integer(n.TokensBefore.Of(raw)))
	}
	r.out.Items = append(r.out.Items, it)
}

// kindOf returns the kind of an entry that is not a message of the conversation.
func kindOf(n *message.Node) Kind {
	switch n.Type {
	case message.EntryCompaction:
		return Compaction
	case message.EntryBranchSummary:
		return Branch
	}
	return Note
}

// result reads a tool result.
func (r *reader) result(id string, h *message.Head, body []byte) *Result {
	res := &Result{ID: id, Output: Code{Text: h.Text(body)}, Images: h.Content.Images, IsError: h.IsError}
	r.results[id] = res
	return res
}

// answer reads a response of the model.
func (r *reader) answer(it *Item, n *message.Node, body []byte) {
	h := &n.Message
	it.Kind, it.Model = Answer, h.Model
	if h.StopReason == "error" || h.StopReason == "aborted" || h.StopReason == "length" {
		it.Failure = h.StopReason
	}
	if h.Model != "" && !slices.Contains(r.out.Models, h.Model) {
		r.out.Models = append(r.out.Models, h.Model)
	}
	part := message.SameAnswer(r.last, h)
	r.last = h
	switch resp, ok := usage.Of(&n.Entry); {
	case ok && !part:
		it.Response, r.response = &resp, &resp
		r.out.Total.Add(&resp)
	case ok && r.response != nil:
		r.out.Total.Grow(r.response, resp.Output)
	}
	if h.Content.Kind == message.ContentText {
		it.Parts = []Part{{Text: h.Text(body)}}
	}
	for _, b := range h.Content.Blocks {
		text := b.Text.Of(body)
		switch b.Kind {
		case message.BlockText:
			it.Parts = append(it.Parts, Part{Text: message.Unquote(text)})
		case message.BlockThinking:
			if s := message.Unquote(text); strings.TrimSpace(s) != "" {
				it.Parts = append(it.Parts, Part{Thinking: s})
			}
		case message.BlockToolCall:
			head := &h.Calls[b.Call]
			c := newCall(head.Name, text, r.cwd)
			r.calls[head.ID] = c
			it.Parts = append(it.Parts, Part{Call: c})
		}
	}
}

// edited applies a context edit to a result. The latest edit wins; one with the result's
// own content restores it.
func (r *reader) edited(n *message.Node, raw []byte) {
	res := r.results[n.Target]
	if res == nil {
		return
	}
	marker := n.Message.Text(n.Body.Of(raw))
	res.Pruned = &Pruned{Time: n.Time, Marker: marker}
	if !n.Omits && marker == res.Output.Text {
		res.Pruned = nil
	}
}

// mark adds what only the store knows: the reason and the size. marks are those in force, by
// entry.
func (r *reader) mark(marks map[string]*prune.Mark) {
	for _, m := range marks {
		if res := r.results[m.EntryID]; res != nil {
			res.Pruned = &Pruned{Time: m.Time, Reason: m.Reason, Tokens: m.Tokens, Marker: m.Marker}
			r.out.Pruned += m.Tokens
		}
	}
}
