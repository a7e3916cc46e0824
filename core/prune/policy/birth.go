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

// Shortening a result before the first request that carries it costs nothing: no cache has it, and
// no thinking is bound to it.
var (
	againRule  = rule{name: "again", code: CodeAgain, report: "an earlier read shows the rest", shorten: (*Input).again}
	outputRule = rule{name: "output", code: CodeExcerpt, report: "a long output, of which the essential lines stay", shorten: (*Input).output}
)

// bear shortens new results, and returns their indexes.
func (p *Plan) bear(planner *Planner, in *Input) map[int]bool {
	born := make(map[int]bool)
	if len(planner.births) == 0 || in.Situation.Text == nil {
		return born
	}
	in.learn()
	stopped := len(in.Messages) - 1 // a response that was: its request has been sent
	for stopped >= 0 && (in.Messages[stopped].Head == nil || !message.Voided(in.Messages[stopped].Head)) {
		stopped--
	}
	first := len(in.results)
	for first > 0 && in.results[first-1].Index > stopped && in.results[first-1].age < 1 {
		first--
	}
	for i := first; i < len(in.results); i++ {
		r := &in.results[i]
		if edited := slices.ContainsFunc(p.Edits, func(e Edit) bool { return e.Index == r.Index }); edited || !planner.bears(in, r) {
			continue
		}
		text := string(in.Situation.Text(r.Index))
		for _, b := range planner.births {
			if by := b.shorten(in, r, text); by != "" {
				c := &Candidate{Result: *r, Source: b.name, Reason: Reason{b.code, b.report}}
				left := token.OfText(by)
				p.add(c, Edit{ToolName: r.Message.Head.ToolName, MarkerTokens: left, Marker: by}, r.Tokens-left)
				born[r.Index] = true
				r.Message.Excerpt = true // what comes with it cannot refer to it
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
func (p *Planner) bears(in *Input, r *Result) bool {
	if !Shortenable(r.Message.Head) || !marker.IsID(r.Message.EntryID) || r.Message.Excerpt || r.Message.Head.Content.Images > 0 || r.Call == nil || tool.Expands(r.Call) {
		return false
	}
	if r.Message.Head.IsError && r.class != tool.Shell {
		return false
	}
	return !slices.ContainsFunc(p.always, func(p Protection) bool { return p.Keeps(in, r) })
}

// again shortens a read of a file of which an earlier read is still there to what is new in it.
// The next read of the same lines is answered in full: the agent wants them.
func (in *Input) again(r *Result, text string) string {
	before := in.earlierRead(r)
	if before == nil {
		return ""
	}
	e, ok := excerpt.Changes(partOf(before.Call, string(in.Situation.Text(before.Index))), partOf(r.Call, text))
	if !ok {
		return ""
	}
	if e.Text == "" {
		one := in.marked(&Candidate{Result: *r})
		one.Class = tool.Read
		return marker.Line(one, ", as read before", text)
	}
	return shortened(r, e.Text, e.Left, e.Lines, "this file, as read before")
}

// shortened returns the part of a result that stays, with what is left out.
func shortened(r *Result, text string, left, lines int, what string) string {
	return marker.Excerpt{
		Entry: r.Message.EntryID, Left: left, Lines: lines, Tokens: r.Tokens - token.OfText(text), Text: text, What: what,
	}.String()
}

// earlierRead returns the newest read of the file of a read that is there in full, nil for none.
// There is none either when the same lines were asked for since and the answer was shortened.
func (in *Input) earlierRead(r *Result) *Result {
	if r.class != tool.Read || r.path < 0 {
		return nil
	}
	for i := r.order - 1; i >= 0; i-- {
		e := &in.results[i]
		switch {
		case e.path != r.path || e.class != tool.Read || e.void || e.Message.Head.IsError:
		case e.Message.Marked || e.Message.Excerpt:
			if e.until == r.until && sameCall(e.Call, r.Call) {
				return nil
			}
		case e.Message.Head.Content.Images > 0:
			return nil
		default:
			return e
		}
	}
	return nil
}

// partOf returns the lines of a file that a read has shown.
func partOf(call *message.Call, text string) excerpt.Part {
	lines, more := tool.FileLines(text)
	a := tool.ParseArguments(call.Arguments)
	return excerpt.Part{From: a.From, Lines: lines, Ends: !more && (a.To == 0 || len(lines) < a.To-a.From)}
}

// output shortens the output of a command or a search. A file that the command was asked to show
// stays whole, and so does what the agent asks for once more while nothing has changed.
func (in *Input) output(r *Result, text string) string {
	if r.class != tool.Shell && r.class != tool.List || r.class == tool.Shell && tool.ShowsFile(r.Call) || in.askedAgain(r) {
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
	return shortened(r, e.Text, e.Left, e.Lines, what)
}

// askedAgain reports whether the last call that said the same was shortened, and no file was
// changed since.
func (in *Input) askedAgain(r *Result) bool {
	for i := r.order - 1; i >= 0; i-- {
		e := &in.results[i]
		switch {
		case e.edited():
			return false
		case sameCall(e.Call, r.Call):
			return e.Message.Excerpt
		}
	}
	return false
}

// sameCall reports whether two calls ask for the same.
func sameCall(a, b *message.Call) bool {
	return a != nil && b != nil && a.Name == b.Name && strings.TrimSpace(string(a.Arguments)) == strings.TrimSpace(string(b.Arguments))
}
