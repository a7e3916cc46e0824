package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// bill adds up what the calls of a conversation cost, each with its whole context
// laid out: slowly, and without the books of a plan.
func billed(messages []Message, prices token.Prices, floor token.Count, scale float64, plain bool) float64 {
	cache := token.NewCache(prices)
	shown := func(m Message, call int) token.Count {
		if m.Marked && len(m.Was) > 0 && (plain || m.Was[0].Until > call) {
			return m.Was[0].Tokens
		}
		return token.Estimate(m.Head)
	}
	sum := func(upTo, call int) (n token.Count) {
		for _, m := range messages[:upTo] {
			n += shown(m, call)
		}
		return n
	}
	total, before := 0.0, -1
	for i, m := range messages {
		if m.Head == nil || m.Head.Role != message.RoleAssistant || message.Voided(m.Head) {
			continue
		}
		same := 0
		for same < before && shown(messages[same], before) == shown(messages[same], i) {
			same++
		}
		p := token.Prompt{Time: m.Head.Timestamp, Floor: floor, Tokens: token.Count(math.Round(scale * float64(sum(i, i))))}
		if before >= 0 {
			p.Same = token.Count(math.Round(scale * float64(sum(same, i))))
		}
		for _, b := range messages[:i] {
			p.Blocks += message.Blocks(b.Head)
		}
		p.New = before >= 0 && messages[before].Head.Model != m.Head.Model
		total += cache.Call(p).Cost
		before = i
	}
	return total
}

// Holds prune 53.
func TestTheAccountMatchesTheCacheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	marks := 0
	for range trials(60) {
		k := &talk{clock: time.Hour}
		k.user()
		for i := range 40 {
			if r.IntN(15) == 0 {
				k.model = fmt.Sprint("m", r.IntN(3))
			}
			k.run("bash", fmt.Sprintf(`{"command":"x%d"}`, i), 300+r.IntN(3000))
			if r.IntN(8) == 0 {
				k.clock += time.Duration(r.IntN(9)) * time.Minute
			}
		}
		m := k.parse()
		for i := range m {
			if m[i].Head.Role == message.RoleToolResult && r.IntN(3) == 0 {
				m[i] = marked(m[i], "x", "[pruned: some text]", token.Estimate(m[i].Head), i+1+r.IntN(len(m)-i+3))
				marks++
			}
		}
		for _, prices := range token.Profiles() {
			s := Situation{Prices: prices, KnownPrices: true, Floor: 1000, Scale: 1.37}
			in := NewInput(m)
			in.Situation = s
			got := in.account().Bill
			for _, c := range []struct{ got, want float64 }{
				{got.Billed, billed(m, prices, 1000, 1.37, false)}, {got.Plain, billed(m, prices, 1000, 1.37, true)},
			} {
				if math.Abs(c.got-c.want) > 1 {
					t.Fatalf("%s: %v, want %v", prices.Name, got, c.want)
				}
			}
		}
	}
	if marks < 100 {
		t.Errorf("%d marks: the test tests nothing", marks)
	}
}

// Holds prune 53.
func TestSavingsCountOncePerCall(t *testing.T) {
	k := stale(60_000, 1000)
	m := pruned(k.parse(), k.plan(k.later()))
	for range 10 {
		k.say(1)
	}
	m = append(m, k.parse()[len(m):]...)
	in := NewInput(m)
	in.Situation = k.now()
	in.Situation.Prices, _ = token.Profile("none")
	// Ten calls without what was removed, at the price of plain input.
	removed := token.Count(0)
	for _, one := range m {
		if one.Marked {
			removed += one.Was[0].Tokens - token.Estimate(one.Head)
		}
	}
	if got := in.account().Bill.Saved(); got != 10*float64(removed) {
		t.Errorf("saved %v, want %v", got, 10*removed)
	}
}

func TestBillsFromBeforeACompactionCount(t *testing.T) {
	k := stale(10_000, 1000)
	s := k.now()
	without := k.plan(s).Figures
	s.Before = bill.Bill{Plain: 5000, Billed: 3000}
	with := k.plan(s).Figures
	if math.Abs(with.Saved-without.Saved-2000) > 1 || math.Abs(with.Billed-without.Billed-3000) > 1 {
		t.Errorf("%+v\n%+v", without, with)
	}
}

func TestFloorAndScaleComeFromRecordedUsage(t *testing.T) {
	var k talk
	var removed token.Count
	k.usage = func(t *talk) string {
		n := 7000 + 1.4*float64(NewInput(t.parse()).total-removed)
		return fmt.Sprintf(`{"input":3,"output":1,"cacheRead":%d,"cacheWrite":%d}`, int(n)-103, 100)
	}
	k.user()
	for i := range 20 {
		k.run("bash", fmt.Sprintf(`{"command":"x%d"}`, i), 1000)
	}
	floor, scale := Calibrate(k.parse())
	if math.Abs(float64(floor)-7000) > 50 || math.Abs(scale-1.4) > 0.01 {
		t.Errorf("floor %v, scale %v", floor, scale)
	}
	// What was pruned since was larger when the calls were made.
	m := pruned(k.parse(), k.plan(k.later()))
	if f, s := Calibrate(m); f != floor || s != scale {
		t.Errorf("with marks: floor %v, scale %v", f, s)
	}
	for _, one := range m {
		if one.Marked {
			removed += one.Was[0].Tokens - token.Estimate(one.Head)
		}
	}
	k.say(9)
	m = append(m, k.parse()[len(m):]...)
	if f, s := Calibrate(m); math.Abs(float64(f)-7000) > 50 || math.Abs(s-1.4) > 0.01 {
		t.Errorf("with marks and calls after them: floor %v, scale %v", f, s)
	}
	if f, s := Calibrate(stale(1000, 1000).parse()); f != 0 || s != 1 {
		t.Errorf("without usage: floor %v, scale %v", f, s)
	}
	removed = 0
	var short talk
	short.usage = k.usage
	short.user().say(3)
	if f, s := Calibrate(short.parse()); s != 1 || math.Abs(float64(f)-7000) > 20 {
		t.Errorf("short: floor %v, scale %v", f, s)
	}
}

func TestFailedCallsThatWereNotBilledDoNotCount(t *testing.T) {
	k := stale(10_000, 1000)
	before := NewInput(k.parse())
	before.Situation = k.now()
	k.answer("error", "")
	after := NewInput(k.parse())
	after.Situation = k.now()
	if a, b := before.account(), after.account(); a.Calls != b.Calls || a.Bill != b.Bill {
		t.Errorf("%+v\n%+v", a.Bill, b.Bill)
	}
}

func TestBlocksAreCountedAsProvidersDo(t *testing.T) {
	for raw, want := range map[string]int{
		`{"role":"user","content":"x"}`: 1,
		`{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","data":"A"}]}`:                                                                    2,
		`{"role":"toolResult","content":[{"type":"text","text":"x"},{"type":"image","data":"A"}]}`:                                                              1,
		`{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"toolCall","id":"a","name":"b","arguments":{}},{"type":"thinking","thinking":"t"}]}`: 3,
	} {
		var p message.Parser
		h, err := p.ParseMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := message.Blocks(&h); got != want {
			t.Errorf("%s: %d", raw, got)
		}
	}
	if message.Blocks(nil) != 0 {
		t.Error("nothing is a block")
	}
}
