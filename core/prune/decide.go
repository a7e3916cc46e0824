package prune

import (
	"context"
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Session is an agent's session as the agent wrote it.
type Session interface {
	// Entries is the tree of the session. It is empty when nothing was written yet.
	Entries() *message.Tree
	// Line returns the bytes of an entry, which are valid until the next call.
	Line(n *message.Node) ([]byte, error)
}

// MarkStore remembers the marks of sessions.
type MarkStore interface {
	// Marks returns the marks of a session, in no order.
	Marks(ctx context.Context, session string) ([]Mark, error)
	// AddMarks remembers marks of a session, in one transaction.
	AddMarks(ctx context.Context, session string, marks []Mark) error
}

// StateReader knows what was said of objects outside the session's own entries.
type StateReader interface {
	// StateChanges returns the changes of state in a session, oldest first. shown
	// lists the tool results in its context, which takes time to work out.
	StateChanges(ctx context.Context, session string, shown func() []Shown) ([]StateChange, error)
}

// Ports are what Decide asks. Each is asked at most once, and Marks once more to
// remember the decision.
type Ports struct {
	// Session opens the session.
	Session func(ctx context.Context) (Session, error)
	// Marks may be nil: nothing is remembered then, as with Moment.Dry.
	Marks MarkStore
	// Pins may be nil: those that the session carries are in force. The same holds
	// when they cannot be read.
	Pins PinReader
	// States may be nil, likewise.
	States StateReader
	// Memory may be nil: the session is then read from its start.
	Memory *Memory
}

// Model is what is known of the model that the coming request goes to. The zero
// Model is unknown.
type Model struct {
	Provider, ID string
	// Prices hold when KnownPrices is set.
	Prices      token.Prices
	KnownPrices bool
	// Window is the size of its context, 0 when that is unknown.
	Window token.Count
}

// Moment is where a session stands when something is to be decided for it, and what
// is asked. The zero values of all but Session are meaningful.
type Moment struct {
	// Session is the session's id, Leaf the entry it stands at.
	Session, Leaf string
	// Now is when the coming request is sent, in Unix milliseconds.
	Now   int64
	Model Model
	// CWD is the directory that relative paths start from, "" for the one that the
	// session was started in.
	CWD string
	// Prompt is set when the user's prompt comes next, which has no entry yet.
	Prompt bool
	// Keys are the messages that the agent is about to send, when it lists them; nil
	// means those of the session. Of a context that is listed nothing new is decided
	// while the remembered marks cannot be read: what is known is told all the same.
	Keys []Key
	// Forced is set when the user asks for pruning: prices do not matter.
	Forced bool
	// Declared is what pictx put before the conversation so far: see Situation.Declared.
	Declared []bill.Declared
	// Dry is set when nothing is to be remembered: the plan alone is wanted.
	Dry bool
}

// Choice is the planner that the settings ask for.
type Choice struct {
	// Planner is nil when nothing is pruned automatically, and Why is then the outcome
	// that says so.
	Planner *Planner
	Why     string
	// Deactivated takes its place in a session in which something was deactivated. It
	// may be nil.
	Deactivated *Planner
}

// planner is the one that decides over a branch, nil for none.
func (c Choice) planner(b *Branch) *Planner {
	if c.Planner != nil || c.Deactivated == nil {
		return c.Planner
	}
	states, _, err := b.States(nil)
	if err != nil || len(states.Inactive) == 0 {
		return nil
	}
	return c.Deactivated
}

// Decision is a plan for a branch, and what the agent has to be told because of
// it.
type Decision struct {
	Plan
	// Branch is what was decided for: the session at its entry.
	Branch *Branch
	// Tell are the marks whose results the agent's session shows unpruned: those
	// just made, and those that it never heard of.
	Tell []Mark
	// New counts the marks just made.
	New int
	// Totals are those of the branch with what was just decided.
	Totals Totals
	// First is set when nothing was pruned in this session before.
	First bool
	// At is the position of every message in Moment.Keys by its entry.
	At map[string]int
	// Pins and States were said outside the session, which is to carry them from now
	// on. They are set even when Decide fails after it has found them.
	Pins   []Pin
	States []StateChange
	// Unread says why the remembered marks could not be read, nil when they could.
	Unread error
}

// Decide decides for a session, now, which tool results leave its context. It reads
// the session and what was pinned, deactivated and pruned in it, works out the
// situation, plans, and remembers what it decides: a decision that cannot be
// remembered is not made.
// Without a planner nothing new is decided, and what was decided stays in force.
func Decide(ctx context.Context, from Ports, m Moment, c Choice) (Decision, error) {
	b, unread, err := branchOf(ctx, from, m, c)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{Branch: b, First: !b.Decided(), Unread: unread}
	if m.Prompt {
		b.Expect(message.RoleUser)
	}
	if m.Keys != nil {
		d.At = b.Align(m.Keys)
	}
	p := c.planner(b)
	if m.Keys != nil && unread != nil {
		p = nil
	}
	sit, err := d.situation(ctx, from, m)
	if err != nil {
		return d, err
	}
	switch {
	case p == nil:
		d.Tell, d.Outcome = b.Untold, c.Why
	case m.Dry, from.Marks == nil:
		d.Plan = p.PlanAt(sit, b.Messages)
	default:
		err = d.make(ctx, rememberIn(from.Marks, unread), p, sit)
		if b.input != nil {
			from.Memory.noteVisited(b)
		}
	}
	d.Totals = d.totals()
	return d, err
}

// branchOf reads the branch of a moment. What the agent was never told is up to the planner
// once more, where there is one.
func branchOf(ctx context.Context, from Ports, m Moment, c Choice) (*Branch, error, error) {
	if from.Memory != nil && c.Planner != nil && m.Keys == nil && !m.Dry && !m.Forced {
		return from.Memory.branch(ctx, from, m)
	}
	b, unread, err := ReadBranch(ctx, from, m.Session, m.Leaf)
	if err == nil && c.planner(b) != nil {
		b, err = b.withoutLost()
	}
	return b, unread, err
}

// totals adds up the branch with what was just decided.
func (d *Decision) totals() Totals {
	t := d.Branch.Totals()
	t.Pruned += d.New
	t.Kept -= len(d.Edits) - d.Trimmed()
	t.Saved += d.BeforeTokens - d.AfterTokens
	return t
}

// ReadBranch reads a session at one of its entries, with its remembered marks. The marks that the session itself carries are in force also when
// those cannot be read: unread then says why.
func ReadBranch(ctx context.Context, from Ports, session, leaf string) (b *Branch, unread, err error) {
	type answer struct {
		marks []Mark
		err   error
	}
	remembered := make(chan answer, 1)
	go func() { // while the session is read
		marks, err := readMarks(ctx, from.Marks, session)
		remembered <- answer{marks, err}
	}()
	s, err := from.Session(ctx)
	known := <-remembered
	if err != nil {
		return nil, known.err, err
	}
	b, err = NewBranch(session, s.Entries(), leaf, s.Line, known.marks)
	return b, known.err, err
}

// readMarks asks a store, which may be nil. It runs beside the caller, who could not
// recover from a panic in it.
func readMarks(ctx context.Context, st MarkStore, session string) (marks []Mark, err error) {
	defer func() {
		if r := recover(); r != nil {
			marks, err = nil, fmt.Errorf("internal error: %v", r)
		}
	}()
	if st == nil {
		return nil, nil
	}
	return st.Marks(ctx, session)
}

// rememberIn returns what remembers marks. A store that could not be read is not
// written to.
func rememberIn(st MarkStore, unread error) func(context.Context, string, []Mark) error {
	if unread != nil {
		return func(context.Context, string, []Mark) error { return unread }
	}
	return st.AddMarks
}

// situation works out what the decision depends on besides the messages.
func (d *Decision) situation(ctx context.Context, from Ports, m Moment) (Situation, error) {
	b := d.Branch
	sit, err := b.situation(m.Now, m.Model.Provider, m.Model.ID)
	if err != nil {
		return sit, err
	}
	sit.Prices, sit.KnownPrices = m.Model.Prices, m.Model.KnownPrices
	sit.Declared, sit.Final = m.Declared, m.Keys == nil && b.final()
	sit.Window, sit.Forced = m.Model.Window, m.Forced
	if m.CWD != "" {
		sit.CWD = m.CWD
	}
	latest, carried, err := b.LatestPins(readPins(ctx, from.Pins, m.Session))
	d.Pins, sit.Pins = carried, PinsOf(latest)
	if err != nil {
		return sit, err
	}
	if sit.States, d.States, err = b.States(readStates(ctx, from.States, b, sit.CWD)); err != nil {
		return sit, err
	}
	return b.withPast(sit)
}

// readPins asks a reader, which may be nil.
func readPins(ctx context.Context, from PinReader, session string) []Pin {
	if from == nil {
		return nil
	}
	pins, err := from.Pins(ctx, session)
	if err != nil {
		return nil // those that the session carries are in force
	}
	return pins
}

// readStates asks a reader, which may be nil.
func readStates(ctx context.Context, from StateReader, b *Branch, cwd string) []StateChange {
	if from == nil {
		return nil
	}
	changes, err := from.StateChanges(ctx, b.Session, func() []Shown { return b.Shown(cwd) })
	if err != nil {
		return nil // what the session carries counts
	}
	return changes
}

// make plans over the branch and remembers what the plan prunes.
func (d *Decision) make(ctx context.Context, remember func(context.Context, string, []Mark) error, p *Planner, sit Situation) error {
	b := d.Branch
	plan := b.plan(p, sit)
	var made []Mark
	for _, e := range plan.Edits {
		if e.EntryID == "" { // not written yet: it is decided once it has an entry
			continue
		}
		made = append(made, Mark{
			EntryID: e.EntryID, Leaf: b.Leaf, Marker: e.Marker, Source: e.Source, Reason: e.Reason.Code,
			Tokens: e.Tokens, MarkerTokens: e.MarkerTokens, Time: sit.Now,
		})
	}
	if len(made) > 0 {
		if err := remember(ctx, b.Session, made); err != nil {
			return fmt.Errorf("remember what is pruned: %w", err)
		}
	}
	d.Plan, d.New = plan, len(made)
	d.Tell = append(b.Untold[:len(b.Untold):len(b.Untold)], made...)
	return nil
}

// plan plans over the branch. One that is followed has more to say of what stays than is
// asked.
func (b *Branch) plan(p *Planner, sit Situation) Plan {
	if b.input == nil {
		return p.PlanAt(sit, b.Messages)
	}
	return p.PlanOn(b.input, sit)
}

// pastOpinion is what was said of a result that could go but for the price.
type pastOpinion struct {
	source   string // "" for none
	reason   Reason
	premises premises
}

// premises are what holds of a result for as long as what was said of it does, besides
// what is pinned: that it gets older changes nothing.
type premises struct {
	use                   fileUse
	turns, warm, restored int
}

// premises are those of the result at a place.
func (in *Input) premises(place, warm int) premises {
	h, f := in.hist, in.factAt(place)
	out := premises{turns: min(f.turns, farTurns), warm: warm, restored: len(h.expanded)}
	if f.path >= 0 {
		out.use = h.uses[f.path]
	}
	return out
}

// reuseOpinions takes over what earlier plans said of results that wait, where that holds. About
// the others sources and protections are asked.
func (in *Input) reuseOpinions(c *cases) {
	in.undecided = c.results
	if !c.brief {
		return
	}
	h, warm := in.history(), in.warm()
	if !h.pins.equal(&in.Situation.Pins) {
		h.pastOpinions = nil
		h.pins = in.Situation.Pins
	}
	h.pastOpinions = append(h.pastOpinions, make([]pastOpinion, len(h.facts)-len(h.pastOpinions))...)
	in.undecided = nil
	for i, place := range c.results {
		if w := &h.pastOpinions[place]; w.source != "" && w.premises == in.premises(place, warm) {
			c.opinions[i] = opinion{source: w.source, reason: w.reason, reused: true}
			continue
		}
		in.Visited++
		in.undecided = append(in.undecided, place)
	}
}

// rememberOpinion notes what was said of the result at a place.
func (in *Input) rememberOpinion(place, warm int, o *opinion) {
	switch {
	case o.reused:
	case o.source == "":
		in.hist.pastOpinions[place] = pastOpinion{}
	default:
		in.hist.pastOpinions[place] = pastOpinion{o.source, o.reason, in.premises(place, warm)}
	}
}

// equal reports whether the same is pinned.
func (p *Pins) equal(q *Pins) bool {
	return slices.Equal(p.Entries, q.Entries) && slices.Equal(p.Paths, q.Paths) && slices.Equal(p.Released, q.Released)
}
