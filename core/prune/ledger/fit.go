package ledger

import (
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// fitting estimates two numbers from the recorded usage of a context: the size of what
// precedes the conversation (floor), and how many tokens the provider counts for each token
// that pi estimates (scale). They are a regression line through the prompts of all
// requests. A new line changes the whole bill, so after many requests it is fitted again
// only when their number has grown by a quarter.
type fitting struct {
	replayState
	from        token.Line // the line of the terms, from earlier messages
	line        token.Line
	calls       int
	fittedCalls int // value of calls at the last fit
	floor       token.Count
	scale       float64
}

// refitEachCall is the number of requests up to which every request refits the line.
const refitEachCall = 32

// Calibrate returns the floor and the scale of a conversation, 0 and 1 without usage.
func (in *Conversation) Calibrate() (floor token.Count, scale float64) {
	f := in.fitted()
	return f.floor, f.scale
}

// Measured returns the line through the prompts of a conversation and its past.
func (in *Conversation) Measured() token.Line { return in.fitted().line }

// fitted returns the fitting up to the last message.
func (in *Conversation) fitted() *fitting {
	f := in.fitting
	if from := in.Terms.Measured; f == nil || f.from != from || !f.continues(in.Terms.Declared) {
		f = &fitting{from: from, line: from}
		f.floor, f.scale = f.line.Fit()
		in.fitting = f
	}
	f.declared = in.Terms.Declared
	f.follow(in)
	return f
}

// follow processes the new messages.
func (f *fitting) follow(in *Conversation) {
	for ; f.next < len(in.Messages); f.next++ {
		i := f.next
		in.Visited++
		m := &in.Messages[i]
		if m.Head == nil {
			continue
		}
		switch m.Head.Role {
		case message.RoleCompactionSummary:
			f.compactedAt, f.lastAnswer = m.Head.Timestamp, nil
		case message.RoleUser:
			f.lastAnswer = nil
		case message.RoleAssistant:
			f.addCall(in, i)
			f.lastAnswer = m.Head
		}
		f.add(in, i)
	}
}

// addCall adds the prompt of the request whose answer is the message at i.
func (f *fitting) addCall(in *Conversation, i int) {
	h := in.Messages[i].Head
	u := h.Usage
	n := u.Input + u.CacheRead + u.CacheWrite
	if !h.HasUsage || n <= 0 || !f.isCall(h) {
		return
	}
	f.shrinkBefore(in, i)
	f.lastCall, f.lastUsed = i, max(f.lastUsed, h.Timestamp)
	n -= int64(bill.DeclaredAt(in.Terms.Declared, h.Timestamp).Tokens()) // the floor does not include it
	f.line.Add(float64(f.sum), float64(f.blockSum), float64(n))
	f.calls++
	if f.calls <= refitEachCall || 4*f.calls >= 5*f.fittedCalls {
		f.fittedCalls = f.calls
		f.floor, f.scale = f.line.Fit()
	}
}

// replaced records that the message at i was pruned; old is its previous form, of size was.
// It reports false when a prompt with the new form is in the line already.
func (f *fitting) replaced(in *Conversation, i int, was token.Count, old Message) bool {
	return f.shrinksLater(in, i, was, message.Blocks(old.Head)-message.Blocks(in.Messages[i].Head))
}

// continues reports whether list extends what was declared before by declarations that
// began after the last request.
func (t *replayState) continues(list []bill.Declared) bool {
	n := len(t.declared)
	return n <= len(list) && slices.Equal(t.declared, list[:n]) && (n == len(list) || list[n].Since > t.lastUsed)
}

// prefixSums is a Fenwick tree: a list of numbers in which changing one number, and adding
// up those before an index, take logarithmic time.
type prefixSums []int

// add appends a number.
func (s *prefixSums) add(n int) {
	at := len(*s) + 1
	for below := at - 1; below > at-at&-at; below -= below & -below {
		n += (*s)[below-1]
	}
	*s = append(*s, n)
}

// change adds by to the number at an index.
func (s prefixSums) change(place, by int) {
	for at := place + 1; at <= len(s); at += at & -at {
		s[at-1] += by
	}
}

// before returns the sum of the numbers before an index.
func (s prefixSums) before(place int) int {
	n := 0
	for at := place; at > 0; at -= at & -at {
		n += s[at-1]
	}
	return n
}
