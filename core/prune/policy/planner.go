package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Proposal is a message that a source wants to prune.
type Proposal struct {
	// Index is its position in the input.
	Index int
	// Reason is why it may be pruned.
	Reason Reason
	// Trim says what to remove from an assistant message. It is empty for a tool result,
	// which is replaced as a whole.
	Trim Trim
	// Requested is set when a user or the agent asked for it. Only Planner.Never applies
	// then, not Planner.Protections.
	Requested bool
}

// Refusal is a tool result that a source considered and wants to keep.
type Refusal struct {
	// Index is its position in the input.
	Index int
	// Reason is why it is kept.
	Reason Reason
}

// Proposals is a source's answer about an input. Results that it does not mention are left
// to the other sources.
type Proposals struct {
	Prune []Proposal
	Keep  []Refusal
}

// Source proposes tool results to prune. It must be deterministic and propose only results
// that Input.Results returns. It can ignore protections, other sources, and whether pruning
// is worth it.
type Source interface {
	// Name identifies the source in plans and logs.
	Name() string
	// Propose examines the input, which it must not modify.
	Propose(in *Input) Proposals
}

// Protection reports whether a proposed result must be kept, and why.
type Protection func(in *Input, r Result) (Reason, bool)

// Candidate is a proposed message that no protection keeps.
type Candidate struct {
	Result
	// Source is the name of the first source that proposed it.
	Source string
	// Reason is the one that this source gave.
	Reason Reason
	// Trim says what to remove from an assistant message.
	Trim Trim
}

// Verdict is the decision of a When.
type Verdict struct {
	// Act is set when the candidates are to be pruned.
	Act bool
	// Outcome becomes Plan.Outcome.
	Outcome string
	// From is the position in the input of the first candidate to prune, 0 for all.
	// Candidates before it are kept.
	From int
	// Hold is the reason for candidates that are kept: all of them unless Act is set, else
	// those before From.
	Hold Reason
	// Figures becomes Plan.Figures.
	Figures *Figures
}

// When decides whether to prune the candidates now. They are in context order.
type When func(in *Input, candidates []*Candidate) Verdict

// Marker writes the line that replaces a candidate. Its bytes must depend on the result and
// its call alone.
type Marker func(in *Input, c Candidate) string

// Planner makes plans. Sources, When and Marker are required. Planning does not modify a
// Planner, so it may be used concurrently.
type Planner struct {
	// Sources are asked in order. One proposal makes a result a candidate; the first source
	// that proposes or refuses it gives the reason.
	Sources []Source
	// Protections are asked in order about every proposed result.
	Protections []Protection
	// Never replaces Protections for proposals with Requested set.
	Never []Protection
	// When decides whether to act.
	When When
	// Marker writes the replacement of a pruned result.
	Marker Marker
	// Own adds the output of commands that the user ran to Plan.Kept: it is in the context,
	// but no edit can replace it.
	Own bool

	// rules identifies the settings of the policy "auto". While it stays the same, an Input
	// skips results that are too small or kept by name. It is "" when these may still be
	// pruned for another reason.
	rules string
}

// opinion is the combined judgement of sources and protections on one message.
type opinion struct {
	source    string // the source that proposed it, "" for none
	reason    Reason
	requested bool
	trim      Trim
}

// Plan plans over messages about which nothing else is known.
func (p *Planner) Plan(messages []Message) Plan { return p.PlanAt(Situation{}, messages) }

// PlanAt plans over messages, which are in context order, in a situation.
func (p *Planner) PlanAt(sit Situation, messages []Message) Plan {
	in := NewInput(messages)
	in.Situation = sit
	return p.plan(in, false)
}

// PlanOn plans over an input that the caller keeps from one plan to the next. It computes
// the edits only: Plan.Kept stays empty.
func (p *Planner) PlanOn(in *Input, sit Situation) Plan {
	in.Situation = sit
	return p.plan(in, true)
}

// plan plans over an input. A brief plan leaves Kept empty, which allows it to skip every
// result that is known to stay.
func (p *Planner) plan(in *Input, brief bool) Plan {
	in.Close()
	in.history().note([]byte(in.Situation.Asked))
	c := in.cases(p, brief)
	p.collectOpinions(in, c)
	candidates := in.propose(c)
	verdict := p.When(in, candidates)
	plan := Plan{
		Acted: verdict.Act && len(candidates) > 0, Outcome: verdict.Outcome, Figures: verdict.Figures,
		BeforeTokens: in.total, AfterTokens: in.total, Edits: []Edit{},
	}
	if plan.Acted {
		first, _ := slices.BinarySearchFunc(candidates, verdict.From, func(c *Candidate, from int) int { return c.Index - from })
		plan.Edits = make([]Edit, 0, len(candidates)-first)
		for _, one := range candidates[first:] {
			plan.act(p, in, *one)
		}
	}
	if !brief {
		plan.keepRest(in, c, verdict)
	}
	plan.Acted = plan.Acted && len(plan.Edits) > 0
	if !brief && p.Own {
		plan.keepOwn(in)
	}
	return plan
}

// keepRest fills Kept with the results that are not edited.
func (p *Plan) keepRest(in *Input, c *cases, verdict Verdict) {
	p.Kept = make([]Kept, 0, max(0, len(in.past)+len(in.results)-len(p.Edits)))
	for _, r := range in.past {
		p.keep(r, Reason{CodeCompacted, "before a compaction summary"})
	}
	for i, r := range in.results {
		p.ScannedTokens += r.Tokens
		switch o := &c.opinions[i]; {
		case o.source == "":
			p.keep(r, o.reason)
		case !p.Acted, r.Index < verdict.From:
			p.keep(r, verdict.Hold)
		}
	}
}

// act adds the edit of a candidate.
func (p *Plan) act(planner *Planner, in *Input, c Candidate) {
	if c.Trim.empty() {
		p.prune(c, planner.Marker(in, c))
		return
	}
	h, raw := in.Situation.Message(c.Index)
	if h == nil {
		return
	}
	content, ok := c.Trim.content(h, raw, c.Message.EntryID)
	if !ok {
		return
	}
	trimmed, ok := trimmed(c.Message, c.Message.EntryID, content, 0, 0)
	if now := token.Estimate(trimmed.Head); ok && now < c.Tokens {
		p.add(c, Edit{ToolName: "", MarkerTokens: now, Marker: content}, c.Tokens-now)
	}
}

// keepOwn adds the output of the user's own commands to Kept.
func (p *Plan) keepOwn(in *Input) {
	n := len(p.Kept)
	for i, m := range in.Messages {
		if m.Head != nil && m.Head.Role == message.RoleBashExecution && !m.Head.Excluded {
			p.keep(Result{Index: i, Message: m, Tokens: token.Estimate(m.Head)}, Reason{CodeOwn, "the output of a command of the user cannot be replaced"})
		}
	}
	if len(p.Kept) > n {
		slices.SortFunc(p.Kept, func(a, b Kept) int { return a.Index - b.Index })
	}
}

// cases are the messages that one plan decides about.
type cases struct {
	brief   bool
	results []int // indexes into Input.results, ascending
	// opinions has one element for each of results.
	opinions []opinion
	trims    []trimming
	trimmed  map[int]int // indexes into trims, by the position of the message
}

// trimming is an opinion on an assistant message.
type trimming struct {
	index int
	opinion
}

// cases returns what a plan has to decide about: all results or, for a brief plan, those
// that may still be pruned. A brief plan is impossible while something is deactivated,
// because that may be pruned whatever its size.
func (in *Input) cases(p *Planner, brief bool) *cases {
	c := &cases{brief: brief && p.rules != "" && len(in.Situation.States.Inactive) == 0}
	if c.brief {
		c.results = in.mayGo(p.rules)
	} else {
		c.results = make([]int, len(in.results))
		for i := range c.results {
			c.results[i] = i
		}
	}
	in.opinions = slices.Grow(in.opinions[:0], len(c.results))[:len(c.results)]
	clear(in.opinions)
	c.opinions = in.opinions
	return c
}

// mayGo returns the indexes into in.results of the results that may still be pruned, but
// for those that are known to be prunable.
func (in *Input) mayGo(rules string) []int {
	h := in.history()
	if h.rules != rules {
		h.rules, h.live, h.standing = rules, h.live[:0], nil
		for i := range h.facts {
			in.Visited++
			if mayGo(&h.facts[i], &in.results[i]) {
				h.live = append(h.live, i)
			}
		}
	}
	in.revive()
	in.Visited += len(h.live)
	return h.live
}

// opinion returns the opinion on the result at index, nil when sources have no say in it.
func (c *cases) opinion(in *Input, index int) *opinion {
	place, ok := slices.BinarySearch(in.at, index)
	if !ok {
		return nil
	}
	if i, ok := slices.BinarySearch(c.results, place); ok {
		return &c.opinions[i]
	}
	return nil
}

// propose returns the proposed messages that no protection keeps. The slice is valid until
// the next plan.
func (in *Input) propose(c *cases) []*Candidate {
	out := in.candidates[:0]
	if c.brief {
		in.settle(c)
		for _, s := range in.hist.standing {
			out = append(out, &s.Candidate)
		}
	} else {
		for i := range c.opinions {
			if o := &c.opinions[i]; o.source != "" {
				out = append(out, &Candidate{Result: in.results[c.results[i]], Source: o.source, Reason: o.reason})
			}
		}
	}
	for i := range c.trims {
		t := &c.trims[i]
		place, _ := slices.BinarySearch(in.answers.at, t.index)
		out = append(out, &Candidate{Result: in.answers.list[place].Result, Source: t.source, Reason: t.reason, Trim: t.trim})
	}
	if len(c.trims) > 0 {
		slices.SortFunc(out, func(a, b *Candidate) int { return a.Index - b.Index })
	}
	in.candidates = out
	return out
}

// collectOpinions asks sources and protections about each case.
func (p *Planner) collectOpinions(in *Input, c *cases) {
	in.undecided = c.results
	for _, s := range p.Sources {
		proposals := s.Propose(in)
		for _, k := range proposals.Keep {
			if o := c.opinion(in, k.Index); o != nil && o.source == "" && o.reason.Code == "" {
				o.reason = k.Reason
			}
		}
		for _, one := range proposals.Prune {
			if !one.Trim.empty() {
				in.trim(c, s.Name(), one)
				continue
			}
			if o := c.opinion(in, one.Index); o != nil && o.source == "" {
				*o = opinion{source: s.Name(), reason: one.Reason, requested: one.Requested}
			}
		}
	}
	for i, place := range c.results {
		o := &c.opinions[i]
		switch {
		case o.source != "":
			p.protect(in, in.results[place], o)
		case o.reason.Code == "":
			o.reason = Reason{CodeNoRule, "nothing calls for pruning it"}
		}
	}
}

// trim adds a proposal to trim an assistant message, unless the user pinned it. The first
// source gives the reason; the proposals of all sources are combined.
func (in *Input) trim(c *cases, source string, one Proposal) {
	place, ok := slices.BinarySearch(in.answerIndex().at, one.Index)
	if !ok || slices.Contains(in.Situation.Pins.Entries, in.answers.list[place].Message.EntryID) {
		return
	}
	if i, ok := c.trimmed[one.Index]; ok {
		c.trims[i].trim = c.trims[i].trim.plus(one.Trim)
		return
	}
	if c.trimmed == nil {
		c.trimmed = make(map[int]int)
	}
	c.trimmed[one.Index] = len(c.trims)
	c.trims = append(c.trims, trimming{one.Index, opinion{source: source, reason: one.Reason, trim: one.Trim}})
}

// protect withdraws a proposal when a protection objects.
func (p *Planner) protect(in *Input, r Result, o *opinion) {
	protections := p.Protections
	if o.requested {
		protections = p.Never
	}
	for _, keep := range protections {
		if reason, ok := keep(in, r); ok {
			*o = opinion{reason: reason}
			return
		}
	}
}

func (p *Plan) keep(r Result, why Reason) {
	p.Kept = append(p.Kept, Kept{
		Index: r.Index, EntryID: r.Message.EntryID, ToolName: r.Message.Head.ToolName,
		Tokens: r.Tokens, Reason: why,
	})
}

func (p *Plan) prune(c Candidate, marker string) {
	p.add(c, Edit{ToolName: c.Message.Head.ToolName, MarkerTokens: token.OfText(marker), Marker: marker}, c.Tokens)
}

// add adds the edit of a candidate; gone is the number of tokens that it removes.
func (p *Plan) add(c Candidate, e Edit, gone token.Count) {
	e.Index, e.EntryID, e.Tokens = c.Index, c.Message.EntryID, c.Tokens
	e.Source, e.Reason = c.Source, c.Reason
	p.Edits = append(p.Edits, e)
	p.PrunedTokens += gone
	p.AfterTokens -= e.Tokens - e.MarkerTokens
}
