package replay

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

const (
	// searchTool and historyTools are the maximum sizes, in tokens of every request that
	// declares them, of the tool that searches other sessions, too, and of all that bring text
	// back.
	searchTool, historyTools token.Count = 120, 300
	// fetchOutput is the output of a request that only asks for a text, in tokens.
	fetchOutput token.Count = 100
	// maxRefetch is the most tokens that fetching a missing text is assumed to cost: an agent
	// reads only the part it needs.
	maxRefetch = 2000
	// fetchBlocks is how many content blocks a fetch leaves in the context: the call and its
	// result.
	fetchBlocks = 2
)

// refetch is a text that was fetched again and stands after pos messages.
type refetch struct {
	pos    int
	tokens token.Count // as pi estimates
	of     []int32     // the messages that held it
}

// declare declares the search from the first request on, where other sessions are stored, and the other history tools once they can be useful, because something was pruned or
// compacted. That changes the start of every prompt, so it waits for a request of which nothing
// is cached. A compaction leaves the system prompt and the tools in the cache.
func (s *run) declare(r *session.Request, why string) {
	if s.policy.Planner == nil {
		return
	}
	if len(s.declared) == 0 && s.rec.Others {
		s.declared = []bill.Declared{{Since: r.At, Tokens: searchTool}}
	}
	s.useful = s.useful || s.present > 0 || r.Start == session.AfterCompaction
	free := why != "" && why != policy.ColdCompaction && why != policy.ColdFirst || why == policy.ColdNone
	if s.useful && free && bill.DeclaredAt(s.declared, r.At).Tokens < historyTools {
		s.declared = append(s.declared, bill.Declared{Since: r.At, Tokens: historyTools})
	}
}

// compact bills the summary of a compaction before a request.
func (s *run) compact(i int) {
	r := &s.rec.Requests[i]
	if r.Compaction == nil {
		return
	}
	m := &s.rec.Models[r.Model]
	plain, own := m.Compaction(r.Compaction.Plain), m.Compaction(s.rec.own[i])
	if s.policy.Planner == nil {
		own = plain
	}
	s.book.Compact(plain, own)
}

// roomFor returns how much more than the recorded one a compaction would have kept. pi
// keeps the newest messages up to a size that it measures in its own context, so pruned
// messages leave room for older ones, of which the context had before tokens.
func (s *run) roomFor(r *session.Request, before token.Count) token.Count {
	if r.Plain.Keep > 0 {
		return s.room
	}
	if r.Start != session.AfterCompaction {
		return 0
	}
	room, dropped := token.Count(0), before+s.room
	for _, m := range r.Plain.Add[1:] {
		if m > r.Plain.Add[0] { // newer than the summary
			break
		}
		left, _ := s.size(m)
		if k := s.state[m]; k != nil {
			room += left - k.tokens
			left = k.tokens
		}
		dropped -= left
	}
	return max(0, min(room, dropped))
}

// prompt returns the prompt of a request whose first messages, up to first, equal those of
// the previous one. Sizes are scaled once, so that equal parts of two prompts are equal.
func (s *run) prompt(r *session.Request, first int, switched bool) token.Prompt {
	m, all, same := &s.rec.Models[r.Model], s.sent[len(s.ctx)], s.sent[first].tokens
	p := token.Prompt{Time: r.At, Floor: m.Floor + bill.DeclaredAt(s.declared, r.At).Tokens, New: switched, Blocks: all.blocks}
	tokens := all.tokens + s.room
	if first > 0 {
		same += s.room
	}
	for _, e := range s.fetched {
		tokens += e.tokens
		p.Blocks += fetchBlocks
		if e.pos <= first {
			same += e.tokens
		}
	}
	p.Tokens, p.Same = m.Scaled(tokens), m.Scaled(same)
	return p
}

// charge bills a request with a prompt. It returns the tokens read from the cache.
func (s *run) charge(r *session.Request, p token.Prompt) token.Count {
	m, all := &s.rec.Models[r.Model], s.plain[len(s.ctx)]
	a := bill.Added{Declared: bill.DeclaredAt(s.declared, r.At), Markers: m.Scaled(s.sent[len(s.ctx)].markers)}
	for _, e := range s.fetched {
		a.Fetched += m.Scaled(e.tokens)
	}
	plain := token.Prompt{
		Time: r.At, Floor: m.Floor, New: p.New, Blocks: all.blocks,
		Tokens: m.Scaled(all.tokens), Same: m.Scaled(s.plain[s.keep].tokens),
	}
	read := s.book.Request(plain, p, a).Read
	s.last = p
	s.TokensSent += p.Size()
	s.PeakContext = max(s.PeakContext, p.Size())
	if s.requests == 0 {
		s.first = all.tokens
	}
	s.requests, s.latest = s.requests+1, all.tokens
	return read
}

// count adds a request to the figures.
func (s *run) count(i int, changed bool, why string, read token.Count) {
	r := &s.rec.Requests[i]
	s.Requests++
	kind := Unchanged
	switch {
	case changed && (why == "" || why == policy.ColdCompaction):
		kind = ChangedWarm
		s.WarmRewrites++
	case changed:
		kind = ChangedCold
	}
	if s.options.Series {
		s.Series = append(s.Series, Point{
			Request: i + 1, Time: r.At, Tokens: s.last.Size(), Read: read,
			Change: kind, Start: r.Start, Idle: why == policy.ColdIdle,
		})
	}
}

// needs counts what the response to a request could not see, and charges for fetching it.
func (s *run) needs(i int) {
	if s.present == 0 {
		return
	}
	for j := range s.rec.tools[i] {
		t := &s.rec.tools[i][j]
		old, paths := s.hidden(t.old), s.hidden(t.paths)
		if t.edits {
			s.Edits++
		}
		if len(old) > 0 {
			s.EditsMissing++
		}
		if len(paths) > 0 {
			s.CallsMissing++
		}
		s.fetch(i, append(old, paths...))
	}
}

// hidden returns the texts that stand only in what is pruned. A marker may show one, too.
func (s *run) hidden(needs []need) (out []*need) {
	for i := range needs {
		seen := func(m int32) bool {
			k := s.state[m]
			return k == nil || strings.Contains(k.shows, needs[i].text) || s.options.Misses == FetchedOnce && s.isFetched(m) && s.rec.Messages[m].Tokens <= maxRefetch
		}
		if !slices.ContainsFunc(needs[i].holders, seen) {
			out = append(out, &needs[i])
		}
	}
	return out
}

// fetch charges for fetching what a call lost: one more request, and the texts, which stay in
// the context. A text that was fetched before is free, unless it is always read again.
func (s *run) fetch(i int, lost []*need) {
	if s.options.Misses == NeverFetched {
		return
	}
	again := s.options.Misses == AlwaysReread
	r := &s.rec.Requests[i]
	m := &s.rec.Models[r.Model]
	e := refetch{pos: len(s.ctx)}
	for _, n := range lost {
		if slices.ContainsFunc(n.holders, func(h int32) bool { return s.isFetched(h) && !again || slices.Contains(e.of, h) }) {
			continue
		}
		of := slices.MinFunc(n.holders, func(a, b int32) int { return int(s.rec.Messages[a].Tokens - s.rec.Messages[b].Tokens) })
		tokens := s.rec.Messages[of].Tokens
		if !again {
			tokens = min(tokens, token.Count(maxRefetch/m.Scale))
		}
		e.tokens += tokens
		e.of = append(e.of, of)
	}
	if len(e.of) == 0 {
		return
	}
	s.fetched = append(s.fetched, e)
	p := s.prompt(r, len(s.ctx), false)
	p.Same = s.last.Tokens
	s.book.Fetch(p, fetchOutput)
	s.last = p
}

func (s *run) isFetched(m int32) bool {
	return slices.ContainsFunc(s.fetched, func(e refetch) bool { return slices.Contains(e.of, m) })
}

// notePruned lists a pruned result, once.
func (s *run) notePruned(i int, e *policy.Edit) {
	m := s.ctx[e.Index]
	if !s.options.Pruned || s.listed[m] {
		return
	}
	s.listed[m] = true
	model := &s.rec.Models[s.rec.Requests[i].Model]
	p := Pruned{*e, s.argument(e.Index), i + 1}
	p.Tokens, p.MarkerTokens = model.Scaled(e.Tokens), model.Scaled(e.MarkerTokens)
	s.Pruned = append(s.Pruned, p)
}

// argument returns the main argument of the call of the result at an index.
func (s *run) argument(index int) string {
	id := s.rec.head(s.ctx[index]).ToolCallID
	for i := index - 1; i >= 0; i-- {
		h := s.rec.head(s.ctx[i])
		for j := range h.Calls {
			if h.Calls[j].ID == id {
				return tool.MainArgument(h.Calls[j].Arguments)
			}
		}
	}
	return ""
}
