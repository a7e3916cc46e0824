package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// toolCall is a tool call that may need earlier text.
type toolCall struct {
	// edits is set when an old text of the call is in its context.
	edits bool
	// old and paths are the texts that only prunable messages hold.
	old, paths []need
}

// need is a text that only prunable messages of the context hold.
type need struct {
	text    string
	holders []int32 // messages
}

// mention is a tool call, or the prose of an answer, whose references have not been
// resolved to messages yet.
type mention struct {
	call int
	arguments
	// prose is set for text rather than a call: its paths only name what earlier calls were
	// about.
	prose bool
}

// mention records what an answer names, and what its calls use. It reads arguments from the
// file, because heads keep only the beginning of long ones.
func (l *loader) mention(answer *message.Node, call int) error {
	h := &answer.Message
	raw, err := l.line(answer)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", answer.ID, err)
	}
	body := answer.Body.Of(raw)
	l.cost.note(&l.parser, h, body)
	for _, b := range h.Content.Blocks {
		w := mention{call: call}
		switch b.Kind {
		case message.BlockText:
			w.prose = true
			w.words(message.Unquote(b.Text.Of(body)))
		case message.BlockToolCall:
			w.arguments = readArguments(b.Text.Of(body))
			if b.Call < len(h.Calls) {
				l.about[h.Calls[b.Call].ID] = w.paths
			}
		}
		if len(w.old)+len(w.paths) > 0 {
			l.mentions = append(l.mentions, w)
		}
	}
	return nil
}

// findHolders finds the messages that hold the text that calls use, and keeps what pruning
// could remove.
func (l *loader) findHolders() {
	var used []string
	for _, w := range l.mentions {
		if !w.prose {
			used = append(append(used, w.old...), w.paths...)
		}
	}
	f := newFinder(used)
	for m, text := range l.texts {
		f.scan(int32(m), text)
	}
	in := make([]bool, len(l.messages)) // the context
	var ctx []int32
	next := 0
	for _, w := range l.mentions {
		for ; next <= w.call; next++ {
			ctx = l.nextContext(ctx, in, &l.calls[next])
		}
		c := &l.calls[w.call]
		c.refers = l.addNamed(c.refers, w.paths, in)
		if w.prose {
			continue
		}
		if t, ok := l.toolCall(&w, in, f.holders); ok {
			c.tools = append(c.tools, t)
			c.refers = t.refers(c.refers)
		}
	}
	l.texts, l.mentions, l.about, l.results = nil, nil, nil, nil
}

// addNamed adds the results in a context whose calls were about one of the paths. The
// session's directory and its ancestors are ignored: every call is inside them.
func (l *loader) addNamed(to []int32, paths []string, in []bool) []int32 {
	for _, p := range paths {
		if strings.HasPrefix(l.CWD+"/", p+"/") {
			continue
		}
		for _, m := range l.results[p] {
			if in[m] && !slices.Contains(to, m) {
				to = append(to, m)
			}
		}
	}
	return to
}

// refers adds the results that hold what the call used.
func (t *toolCall) refers(to []int32) []int32 {
	for _, needs := range [...][]need{t.old, t.paths} {
		for i := range needs {
			for _, m := range needs[i].holders {
				if !slices.Contains(to, m) {
					to = append(to, m)
				}
			}
		}
	}
	return to
}

// nextContext advances the context from one call to the next.
func (l *loader) nextContext(ctx []int32, in []bool, c *call) []int32 {
	for _, m := range ctx[c.keep:] {
		in[m] = false
	}
	for _, m := range c.add {
		in[m] = true
	}
	return append(ctx[:c.keep], c.add...)
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
// answers hold it there, which pruning may remove.
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
