package ledger

import (
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// fitting reads off the recorded usage of the calls of a context how large what comes
// before the conversation is, and how many tokens the provider counts for one that pi
// estimates: a line through the prompts of all calls. Everything that was billed follows
// from it, so that after many calls it is drawn again only when a fourth more have come.
type fitting struct {
	replayState
	from        token.Line // that of the terms
	line        token.Line
	calls       int
	fittedCalls int // calls when it was drawn last
	floor       token.Count
	scale       float64
}

// refitEachCall is the number of calls up to which every one counts at once.
const refitEachCall = 32

// Calibrate returns the floor and the scale of a conversation. Without usage they are 0 and 1.
func (in *Conversation) Calibrate() (floor token.Count, scale float64) {
	f := in.fitted()
	return f.floor, f.scale
}

// Measured returns the line through the prompts of a conversation and of what came before.
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

// follow goes through the messages that are new.
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

// addCall takes the prompt of the call whose answer is the message at i.
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
	f.line.Add(float64(f.sum), float64(n))
	f.calls++
	if f.calls <= refitEachCall || 4*f.calls >= 5*f.fittedCalls {
		f.fittedCalls = f.calls
		f.floor, f.scale = f.line.Fit()
	}
}

// replaced takes over that the message at i was larger. It reports false when a prompt
// was taken that had it as it is now.
func (f *fitting) replaced(in *Conversation, i int, was token.Count, old Message) bool {
	return f.shrinksLater(in, i, was, message.Blocks(old.Head)-message.Blocks(in.Messages[i].Head))
}

// continues reports whether a list of what was declared only grew, by what began after
// the last call.
func (t *replayState) continues(list []bill.Declared) bool {
	n := len(t.declared)
	return n <= len(list) && slices.Equal(t.declared, list[:n]) && (n == len(list) || list[n].Since > t.lastUsed)
}

// prefixSums are numbers of which any may change, with the sum of those before each place: a
// Fenwick tree, so that both take steps in the logarithm of how many there are.
type prefixSums []int

// add adds a number at the end.
func (s *prefixSums) add(n int) {
	at := len(*s) + 1
	for below := at - 1; below > at-at&-at; below -= below & -below {
		n += (*s)[below-1]
	}
	*s = append(*s, n)
}

// change adds to the number at a place.
func (s prefixSums) change(place, by int) {
	for at := place + 1; at <= len(s); at += at & -at {
		s[at-1] += by
	}
}

// before is the sum of the numbers before a place.
func (s prefixSums) before(place int) int {
	n := 0
	for at := place; at > 0; at -= at & -at {
		n += s[at-1]
	}
	return n
}
