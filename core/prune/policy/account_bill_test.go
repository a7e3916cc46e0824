package policy

import (
	"testing"

	"github.com/coctostan/pictx/core/bill"
)

// billOf is the bill of a conversation so far.
func billOf(k *talk, s Situation) bill.Bill {
	in := NewInput(k.parse())
	in.Situation = s
	return in.account().Bill
}

func TestDeclaredToolsAreBilledToPictxAlone(t *testing.T) {
	var k talk
	k.user().say(4)
	s := k.now()
	without := billOf(&k, s)
	s.Declared = []bill.Declared{{Tools: 300, Section: 20}}
	with := billOf(&k, s)
	if with.Plain != without.Plain || without.Saved() != 0 {
		t.Errorf("plain pi costs %v, and %v without declarations", with.Plain, without.Plain)
	}
	// Written once, then read three times.
	price := 1.25 + 3*0.1
	if got, want := with.Parts[bill.Declarations].Cost, 300*price; got != want {
		t.Errorf("declarations cost %v, want %v", got, want)
	}
	if got, want := with.Parts[bill.Sections].Cost, 20*price; got != want {
		t.Errorf("sections cost %v, want %v", got, want)
	}
}

func TestGettingTextBackIsBilledToPictxAlone(t *testing.T) {
	var k talk
	k.user().say(2)
	plain := billOf(&k, k.now())
	k.run("bash", `{"command":"pictx expand 12345678"}`, 3000)
	k.say(1)
	got := billOf(&k, k.now())
	var same talk
	same.user().say(2)
	same.clock += 10e9
	same.say(1)
	want := billOf(&same, same.now())
	if got.Requests != 3 || got.Plain != want.Plain {
		t.Errorf("plain pi: %d requests for %v, want 3 for %v", got.Requests, got.Plain, want.Plain)
	}
	if fetched := got.Parts[bill.Fetches]; plain.Parts[bill.Fetches].Cost != 0 || fetched.Cost < 3000 {
		t.Errorf("fetches: %+v", fetched)
	}
}

func TestInjectedMessagesAreBilledToPictxAlone(t *testing.T) {
	conversation := func(custom string) bill.Bill {
		var k talk
		k.user()
		if custom != "" {
			k.add(`{"role":"custom","customType":"` + custom + `","content":"0123456789abcdef","timestamp":1}`)
		}
		k.say(3)
		return billOf(&k, k.now())
	}
	none, own, other := conversation(""), conversation("pictx.decisions"), conversation("somebody.else")
	if own.Plain != none.Plain || own.Parts[bill.Messages].Cost <= 0 {
		t.Errorf("own: %+v", own)
	}
	if other.Saved() != 0 || other.Plain <= none.Plain {
		t.Errorf("somebody else's: %+v", other)
	}
}

func TestMarkersAreAPartOfTheBill(t *testing.T) {
	k := stale(60_000, 1000)
	m := pruned(k.parse(), k.plan(k.later()))
	k.say(3)
	in := NewInput(append(m, k.parse()[len(m):]...))
	in.Situation = k.now()
	if got := in.account().Bill; got.Parts[bill.Markers].Tokens == 0 || got.Parts[bill.Markers].Cost <= 0 {
		t.Errorf("%+v", got.Parts)
	}
}

func TestMeasuredFloorLeavesOutWhatPictxDeclares(t *testing.T) {
	var k talk
	k.usage = func(*talk) string {
		return `{"input":1500,"output":1,"cacheRead":0,"cacheWrite":0}`
	}
	k.user().say(1)
	in := NewInput(k.parse())
	before, _ := calibrate(in)
	in.Situation.Declared = []bill.Declared{{Tools: 400}}
	if floor, _ := calibrate(in); floor != before-400 {
		t.Errorf("a floor of %v, with 400 declared tokens %v", before, floor)
	}
}

func TestAMessagePrunedInStepsIsBilledAsEachRequestSawIt(t *testing.T) {
	var k talk
	k.user()
	at := k.run("bash", `{"command":"x"}`, 1000)
	k.say(3)
	m := k.parse()
	// The second request saw 600 tokens, the third 200, the last what it is now.
	m[at].Was = []Form{{Tokens: 1000, Until: at}, {Tokens: 600, Until: at + 2}, {Tokens: 200, Until: at + 3}}
	in := NewInput(m)
	in.Situation = k.now()
	in.Situation.Prices.Read, in.Situation.Prices.Write = 1, 1
	now := in.Sizes[at]
	b := in.account().Bill
	if want := float64(3*1000 - 600 - 200 - now); b.Saved() != want {
		t.Errorf("saved %v, want %v", b.Saved(), want)
	}
}

func TestThePriceOfALatePruneTakesNoMemoryForEarlierRequests(t *testing.T) {
	const turns = 200
	var k talk
	var results []int
	for range turns {
		k.user()
		results = append(results, k.run("bash", `{"command":"x"}`, 1000))
		k.say(3)
	}
	m := k.parse()
	accounted := func() float64 {
		return testing.AllocsPerRun(3, func() {
			in := NewInput(m)
			in.Situation = k.now()
			in.account()
		})
	}
	before := accounted()
	for _, at := range results {
		m[at].Was = []Form{{Tokens: 2000, Until: len(m)}}
	}
	if more := accounted() - before; more > turns/4 {
		t.Errorf("%v more allocations for %d requests that saw the results as they were", more, turns)
	}
}
