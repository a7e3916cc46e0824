package prune

import (
	"bytes"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// CodeRepeat: pruned, a later call returned the same.
const CodeRepeat = "repeat"

// repeatRule proposes results which a later call with the same arguments returned
// again, word for word: the later one shows the text. That holds for tools that may
// not be run again, too.
var repeatRule = rule{
	name: "repeat", code: CodeRepeat, source: newRepeatSource,
	words: words{marker: ", repeated later", report: "a later call returned the same"},
}

func newRepeatSource(s AutoSettings) Source {
	return repeatSource{rest: len(s.Only) == 0, ages: agesOf(s.Preset), rerun: s.Rerun}
}

// repeatSource is the source of repeatRule.
type repeatSource struct {
	// rest is set when it looks only at what the other sources leave by their ages
	// and by what they allow to run again: it has to ask for the text of results.
	rest  bool
	ages  ages
	rerun []string
}

// Name implements Source.
func (repeatSource) Name() string { return repeatRule.name }

// Propose implements Source.
func (s repeatSource) Propose(in *Input) Proposals {
	var out Proposals
	if in.Situation.Text == nil {
		return out
	}
	h := in.history()
	for i := range h.facts {
		if h.facts[i].age < 1 || !in.comparable(i) || s.rest && !s.left(&h.facts[i]) {
			continue
		}
		for j := i + 1; j < len(h.facts); j++ {
			if in.chars(j) == in.chars(i) && in.comparable(j) && in.repeats(i, j) {
				out.Prune = append(out.Prune, Proposal{Index: in.results[i].Index, Reason: Reason{CodeRepeat, "a later call returned the same"}})
				break
			}
		}
	}
	return out
}

// left reports whether the other sources may leave a result that was repeated.
func (s repeatSource) left(f *fact) bool {
	switch f.class {
	case tool.Other:
		return !tool.MatchName(s.rerun, f.call.Name) || f.age < s.ages.command
	case tool.Read: // the later read covers it
		return f.covered && f.age < s.ages.covered
	}
	return f.age < s.ages.command
}

func (in *Input) chars(result int) int { return in.results[result].Message.Head.Content.Chars }

// comparable reports whether a result could be, or have, a repeat.
func (in *Input) comparable(result int) bool {
	f, r := &in.history().facts[result], &in.results[result]
	return r.Tokens >= minResult && !f.void && f.call != nil && f.class != tool.Edit &&
		!r.Message.Marked && !r.Message.Head.IsError && r.Message.Head.Content.Images == 0
}

// repeats reports whether the result j is the result i once more: the same text that
// the same call of the same tool returned.
func (in *Input) repeats(i, j int) bool {
	f, g := &in.history().facts[i], &in.history().facts[j]
	a, b := &in.results[i], &in.results[j]
	if a.Message.Head.ToolName != b.Message.Head.ToolName || !sameArguments(f.call, g.call) {
		return false
	}
	text := in.Situation.Text(a.Index)
	return text != "" && text == in.Situation.Text(b.Index)
}

// sameArguments compares the arguments of two calls, whatever the order of their
// members. Those that were cut are never the same.
func sameArguments(a, b *message.Call) bool {
	if len(a.Arguments) != len(b.Arguments) || len(a.Arguments) > 512 {
		return false
	}
	if bytes.Equal(a.Arguments, b.Arguments) {
		return true
	}
	x, y := a.Arguments.Clone(), b.Arguments.Clone()
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}
