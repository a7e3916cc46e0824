package policy

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/token"
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
func TestAWarmCacheIsRewrittenOnlyWhenThatPays(t *testing.T) {
	// With 25 calls to come, three times the cost of writing at 1.25 instead of
	// reading at 0.1, and more by what is at stake, is won when about two thirds of
	// the rewritten tokens go.
	for _, c := range []struct {
		old, fresh int
		rule       Trigger
	}{
		{60_000, 60_000, TriggerWait},
		{60_000, 36_000, TriggerWait},
		{60_000, 28_000, TriggerWarm},
		{60_000, 20_000, TriggerWarm},
		{7_000, 100, TriggerWait}, // too little, whatever it costs
	} {
		k := stale(c.old, c.fresh)
		k.say(20) // no breakpoint in between is found any more
		p := k.plan(k.now())
		f := p.Figures
		if f.Trigger != c.rule || p.Acted != (c.rule == TriggerWarm) {
			t.Errorf("%d of %d: %s, %s", c.old, c.old+c.fresh, f.Trigger, p.Outcome)
		}
		if c.old < 8000 {
			continue
		}
		margin := 3 + 10*f.Cost/f.Billed
		if pays := f.Gain > f.Margin*f.Cost; pays != p.Acted || f.Margin != margin || f.Calls != 25 {
			t.Errorf("%+v", f)
		}
		need := margin * 1.15 / (2.5 + margin*1.15)
		if over := f.Ratio > f.Need; over != p.Acted || math.Abs(f.Need-need) > 0.001 {
			t.Errorf("ratio %v, need %v, not %v", f.Ratio, f.Need, need)
		}
	}
}

// Holds prune 37.
func TestTheReasonAndBothSidesAreInThePlan(t *testing.T) {
	k := stale(60_000, 60_000)
	p := k.plan(k.now())
	want := fmt.Sprintf("nothing: %.0f%% of the %v tokens to be rewritten can go, worth it above %.0f%%",
		100*p.Figures.Ratio, p.Figures.RemovableTokens+p.Figures.RebilledTokens, 100*p.Figures.Need)
	if p.Outcome != want {
		t.Errorf("outcome %q, want %q…", p.Outcome, want)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rule", "ratio", "need", "removable_tokens", "rebilled_tokens", "cost", "gain", "odds", "calls", "billed", "saved"} {
		if !strings.Contains(string(data), `"`+name+`":`) {
			t.Errorf("no %s in %s", name, data)
		}
	}
	results := 0
	for _, kept := range p.Kept {
		if kept.Reason.Code == "" || kept.Reason.Text == "" {
			t.Errorf("no reason: %+v", kept)
		}
		results++
	}
	if results != 5 {
		t.Errorf("%d results", results)
	}
}

// Holds prune 37.
func TestThePricesOfTheModelDecide(t *testing.T) {
	k := stale(60_000, 22_000)
	for name, want := range map[string]Trigger{
		"anthropic-5m": TriggerWarm, "anthropic-1h": TriggerWait, "deepseek": TriggerWait, "none": TriggerCold,
	} {
		s := k.now()
		s.Prices, _ = token.Profile(name)
		if f := k.plan(s).Figures; f.Trigger != want {
			t.Errorf("%s: %s, %+v", name, f.Trigger, f)
		}
	}
}

func TestSavingsMayBeSpentAtALowerMargin(t *testing.T) {
	k := stale(60_000, 60_000)
	s := k.now()
	s.Bill = &bill.Bill{Plain: 2_000_000, Billed: 1_900_000}
	p := k.plan(s)
	if !p.Acted || p.Figures.Margin != 2 || p.Figures.Saved != 100_000 {
		t.Errorf("%s, %+v", p.Outcome, p.Figures)
	}
	s.Bill = &bill.Bill{Plain: 2_000_000, Billed: 1_960_000} // less than it costs
	if p := k.plan(s); p.Acted || p.Figures.Margin <= 3 {
		t.Errorf("%s, %+v", p.Outcome, p.Figures)
	}
}

func TestTheCarefulPresetNeverSpendsMoreThanItSaved(t *testing.T) {
	k := stale(80_000, 10_000)
	set := DefaultAuto()
	set.Preset = PresetCareful
	if p := NewAuto(set).PlanAt(k.now(), k.parse()); p.Acted {
		t.Error(p.Outcome)
	} else if _, err := json.Marshal(p); err != nil {
		t.Error(err)
	}
	s := k.now()
	s.Before = bill.Bill{Plain: 500_000, Billed: 400_000}
	if p := NewAuto(set).PlanAt(s, k.parse()); !p.Acted {
		t.Error(p.Outcome)
	}
}

// Holds prune 38.
func TestAColdCacheIsPrunedOfEverything(t *testing.T) {
	for name, c := range map[string]struct {
		change func(k *talk, s *Situation)
		want   string
	}{
		"warm":          {func(*talk, *Situation) {}, ""},
		"idle":          {func(_ *talk, s *Situation) { s.Now += (6 * time.Minute).Milliseconds() }, ledger.ColdIdle},
		"almost idle":   {func(_ *talk, s *Situation) { s.Now += (5*time.Minute + 30*time.Second).Milliseconds() }, ""},
		"another model": {func(_ *talk, s *Situation) { s.ModelSwitched = true }, ledger.ColdModel},
		// What the last request of a branch left in the cache is there when the session comes back in time.
		"moved": {func(_ *talk, s *Situation) { s.Moved = true }, ""},
		"moved, too late": {func(_ *talk, s *Situation) {
			s.Moved = true
			s.Now += (6 * time.Minute).Milliseconds()
		}, ledger.ColdBranch},
		"branch summary": {func(k *talk, s *Situation) {
			k.add(`{"role":"branchSummary","summary":"what was tried"}`)
		}, ""},
		"branch summary, too late": {func(k *talk, s *Situation) {
			k.add(`{"role":"branchSummary","summary":"what was tried"}`)
			s.Now += (6 * time.Minute).Milliseconds()
		}, ledger.ColdBranch},
		"no cache": {func(_ *talk, s *Situation) { s.Prices, _ = token.Profile("none") }, ledger.ColdNone},
		"kept in use": {func(k *talk, s *Situation) {
			s.Now += (8 * time.Minute).Milliseconds()
			s.Warmed = []int64{(k.clock + 4*time.Minute).Milliseconds()}
		}, ""},
		"kept in use too late": {func(k *talk, s *Situation) {
			s.Now += (12 * time.Minute).Milliseconds()
			s.Warmed = []int64{(k.clock + 9*time.Minute).Milliseconds()}
		}, ledger.ColdIdle},
	} {
		k := stale(20_000, 100_000)
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
	if p := c.plan(c.now()); p.Figures.Cold != ledger.ColdCompaction || p.Figures.Trigger != TriggerCold || len(p.Edits) != 4 {
		t.Errorf("%d edits, %+v, %s", len(p.Edits), p.Figures, p.Outcome)
	}
	c.user().say(1)
	if p := c.plan(c.now()); p.Figures.Cold != "" {
		t.Errorf("after a call: %+v", p.Figures)
	}
}

// Holds prune 39.
func TestUnknownPricesAreRarelyCold(t *testing.T) {
	k := stale(60_000, 60_000)
	for idle, want := range map[time.Duration]Trigger{0: TriggerWait, 30 * time.Minute: TriggerWait, 59 * time.Minute: TriggerWait, 62 * time.Minute: TriggerCold} {
		s := Situation{Now: (k.clock + idle).Milliseconds(), Floor: 1000, Scale: 1}
		if f := k.plan(s).Figures; f.Trigger != want {
			t.Errorf("after %v: %s", idle, f.Trigger)
		}
	}
	k = stale(60_000, 12_000)
	p := k.plan(Situation{Now: k.clock.Milliseconds(), Floor: 1000, Scale: 1})
	five, _ := token.Profile("anthropic-5m")
	known := k.plan(Situation{Now: k.clock.Milliseconds(), Floor: 1000, Scale: 1, Prices: five, KnownPrices: true})
	if p.Figures.Trigger != TriggerWarm || p.Figures.Calls != 25 || p.Figures.Need != known.Figures.Need {
		t.Errorf("%s, %+v", p.Outcome, p.Figures)
	}
	if p := k.plan(Situation{}); p.Figures.Cold != "" {
		t.Errorf("without a time it is cold: %+v", p.Figures)
	}
}

func TestModeColdLeavesAWarmCacheAlone(t *testing.T) {
	k := stale(80_000, 1000)
	set := DefaultAuto()
	set.ColdOnly = true
	if p := NewAuto(set).PlanAt(k.now(), k.parse()); p.Acted {
		t.Error(p.Outcome)
	}
	if p := NewAuto(set).PlanAt(k.later(), k.parse()); !p.Acted {
		t.Error(p.Outcome)
	}
}

func TestForcedPruningIgnoresPrices(t *testing.T) {
	k := stale(2_000, 100_000)
	s := k.now()
	s.Forced = true
	p := k.plan(s)
	if p.Figures.Trigger != TriggerForced || len(p.Edits) != 4 {
		t.Errorf("%d edits: %s", len(p.Edits), p.Outcome)
	}
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

func TestACacheThatCollapsesIsNotRewrittenWarm(t *testing.T) {
	k := stale(80_000, 1000)
	s := k.now()
	if !k.plan(s).Acted {
		t.Fatal("it would not be pruned anyway")
	}
	s.Collapsed = maxCollapses
	if p := k.plan(s); p.Acted {
		t.Error(p.Outcome)
	}
	s.Now += time.Hour.Milliseconds()
	if p := k.plan(s); !p.Acted {
		t.Errorf("cold: %s", p.Outcome)
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

// What stands behind a breakpoint that the cache still finds costs little to
// rewrite: it goes alone, and what is before it stays.
func TestTheEndOfAContextIsPrunedAloneWhenThatPays(t *testing.T) {
	var k talk
	k.user()
	early := k.run("bash", `{"command":"early"}`, 3000)
	k.run("read", `{"path":"keep"}`, 100_000)
	k.say(1)
	late := k.run("bash", `{"command":"late"}`, 6000)
	k.say(2)
	p := k.plan(k.now())
	wantCodes(t, p, map[int]string{early: CodeDepth, late: CodeOutput})
	f := p.Figures
	if f.Trigger != TriggerTail || f.Margin != 2 || f.RebilledTokens > 100 || f.RemovableTokens != 6000-markerSize {
		t.Errorf("%s %+v", p.Outcome, f)
	}
	k.say(20) // now no breakpoint before it is found any more
	if p := k.plan(k.now()); p.Acted {
		t.Errorf("%s %+v", p.Outcome, p.Figures)
	}
}

func TestPrefixCachesArePrunedFromTheBestDepth(t *testing.T) {
	var k talk
	k.user()
	early := k.run("bash", `{"command":"early"}`, 1000)
	k.run("read", `{"path":"keep"}`, 150_000)
	late := k.run("bash", `{"command":"late"}`, 20_000)
	k.say(30)
	s := k.now()
	s.Prices, _ = token.Profile("openai")
	p := k.plan(s)
	wantCodes(t, p, map[int]string{early: CodeDepth, late: CodeOutput})
	if f := p.Figures; f.Trigger != TriggerTail || f.RebilledTokens > 1000 {
		t.Errorf("%s %+v", p.Outcome, f)
	}
}

func TestFewerCallsAreExpectedInAContextThatIsAlmostFull(t *testing.T) {
	k := stale(60_000, 60_000)
	calls := func(window token.Count) int {
		s := k.now()
		s.Window = window
		return k.plan(s).Figures.Calls
	}
	// Its tokens came with 14 of its 15 calls.
	grown := 120_000.0 / 14
	f := k.plan(k.now()).Figures
	left := float64(f.ContextTokens - f.FloorTokens - f.RemovableTokens)
	if a, b, c := calls(1_000_000), calls(250_000), calls(100_000); a != 25 || b != int((200_000-left)/grown) || c != 3 {
		t.Errorf("%d with room, %d with less, %d without", a, b, c)
	}
	s := k.now()
	s.Prices, _ = token.Profile("anthropic-1h")
	s.Before.Requests = 9
	if n := k.plan(s).Figures.Calls; n != 40 {
		t.Errorf("%d calls in an hour", n)
	}
}

// A session that has just begun may be a short one.
func TestNoMoreThanTwiceTheCallsThatThereWereAreExpected(t *testing.T) {
	for _, c := range []struct{ calls, before, want int }{{1, 0, 3}, {5, 0, 10}, {12, 0, 24}, {13, 0, 25}, {50, 0, 25}, {2, 9, 22}, {2, 90, 25}} {
		var k talk
		k.user()
		k.run("bash", `{"command":"x"}`, 9000)
		k.say(c.calls - 1)
		s := k.now()
		s.Before.Requests = c.before
		in := NewInput(k.parse())
		in.Situation = s
		if got := (breakEven{}).callsLeft(in, 0); got != c.want {
			t.Errorf("%d after %d calls and %d before them, want %d", got, c.calls, c.before, c.want)
		}
	}
}

func TestASecondDecisionBeforeTheSameCallCostsNothingMore(t *testing.T) {
	k := stale(60_000, 12_000)
	m := pruned(k.parse(), k.plan(k.now()))
	k.user()
	// The user's message makes more of it old: the rewrite is to be paid anyway.
	in := NewInput(append(m, k.parse()[len(m):]...))
	in.Situation = k.now()
	a := in.account()
	if a.Changed == len(in.Messages) {
		t.Fatal("the marks are not seen as new")
	}
	if got := a.Plain().Read; got > a.Floor+12 { // what was said before any of it
		t.Errorf("%v read, the floor is %v", got, a.Floor)
	}
	// What is owed for it counts against what may be spent.
	removed := token.Count(0)
	for _, one := range m {
		if one.Marked {
			removed += one.Was[0].Tokens - token.Estimate(one.Head)
		}
	}
	want := 1.15 * float64(a.Sent-removed)
	if got := a.Owed(a.Plain()); math.Abs(got-want) > 12 {
		t.Errorf("owed %v, want %v", got, want)
	}
}

// Two rewrites before one call are paid together: what the first will cost is not
// there for the second.
func TestTheCostOfADecisionIsNotSpentTwice(t *testing.T) {
	var k talk
	k.user().say(8)
	early := k.run("bash", `{"command":"early"}`, 30_000)
	k.run("read", `{"path":"keep"}`, 30_000)
	late := k.run("bash", `{"command":"late"}`, 20_000)
	k.run("read", `{"path":"fresh"}`, 10_000)
	k.say(2)
	s := k.now()
	s.Prices, _ = token.Profile("openai")
	s.Bill = &bill.Bill{Plain: 130_000, Billed: 100_000}
	p := k.plan(s)
	wantCodes(t, p, map[int]string{early: CodeDepth, late: CodeOutput})
	again := NewAuto(long(DefaultAuto())).PlanAt(s, pruned(k.parse(), p))
	wantCodes(t, again, map[int]string{early: CodeWait, late: CodeMarked})
	s.Bill.Plain += 10_000 // as much as the first one costs
	if again = NewAuto(long(DefaultAuto())).PlanAt(s, pruned(k.parse(), p)); why(again, early) != CodeOutput {
		t.Errorf("%s %+v", again.Outcome, again.Figures)
	}
}

func TestAFloorOfZeroIsNotAnEmptyCache(t *testing.T) {
	k := stale(60_000, 60_000)
	s := k.now()
	s.Floor = 0
	if p := k.plan(s); p.Acted || p.Figures.RebilledTokens == 0 {
		t.Errorf("%s %+v", p.Outcome, p.Figures)
	}
}

// Each rule that makes the policy act can be switched off, and nothing but it is.
func TestARuleThatIsSwitchedOffDoesNotAct(t *testing.T) {
	tail := stale(60_000, 60_000)
	tail.run("bash", `{"command":"late"}`, 6000)
	tail.say(2)
	warm := stale(60_000, 10_000)
	saved := stale(60_000, 60_000)
	spend := saved.now()
	spend.Bill = &bill.Bill{Plain: 2_000_000, Billed: 1_900_000}
	for name, c := range map[string]struct {
		k    *talk
		s    Situation
		rule Trigger
	}{
		"cold": {warm, warm.later(), TriggerCold}, "warm": {warm, warm.now(), TriggerWarm}, "tail": {tail, tail.now(), TriggerTail},
		"ledger": {saved, spend, TriggerWarm},
	} {
		for _, without := range DecisionNames() {
			set := DefaultAuto()
			set.Without = []string{without, "guard", "fetch"} // these sessions are short
			p := NewAuto(set).PlanAt(c.s, c.k.parse())
			switch {
			case without == name && p.Figures.Trigger == c.rule:
				t.Errorf("%s acts without itself: %s", name, p.Outcome)
			case without != name && name != "ledger" && p.Figures.Trigger != c.rule:
				t.Errorf("%s does not act without %s: %s", name, without, p.Outcome)
			}
		}
	}
}
