package policy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// stale is a conversation of 15 calls with old tokens of output in four
// commands, and after it fresh tokens in a read that stays.
func stale(old, fresh int) *talk {
	c := &talk{}
	c.user().say(8)
	for i := range 4 {
		c.run("bash", fmt.Sprintf(`{"command":"x%d"}`, i), old/4)
	}
	c.run("read", `{"path":"fresh"}`, fresh)
	c.say(2)
	return c
}

// Holds prune 37.
func TestAWarmCacheIsRewrittenBeforeATurnWhenThatPaysFourTimes(t *testing.T) {
	for _, c := range []struct {
		old, fresh int
		want       Trigger
	}{
		{60_000, 100_000, TriggerWait},
		{60_000, 60_000, TriggerWait},
		{60_000, 40_000, TriggerWarm},
		{60_000, 10_000, TriggerWarm},
		{7_000, 100, TriggerWarm}, // little, and it costs less
	} {
		k := stale(c.old, c.fresh)
		k.say(20) // no breakpoint in between is found any more
		p := k.plan(k.now())
		f := p.Figures
		must.Not(t, f.Trigger != c.want || p.Acted != (c.want == TriggerWarm), "%d of %d: %s, %s", c.old, c.old+c.fresh, f.Trigger, p.Outcome)
		if pays := f.Gain >= 4*f.Cost; pays != p.Acted || f.Margin != 4 || f.Calls != 35 {
			t.Errorf("%+v", f)
		}
		if over := f.Ratio >= f.Need; over != p.Acted {
			t.Errorf("ratio %v, need %v", f.Ratio, f.Need)
		}
		s := k.now()
		s.Boundary, s.Unbound = false, true
		if p := k.plan(s); p.Acted {
			t.Errorf("inside a turn: %s", p.Outcome)
		}
	}
}

// Holds prune 37.
func TestTheReasonAndBothSidesAreInThePlan(t *testing.T) {
	k := stale(60_000, 150_000)
	p := k.plan(k.now())
	want := fmt.Sprintf("nothing: the next %d requests would save %.1f times what rewriting costs, and 4 times is asked", p.Figures.Calls, p.Figures.Gain/p.Figures.Cost)
	must.Not(t, p.Outcome != want, "outcome %q, want %q…", p.Outcome, want)
	data := must.Get(json.Marshal(p))(t)
	for _, name := range []string{"rule", "ratio", "need", "removable_tokens", "rebilled_tokens", "cost", "gain", "odds", "calls", "billed", "saved"} {
		must.Not(t, !strings.Contains(string(data), `"`+name+`":`), "no %s in %s", name, data)
	}
	for _, kept := range p.Kept {
		must.Not(t, kept.Reason.Code == "" || kept.Reason.Text == "", "no reason: %+v", kept)
	}
	must.Not(t, len(p.Kept) != 5, "%d results", len(p.Kept))
}

// Holds prune 37.
func TestThePricesOfTheModelDecide(t *testing.T) {
	k := stale(60_000, 60_000)
	for name, want := range map[string]Trigger{
		"anthropic-5m": TriggerWait, "deepseek": TriggerWait, "none": TriggerCold,
	} {
		s := k.now()
		s.Prices, _ = token.Profile(name)
		if f := k.plan(s).Figures; f.Trigger != want {
			t.Errorf("%s: %s, %+v", name, f.Trigger, f)
		}
	}
}

// Holds prune 38.
func TestAColdCacheIsPrunedOfEverything(t *testing.T) {
	for name, c := range map[string]struct {
		change func(k *talk, s *moment)
		want   string
	}{
		"warm":          {func(*talk, *moment) {}, ""},
		"idle":          {func(_ *talk, s *moment) { s.Now += (6 * time.Minute).Milliseconds() }, ColdIdle},
		"almost idle":   {func(_ *talk, s *moment) { s.Now += (5*time.Minute + 30*time.Second).Milliseconds() }, ""},
		"another model": {func(_ *talk, s *moment) { s.ModelSwitched = true }, ColdModel},
		"branch summary": {func(k *talk, s *moment) {
			k.add(`{"role":"branchSummary","summary":"what was tried"}`)
		}, ""},
		"branch summary, too late": {func(k *talk, s *moment) {
			k.add(`{"role":"branchSummary","summary":"what was tried"}`)
			s.Now += (6 * time.Minute).Milliseconds()
		}, ColdIdle},
		"no cache": {func(_ *talk, s *moment) { s.Prices, _ = token.Profile("none") }, ColdNone},
	} {
		k := stale(20_000, 200_000)
		s := k.now()
		c.change(k, &s)
		p := k.plan(s)
		if p.Figures.Cold != c.want || p.Acted != (c.want != "") || c.want != "" && (p.Figures.Trigger != TriggerCold || len(p.Edits) != 4) {
			t.Errorf("%s: cold %q, %d edits, %s", name, p.Figures.Cold, len(p.Edits), p.Outcome)
		}
	}
}

// The tail that a compaction keeps is prunable before the first call after it.
//
// Holds prune 38, 41.
func TestTheFirstCallAfterACompactionIsCold(t *testing.T) {
	k := stale(20_000, 100_000)
	tail := k.list
	c := talk{clock: k.clock + time.Minute}
	c.add(fmt.Sprintf(`{"role":"compactionSummary","summary":"so far","timestamp":%d}`, c.clock.Milliseconds()))
	c.list = append(c.list, tail...)
	if p := c.plan(c.now()); p.Figures.Cold != ColdCompaction || p.Figures.Trigger != TriggerCold || len(p.Edits) != 4 {
		t.Errorf("%d edits, %+v, %s", len(p.Edits), p.Figures, p.Outcome)
	}
	c.user().say(1)
	if p := c.plan(c.now()); p.Figures.Cold != "" {
		t.Errorf("after a call: %+v", p.Figures)
	}
}

// Holds prune 39.
func TestUnknownPricesAreRarelyCold(t *testing.T) {
	k := stale(60_000, 200_000)
	for idle, want := range map[time.Duration]Trigger{0: TriggerWait, 30 * time.Minute: TriggerWait, 59 * time.Minute: TriggerWait, 62 * time.Minute: TriggerCold} {
		s := moment{Now: (k.clock + idle).Milliseconds(), Floor: 1000, Scale: 1, Situation: Situation{Boundary: true}}
		if f := k.plan(s).Figures; f.Trigger != want {
			t.Errorf("after %v: %s", idle, f.Trigger)
		}
	}
	k = stale(60_000, 12_000)
	p := k.plan(moment{Now: k.clock.Milliseconds(), Floor: 1000, Scale: 1, Situation: Situation{Boundary: true}})
	five, _ := token.Profile("anthropic-5m")
	known := k.plan(moment{Now: k.clock.Milliseconds(), Floor: 1000, Scale: 1, Prices: five, KnownPrices: true, Situation: Situation{Boundary: true}})
	must.Not(t, p.Figures.Trigger != TriggerWarm || p.Figures.Need != known.Figures.Need, "%s, %+v", p.Outcome, p.Figures)
	if p := k.plan(moment{}); p.Figures != nil && p.Figures.Cold != "" {
		t.Errorf("without a time it is cold: %+v", p.Figures)
	}
}

// What the cache is about to forget does not count as read: a rewrite that relies on it would
// have the whole prompt written again.
func TestARewriteDoesNotRelyOnABreakpointThatIsAboutToExpire(t *testing.T) {
	var k talk
	k.user()
	k.run("read", `{"path":"keep"}`, 100_000)
	k.say(8)
	k.run("bash", `{"command":"late"}`, 6000)
	k.say(3)
	for _, c := range []struct {
		idle time.Duration
		want Trigger
	}{{time.Minute, TriggerWarm}, {4*time.Minute + 10*time.Second, TriggerWait}, {4*time.Minute + 50*time.Second, TriggerWait}, {5*time.Minute + 20*time.Second, TriggerWait}} {
		s := k.now()
		s.Now = (k.clock + c.idle).Milliseconds()
		if p := k.plan(s); p.Figures.Trigger != c.want {
			t.Errorf("after %v: %s, %+v", c.idle, p.Outcome, p.Figures)
		}
	}
}

func TestModeColdLeavesAWarmCacheAlone(t *testing.T) {
	k := stale(80_000, 1000)
	set := DefaultAuto()
	set.ColdOnly = true
	if p := NewAuto(set).at(k.now(), k.parse()); p.Acted {
		t.Error(p.Outcome)
	}
	if p := NewAuto(set).at(k.later(), k.parse()); !p.Acted {
		t.Error(p.Outcome)
	}
}

func TestForcedPruningIgnoresPrices(t *testing.T) {
	k := stale(2_000, 100_000)
	s := k.now()
	s.Forced = true
	p := k.plan(s)
	must.Not(t, p.Figures.Trigger != TriggerForced || len(p.Edits) != 4, "%d edits: %s", len(p.Edits), p.Outcome)
	// What it costs and saves is known anyway.
	if f := p.Figures; f.RebilledTokens < 90_000 || f.Cost <= 0 || f.Calls == 0 || f.Gain <= 0 {
		t.Errorf("rewriting 100,000 tokens costs %+v", f)
	}
	s = k.later()
	s.Forced = true
	if f := k.plan(s).Figures; f.Cost != 0 {
		t.Errorf("with a cold cache it costs %v", f.Cost)
	}
}

// Holds prune 42.
func TestNothingIsDecidedBetweenParallelResults(t *testing.T) {
	k := stale(80_000, 1000)
	k.answer("toolUse", `{"type":"toolCall","id":"p1","name":"bash","arguments":{}},{"type":"toolCall","id":"p2","name":"bash","arguments":{}}`)
	for i, want := range []Trigger{TriggerWait, TriggerWait, TriggerCold} {
		if p := k.plan(k.later()); p.Figures.Trigger != want {
			t.Errorf("%d results: %s", i, p.Outcome)
		}
		k.add(result(fmt.Sprintf("p%d", i+1), "bash", 500))
	}
}

func TestAsManyRequestsAreExpectedAsThereWereUnlessTheContextIsFull(t *testing.T) {
	for _, c := range []struct{ calls, before, want int }{{1, 0, 1}, {5, 0, 5}, {50, 0, 50}, {2, 9, 11}} {
		var k talk
		k.user()
		k.run("bash", `{"command":"x"}`, 9000)
		k.say(c.calls - 1)
		in := NewInput(k.parse(), k.now().of(k.parse()))
		in.Situation.View.Bill.Requests += c.before
		must.Equal(t, in.callsLeft(in.account(), 0), c.want, "after %d calls and %d before them", c.calls, c.before)
	}
	k := stale(60_000, 60_000)
	calls := func(window token.Count) int {
		s := k.now()
		s.Window = window
		return k.plan(s).Figures.Calls
	}
	// Its tokens came with 14 of its 15 calls.
	grown := 120_000.0 / 14
	f := k.plan(k.now()).Figures
	left := float64(f.ContextTokens - f.RemovableTokens)
	if a, b, c := calls(1_000_000), calls(150_000), calls(50_000); a != 15 || b != int((120_000-left)/grown) || c != 1 {
		t.Errorf("%d with room, %d with less, %d without", a, b, c)
	}
}

func TestAFloorOfZeroIsNotAnEmptyCache(t *testing.T) {
	k := stale(60_000, 150_000)
	s := k.now()
	s.Floor = 0
	if p := k.plan(s); p.Acted || p.Figures.RebilledTokens == 0 {
		t.Errorf("%s %+v", p.Outcome, p.Figures)
	}
}
