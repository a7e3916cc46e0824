package replay

import (
	"fmt"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
)

// Recording is what the runs of a session need: its requests as plain pi would have sent
// them, and the earlier text that they used. Runs do not modify it, but they share the bytes
// of entries, so only one may use it at a time.
type Recording struct {
	*session.Session
	// Shared are the requests, by their index, that an earlier session has, too: they are not
	// billed again. nil is none.
	Shared []bool
	// Others is set when other sessions of the project are stored: the tool that searches them
	// is declared.
	Others bool

	own    []bill.Compaction // by request: the summary of its compaction as pictx asks for it
	marked []bool            // the messages that are a marker without pictx
	tools  [][]toolCall      // by request
}

// loader makes a Recording.
type loader struct {
	*Recording
	texts    []string // of messages, until all references are resolved
	mentions []mention
}

// Load makes the recording of a session. line must stay usable until the last run.
func Load(t *message.Tree, line session.Line) (*Recording, error) {
	s, err := session.Load(t, line)
	if err != nil {
		return nil, err
	}
	l := &loader{Recording: &Recording{Session: s, marked: make([]bool, len(s.Messages)), tools: make([][]toolCall, len(s.Requests)), own: make([]bill.Compaction, len(s.Requests))}, texts: make([]string, len(s.Messages))}
	for m := range s.Messages {
		if s.Messages[m].Plain == int32(m) {
			if err := l.read(int32(m)); err != nil {
				return nil, err
			}
		}
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Compaction != nil {
			l.own[i] = ownCompaction(t, r.Compaction, line)
		}
		for _, n := range append([]*message.Node{r.Answer}, r.More...) {
			if err := l.mention(n, i); err != nil {
				return nil, err
			}
		}
	}
	l.findHolders()
	return l.Recording, nil
}

// read reads the text of a message that plain pi sends.
func (l *loader) read(m int32) error {
	it := &l.Messages[m].Item
	raw, err := l.Entry(it.Node)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", it.Node.ID, err)
	}
	l.marked[m] = it.Edit == nil && it.Node.Type == message.EntryMessage && marker.Is(it.Head, it.Node.Body.Of(raw))
	if l.Messages[m].Blocks > 0 { // else it is not sent, so it shows nothing
		l.texts[m] = string(l.Text(m))
	}
	return nil
}

// head returns the head of a message.
func (r *Recording) head(m int32) *message.Head { return r.Messages[m].Item.Head }

// mention records what a response's calls use. It reads arguments from the file, because
// heads keep only the beginning of long ones. A failed response is not sent again.
func (l *loader) mention(answer *message.Node, request int) error {
	h := &answer.Message
	if message.Voided(h) {
		return nil
	}
	raw, err := l.Entry(answer)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", answer.ID, err)
	}
	body := answer.Body.Of(raw)
	for _, b := range h.Content.Blocks {
		if b.Kind != message.BlockToolCall {
			continue
		}
		w := mention{request: request}
		if w.read(b.Text.Of(body)); len(w.old)+len(w.paths) > 0 {
			l.mentions = append(l.mentions, w)
		}
	}
	return nil
}

// ownCompaction returns the requests of pictx for the summary of a recorded compaction. Its
// length is not known; it is assumed to be the recorded length, limited to what pictx allows.
func ownCompaction(t *message.Tree, c *session.Compaction, line session.Line) bill.Compaction {
	b, err := summary.ReadBranch(t, c.Node.ParentID, c.Node.FirstKept, summary.LimitsFor(summary.Options{}, 0), line)
	if err != nil { // what it kept is not on the branch: assume the request of plain pi
		return c.Plain
	}
	p := b.PlanOf(nil, summary.Options{Models: []string{"session"}})
	return bill.Compaction{Requests: p.Calls, Input: p.Input + summary.Instructions*token.Count(p.Calls), Output: min(p.Output, c.Plain.Output)}
}
