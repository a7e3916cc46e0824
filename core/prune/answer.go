package prune

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Answer is an answer of the model as rules see it that trim answers.
type Answer struct {
	Result
	// Age counts the answers since.
	Age int
	// Closed is set when a message of the user follows: the turn is over.
	Closed bool
	// Thinks is set when the model thought in the same response, in whatever part.
	Thinks bool
	// Tied is set when the provider may refuse the answer without what it thought:
	// its text or calls carry ids or signatures that belong to it.
	Tied bool
	// Files are the files that its calls change, by their places in Head.Calls; ""
	// where a call changes none.
	Files []string
}

// Answers returns the answers after the last compaction summary that may be trimmed,
// oldest first: those with an entry and content of blocks, that did not fail.
func (in *Input) Answers() []Answer {
	if in.answers == nil {
		in.answers = in.findAnswers()
	}
	return in.answers
}

func (in *Input) findAnswers() []Answer {
	out := make([]Answer, 0, 16)
	n, first := 0, 0
	var last *message.Head
	born := make([]int, 0, 16) // the number of the response of each
	for i := range in.Messages {
		h := in.Messages[i].Head
		if h == nil {
			continue
		}
		switch h.Role {
		case message.RoleCompactionSummary:
			out, born, first = out[:0], born[:0], 0
			last = nil
		case message.RoleUser:
			last = nil
			for ; first < len(out); first++ {
				out[first].Closed = true
			}
		case message.RoleAssistant:
			if voided(h) {
				continue
			}
			if !message.SameAnswer(last, h) {
				n++
			}
			last = h
			if a, ok := in.answer(i, h); ok {
				a.order = len(out)
				out, born = append(out, a), append(born, n)
			}
		}
	}
	for i := range out {
		out[i].Age = n - born[i]
	}
	for i := range out { // what one part thought, all of them did
		for j := i + 1; j < len(out) && born[j] == born[i]; j++ {
			out[j].Thinks = out[j].Thinks || out[i].Thinks
		}
		for j := i - 1; j >= 0 && born[j] == born[i]; j-- {
			out[j].Thinks = out[j].Thinks || out[i].Thinks
		}
	}
	return out
}

// answer is what is known of one answer.
func (in *Input) answer(i int, h *message.Head) (Answer, bool) {
	m := in.Messages[i]
	if m.EntryID == "" || h.Content.Kind != message.ContentBlocks {
		return Answer{}, false
	}
	a := Answer{Result: Result{Index: i, Message: m, Tokens: in.sizes[i]}}
	for _, b := range h.Content.Blocks {
		switch b.Kind {
		case message.BlockThinking:
			a.Thinks = true
		case message.BlockOther: // what another version of pi puts there is not ours to touch
			return Answer{}, false
		case message.BlockToolCall:
			a.Tied = a.Tied || b.Signed || slices.Contains([]byte(h.Calls[b.Call].ID), '|')
		default:
			a.Tied = a.Tied || b.Signed
		}
	}
	for j := range h.Calls {
		a.Files = append(a.Files, in.changes(&h.Calls[j]))
	}
	return a, true
}

// changes returns the file that a call changes, "" for none.
func (in *Input) changes(c *message.Call) string {
	class := in.history().classOf(c.Name)
	if class != tool.Edit && class != tool.Editor {
		return ""
	}
	acc := tool.ParseArguments(c.Arguments)
	if acc.Path == nil || class == tool.Editor && tool.EditorClass(acc.Command) != tool.Edit {
		return ""
	}
	files := &in.history().files
	return files.Path(files.OfLiteral(acc.Path))
}

// argumentsOf is the size of the arguments of a call of an answer.
func (a *Answer) argumentsOf(call int) token.Count {
	for _, b := range a.Message.Head.Content.Blocks {
		if b.Kind == message.BlockToolCall && b.Call == call {
			return token.OfChars(b.Text.End - b.Text.Start)
		}
	}
	return 0
}
