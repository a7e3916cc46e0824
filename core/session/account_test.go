package session_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// at are prices of every model.
func at(p token.Prices) session.Costs { return func(*session.Model) token.Prices { return p } }

func profile(t *testing.T, name string) token.Prices {
	t.Helper()
	p, known := token.Profile(name)
	must.Stop(t, !known, "no prices %q", name)
	return p
}

// runs adds a call of a tool and its result, and returns the id of the result.
func (s *script) runs(model, id, tool, arguments, result string) string {
	s.add(fmt.Sprintf(`"type":"message","message":{"role":"assistant","provider":"fake","model":%q,"stopReason":"toolUse","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":%s}],"timestamp":TIME}`, model, id, tool, arguments))
	return s.add(fmt.Sprintf(`"type":"message","message":{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[{"type":"text","text":%q}],"timestamp":TIME}`, id, tool, result))
}

// shows replaces the text of a result.
func (s *script) shows(id, text string) string {
	return s.add(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":{"content":[{"type":"text","text":%q}]}`, id, text))
}

// naive adds up what the requests of a session cost, each with its whole context laid out:
// slowly, and without what the walk over the session knows. shown is the size of a message in
// the context of a request.
func naive(s *session.Session, prices token.Prices, floor token.Count, shown func(request int) []token.Count) float64 {
	cache, total := token.NewCache(prices), 0.0
	var before []token.Count
	for i := range s.Requests {
		now := shown(i)
		same := 0
		for same < len(before) && now[same] == before[same] {
			same++
		}
		sum := func(n int) (all token.Count) {
			for _, one := range now[:n] {
				all += one
			}
			return all
		}
		p := token.Prompt{Time: s.Requests[i].At, Floor: floor, Tokens: sum(len(now)), Same: sum(same), Blocks: len(now)}
		p.New = i > 0 && s.Requests[i].Model != s.Requests[i-1].Model
		total += cache.Call(p).Cost
		before = now
	}
	return total
}

// Holds prune 53.
func TestTheBillIsThatOfEveryRequestLaidOut(t *testing.T) {
	const edited = `[pruned: bash "x" (~900 tok); full text: pictx expand 12345678]`
	r := rand.New(rand.NewPCG(21, 22))
	edits := 0
	for range 40 {
		s := newScript()
		var sent, plain [][]token.Count // by request, the sizes of its messages
		var now, was []token.Count
		var results, places []int
		put := func(n token.Count) { now, was = append(now, n), append(was, n) }
		s.says(strings.Repeat("u", 40))
		put(10)
		model := "m0"
		for i := range 30 {
			if r.IntN(15) == 0 {
				model = fmt.Sprint("m", r.IntN(3))
			}
			if r.IntN(8) == 0 {
				s.clock += time.Duration(r.IntN(9)) * time.Minute
			}
			if len(results) > 0 && r.IntN(4) == 0 {
				k := r.IntN(len(results))
				s.shows(fmt.Sprint("e", results[k]), edited)
				now[places[k]] = token.OfText(edited)
				results, places = append(results[:k], results[k+1:]...), append(places[:k], places[k+1:]...)
				edits++
			}
			sent, plain = append(sent, append([]token.Count(nil), now...)), append(plain, append([]token.Count(nil), was...))
			size := 300 + r.IntN(3000)
			s.runs(model, fmt.Sprint("c", i), "bash", `{"command":"x"}`, strings.Repeat("x", 4*size))
			results = append(results, len(s.lines)-1)
			put(token.Count(len("bash")+len(`{"command":"x"}`)+3) / 4)
			places = append(places, len(now))
			put(token.Count(size))
		}
		got := s.load(t)
		for i := range got.Models {
			got.Models[i].Floor, got.Models[i].Scale = 1000, 1
		}
		for _, prices := range token.Profiles() {
			prices.Priced = false
			b := got.Bill(at(prices), nil).Tokens
			must.Not(t, (b.Parts[bill.Markers].Tokens > 0) != (b.Plain != b.Billed), "%s: %+v", prices.Name, b)
			for side, c := range map[string]struct {
				got   float64
				shown [][]token.Count
			}{"sent": {b.Billed, sent}, "plain": {b.Plain, plain}} {
				want := naive(got, prices, 1000, func(i int) []token.Count { return c.shown[i] })
				must.Stop(t, math.Abs(c.got-want) > 1, "%s, %s: %v, want %v", prices.Name, side, c.got, want)
			}
		}
	}
	must.Not(t, edits < 100, "%d edits: the test tests nothing", edits)
}

// Holds prune 53.
func TestEachPartOfTheBillIsOnlyOnTheSideOfPictx(t *testing.T) {
	five := profile(t, "anthropic-5m")
	of := func(part bill.Part, add func(s *script)) (with, without bill.Bill) {
		billed := func(add func(s *script)) bill.Bill {
			s := newScript()
			s.says("go on")
			s.answers("m", 0, 0)
			add(s)
			s.answers("m", 0, 0)
			s.answers("m", 0, 0)
			got := s.load(t)
			got.AssumeFloor(1000)
			return got.Bill(at(five), nil).Tokens
		}
		return billed(add), billed(func(s *script) { s.clock += time.Second })
	}
	for name, c := range map[string]struct {
		part  bill.Part
		add   func(s *script)
		plain bool // it costs plain pi as much
	}{
		"a declaration": {bill.Declarations, func(s *script) { s.add(`"type":"custom","customType":"pictx.declared","data":{"tokens":300}`) }, false},
		"a message": {bill.Messages, func(s *script) {
			s.add(`"type":"custom_message","customType":"pictx.decisions","content":"0123456789abcdef"`)
		}, false},
		"a message of somebody else": {bill.Messages, func(s *script) {
			s.add(`"type":"custom_message","customType":"other","content":"0123456789abcdef"`)
		}, true},
		"text that was fetched": {bill.Fetches, func(s *script) {
			s.runs("m", "c1", "bash", `{"command":"pictx expand 12345678"}`, strings.Repeat("x", 12_000))
		}, false},
	} {
		with, without := of(c.part, c.add)
		must.Not(t, c.plain != (with.Plain > without.Plain) || c.plain != (with.Parts[c.part].Cost == 0), "%s: %+v, without it %+v", name, with, without)
		must.Not(t, (with.Saved() < 0) == c.plain || without.Saved() != 0, "%s saves %v", name, with.Saved())
	}
}

// A session that pi keeps warm would have been kept warm as a whole, too, where it is too short
// for that since it was pruned.
func TestPlainPiIsBilledForTheRefreshesOfItsOwnPrompt(t *testing.T) {
	warm := token.Prices{Name: "warm", Input: 10, Priced: true, Read: 0.05, Write: 1.25, Output: 5, TTL: 5 * time.Minute, Warm: true}
	billed := func(prune bool) bill.Bill {
		s := newScript()
		s.says("go on")
		result := s.runs("m", "c1", "read", `{"path":"f0"}`, strings.Repeat("x", 800_000))
		s.answers("m", 0, 0)
		s.clock += 270 * time.Second
		s.add(`"type":"usage","kind":"cache_warm","usage":{}`)
		s.says("go on")
		if prune {
			s.shows(result, gone)
		}
		s.answers("m", 0, 0)
		s.clock += 8 * time.Minute
		if !prune {
			s.clock -= 210 * time.Second
			s.add(`"type":"usage","kind":"cache_warm","usage":{}`)
			s.clock += 210 * time.Second
		}
		s.says("go on")
		s.answers("m", 0, 0)
		got := s.load(t)
		got.AssumeFloor(3000)
		return got.Bill(at(warm), nil).Dollars
	}
	whole, pruned := billed(false), billed(true)
	if whole.Plain != whole.Billed || math.Abs(pruned.Plain-whole.Plain) > 0.01*whole.Plain {
		t.Errorf("plain pi costs %v, and %v in a session that is pruned", whole.Plain, pruned.Plain)
	}
	if one, two := pruned.Parts[bill.Refreshes].Cost, whole.Parts[bill.Refreshes].Cost; one <= 0 || math.Abs(two-2*one) > 0.01*two {
		t.Errorf("one refresh costs %v, two %v", one, two)
	}
}

func TestTheMeasuredFloorLeavesOutWhatPictxDeclares(t *testing.T) {
	floor := func(declared string) token.Count {
		s := newScript()
		s.says("hi")
		s.add(fmt.Sprintf(`"type":"custom","customType":"pictx.declared","data":{"tokens":%s}`, declared))
		s.answers("m", 1500, 1)
		return s.load(t).Models[0].Floor
	}
	if with, without := floor("400"), floor("0"); with != without-400 {
		t.Errorf("a floor of %v, with 400 declared tokens %v", without, with)
	}
}

func TestFloorAndScaleComeFromRecordedUsage(t *testing.T) {
	s := newScript()
	s.says(strings.Repeat("u", 400))
	sum := 100.0
	var results []string
	for i := range 20 {
		if i == 12 { // what goes is not counted from then on
			for _, id := range results[:5] {
				s.shows(id, "gone")
				sum -= 999
			}
		}
		results = append(results, s.runs("m", fmt.Sprint("c", i), "bash", `{}`, strings.Repeat("x", 4000)))
		at := len(s.lines) - 2
		s.lines[at] = strings.Replace(s.lines[at], `"stopReason"`, fmt.Sprintf(`"usage":{"input":3,"output":1,"cacheRead":%d,"cacheWrite":0},"stopReason"`, int(7000+1.4*sum)-3), 1)
		sum += 1000 + 2
	}
	if m := s.load(t).Models[0]; math.Abs(float64(m.Floor)-7000) > 50 || math.Abs(m.Scale-1.4) > 0.01 {
		t.Errorf("floor %v, scale %v", m.Floor, m.Scale)
	}
}

func TestARequestThatFailedBeforeItWasBilledIsNone(t *testing.T) {
	s := newScript()
	s.says("hi")
	s.answers("m", 1000, 1)
	before := s.load(t).Bill(recorded, nil).Total
	s.add(`"type":"message","message":{"role":"assistant","provider":"fake","model":"m","stopReason":"error","content":[],"timestamp":TIME}`)
	must.Equal(t, s.load(t).Bill(recorded, nil).Total, before, "the bill, which was that before it failed")
}
