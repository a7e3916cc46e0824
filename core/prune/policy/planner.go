package policy

import (
	"fmt"
	"maps"
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Source proposes tool results to prune. It must be deterministic. It can ignore protections,
// other sources, and whether pruning is worth it.
type Source struct {
	// Name identifies the source in plans and logs.
	Name string
	// Propose examines the input, which it must not modify. Results of which it says nothing are
	// left to the other sources.
	Propose func(in *Input, say *Opinions)
}

// Candidate is a message that a source proposes.
type Candidate struct {
	Result
	// Source is the name of the first source that proposed it; "" when the message is kept.
	Source string
	// Reason is the one that this source gave, or why it is kept.
	Reason Reason
	// Trim says what to remove from an assistant message. It is empty for a tool result,
	// which is replaced as a whole.
	Trim Trim

	requested bool // by a user or the agent
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
type Marker func(in *Input, c *Candidate) string

// Planner makes plans. Sources, When and Marker are required. Planning does not modify a
// Planner, so it may be used concurrently.
type Planner struct {
	// Sources are asked in order. One proposal makes a result a candidate; the first source
	// that proposes or refuses it gives the reason.
	Sources []Source
	// Protections are asked in order about every proposed result, Never in their place about
	// those that a user or the agent wants to be pruned.
	Protections, Never []Protection
	// When decides whether to act.
	When When
	// Marker writes the replacement of a pruned result.
	Marker Marker
	// Layout is set when the edits are part of a layout that is made anew for every request.
	// Only models that do not bind their thinking allow that.
	Layout bool
	// Own adds the output of commands that the user ran to Plan.Kept: it is in the context,
	// but no edit can replace it.
	Own bool

	// folds is how many responses stay when the beginning of the conversation is folded; 0 folds
	// nothing.
	folds int
	// births shorten results that the model has not seen, unless one of always keeps them whole.
	births rules
	always []Protection
}

// Clearing returns the planner that prunes nothing. Its plans only remove thinking that is
// invalid: see Situation.Changed.
func Clearing() *Planner {
	return &Planner{When: func(*Input, []*Candidate) Verdict { return Verdict{Outcome: "nothing: all thinking is valid"} }}
}

// Plan plans over messages about which nothing else is known, before a turn.
func (p *Planner) Plan(messages []Message) Plan { return p.PlanAt(Situation{Boundary: true}, messages) }

// PlanAt plans over messages, which are in context order, in a situation.
func (p *Planner) PlanAt(sit Situation, messages []Message) Plan {
	in := NewInput(messages, sit)
	say := p.ask(in)
	proposed := say.proposed()
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
		plan.act(p, in, one)
	}
	born := plan.bear(p, in)
	if n := len(born); n > 0 && !verdict.Act {
		plan.Outcome = "pruned: " + plain.CountDoes(n, "new tool output", "is") + " shortened before the model sees it"
	}
	plan.Acted = !plan.OnlyClears()
	if f := plan.Figures; f != nil {
		f.PlannedTokens = f.ContextTokens - in.account().Scaled(plan.BeforeTokens-plan.AfterTokens)
	}
	plan.keepRest(in, say, verdict, born)
	if p.Own {
		plan.keepOwn(in)
	}
	return plan
}

// folded folds the beginning of the conversation in a plan, once the cache of the prompt is lost
// anyway. It returns what is pruned behind it.
func (p *Planner) folded(in *Input, plan *Plan, proposed []*Candidate) ([]*Candidate, Verdict) {
	if p.folds == 0 || !in.Situation.Boundary || in.Situation.Forced || in.open > 0 {
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
func (p *Plan) keepRest(in *Input, say *Opinions, verdict Verdict, born map[int]bool) {
	p.Kept = make([]Kept, 0, max(0, len(in.past)+len(in.results)-len(p.Edits)))
	for i := range in.past {
		p.keep(&in.past[i], Reason{CodeCompacted, "before a compaction summary"})
	}
	for i := range in.results {
		r := &in.results[i]
		p.ScannedTokens += r.Tokens
		switch c := &say.results[i]; {
		case born[r.Index]:
		case c.Source == "":
			p.keep(r, c.Reason)
		case !verdict.Act:
			p.keep(r, verdict.Hold)
		}
	}
}

// act adds the edit of a candidate.
func (p *Plan) act(planner *Planner, in *Input, c *Candidate) {
	if c.Trim.empty() {
		by := planner.Marker(in, c)
		p.add(c, Edit{ToolName: c.Message.Head.ToolName, MarkerTokens: token.OfText(by), Marker: by}, c.Tokens)
		return
	}
	h, raw := in.Situation.Message(c.Index)
	if h == nil {
		return
	}
	content, ok := c.Trim.content(h, raw, c.Message.EntryID)
	if !ok || !marker.IsContent(content) {
		return
	}
	if now := token.Estimate(Replaced(c.Message, c.Message.EntryID, content).Head); now < c.Tokens || c.Trim.Thinking {
		p.add(c, Edit{MarkerTokens: now, Marker: content}, max(0, c.Tokens-now))
	}
}

// keepOwn adds the output of the user's own commands to Kept.
func (p *Plan) keepOwn(in *Input) {
	n := len(p.Kept)
	for i, m := range in.Messages {
		if m.is(message.RoleBashExecution) && !m.Head.Excluded {
			p.keep(&Result{Index: i, Message: m, Tokens: token.Estimate(m.Head)}, Reason{CodeOwn, "the output of a command of the user cannot be replaced"})
		}
	}
	if len(p.Kept) > n {
		slices.SortFunc(p.Kept, func(a, b Kept) int { return a.Index - b.Index })
	}
}

// Opinions are what sources and protections say of the messages of an input.
type Opinions struct {
	in      *Input
	source  string             // that is asked
	results []Candidate        // parallel to Input.results
	trims   map[int]*Candidate // assistant messages to trim, by position
}

// ask asks sources and protections about every result.
func (p *Planner) ask(in *Input) *Opinions {
	say := &Opinions{in: in, results: make([]Candidate, len(in.results)), trims: make(map[int]*Candidate)}
	for _, s := range p.Sources {
		say.source = s.Name
		s.Propose(in, say)
	}
	for i := range say.results {
		c := &say.results[i]
		c.Result = in.results[i]
		switch {
		case c.Source != "":
			p.protect(in, c)
		case c.Reason.Code == "":
			c.Reason = Reason{CodeNoRule, "nothing calls for pruning it"}
		}
	}
	return say
}

// protect withdraws a proposal when a protection objects.
func (p *Planner) protect(in *Input, c *Candidate) {
	protections := p.Protections
	if c.requested {
		protections = p.Never
	}
	for _, one := range protections {
		if one.Keeps(in, &c.Result) {
			c.Source, c.Reason = "", one.Reason
			return
		}
	}
}

// Keep says that a result stays, unless another source has said something of it.
func (say *Opinions) Keep(r *Result, why Reason) {
	if c := &say.results[r.order]; c.Source == "" && c.Reason.Code == "" {
		c.Reason = why
	}
}

// Prune proposes a result, unless another source has.
func (say *Opinions) Prune(r *Result, why Reason) {
	if c := &say.results[r.order]; c.Source == "" {
		c.Source, c.Reason = say.source, why
	}
}

// request proposes a result that a user or the agent wants to be pruned.
func (say *Opinions) request(r *Result, why Reason) {
	say.Prune(r, why)
	say.results[r.order].requested = true
}

// trim proposes to trim a call of an assistant message, unless the user pinned that.
func (say *Opinions) trim(index int, call TrimmedCall, why Reason) {
	c := say.trims[index]
	if c == nil {
		c = &Candidate{Result: say.in.resultAt(index), Source: say.source, Reason: why}
		if c.among(say.in.Situation.Pins.Entries) {
			return
		}
		say.trims[index] = c
	}
	c.Trim.Calls = append(c.Trim.Calls, call)
}

// proposed returns the messages that no protection keeps, in context order.
func (say *Opinions) proposed() (out []*Candidate) {
	for i := range say.results {
		if say.results[i].Source != "" {
			out = append(out, &say.results[i])
		}
	}
	out = slices.AppendSeq(out, maps.Values(say.trims))
	slices.SortFunc(out, func(a, b *Candidate) int { return a.Index - b.Index })
	return out
}

// resultAt returns the message at a position in the form of a Result.
func (in *Input) resultAt(index int) Result {
	return Result{Index: index, Message: in.Messages[index], Tokens: in.Sizes[index]}
}

func (p *Plan) keep(r *Result, why Reason) {
	p.Kept = append(p.Kept, Kept{
		Index: r.Index, EntryID: r.Message.EntryID, ToolName: r.Message.Head.ToolName,
		Tokens: r.Tokens, Reason: why,
	})
}

// add adds the edit of a candidate; gone is the number of tokens that it removes.
func (p *Plan) add(c *Candidate, e Edit, gone token.Count) {
	e.Index, e.EntryID, e.Tokens = c.Index, c.Message.EntryID, c.Tokens
	e.Source, e.Reason = c.Source, c.Reason
	p.Edits = append(p.Edits, e)
	p.PrunedTokens += gone
	p.AfterTokens -= e.Tokens - e.MarkerTokens
}
