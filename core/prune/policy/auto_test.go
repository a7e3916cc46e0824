package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// chat makes a conversation of n steps of every kind there is, with results of up
// to so many tokens.
func chat(r *rand.Rand, n, most int) *talk {
	k := &talk{clock: time.Hour}
	if r.IntN(2) == 0 {
		k.usage = func(t *talk) string {
			return fmt.Sprintf(`{"input":%d,"output":1,"cacheRead":%d,"cacheWrite":5}`, len(t.list)/3, 1000*len(t.list))
		}
	}
	for range n {
		file := fmt.Sprintf(`{"path":"f%d","offset":%d}`, r.IntN(5), r.IntN(3)*10)
		switch r.IntN(14) {
		case 0:
			k.user()
		case 1, 2:
			k.run("read", file, r.IntN(most))
		case 3:
			k.edit(fmt.Sprintf("f%d", r.IntN(5)))
		case 4, 5:
			k.run("bash", fmt.Sprintf(`{"command":"x%d\n\u202e"}`, r.IntN(4)), r.IntN(most))
		case 6:
			k.fail("edit", file)
		case 7:
			k.say(1)
		case 8:
			id := k.ask([]string{"aborted", "error", "toolUse"}[r.IntN(3)], "read", file)
			k.add(result(id, "read", r.IntN(most)))
		case 9:
			k.run("task", `{"prompt":"do"}`, r.IntN(most))
		case 10:
			k.clock += time.Duration(r.IntN(20)) * time.Minute
		case 11:
			k.add([]string{
				`{"role":"toolResult","toolCallId":"c1","content":null}`, "null", `{"role":"later","content":[{"type":"x"}]}`, "{}",
				`{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[1,{"type":"text","text":"y"}]}`,
				`{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":7}`,
				`{"role":"bashExecution","command":"ls","output":"z"}`, `{"role":"branchSummary","summary":"s"}`,
				fmt.Sprintf(`{"role":"compactionSummary","summary":"s","timestamp":%d}`, k.clock.Milliseconds()),
			}[r.IntN(9)])
		case 12:
			if len(k.list) > 0 { // the same once more: ids come twice
				k.add(string(k.list[r.IntN(len(k.list))]))
			}
		default:
			k.run("grep", `{"pattern":"p","path":"f1"}`, r.IntN(most))
		}
	}
	return k
}

// planners are those that are priced, and those that are not.
func planners() map[string]*Planner {
	cold := DefaultAuto()
	cold.ColdOnly = true
	return map[string]*Planner{"auto": NewAuto(DefaultAuto()), "cold": NewAuto(cold), "kota": NewKota(DefaultKota()), "seed": NewSeed(settings())}
}

// somewhere is one of many situations.
func somewhere(r *rand.Rand, k *talk) moment {
	s := k.now()
	s.Prices = token.Profiles()[r.IntN(5)]
	s.KnownPrices = r.IntN(5) > 0
	s.Now += int64(r.IntN(3)) * 10 * time.Minute.Milliseconds()
	s.Forced, s.ModelSwitched = r.IntN(9) == 0, r.IntN(9) == 0
	s.Boundary, s.Unbound = r.IntN(3) > 0, r.IntN(3) == 0
	if r.IntN(3) == 0 {
		s.Window = token.Count(r.IntN(30_000))
	}
	if r.IntN(3) == 0 {
		s.Floor, s.Scale = 0, 0
	}
	if r.IntN(2) == 0 {
		s.Text = k.texts()
	}
	return s
}

// checkAuto holds what is true of every plan of these planners.
func checkAuto(t testing.TB, p *Planner, in list, s moment) Plan {
	t.Helper()
	plan := p.at(s, in.parse())
	out := in.apply(plan)
	checkBytes(t, in, out, plan)
	checkSums(t, p, in, out, plan)
	if _, err := json.Marshal(plan); err != nil {
		t.Error(err)
	}
	answered := -1
	for i, m := range in.parse() {
		if m.Head != nil && m.Head.Role == message.RoleAssistant {
			answered = i
		}
	}
	for _, e := range plan.Edits {
		if born(e) {
			if e.Index < answered || e.MarkerTokens >= e.Tokens {
				t.Errorf("%d of %d tokens is shortened to %d, answered %v", e.Index, e.Tokens, e.MarkerTokens, e.Index < answered)
			}
			continue
		}
		if p.Own && (e.Index > answered || e.Tokens < minResult || e.MarkerTokens*2 > e.Tokens) {
			t.Errorf("%d of %d tokens, answered %v", e.Index, e.Tokens, e.Index < answered)
		}
	}
	return plan
}

// born reports whether an edit shortens what the model has not seen.
func born(e Edit) bool { return e.Reason.Code == CodeExcerpt || e.Reason.Code == CodeAgain }

// checkSums compares a plan's figures with what came out.
func checkSums(t testing.TB, p *Planner, in, out list, plan Plan) {
	t.Helper()
	named := map[int]int{}
	for _, e := range plan.Edits {
		named[e.Index]++
	}
	for _, k := range plan.Kept {
		named[k.Index]++
		must.Not(t, k.Reason.Code == "", "no reason for %d", k.Index)
	}
	for i, m := range in.parse() {
		want := 0
		if m.Head != nil && (m.Head.Role == message.RoleToolResult || p.Own && m.Head.Role == message.RoleBashExecution) {
			want = 1
		}
		must.Not(t, named[i] != want, "message %d is named %d times, want %d", i, named[i], want)
	}
	must.Equal(t, NewInput(out.parse(), Situation{}).total, plan.AfterTokens, "tokens after the plan")
}

// Holds prune 1, 2, 3, 5, 17.
func TestAutoPlansHoldForRandomConversations(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	acted := map[string]int{}
	for range trials(160) {
		k := chat(r, r.IntN(60), 4000)
		s := somewhere(r, k)
		for name, p := range planners() {
			plan := checkAuto(t, p, k.list, s)
			if plan.Acted {
				acted[name]++
				if plan.Figures != nil {
					acted[string(plan.Figures.Trigger)]++
				}
			}
		}
	}
	for _, name := range []string{"auto", "cold", "kota", "seed", "warm", "forced"} {
		must.Not(t, acted[name] < 3 && !testing.Short(), "%s acted %d times: the test tests nothing", name, acted[name])
	}
}

// Holds prune 30.
func TestPlanningOnItsOwnOutputChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range trials(40) {
		k := chat(r, 50, 4000)
		s := somewhere(r, k)
		for name, p := range planners() {
			first := p.at(s, k.parse())
			again := p.at(s, pruned(k.parse(), first))
			must.Not(t, len(again.Edits) > 0, "%s: %s, then %s edits %v", name, first.Outcome, again.Outcome, edited(again))
		}
	}
}

// grow plans before every call of a conversation and calls each with what is sent.
func grow(k *talk, p *Planner, sit func(*moment), each func(before, sent []Message, plan Plan)) {
	all := k.parse()
	marks := map[int]Message{}
	var before []Message
	for n := range all {
		if h := all[n].Head; h == nil || h.Role != message.RoleAssistant {
			continue
		}
		m := slices.Clone(all[:n])
		for i, mark := range marks {
			m[i] = mark
		}
		s := k.now()
		s.Now = all[n].Head.Timestamp
		sit(&s)
		plan := p.at(s, m)
		m = pruned(m, plan)
		for _, e := range plan.Edits {
			marks[e.Index] = m[e.Index]
		}
		each(before, m, plan)
		before = m
	}
}

// Holds prune 27, 28, 32.
func TestPrunedResultsStayPrunedAndNothingElseChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	decisions := 0
	for range 8 {
		k := chat(r, 100, 4000)
		for name, p := range planners() {
			grow(k, p, func(s *moment) {
				s.Window = token.Count(20_000 + r.IntN(40_000)) // usage that rises and falls
			}, func(before, sent []Message, plan Plan) {
				if plan.Acted {
					decisions++
					return
				}
				// Without a decision a request starts with all of the one before.
				for i := range before {
					must.Stop(t, !reflect.DeepEqual(before[i], sent[i]), "%s: message %d changed without a decision", name, i)
				}
			})
		}
	}
	must.Not(t, decisions < 30, "only %d decisions: the test tests nothing", decisions)
}

func TestOnePlannerMakesTheSamePlansSideBySide(t *testing.T) {
	k := chat(rand.New(rand.NewPCG(19, 20)), 80, 4000)
	for name, p := range planners() {
		plans := make([]Plan, 4)
		var group sync.WaitGroup
		for i := range plans {
			group.Go(func() {
				s := k.later()
				s.Text = k.texts()
				plans[i] = p.at(s, k.parse())
			})
		}
		group.Wait()
		for i := range plans {
			must.Not(t, !reflect.DeepEqual(plans[i], plans[0]) || !plans[i].Acted, "%s: plan %d is another, or none: %s", name, i, plans[i].Outcome)
		}
	}
}

// Holds prune 35.
func TestAnotherModelOrPriceRestoresNothing(t *testing.T) {
	k := stale(60_000, 10_000)
	forced := k.now()
	forced.Forced = true
	m := pruned(k.parse(), k.plan(forced))
	for _, prices := range token.Profiles() {
		s := k.now()
		s.Prices, s.ModelSwitched = prices, true
		p := NewAuto(DefaultAuto()).at(s, m)
		marked := 0
		for _, kept := range p.Kept {
			if kept.Reason.Code == CodeMarked {
				marked++
			}
		}
		must.Not(t, len(p.Edits) != 0 || marked != 4, "%s: %d edits, %d marked", prices.Name, len(p.Edits), marked)
	}
}

// Holds prune 7.
func TestParallelCallsAreJudgedAndNamedByThemselves(t *testing.T) {
	var k talk
	k.user()
	k.answer("toolUse", `{"type":"toolCall","id":"a","name":"read","arguments":{"path":"a.ts"}},{"type":"toolCall","id":"b","name":"bash","arguments":{"command":"b"}},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"c"}}`)
	c, b, a := k.add(result("c", "bash", 500)), k.add(failed(result("b", "bash", 500))), k.add(result("a", "read", 500))
	k.say(1)
	k.edit("a.ts")
	k.say(4)
	p := k.plan(k.later())
	wantCodes(t, p, map[int]string{a: CodeEdited, b: CodeError, c: CodeOutput})
	must.Not(t, !strings.Contains(markerAt(t, p, a), "read a.ts") || !strings.Contains(markerAt(t, p, c), `bash "c"`), "%+v", p.Edits)
}

// Holds prune 8.
func TestAnIdThatIsUsedTwiceNamesTwoResults(t *testing.T) {
	var k talk
	k.user().answer("toolUse", `{"type":"toolCall","id":"bash_1","name":"bash","arguments":{"command":"first"}}`)
	first := k.add(result("bash_1", "bash", 500))
	k.answer("toolUse", `{"type":"toolCall","id":"bash_1","name":"bash","arguments":{"command":"second"}}`)
	second := k.add(failed(result("bash_1", "bash", 500)))
	k.say(3)
	p := k.plan(k.later())
	wantCodes(t, p, map[int]string{first: CodeOutput, second: CodeError})
	must.Not(t, !strings.Contains(markerAt(t, p, first), `bash "first"`), "%+v", p.Edits)
}

func FuzzAuto(f *testing.F) {
	r := rand.New(rand.NewPCG(17, 18))
	for i := range 6 {
		f.Add(append(append([]byte{'['}, bytes.Join(chat(r, 8, 400).list, []byte{','})...), ']'), int64(i), uint8(i), i*10_000)
	}
	f.Fuzz(func(t *testing.T, data []byte, now int64, flags uint8, window int) {
		l := split(t, data)
		s := moment{
			Now: now, Prices: token.Profiles()[flags%5], KnownPrices: flags&8 > 0, Situation: Situation{
				Forced: flags&16 > 0, Boundary: flags&64 == 0, Unbound: flags&128 > 0,
				Window: token.Count(window), Text: func(int) []byte { return []byte("text\n") },
			},
		}
		if flags&64 > 0 {
			s.Floor, s.Scale = 1000, 1.3
		}
		for _, p := range planners() {
			m := l.parse()
			plan := checkAuto(t, p, l, s)
			for _, e := range plan.Edits { // what was decided is not decided again
				for _, again := range p.at(s, pruned(m, plan)).Edits {
					must.Not(t, again.Index == e.Index, "%d is pruned twice", e.Index)
				}
			}
		}
	})
}

// benchmarkAuto plans over a conversation as agents have them.
func benchmarkAuto(b *testing.B, n int, set AutoSettings, marked bool) {
	k := &talk{usage: func(t *talk) string {
		return fmt.Sprintf(`{"input":3,"output":100,"cacheRead":%d,"cacheWrite":500}`, 500*len(t.list))
	}}
	for i := 0; len(k.list) < n; i++ {
		switch i % 10 {
		case 0:
			k.user()
		case 1, 2, 3:
			k.run("read", fmt.Sprintf(`{"path":"src/f%d.ts","offset":%d,"limit":200}`, i%40, i), 1500)
		case 4, 5:
			k.run("edit", fmt.Sprintf(`{"path":"src/f%d.ts","oldText":%q,"newText":%q}`, i%40, lots(20), lots(25)), 30)
		default:
			k.run("bash", fmt.Sprintf(`{"command":"go test ./pkg%d/... 2>&1 | tail -50"}`, i), 800)
		}
	}
	p, s, m := NewAuto(set), k.now(), k.parse()
	s.CWD, s.Window, s.Text = "/home/u/project", 200_000, func(int) []byte { return []byte("text") }
	if marked {
		m = pruned(m, p.at(k.later(), m))
	}
	b.ReportAllocs()
	for b.Loop() {
		p.at(s, m)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)*1000/float64(n), "µs/1000msgs")
}

func BenchmarkAuto1000(b *testing.B)       { benchmarkAuto(b, 1000, DefaultAuto(), false) }
func BenchmarkAuto1000Pruned(b *testing.B) { benchmarkAuto(b, 1000, DefaultAuto(), true) }
func BenchmarkAuto10000(b *testing.B)      { benchmarkAuto(b, 10_000, DefaultAuto(), false) }
