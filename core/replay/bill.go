package replay

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// maxRefetch is the most tokens that fetching a missing text is assumed to cost: an agent
// reads only the part it needs.
const maxRefetch = 2000

// book is a provider's cache, with the total billed.
type book struct {
	cache *token.Cache
	cost  float64
}

func newBook(p token.Prices) book { return book{cache: token.NewCache(p)} }

func (b *book) call(p token.Prompt) token.Bill {
	bill := b.cache.Call(p)
	b.cost += bill.Cost
	return bill
}

// prompt returns the prompt of a call whose first messages, up to first, equal those of the
// previous call.
func (s *run) prompt(c *call, cal *Calibration, first int, switched bool) token.Prompt {
	n := len(s.ctx)
	p := token.Prompt{
		Time: c.time, Floor: s.floor(cal), New: switched, Blocks: s.blocks[n],
		Tokens: cal.scaled(s.sums[n] + s.room), Same: cal.scaled(s.sums[first]),
	}
	if first > 0 {
		p.Same += cal.scaled(s.room)
	}
	return p
}

// pay bills a prompt. It returns the tokens read from the cache.
func (s *run) pay(p token.Prompt) token.Count {
	s.sent = p
	bill := s.bill.call(p)
	s.TokensSent += p.Floor + p.Tokens
	s.Peak = max(s.Peak, p.Floor+p.Tokens)
	s.Read, s.Written = s.Read+bill.Read, s.Written+bill.Written
	return bill.Read
}

// count adds a call to the figures.
func (s *run) count(i int, c *call, kind Change, read token.Count, idle bool) {
	switch kind {
	case ChangedWarm:
		s.WarmRewrites++
	case ChangedCold:
		s.ColdRewrites++
	}
	if s.options.Series {
		s.Series = append(s.Series, Point{
			Call: i + 1, Time: c.time, Tokens: s.sent.Floor + s.sent.Tokens, Read: read,
			Change: kind, Start: c.start, Idle: idle,
		})
	}
}

// needs counts what the answer to a call could not see.
func (s *run) needs(c *call, cal *Calibration) {
	if s.present == 0 {
		return
	}
	for i := range c.tools {
		t := &c.tools[i]
		if t.edits {
			s.Edits++
		}
		if s.misses(c, cal, t.old) {
			s.EditsMissing++
		}
		if s.misses(c, cal, t.paths) {
			s.CallsMissing++
		}
		if s.agent != nil && s.needsDeactivated(t) {
			s.DeactivatedMissing++
		}
	}
}

// misses reports whether one of several texts is hidden, and charges for fetching those
// that are.
func (s *run) misses(c *call, cal *Calibration, needs []need) bool {
	missing := false
	for i := range needs {
		if s.hidden(&needs[i]) {
			missing = true
			s.fetch(c, cal, needs[i].holders)
		}
	}
	return missing
}

// hidden reports whether a text stands only in what is pruned. A marker may show
// it, too.
func (s *run) hidden(n *need) bool {
	for _, m := range n.holders {
		k := s.state[m]
		if k == nil || strings.Contains(k.shows, n.text) {
			return false
		}
	}
	return true
}

// fetch charges for fetching a text again that several results held: one more request, and
// the text, which stays in the context. A text that was fetched before is free.
func (s *run) fetch(c *call, cal *Calibration, holders []int32) {
	of := holders[0]
	for _, m := range holders {
		if s.fetched(m) && !s.options.Reread {
			return
		}
		if s.rec.messages[m].tokens < s.rec.messages[of].tokens {
			of = m
		}
	}
	text := cal.scaled(s.rec.messages[of].tokens)
	if !s.options.Reread {
		text = min(maxRefetch, text)
	}
	n := len(s.ctx)
	p := token.Prompt{Time: c.time, Floor: s.floor(cal) + bill.DeclaredAt(s.declared, c.time).Tokens(), Tokens: s.sent.Tokens, Blocks: s.sent.Blocks + 2}
	for _, e := range s.extras {
		p.Tokens += e.tokens
		p.Blocks += 2
	}
	p.Same = p.Tokens
	p.Tokens += text
	s.whole.Fetch(p, fetchOutput)
	s.extras = append(s.extras, refetch{pos: n, tokens: text, of: of})
}

func (s *run) fetched(m int32) bool {
	return slices.ContainsFunc(s.extras, func(e refetch) bool { return e.of == m })
}

// notePruned lists a pruned result, once.
func (s *run) notePruned(call int, e *policy.Edit) {
	if !s.options.Pruned {
		return
	}
	m := s.ctx[e.Index]
	if s.listed == nil {
		s.listed = make(map[int32]bool)
	}
	if s.listed[m] {
		return
	}
	s.listed[m] = true
	cal := &s.rec.calibrations[s.rec.calls[call].model]
	s.Pruned = append(s.Pruned, Pruned{
		EntryID: e.EntryID, Tool: e.ToolName, Argument: s.argument(e.Index), Source: e.Source, Reason: e.Reason.Code,
		Marker: e.Marker, Call: call + 1, Tokens: cal.scaled(e.Tokens), MarkerTokens: cal.scaled(e.MarkerTokens),
	})
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

// costs is what a session records as the cost of its uncached input.
type costs struct {
	tokens  int64
	dollars float64
	calls   map[string]int // number of answers by model
}

// note reads the cost of an answer.
func (c *costs) note(p *message.Parser, h *message.Head, body []byte) {
	if c.calls == nil {
		c.calls = make(map[string]int)
	}
	c.calls[h.Model]++
	at := body
	for _, name := range [...]string{"usage", "cost", "input"} {
		s, err := p.Member(at, name)
		if err != nil || s.End == 0 {
			return
		}
		at = s.Of(at)
	}
	if dollars, err := strconv.ParseFloat(string(at), 64); err == nil && dollars > 0 && h.Usage.Input > 0 {
		c.tokens += h.Usage.Input
		c.dollars += dollars
	}
}

// Rate is the price of the session's uncached input: the one it records, else that of the
// model with the most answers, from own prices or from the dated table.
func (r *Recording) Rate(own []bill.ModelPrice) bill.Rate {
	if r.cost.tokens > 0 {
		return bill.Rate{PerMillion: 1_000_000 * r.cost.dollars / float64(r.cost.tokens), From: bill.FromSession}
	}
	model, most := "", 0
	for name, n := range r.cost.calls {
		if n > most || n == most && name < model {
			model, most = name, n
		}
	}
	return bill.RateOf(model, own)
}
