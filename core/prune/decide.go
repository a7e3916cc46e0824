package prune

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// MarkStore stores the marks of sessions.
type MarkStore interface {
	// Marks returns the marks of a session in no particular order.
	Marks(ctx context.Context, session string) ([]Mark, error)
	// AddMarks stores marks of a session in one transaction.
	AddMarks(ctx context.Context, session string, marks []Mark) error
}

// StateReader knows the state changes of objects that were made outside the session.
type StateReader interface {
	// StateChanges returns the changes of state in a session, oldest first. shown lists the
	// tool results in its context; it is a function because that takes time to compute.
	StateChanges(ctx context.Context, session string, shown func() []Shown) ([]state.Change, error)
}

// Ports are the sources of data for Decide, which asks each at most once, and Marks a
// second time to store the decision.
type Ports struct {
	// Session opens the session.
	Session func(ctx context.Context) (message.Session, error)
	// Marks may be nil; nothing is stored then, as with Moment.Dry.
	Marks MarkStore
	// Pins may be nil. Then, and when it fails, the pins in the session itself apply.
	Pins PinReader
	// States may be nil. Then, and when it fails, the changes in the session itself apply.
	States StateReader
}

// Model is what is known of the model that the coming request goes to. The zero Model is
// unknown.
type Model struct {
	Provider, ID string
	// Prices are valid when KnownPrices is set.
	Prices      token.Prices
	KnownPrices bool
	// Window is the size of its context window in tokens, 0 when unknown.
	Window token.Count
	// Binding is how its thinking is bound to what precedes it.
	Binding token.Binding
}

// prices returns the prices to decide by.
func (m *Model) prices() token.Prices {
	if m.KnownPrices {
		return m.Prices
	}
	return token.Unknown()
}

// binds reports whether a response has thinking that its model binds to what precedes it. A
// session may have responses of several models.
func (m *Model) binds(response *message.Head) bool {
	if response.Provider == m.Provider && response.Model == m.ID {
		return m.Binding != token.NotBound
	}
	made, known := token.FindModel(response.Provider, response.Model)
	if !known {
		made = token.Model{ID: response.Model, Thinks: true}
	}
	return made.Binding() != token.NotBound
}

// Binds reports whether the model that answered last on the branch binds its thinking to what
// precedes it, as one that is not known is taken to do.
func (b *Branch) Binds() bool {
	for _, n := range slices.Backward(b.path) {
		if n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant {
			return new(Model).binds(&n.Message)
		}
	}
	return true
}

// Moment is the point in a session for which a decision is wanted. The zero values of all
// fields but Session are meaningful.
type Moment struct {
	// Session is the id of the session, Leaf the entry at which it stands.
	Session, Leaf string
	// Now is when the coming request is sent, in Unix milliseconds.
	Now   int64
	Model Model
	// CWD is the directory of relative paths, "" for the one that the session was started
	// in.
	CWD string
	// Prompt is set when the user's prompt, which has no entry yet, comes next. Boundary is
	// set then, too, and after a compaction: see policy.Situation.
	Prompt, Boundary bool
	// Restored are entries of results that are shown again from now on.
	Restored []string
	// Unsound is set when something before the conversation changes, so that all thinking in
	// it becomes invalid.
	Unsound bool
	// Keys identify the messages that the agent is about to send, when it lists them; nil
	// means the messages of the session. With Keys, nothing new is decided while the stored
	// marks cannot be read, but the marks that the session carries still apply.
	Keys []Key
	// Forced is set when the user asks for pruning: prices do not matter.
	Forced bool
	// Dry asks for the plan without storing anything.
	Dry bool
}

// Choice is the planner that the settings ask for.
type Choice struct {
	// Planner is nil when nothing is pruned automatically. Why is then the outcome to
	// report.
	Planner *policy.Planner
	Why     string
	// Deactivated replaces a nil Planner in a session in which something was deactivated.
	// It may be nil.
	Deactivated *policy.Planner
}

// planner returns the planner for a session with these states, nil for none.
func (c Choice) planner(states state.States) *policy.Planner {
	if c.Planner == nil && len(states.Inactive) > 0 {
		return c.Deactivated
	}
	return c.Planner
}

// Decision is a plan for a branch, with what the agent has to be told.
type Decision struct {
	policy.Plan
	// Branch is the session at its entry, for which the decision was made.
	Branch *Branch
	// Tell are the marks whose results are still unpruned in the agent's session: the new
	// ones, and earlier ones that never reached it.
	Tell []Mark
	// New is the number of new marks.
	New int
	// Totals are those of the branch, this decision included.
	Totals Totals
	// First is set when nothing was pruned in this session before.
	First bool
	// Dropped is what the provider has reported of thinking that it left out.
	Dropped Dropped
	// At is the position in Moment.Keys of every message, by its entry.
	At map[string]int
	// Pins and States were recorded outside the session, which should carry them from now
	// on. They are set even when Decide fails after it found them.
	Pins   []Pin
	States []state.Change
	// Unread is why the stored marks could not be read, nil when they could.
	Unread error
}

// Decide decides which tool results leave the context of a session now. It reads the
// session with its marks, pins and states, works out the situation, plans, and stores the
// decision. A decision that cannot be stored is not made. Without a planner nothing new is
// decided, and earlier decisions stay in force.
func Decide(ctx context.Context, from Ports, m Moment, c Choice) (Decision, error) {
	b, unread, err := ReadBranch(ctx, from, m.Session, m.Leaf)
	if err == nil && !m.Unsound { // then all thinking goes, and telling the agent now is as good
		b, err = b.withoutLost()
	}
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
	d.Dropped = b.Dropped()
	sit, err := d.situation(ctx, from, m)
	if err != nil {
		return d, err
	}
	p := c.planner(sit.States)
	if p == nil || m.Keys != nil && unread != nil || d.Dropped.Ours {
		p = policy.Clearing() // of thinking that has become invalid
	}
	st := from.Marks
	if m.Dry {
		st = nil
	}
	err = d.plan(ctx, st, p, sit, m.Now)
	if c.Planner == nil && d.OnlyClears() {
		if d.Outcome = c.Why; len(d.Edits) > 0 {
			d.Outcome += "; thinking that had become invalid is removed"
		}
	}
	d.Totals = d.totals()
	return d, err
}

// totals returns the totals of the branch with this decision.
func (d *Decision) totals() Totals {
	t := d.Branch.Totals()
	t.Pruned += d.New
	t.Kept -= len(d.Edits) - d.Trimmed()
	t.Saved += d.BeforeTokens - d.AfterTokens
	return t
}

// ReadBranch reads a session at one of its entries, with its stored marks. When these
// cannot be read, unread says why and only the marks that the session itself carries are in
// force.
func ReadBranch(ctx context.Context, from Ports, id, leaf string) (b *Branch, unread, err error) {
	type answer struct {
		marks []Mark
		err   error
	}
	remembered := make(chan answer, 1)
	go func() { // while the session is read
		marks, err := readMarks(ctx, from.Marks, id)
		remembered <- answer{marks, err}
	}()
	s, err := from.Session(ctx)
	known := <-remembered
	if err != nil {
		return nil, known.err, err
	}
	b, err = NewBranch(id, s.Entries(), leaf, keeping(s.Line), known.marks)
	return b, known.err, err
}

// keeping returns line with what it has read of short entries, such as the edits and marks of a
// branch. The walk over the session reads those again, and the agent waits.
func keeping(line session.Line) session.Line {
	const short = 4 << 10
	kept := make(map[*message.Node][]byte)
	return func(n *message.Node) ([]byte, error) {
		if n.Length > short {
			return line(n)
		}
		if raw, ok := kept[n]; ok {
			return raw, nil
		}
		raw, err := line(n)
		if err == nil {
			raw = bytes.Clone(raw)
			kept[n] = raw
		}
		return raw, err
	}
}

// readMarks reads the marks of a store, which may be nil. It runs in its own goroutine, so
// it recovers from panics itself.
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

// situation works out what the decision depends on besides the messages.
func (d *Decision) situation(ctx context.Context, from Ports, m Moment) (policy.Situation, error) {
	b := d.Branch
	sit, err := b.situation(&m)
	if err != nil {
		return sit, err
	}
	sit.Window, sit.Forced = m.Model.Window, m.Forced
	sit.Boundary, sit.Unbound, sit.Bound = m.Boundary, m.Model.Binding == token.NotBound, m.Model.binds
	if sit.Changed, err = b.changed(m, sit.Bound); err != nil {
		return sit, err
	}
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
	return sit, nil
}

// readPins reads the pins of a reader, which may be nil.
func readPins(ctx context.Context, from PinReader, session string) []Pin {
	if from == nil {
		return nil
	}
	pins, err := from.Pins(ctx, session)
	if err != nil {
		return nil // the pins that the session carries apply
	}
	return pins
}

// readStates reads the changes of a reader, which may be nil.
func readStates(ctx context.Context, from StateReader, b *Branch, cwd string) []state.Change {
	if from == nil {
		return nil
	}
	changes, err := from.StateChanges(ctx, b.Session, func() []Shown { return b.Shown(cwd) })
	if err != nil {
		return nil // the changes that the session carries apply
	}
	return changes
}

// plan plans over the branch and stores what the plan prunes, unless there is no store. It does
// not write to one that could not be read.
func (d *Decision) plan(ctx context.Context, st MarkStore, p *policy.Planner, sit policy.Situation, now int64) error {
	b := d.Branch
	plan := p.PlanAt(sit, b.Messages)
	if st == nil {
		d.Plan = plan
		return nil
	}
	var made []Mark
	for _, e := range plan.Edits {
		if e.EntryID == "" { // not written yet: decide once it has an entry
			continue
		}
		made = append(made, Mark{
			EntryID: e.EntryID, Leaf: b.Leaf, Marker: e.Marker, Source: e.Source, Reason: e.Reason.Code,
			Tokens: e.Tokens, MarkerTokens: e.MarkerTokens, Time: now,
		})
	}
	if len(made) > 0 {
		err := d.Unread
		if err == nil {
			err = st.AddMarks(ctx, b.Session, made)
		}
		if err != nil {
			return fmt.Errorf("remember what is pruned: %w", err)
		}
	}
	d.Plan, d.New = plan, len(made)
	d.Tell = append(b.Untold[:len(b.Untold):len(b.Untold)], made...)
	return nil
}
