package prune_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/internal/must"
)

// ports answers Decide from fields, and counts the questions.
type ports struct {
	*pi.Session
	marks  marks
	pins   []prune.Pin
	states []state.Change
	asked  atomic.Int32
	broken bool // Marks panics
}

func (p *ports) Entries() *message.Tree { return p.Tree }

func (p *ports) Marks(ctx context.Context, session string) ([]prune.Mark, error) {
	p.asked.Add(1)
	if p.broken {
		panic("no store")
	}
	return p.marks.Marks(ctx, session)
}

func (p *ports) AddMarks(ctx context.Context, session string, made []prune.Mark) error {
	p.asked.Add(1)
	return p.marks.AddMarks(ctx, session, made)
}

func (p *ports) Pins(context.Context, string) ([]prune.Pin, error) {
	p.asked.Add(1)
	return p.pins, nil
}

func (p *ports) StateChanges(_ context.Context, _ string, shown func() []prune.Shown) ([]state.Change, error) {
	p.asked.Add(1)
	if len(shown()) == 0 {
		return nil, errors.New("nothing is shown")
	}
	return p.states, nil
}

func (p *ports) all() prune.Ports {
	open := func(context.Context) (message.Session, error) {
		p.asked.Add(1)
		return p, nil
	}
	return prune.Ports{Session: open, Marks: p, Pins: p, States: p}
}

func TestDecideAsksFiveQuestions(t *testing.T) {
	p := &ports{Session: openText(t, sessionText(4))}
	p.pins = []prune.Pin{{Target: "r0", Time: 1}}
	p.states = []state.Change{off("o", 1, "r1")}
	d, err := prune.Decide(t.Context(), p.all(), prune.Moment{Boundary: true, Session: "s", Leaf: "r3", Now: 77}, prune.Choice{Planner: small().WithStates()})
	if err != nil {
		t.Fatal(err)
	}
	must.Equal(t, p.asked.Load(), 5, "questions of Decide")
	if d.New != 2 || ids(d.Tell) != "r1 r2" || ids(p.marks.kept) != "r1 r2" || !d.First {
		t.Errorf("%d new, told %q, kept %q, first %v", d.New, ids(d.Tell), ids(p.marks.kept), d.First)
	}
	if diff := cmp.Diff(p.pins, d.Pins) + cmp.Diff(p.states, d.States); diff != "" {
		t.Error("the session is to carry what was said outside it:\n" + diff)
	}
	must.Not(t, d.Totals.Pruned != 2 || d.Totals.Kept != 2 || d.Totals.Saved <= 0, "totals %+v", d.Totals)
}

func TestDecideWithoutPortsPlansAndRemembersNothing(t *testing.T) {
	p := &ports{Session: openText(t, sessionText(3))}
	only := prune.Ports{Session: p.all().Session}
	d, err := prune.Decide(t.Context(), only, prune.Moment{Boundary: true, Session: "s", Leaf: "r2"}, prune.Choice{Planner: small()})
	must.Not(t, err != nil || len(d.Edits) != 2 || d.New != 0 || len(d.Tell) != 0, "%d edits, %d new, %d told, %v", len(d.Edits), d.New, len(d.Tell), err)
}

func TestDecideTakesThePlannerOfWhatWasDeactivated(t *testing.T) {
	choice := prune.Choice{Why: "nothing: it is off", Deactivated: small().WithStates()}
	m := prune.Moment{Boundary: true, Session: "s", Leaf: "r2", Dry: true}
	p := &ports{Session: openText(t, sessionText(3))}
	d, err := prune.Decide(t.Context(), p.all(), m, choice)
	must.Not(t, err != nil || d.Outcome != choice.Why || d.Acted, "nothing deactivated: %q, %v", d.Outcome, err)
	p.Session, m.Leaf = openText(t, sessionText(3, stateEntry(t, "s0", "r2", off("o", 1, "r0")))), "s0"
	d, err = prune.Decide(t.Context(), p.all(), m, choice)
	must.Not(t, err != nil || !d.Acted, "deactivated: %q, %v", d.Outcome, err)
}

func TestDecideWithoutTheRememberedMarks(t *testing.T) {
	for name, p := range map[string]*ports{"error": {marks: marks{err: errors.New("locked")}}, "panic": {broken: true}} {
		p.Session = openText(t, sessionText(3))
		m := prune.Moment{Boundary: true, Session: "s", Leaf: "r2"}
		if d, err := prune.Decide(t.Context(), p.all(), m, prune.Choice{Planner: small()}); err == nil || d.Acted || len(d.Tell) > 0 {
			t.Errorf("%s: acted %v, told %d, %v", name, d.Acted, len(d.Tell), err)
		}
		m.Keys = []prune.Key{}
		d, err := prune.Decide(t.Context(), p.all(), m, prune.Choice{Planner: small()})
		must.Not(t, err != nil || d.Unread == nil || d.Acted, "%s, of a context: acted %v, unread %v, %v", name, d.Acted, d.Unread, err)
	}
}

func TestMarksWhoseReplyWasLostWaitForAMomentThatIsFree(t *testing.T) {
	lost := prune.Mark{EntryID: "r0", Leaf: "r0", Marker: "[gone]", Tokens: 1000, MarkerTokens: 2, Time: 7}
	tell := func(m prune.Moment, p *policy.Planner, more ...string) string {
		s := openText(t, sessionText(3, more...))
		from := &ports{Session: s, marks: marks{kept: []prune.Mark{lost}}}
		m.Session, m.Leaf = "s", "r2"
		if len(more) > 0 {
			m.Leaf = "m0"
		}
		d := must.Get(prune.Decide(t.Context(), prune.Ports{Session: from.all().Session, Marks: from}, m, prune.Choice{Planner: p}))(t)
		return ids(d.Tell)
	}
	never := small()
	never.When = func(*policy.Input, []*policy.Candidate) policy.Verdict { return policy.Verdict{} }
	must.Equal(t, tell(prune.Moment{}, never), "", "what is told while it does not pay")
	must.Equal(t, tell(prune.Moment{Boundary: true}, small()), "r0 r1", "what is told when it pays")
	// An agent that keeps no edits gets all that its session carries every time.
	keys := []prune.Key{{Role: "user"}}
	must.Equal(t, tell(prune.Moment{Keys: keys}, never), "", "what is told of a listed context")
	heard := entry("custom", "m0", "r2", fmt.Sprintf(`"customType":%q,"data":{"marks":[{"id":"r0","marker":"[gone]"}]}`, prune.MarksEntry))
	must.Equal(t, tell(prune.Moment{Keys: keys}, never, heard), "r0", "what is told of a listed context whose session carries a mark")
}

// reads counts the lines that are read of a session.
type reads struct {
	*ports
	of map[string]int // by entry
}

func (r *reads) Line(n *message.Node) ([]byte, error) {
	r.of[n.ID]++
	return r.ports.Line(n)
}

// A session of an agent without context edits may carry hundreds of marks, and the agent waits.
func TestMarksThatASessionCarriesAreReadOnceForADecision(t *testing.T) {
	heard := entry("custom", "m0", "r2", fmt.Sprintf(`"customType":%q,"data":{"marks":[{"id":"r0","marker":"[gone]"}]}`, prune.MarksEntry))
	r := &reads{&ports{Session: openText(t, sessionText(3, heard))}, make(map[string]int)}
	from := prune.Ports{Session: func(context.Context) (message.Session, error) { return r, nil }, Marks: r.ports}
	d, err := prune.Decide(t.Context(), from, prune.Moment{Boundary: true, Session: "s", Leaf: "m0"}, prune.Choice{Planner: small()})
	must.Not(t, err != nil || r.of["m0"] != 1, "read %d times; %+v, %v", r.of["m0"], d.Tell, err)
}
