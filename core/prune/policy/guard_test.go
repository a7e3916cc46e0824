package policy

import (
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
)

func TestARewriteRisksNoMoreThanThreePercentOfTheBillHoweverLongTheSession(t *testing.T) {
	k := stale(60_000, 12_000)
	at := func(requests int, billed float64, preset Preset, ttl time.Duration) Trigger {
		s := k.now()
		s.Prices.TTL = ttl
		s.Bill = &bill.Bill{Requests: requests, Plain: billed, Billed: billed}
		set := DefaultAuto()
		set.Preset = preset
		return NewAuto(set).PlanAt(s, k.parse()).Figures.Trigger
	}
	cost := k.plan(k.now()).Figures.Cost
	enough := cost/(maxLoss+riskBudget) + 1
	for _, c := range []struct {
		requests int
		billed   float64
		preset   Preset
		ttl      time.Duration
		want     Trigger
	}{
		{29, 0.9 * enough, PresetDefault, 5 * time.Minute, TriggerWait},
		{29, enough, PresetDefault, 5 * time.Minute, TriggerWarm},
		{29, 0.9 * enough, PresetEager, 5 * time.Minute, TriggerWarm},
		{71, 0.9 * enough, PresetDefault, 5 * time.Minute, TriggerWait},
		{500, 0.9 * enough, PresetDefault, 5 * time.Minute, TriggerWait},
		{500, enough, PresetDefault, 5 * time.Minute, TriggerWarm},
		// A cache that lives long may risk a third more.
		{29, 0.9 * enough, PresetDefault, time.Hour, TriggerWarm},
		{71, 0.7 * enough, PresetDefault, time.Hour, TriggerWait},
		{500, 0.7 * enough, PresetDefault, time.Hour, TriggerWait},
		{500, 0.7 * enough, PresetEager, time.Hour, TriggerWarm},
	} {
		if got := at(c.requests, c.billed, c.preset, c.ttl); got != c.want {
			t.Errorf("%d requests, %.0f billed, %s, %v: %s, want %s", c.requests, c.billed, c.preset, c.ttl, got, c.want)
		}
	}
}

func TestAShortSessionPrunesNothingThatCostsMoreToFetchThanItSaves(t *testing.T) {
	for tokens, want := range map[int]Trigger{700: TriggerWait, 7000: TriggerCold} {
		var k talk
		k.user().run("bash", `{"command":"x"}`, tokens)
		k.say(3)
		if got := NewAuto(DefaultAuto()).PlanAt(k.later(), k.parse()); got.Figures.Trigger != want {
			t.Errorf("%d tokens: %s, want %s: %s", tokens, got.Figures.Trigger, want, got.Outcome)
		}
		s := k.later()
		s.Bill = &bill.Bill{Requests: manyRequests, Plain: 1e6, Billed: 1e6}
		if got := NewAuto(DefaultAuto()).PlanAt(s, k.parse()).Figures.Trigger; got != TriggerCold {
			t.Errorf("%d tokens in a long session: %s", tokens, got)
		}
	}
}

func TestInAShortSessionARewriteAlsoPaysForFetchingATextAgain(t *testing.T) {
	at := func(stale int, requests int, preset Preset) Trigger {
		var k talk
		k.user().run("bash", `{"command":"x"}`, 500)
		k.run("read", `{"path":"keep"}`, 6000)
		k.run("bash", `{"command":"y"}`, stale)
		k.say(2)
		s := k.now()
		s.Bill = &bill.Bill{Requests: requests, Plain: 200_000, Billed: 190_000} // what it costs is there
		set := DefaultAuto()
		set.Preset = preset
		return NewAuto(set).PlanAt(s, k.parse()).Figures.Trigger
	}
	for _, c := range []struct {
		stale, requests int
		preset          Preset
		want            Trigger
	}{
		{1000, fewRequests - 1, PresetDefault, TriggerWait},
		{1000, fewRequests - 1, PresetEager, TriggerTail},
		{1000, fewRequests, PresetDefault, TriggerTail},
		{9000, fewRequests - 1, PresetDefault, TriggerTail},
	} {
		if got := at(c.stale, c.requests, c.preset); got != c.want {
			t.Errorf("%d tokens, %d requests, %s: %s, want %s", c.stale, c.requests, c.preset, got, c.want)
		}
	}
}

func TestTheEndOfACacheIsLeftAloneWhenARunIsOver(t *testing.T) {
	var k talk
	k.user()
	k.run("bash", `{"command":"early"}`, 3000)
	k.run("read", `{"path":"keep"}`, 100_000)
	k.say(1)
	k.run("bash", `{"command":"late"}`, 6000)
	k.say(2)
	s := k.now()
	if got := k.plan(s).Figures.Trigger; got != TriggerTail {
		t.Fatalf("while it goes on: %s", got)
	}
	s.Final = true
	if got := k.plan(s).Figures.Trigger; got != TriggerWait {
		t.Errorf("the blocks of the next prompt are not known yet: %s", got)
	}
}
