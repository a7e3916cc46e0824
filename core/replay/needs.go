package replay

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/session"
)

// toolCall is what a tool call used of the text before it.
type toolCall struct {
	edits bool // it edits a text that stands in the context
	// old and paths are the texts to replace, and the paths, that only messages hold which
	// pruning could remove.
	old, paths []need
}

// need is a text that a call used.
type need struct {
	text    string
	holders []int32 // messages
}

// mention is a tool call whose references have not been resolved to messages yet.
type mention struct {
	request int
	arguments
}

// findHolders finds the messages that hold the text that calls use, and keeps what pruning
// could remove.
func (l *loader) findHolders() {
	var used []string
	for _, w := range l.mentions {
		used = append(append(used, w.old...), w.paths...)
	}
	f := newFinder(used)
	for m, text := range l.texts {
		f.scan(int32(m), text)
	}
	in := make([]bool, len(l.Messages)) // the context
	var ctx []int32
	next := 0
	for _, w := range l.mentions {
		for ; next <= w.request; next++ {
			ctx = nextContext(ctx, in, l.Requests[next].Plain)
		}
		if t, ok := l.toolCall(&w, in, f.holders); ok {
			l.tools[w.request] = append(l.tools[w.request], t)
		}
	}
}

// nextContext advances the context from one request to the next.
func nextContext(ctx []int32, in []bool, c session.Context) []int32 {
	for _, m := range ctx[c.Keep:] {
		in[m] = false
	}
	for _, m := range c.Add {
		in[m] = true
	}
	return append(ctx[:c.Keep], c.Add...)
}

// toolCall returns what a call could miss, and whether there is anything.
func (l *loader) toolCall(w *mention, in []bool, holders map[string][]int32) (t toolCall, ok bool) {
	for _, text := range w.old {
		n, stands, only := l.need(text, in, holders)
		t.edits = t.edits || stands
		if only {
			t.old = append(t.old, n)
		}
	}
	for _, text := range w.paths {
		if n, _, only := l.need(text, in, holders); only {
			t.paths = append(t.paths, n)
		}
	}
	return t, t.edits || len(t.paths) > 0
}

// need reports whether a text is in a context (stands), and whether only tool results and
// responses hold it there, which pruning may remove.
func (l *loader) need(text string, in []bool, holders map[string][]int32) (n need, stands, only bool) {
	n.text = text
	for _, m := range holders[text] {
		if !in[m] {
			continue
		}
		stands = true
		if role := l.head(m).Role; role != message.RoleToolResult && role != message.RoleAssistant {
			return n, true, false
		}
		n.holders = append(n.holders, m)
	}
	return n, stands, stands
}
