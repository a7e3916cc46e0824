package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/internal/must"
)

// turns is a context of user turns, each with the given number of calls, all answered.
func turns(calls ...int) (c talk, results [][]int) {
	for turn, n := range calls {
		c.user()
		var at []int
		for i := range n {
			at = append(at, c.run("web", fmt.Sprintf(`{"q":"%d %d"}`, turn, i), 500))
		}
		c.say(1)
		results = append(results, at)
	}
	return c, results
}

// windowed lists the results that the window proposes.
func windowed(w Window, messages []Message) map[int]string {
	out := make(map[int]string)
	p := Planner{Sources: []Source{{"window", w.propose}}}
	for _, c := range p.ask(NewInput(messages, Situation{})).proposed() {
		out[c.Index] = c.Reason.Text
	}
	return out
}

// Holds objects 26.
func TestTheWindowKeepsTheNewestCalls(t *testing.T) {
	c, results := turns(2, 1, 7, 1, 6)
	gone := windowed(SeedWindow(), c.parse())
	for turn, want := range [][]bool{{true, true}, {false}, {true, true, false, false, false, false, false}, {false}, {true, false, false, false, false, false}} {
		for i, index := range results[turn] {
			must.Equal(t, gone[index] != "", want[i], "call %d of turn %d: gone", i, turn)
		}
	}
	must.Equal(t, len(windowed(Window{Calls: 2}, c.parse())), 17-2, "what 2 calls and no turns leave out")
	must.Equal(t, len(windowed(Window{}, c.parse())), 0, "what no window leaves out")
}

func TestTheReasonOfTheWindowCountsInPlainWords(t *testing.T) {
	t.Parallel()
	c, _ := turns(9, 9, 9, 9, 9, 9)
	must.Equal(t, windowed(SeedWindow(), c.parse())[2], "outside the window: the last 5 calls of this turn and of each of the 3 before", "reason")
}

// Holds objects 26.
func TestCallsThatManageObjectsDoNotCount(t *testing.T) {
	c, results := turns(5)
	for _, tool := range ManageTools() {
		c.run(tool, `{"id":"o"}`, 500)
	}
	if gone := windowed(SeedWindow(), c.parse()); len(gone) != 0 {
		t.Errorf("%v are gone of %v", gone, results)
	}
}

// What has left the window stays out of it whatever comes later.
func TestTheWindowIsNeverEnteredAgain(t *testing.T) {
	c, _ := turns(3, 9, 1, 2, 8, 1, 1)
	all := c.parse()
	before := make(map[int]string)
	for n := range all {
		gone := windowed(SeedWindow(), all[:n+1])
		for i := range before {
			must.Stop(t, gone[i] == "", "after message %d the result at %d is back", n, i)
		}
		before = gone
	}
	must.Not(t, len(before) < 10, "only %d are gone", len(before))
}

// objects is the policy auto with objects.
func objects(sit moment, c talk, off, on []int, pins ...int) Plan {
	id := func(list []int) (out []string) {
		for _, i := range list {
			out = append(out, fmt.Sprintf("e%d", i))
		}
		return out
	}
	sit.States = state.States{Inactive: id(off), Active: id(on)}
	sit.Pins.Entries = id(pins)
	return NewAuto(DefaultAuto()).WithStates().at(sit, c.parse())
}

func TestDeactivatedResultsBecomeReferencesWhenThatPays(t *testing.T) {
	var c talk
	c.user()
	web := c.run("web", `{"url":"https://x"}`, 3000)
	task := c.run("task", `{"x":1}`, 9000)
	short := c.run("web", `{"url":"https://y"}`, 60)
	c.run("web", `{"url":"https://z"}`, 150_000)
	c.say(1)
	off := []int{web, task, short}
	p := objects(c.later(), c, off, nil)
	wantCodes(t, p, map[int]string{web: CodeDeactivated, task: CodeDeactivated, short: CodeSmall})
	want := `[pruned: web (~3000 tok), deactivated; full text: pictx expand e`
	must.Not(t, !strings.HasPrefix(p.Edits[0].Marker, want), "the reference is %s", p.Edits[0].Marker)
	// With a cache that is warm it waits, and says so.
	p = objects(c.now(), c, off, nil)
	must.Not(t, p.Acted || !strings.Contains(p.Outcome, "times is asked"), "%+v", p)
	wantCodes(t, p, map[int]string{web: CodeWait, task: CodeWait})
	// Without a word of it nothing happens.
	wantCodes(t, objects(c.later(), c, nil, nil), map[int]string{web: CodeNotAgain, task: CodeYoung})
}

// Holds objects 27.
func TestTheNeverListHoldsWhoeverAsks(t *testing.T) {
	var c talk
	c.user()
	first := c.run("bash", `{"command":"a"}`, 900)
	bad := c.fail("bash", `{"command":"b"}`)
	pinned := c.run("bash", `{"command":"c"}`, 900)
	c.say(1)
	newest := c.run("bash", `{"command":"d"}`, 900)
	p := objects(c.later(), c, []int{first, bad, pinned, newest}, nil, pinned)
	wantCodes(t, p, map[int]string{first: CodeDeactivated, bad: CodeError, pinned: CodePinned, newest: CodeUnanswered})
}

// Holds objects 25.
func TestEveryPolicyKeepsActivatedResults(t *testing.T) {
	var c talk
	c.user()
	a := c.run("bash", `{"command":"a"}`, 900)
	b := c.run("bash", `{"command":"b"}`, 900)
	c.say(4)
	wantCodes(t, objects(c.later(), c, nil, []int{a}), map[int]string{a: CodeActive, b: CodeOutput})
	wantCodes(t, objects(c.later(), c, nil, nil, a), map[int]string{a: CodePinned, b: CodeOutput})
	wantCodes(t, objects(c.later(), c, nil, nil), map[int]string{a: CodeOutput, b: CodeOutput})
	// Deactivating is later said than activating, if both are said.
	wantCodes(t, objects(c.later(), c, []int{a}, nil), map[int]string{a: CodeDeactivated, b: CodeOutput})
}

func TestWithoutPruningOnlyDeactivatedResultsGo(t *testing.T) {
	var c talk
	c.user()
	a := c.run("bash", `{"command":"a"}`, 900)
	b := c.run("bash", `{"command":"b"}`, 900)
	c.say(4)
	sit := c.later()
	sit.States.Inactive = []string{fmt.Sprintf("e%d", a)}
	wantCodes(t, NewDeactivated(DefaultAuto()).at(sit, c.parse()), map[int]string{a: CodeDeactivated, b: CodeNoRule})
}

// Other policies weigh what is deactivated as they weigh everything.
func TestEveryPolicyTakesDeactivations(t *testing.T) {
	var c talk
	c.user()
	a := c.run("web", `{"q":"a"}`, 900)
	c.say(1)
	sit := moment{Situation: Situation{Boundary: true, States: state.States{Inactive: []string{fmt.Sprintf("e%d", a)}}}}
	s := DefaultSeed()
	s.Minimum = 800
	for name, p := range map[string]*Planner{"seed": NewSeed(s), "kota": NewKota(DefaultKota())} {
		plan := p.WithStates().at(sit, c.parse())
		must.Not(t, !plan.Acted || plan.Edits[0].Reason.Code != CodeDeactivated || plan.Edits[0].Source != "deactivate", "%s: %+v", name, plan)
		must.Not(t, p.at(sit, c.parse()).Acted, "%s without objects acts, too", name)
	}
}

// Holds objects 29.
func TestThePlanOfPoolsIsThatOfTheWindow(t *testing.T) {
	c, results := turns(1, 1, 1, 1, 7)
	sit := Situation{States: state.States{Active: []string{fmt.Sprintf("e%d", results[0][0])}, Inactive: []string{fmt.Sprintf("e%d", results[2][0])}}}
	p := NewPools(SeedWindow(), lineMarker).PlanAt(sit, c.parse())
	wantCodes(t, p, map[int]string{
		results[0][0]: CodeActive, results[1][0]: CodeNoRule, results[2][0]: CodeDeactivated, results[3][0]: CodeNoRule,
		results[4][0]: CodeWindow, results[4][1]: CodeWindow, results[4][2]: CodeNoRule,
	})
	again := NewPools(SeedWindow(), lineMarker).PlanAt(sit, c.parse())
	must.Equal(t, fmt.Sprint(p), fmt.Sprint(again), "the same context has two plans")
}
