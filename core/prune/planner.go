package prune

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Proposal is a tool result that a source would replace.
type Proposal struct {
	// Index is the position of the result in the input.
	Index int
	// Reason says why it may go.
	Reason Reason
	// Trim says what goes of an answer. Of a tool result everything does.
	Trim Trim
	// Requested is set when a user or the agent asked for it: Planner.Protections do not
	// hold it back, only Planner.Never does.
	Requested bool
}

// Refusal is a tool result that a source looked at and would leave.
type Refusal struct {
	// Index is the position of the result in the input.
	Index int
	// Reason says why it stays.
	Reason Reason
}

// Proposals is what a source has to say about an input. What it does not mention
// is up to the others.
type Proposals struct {
	Prune []Proposal
	Keep  []Refusal
}

// Source proposes tool results to prune. It must be deterministic, must propose
// only what Input.Results returns, and need not care about protections, about
// other sources, or about whether acting is worth it.
type Source interface {
	// Name names the source in plans and logs.
	Name() string
	// Propose looks at the input, which it must not change.
	Propose(in *Input) Proposals
}

// Protection reports whether a proposed result must stay, and why.
type Protection func(in *Input, r Result) (Reason, bool)

// Candidate is a proposed result that no protection keeps.
type Candidate struct {
	Result
	// Source names the source that proposed it first.
	Source string
	// Reason is that source's.
	Reason Reason
	// Trim says what goes of an answer.
	Trim Trim
}

// Verdict is the answer of a When.
type Verdict struct {
	// Act is set when the candidates are to be pruned.
	Act bool
	// Outcome becomes that of the plan.
	Outcome string
	// From is the position in the input of the first candidate to prune, 0 for
	// all: those before it stay.
	From int
	// Hold is why each candidate stays when Act is not set, or that is before From.
	Hold Reason
	// Figures become those of the plan.
	Figures *Figures
}

// When decides whether to act on the candidates now, which are in context order.
type When func(in *Input, candidates []Candidate) Verdict

// Marker writes the text that stands in a candidate's place: one line, whose
// bytes depend on the result and its call only.
type Marker func(in *Input, c Candidate) string

// Planner makes plans. Sources, When and Marker must be set; a Planner is
// not changed by planning and may be used concurrently.
type Planner struct {
	// Sources are asked in order; the first to propose or refuse a result gives
	// the reason, and one proposal is enough to make a candidate.
	Sources []Source
	// Protections are asked in order, for every proposed result.
	Protections []Protection
	// Never are asked instead for Proposal.Requested.
	Never []Protection
	// When decides.
	When When
	// Marker writes what is left behind.
	Marker Marker
	// Own makes plans name the output of the user's own commands among what is
	// kept: it is in the context, and no edit can replace it.
	Own bool

	// rules are the settings of the policy "auto" that the planner was made of, "" when
	// what small results and names keep may go for another reason.
	rules string
}

// opinion is what was said about one tool result.
type opinion struct {
	source    string // that proposed it, "" for none
	reason    Reason
	requested bool
	reused    bool // it is that of an earlier plan
	trim      Trim
}

// Plan is PlanAt of a situation that nothing is known of.
func (p *Planner) Plan(messages []Message) Plan { return p.PlanAt(Situation{}, messages) }

// PlanAt plans over messages, which are in context order.
func (p *Planner) PlanAt(sit Situation, messages []Message) Plan {
	in := NewInput(messages)
	in.Situation = sit
	return p.plan(in, false)
}

// PlanOn is PlanAt over an input that is kept from one plan to the next, for what the
// plan edits: it does not name what stays.
func (p *Planner) PlanOn(in *Input, sit Situation) Plan {
	in.Situation = sit
	return p.plan(in, true)
}

// plan plans over an input. A brief plan leaves Kept out, and with it every result of
// which it is known already that it stays.
func (p *Planner) plan(in *Input, brief bool) Plan {
	in.Close()
	c := in.cases(p, brief)
	p.collectOpinions(in, c)
	candidates := in.propose(c)
	verdict := p.When(in, candidates)
	plan := Plan{
		Acted: verdict.Act && len(candidates) > 0, Outcome: verdict.Outcome, Figures: verdict.Figures,
		BeforeTokens: in.total, AfterTokens: in.total, Edits: []Edit{},
	}
	if plan.Acted {
		plan.Edits = make([]Edit, 0, len(candidates))
	}
	for _, one := range candidates {
		if plan.Acted && one.Index >= verdict.From {
			plan.act(p, in, one)
		}
	}
	if !brief {
		plan.keepRest(in, c, verdict)
	}
	plan.Acted = plan.Acted && len(plan.Edits) > 0
	switch {
	case !brief && p.Own:
		plan.keepOwn(in)
	case c.brief:
		in.dropSettled(c)
	}
	return plan
}

// keepRest names what stays.
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

// act makes the edit of a candidate.
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

// keepOwn adds the output of the user's own commands to what is kept.
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

// cases are what a plan decides about.
type cases struct {
	brief   bool
	results []int // places in Input.results, in order
	// opinions are those on the results.
	opinions []opinion
	trims    []trimming
	trimmed  map[int]int // places in trims, by the position of the answer
}

// trimming is an opinion on an answer.
type trimming struct {
	index int
	opinion
}

// cases returns what a plan has to decide about: all results, or briefly those that may
// still go. What was deactivated may go whatever its size.
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

// mayGo returns the places in in.results of those that may still be pruned.
func (in *Input) mayGo(rules string) []int {
	h := in.history()
	if h.rules != rules {
		h.rules, h.live = rules, h.live[:0]
		h.pastOpinions = nil
		for i := range h.facts {
			in.Visited++
			if mayGo(&h.facts[i], &in.results[i]) {
				h.live = append(h.live, i)
			}
		}
	}
	for _, i := range h.live {
		in.results[i].Turns = in.turns(in.results[i].born)
	}
	return h.live
}

// dropSettled leaves out of the plans to come, while the settings are the same, what they keep
// by the name of a tool or a path.
func (in *Input) dropSettled(c *cases) {
	rest, warm := c.results[:0], in.warm()
	for i, place := range c.results {
		switch o := &c.opinions[i]; o.reason.Code {
		case CodeNotAgain, CodeKeepTool, CodeKeepPath:
			continue
		default:
			in.rememberOpinion(place, warm, o)
		}
		rest = append(rest, place)
	}
	in.hist.live = rest
}

// opinion returns the opinion on the result at index, nil when a source may not propose
// that one.
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

// propose returns the results that are proposed and not protected, until the next plan.
func (in *Input) propose(c *cases) []Candidate {
	out := in.candidates[:0]
	for i := range c.opinions {
		if o := &c.opinions[i]; o.source != "" {
			out = append(out, Candidate{Result: in.results[c.results[i]], Source: o.source, Reason: o.reason})
		}
	}
	for i := range c.trims {
		t := &c.trims[i]
		place, _ := slices.BinarySearch(in.answers.at, t.index)
		out = append(out, Candidate{Result: in.answers.list[place].Result, Source: t.source, Reason: t.reason, Trim: t.trim})
	}
	if len(c.trims) > 0 {
		slices.SortFunc(out, func(a, b Candidate) int { return a.Index - b.Index })
	}
	in.candidates = out
	return out
}

// collectOpinions collects what sources and protections say of each case.
func (p *Planner) collectOpinions(in *Input, c *cases) {
	in.reuseOpinions(c)
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
		case o.reused:
		case o.source != "":
			p.protect(in, in.results[place], o)
		case o.reason.Code == "":
			o.reason = Reason{CodeNoRule, "nothing calls for pruning it"}
		}
	}
}

// trim adds a proposal to trim an answer. The first source gives the reason; what goes
// is what any of them says. An answer that the user pinned stays.
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

// protect takes back a proposal that a protection objects to.
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

// add adds the edit of a candidate, which takes away so many tokens.
func (p *Plan) add(c Candidate, e Edit, gone token.Count) {
	e.Index, e.EntryID, e.Tokens = c.Index, c.Message.EntryID, c.Tokens
	e.Source, e.Reason = c.Source, c.Reason
	p.Edits = append(p.Edits, e)
	p.PrunedTokens += gone
	p.AfterTokens -= e.Tokens - e.MarkerTokens
}
