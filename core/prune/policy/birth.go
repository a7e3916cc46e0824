package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/excerpt"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

const (
	// CodeAgain: shortened, an earlier read of the file shows the rest.
	CodeAgain = "again"
	// CodeExcerpt: shortened, what an agent acts on stays of the output of a command.
	CodeExcerpt = "excerpt"
)

// A birth shortens a result before the first request that carries it. That costs nothing: no
// cache has it, and no thinking is bound to it.
type birth struct {
	rule rule
	// shorten returns what is to replace a result, "" when it stays whole.
	shorten func(in *Input, r Result, text string) string
}

// births are asked in order about results that the model has not seen.
var births = []birth{
	{rule{name: "again", code: CodeAgain, words: words{report: "an earlier read shows the rest"}}, again},
	{rule{name: "output", code: CodeExcerpt, words: words{report: "a long output, of which the essential lines stay"}}, output},
}

// birthRules are the rules of births.
func birthRules() (out rules) {
	for _, b := range births {
		out = append(out, b.rule)
	}
	return out
}

// shortens returns the births that settings select.
func (s AutoSettings) shortens() []birth {
	return slices.DeleteFunc(slices.Clone(births), func(b birth) bool {
		return slices.Contains(s.Without, b.rule.name)
	})
}

// bear shortens new results, and returns their indexes.
func (p *Plan) bear(planner *Planner, in *Input) map[int]bool {
	born := make(map[int]bool)
	if len(planner.births) == 0 || in.Situation.Text == nil {
		return born
	}
	stopped := len(in.Messages) - 1 // a response that was: its request has been sent
	for stopped >= 0 && (in.Messages[stopped].Head == nil || !message.Voided(in.Messages[stopped].Head)) {
		stopped--
	}
	first := len(in.results)
	for first > 0 && in.results[first-1].Index > stopped && in.factAt(first-1).age < 1 {
		first--
	}
	for i := first; i < len(in.results); i++ {
		r := in.results[i]
		if edited := slices.ContainsFunc(p.Edits, func(e Edit) bool { return e.Index == r.Index }); edited || !planner.bears(in, r) {
			continue
		}
		text := string(in.Situation.Text(r.Index))
		for _, b := range planner.births {
			if by := b.shorten(in, r, text); by != "" {
				c := Candidate{Result: r, Source: b.rule.name, Reason: Reason{b.rule.code, b.rule.words.report}}
				left := token.OfText(by)
				p.add(c, Edit{ToolName: r.Message.Head.ToolName, MarkerTokens: left, Marker: by}, r.Tokens-left)
				born[r.Index] = true
				in.results[i].Message.Excerpt = true // what comes with it cannot refer to it
				break
			}
		}
	}
	slices.SortStableFunc(p.Edits, func(a, b Edit) int { return a.Index - b.Index })
	return born
}

// Shortenable reports whether a new result is of a kind and a size that is shortened.
func Shortenable(h *message.Head) bool {
	return h.Role == message.RoleToolResult && token.Estimate(h) >= minResult &&
		slices.Contains([]tool.Class{tool.Read, tool.Editor, tool.Shell, tool.List}, tool.ClassOf(h.ToolName))
}

// bears reports whether a new result may be shortened: whatever keeps it from being pruned later
// keeps it whole now, but for its newness and for the failure of a command, whose errors stay.
func (p *Planner) bears(in *Input, r Result) bool {
	f := in.fact(r)
	if !Shortenable(r.Message.Head) || !marker.IsID(r.Message.EntryID) || r.Message.Excerpt || r.Message.Head.Content.Images > 0 || f.call == nil || tool.Expands(f.call) {
		return false
	}
	if r.Message.Head.IsError && f.class != tool.Shell {
		return false
	}
	return !slices.ContainsFunc(p.always, func(keep Protection) bool { _, ok := keep(in, r); return ok })
}

// again shortens a read of a file of which an earlier read is still there to what is new in it.
// The next read of the same lines is answered in full: the agent wants them.
func again(in *Input, r Result, text string) string {
	f := in.fact(r)
	if f.class != tool.Read || f.path < 0 {
		return ""
	}
	at := in.earlierRead(r, f)
	if at < 0 {
		return ""
	}
	before := in.results[at]
	now := partOf(f.call, text)
	e, ok := excerpt.Changes(partOf(in.fact(before).call, string(in.Situation.Text(before.Index))), now)
	if !ok {
		return ""
	}
	if e.Text == "" {
		one := in.marked(Candidate{Result: r})
		one.Class = tool.Read
		return marker.Line(one, ", as read before", text)
	}
	x := marker.Excerpt{
		Entry: r.Message.EntryID, Left: e.Left, Lines: e.Lines, Tokens: r.Tokens - token.OfText(e.Text),
		Text: e.Text, What: "this file, as read before",
	}
	return x.String()
}

// earlierRead returns the newest read of the same file that is there in full, as an index into
// results, -1 for none. There is none either when the same lines were asked for since and the
// answer was shortened.
func (in *Input) earlierRead(r Result, f *fact) int {
	for i := r.order - 1; i >= 0; i-- {
		one := &in.results[i]
		e := in.factAt(i)
		if e.path != f.path || e.class != tool.Read || e.void || one.Message.Head.IsError {
			continue
		}
		if one.Message.Marked || one.Message.Excerpt {
			if e.until == f.until && sameCall(e.call, f.call) {
				return -1
			}
			continue
		}
		if one.Message.Head.Content.Images > 0 {
			return -1
		}
		return i
	}
	return -1
}

// partOf returns the lines of a file that a read has shown.
func partOf(call *message.Call, text string) excerpt.Part {
	lines, more := tool.FileLines(text)
	a := tool.ParseArguments(call.Arguments)
	return excerpt.Part{From: a.From, Lines: lines, Ends: !more && (a.To == 0 || len(lines) < a.To-a.From)}
}

// output shortens the output of a command or a search. A file that the command was asked to show
// stays whole, and so does what the agent asks for once more while nothing has changed.
func output(in *Input, r Result, text string) string {
	f := in.fact(r)
	if f.class != tool.Shell && f.class != tool.List || f.class == tool.Shell && tool.ShowsFile(f.call) || in.askedAgain(r, f) {
		return ""
	}
	e, ok := excerpt.Of(text)
	if !ok {
		return ""
	}
	what := "this output"
	if e.Unchanged > 0 {
		what += fmt.Sprintf(", %d of them unchanged in a diff", e.Unchanged)
	}
	x := marker.Excerpt{
		Entry: r.Message.EntryID, Left: e.Left, Lines: e.Lines, Tokens: r.Tokens - token.OfText(e.Text), Text: e.Text, What: what,
	}
	return x.String()
}

// askedAgain reports whether the last call that said the same was shortened, and no file was
// changed since.
func (in *Input) askedAgain(r Result, f *fact) bool {
	for i := r.order - 1; i >= 0; i-- {
		e := in.factAt(i)
		switch {
		case e.class == tool.Edit && !e.void && !in.results[i].Message.Head.IsError:
			return false
		case sameCall(e.call, f.call):
			return in.results[i].Message.Excerpt
		}
	}
	return false
}

// sameCall reports whether two calls ask for the same.
func sameCall(a, b *message.Call) bool {
	return a != nil && b != nil && a.Name == b.Name && strings.TrimSpace(string(a.Arguments)) == strings.TrimSpace(string(b.Arguments))
}
