package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Answer is an assistant message as the rules see it that trim messages.
type Answer struct {
	Result
	// Age is the number of the model's answers since.
	Age int
	// Closed is set when a user message follows: the turn is over.
	Closed bool
	// Thinks is set when any message of the same response has thinking.
	Thinks bool
	// Signed is set when the provider may reject the message without its thinking: ids or
	// signatures in its text or calls refer to that.
	Signed bool
	// Files are the files that its calls change, parallel to Head.Calls; "" where a call
	// changes none.
	Files []string

	born        int // responses up to and including this one
	hasThinking bool
}

// answerIndex are the assistant messages after the last compaction summary that may be
// trimmed.
type answerIndex struct {
	list      []Answer
	responses int
	last      *message.Head
	closed    int // number of messages in list whose turn is over
	// changed is the newest call that changes each file.
	changed map[string]callPlace
}

// callPlace is a call by the index of its message in answerIndex.list and its own in
// Head.Calls.
type callPlace struct{ answer, call int }

// after reports whether a call comes after another.
func (p callPlace) after(q callPlace) bool {
	return p.answer > q.answer || p.answer == q.answer && p.call > q.call
}

// Answers returns the assistant messages after the last compaction summary that may be
// trimmed, oldest first: those with an entry and content blocks that did not fail.
func (in *Input) Answers() []Answer { return in.answerIndex().list }

// answerIndex returns the index of the input.
func (in *Input) answerIndex() *answerIndex {
	if in.answers == nil {
		in.answers = &answerIndex{changed: make(map[string]callPlace)}
		in.answers.read(in)
	}
	return in.answers
}

// read processes the messages.
func (s *answerIndex) read(in *Input) {
	for i := range in.Messages {
		h := in.Messages[i].Head
		if h == nil {
			continue
		}
		switch h.Role {
		case message.RoleCompactionSummary:
			s.list, s.closed, s.last = s.list[:0], 0, nil
			clear(s.changed)
		case message.RoleUser:
			s.last, s.closed = nil, len(s.list)
		case message.RoleAssistant:
			if message.Voided(h) {
				continue
			}
			if !message.SameAnswer(s.last, h) {
				s.responses++
			}
			s.last = h
			if a, ok := in.answer(i, h); ok {
				s.add(a)
			}
		}
	}
	for i := range s.list {
		a := &s.list[i]
		a.Age, a.Closed = s.responses-a.born, i < s.closed
	}
}

// add adds a message.
func (s *answerIndex) add(a Answer) {
	a.order, a.born = len(s.list), s.responses
	s.list = append(s.list, a)
	s.noteThinking(a.order)
	for call, file := range a.Files {
		if file != "" {
			s.changed[file] = callPlace{a.order, call}
		}
	}
}

// noteThinking sets Thinks in all messages of the response to which the one at an index
// belongs.
func (s *answerIndex) noteThinking(place int) {
	first, end := place, place+1
	for first > 0 && s.list[first-1].born == s.list[place].born {
		first--
	}
	for end < len(s.list) && s.list[end].born == s.list[place].born {
		end++
	}
	parts := s.list[first:end]
	thinks := slices.ContainsFunc(parts, func(a Answer) bool { return a.hasThinking })
	for i := range parts {
		parts[i].Thinks = thinks
	}
}

// answer returns what is known of an assistant message, false when it must not be trimmed.
func (in *Input) answer(i int, h *message.Head) (Answer, bool) {
	m := in.Messages[i]
	if m.EntryID == "" || h.Content.Kind != message.ContentBlocks {
		return Answer{}, false
	}
	a := Answer{Result: in.resultAt(i), Signed: signed(h)}
	for _, b := range h.Content.Blocks {
		switch b.Kind {
		case message.BlockThinking:
			a.Thinks, a.hasThinking = true, true
		case message.BlockOther: // content of an unknown version of pi is not ours to touch
			return Answer{}, false
		}
	}
	for j := range h.Calls {
		a.Files = append(a.Files, in.changes(&h.Calls[j]))
	}
	return a, true
}

// changes returns the file that a call changes, "" for none.
func (in *Input) changes(c *message.Call) string {
	h := in.history()
	class := h.classOf(c.Name)
	if class != tool.Edit && class != tool.Editor {
		return ""
	}
	acc := tool.ParseArguments(c.Arguments)
	if acc.Path == nil || class == tool.Editor && tool.EditorClass(acc.Command) != tool.Edit {
		return ""
	}
	return h.files.Path(h.files.OfLiteral(acc.Path))
}

// argumentsOf returns the size of the arguments of a call.
func (a *Answer) argumentsOf(call int) token.Count {
	for _, b := range a.Message.Head.Content.Blocks {
		if b.Kind == message.BlockToolCall && b.Call == call {
			return token.OfChars(b.Text.End - b.Text.Start)
		}
	}
	return 0
}
