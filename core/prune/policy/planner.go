package policy

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/message"
	plain "github.com/coctostan/pictx/core/text"
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
	// Hold is the reason for which candidates are kept unless Act is set.
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
	// Layout is set when the edits are part of a layout that is made anew for every request.
	// Only models that do not bind their thinking allow that.
	Layout bool
	// folds is how many responses stay when the beginning of the conversation is folded; 0 folds
	// nothing.
	folds int
	// births shorten results that the model has not seen, unless one of always keeps them whole.
	births []birth
	always []Protection
	// Own adds the output of commands that the user ran to Plan.Kept: it is in the context,
	// but no edit can replace it.
	Own bool
}

// Clearing returns the planner that prunes nothing. Its plans only remove thinking that is
// invalid: see Situation.Changed.
func Clearing() *Planner {
	return &Planner{When: func(*Input, []*Candidate) Verdict { return Verdict{Outcome: "nothing: all thinking is valid"} }}
}

// opinion is the combined judgement of sources and protections on one message.
type opinion struct {
	source    string // the source that proposed it, "" for none
	reason    Reason
	requested bool
	trim      Trim
}

// Plan plans over messages about which nothing else is known, before a turn.
func (p *Planner) Plan(messages []Message) Plan { return p.PlanAt(Situation{Boundary: true}, messages) }

// PlanAt plans over messages, which are in context order, in a situation.
func (p *Planner) PlanAt(sit Situation, messages []Message) Plan {
	in := NewInput(messages)
	in.Situation = sit
	c := p.opinions(in)
	proposed := in.propose(c)
	plan := Plan{BeforeTokens: in.total, AfterTokens: in.total, Edits: []Edit{}}
	candidates, verdict := p.folded(in, &plan, proposed)
	if plan.Fold == nil {
		candidates = in.withCleared(proposed)
		if verdict = p.decide(in, candidates); !verdict.Act {
			candidates = in.withCleared(nil)
		}
	}
	plan.Outcome, plan.Figures = verdict.Outcome, verdict.Figures
	for _, one := range candidates {
		plan.act(p, in, *one)
	}
	born := plan.bear(p, in)
	if n := len(born); n > 0 && !verdict.Act {
		plan.Outcome = "pruned: " + plain.CountDoes(n, "new tool output", "is") + " shortened before the model sees it"
	}
	plan.Acted = !plan.OnlyClears()
	if f := plan.Figures; f != nil {
		f.PlannedTokens = f.ContextTokens - in.account().Scaled(plan.BeforeTokens-plan.AfterTokens)
	}
	plan.keepRest(in, c, verdict, born)
	if p.Own {
		plan.keepOwn(in)
	}
	return plan
}

// folded folds the beginning of the conversation in a plan, once the cache of the prompt is lost
// anyway. It returns what is pruned behind it.
func (p *Planner) folded(in *Input, plan *Plan, proposed []*Candidate) ([]*Candidate, Verdict) {
	if p.folds == 0 || !in.Situation.Boundary || in.Situation.Forced || in.unanswered() > 0 {
		return nil, Verdict{}
	}
	f := in.fold(p.folds, proposed)
	if f == nil || !f.pays(in) {
		return nil, Verdict{}
	}
	candidates := in.behind(f, proposed)
	verdict := p.decide(in, candidates)
	verdict.Act, verdict.Outcome = true, fmt.Sprintf("folded: %v tokens before the last %d responses, %s", f.Tokens, p.folds, f.Why)
	plan.Fold = f
	plan.AfterTokens += f.Summary - f.Tokens
	plan.PrunedTokens += f.Tokens
	return candidates, verdict
}

// decide asks When. While a turn is running whose thinking any change would invalidate, it
// only takes the figures.
func (p *Planner) decide(in *Input, candidates []*Candidate) Verdict {
	v := p.When(in, candidates)
	if sit := &in.Situation; v.Act && !sit.Boundary && !sit.Unbound && !p.Layout {
		const why = "a turn is running, and its thinking is bound to what came before"
		v.Act, v.Outcome, v.Hold = false, "nothing: "+why, Reason{CodeTurnRuns, "prunable, but " + why}
		if v.Figures != nil {
			v.Figures.Trigger = TriggerWait
		}
	}
	return v
}

// keepRest fills Kept with the results that are not edited; born are those that are shortened.
func (p *Plan) keepRest(in *Input, c *opinions, verdict Verdict, born map[int]bool) {
	p.Kept = make([]Kept, 0, max(0, len(in.past)+len(in.results)-len(p.Edits)))
	for _, r := range in.past {
		p.keep(r, Reason{CodeCompacted, "before a compaction summary"})
	}
	for i, r := range in.results {
		p.ScannedTokens += r.Tokens
		switch o := &c.results[i]; {
		case born[r.Index]:
		case o.source == "":
			p.keep(r, o.reason)
		case !verdict.Act:
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
	trimmed, ok := trimmed(c.Message, c.Message.EntryID, content)
	if now := token.Estimate(trimmed.Head); ok && (now < c.Tokens || c.Trim.Thinking) {
		p.add(c, Edit{ToolName: "", MarkerTokens: now, Marker: content}, max(0, c.Tokens-now))
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

// opinions are those on the messages of an input.
type opinions struct {
	results []opinion       // parallel to Input.results
	answers map[int]opinion // on assistant messages to trim, by position
}

// opinions asks sources and protections about every result.
func (p *Planner) opinions(in *Input) *opinions {
	c := &opinions{results: make([]opinion, len(in.results)), answers: make(map[int]opinion)}
	for _, s := range p.Sources {
		c.take(in, s.Name(), s.Propose(in))
	}
	for i := range c.results {
		o := &c.results[i]
		switch {
		case o.source != "":
			p.protect(in, in.results[i], o)
		case o.reason.Code == "":
			o.reason = Reason{CodeNoRule, "nothing calls for pruning it"}
		}
	}
	return c
}

// take records what a source proposes and refuses. The first source that has a say in a
// message gives the reason; what several want to trim from one is combined.
func (c *opinions) take(in *Input, source string, proposals Proposals) {
	for _, k := range proposals.Keep {
		if o := c.on(in, k.Index); o != nil && o.source == "" && o.reason.Code == "" {
			o.reason = k.Reason
		}
	}
	for _, one := range proposals.Prune {
		if !one.Trim.empty() {
			c.trim(in, source, one)
			continue
		}
		if o := c.on(in, one.Index); o != nil && o.source == "" {
			*o = opinion{source: source, reason: one.Reason, requested: one.Requested}
		}
	}
}

// on returns the opinion on the result at a position, nil when sources have no say in it.
func (c *opinions) on(in *Input, index int) *opinion {
	if place, ok := slices.BinarySearch(in.at, index); ok {
		return &c.results[place]
	}
	return nil
}

// trim adds a proposal to trim an assistant message, unless the user pinned it.
func (c *opinions) trim(in *Input, source string, one Proposal) {
	if slices.Contains(in.Situation.Pins.Entries, in.Messages[one.Index].EntryID) {
		return
	}
	o, known := c.answers[one.Index]
	if !known {
		o = opinion{source: source, reason: one.Reason}
	}
	o.trim = o.trim.plus(one.Trim)
	c.answers[one.Index] = o
}

// propose returns the proposed messages that no protection keeps, in context order.
func (in *Input) propose(c *opinions) (out []*Candidate) {
	for i := range c.results {
		if o := &c.results[i]; o.source != "" {
			out = append(out, &Candidate{Result: in.results[i], Source: o.source, Reason: o.reason})
		}
	}
	for index, o := range c.answers {
		out = append(out, &Candidate{Result: in.resultAt(index), Source: o.source, Reason: o.reason, Trim: o.trim})
	}
	slices.SortFunc(out, func(a, b *Candidate) int { return a.Index - b.Index })
	return out
}

// resultAt returns the message at a position in the form of a Result.
func (in *Input) resultAt(index int) Result {
	return Result{Index: index, Message: in.Messages[index], Tokens: in.Sizes[index]}
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
