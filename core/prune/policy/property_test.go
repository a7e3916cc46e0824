package policy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/internal/must"
)

// random makes a context of n messages of every kind there is.
func random(r *rand.Rand, n int) list {
	var l list
	for i := range n {
		id := fmt.Sprintf("c%d", r.IntN(1+i/2))
		tool := []string{"read", "bash", "web", "grep"}[r.IntN(4)]
		var m string
		switch r.IntN(12) {
		case 0, 1:
			m = user()
		case 2, 3, 4:
			m = call(id, tool, fmt.Sprintf(`{"path":"f%d","command":"x\n"}`, i))
		case 5:
			m = failed(result(id, tool, r.IntN(30)))
		case 6:
			m = fmt.Sprintf(`{"role":"toolResult","toolName":"read","content":%q}`, strings.Repeat("é", r.IntN(90)))
		case 7:
			m = []string{`{"role":"toolResult","content":null}`, "null", `{"role":"later"}`, "{}"}[r.IntN(4)]
		default:
			m = result(id, tool, r.IntN(30))
		}
		l = append(l, []byte(m))
	}
	return l
}

// check holds what is true of every plan.
func check(t testing.TB, in list, s SeedSettings) Plan {
	t.Helper()
	plan := NewSeed(s).Plan(in.parse())
	out := in.apply(plan)
	checkBytes(t, in, out, plan)
	checkTotals(t, out, plan)
	again := NewSeed(s).Plan(out.parse())
	must.Not(t, len(again.Edits) > 0, "planning on the output edits %v", edited(again))
	return plan
}

// checkBytes compares a context with its edited form.
func checkBytes(t testing.TB, in, out list, plan Plan) {
	t.Helper()
	must.Stop(t, len(in) != len(out), "%d messages became %d", len(in), len(out))
	must.Not(t, !slices.IsSorted(edited(plan)) || plan.Acted != (len(plan.Edits) > 0), "acted %v, edits %v", plan.Acted, edited(plan))
	for i := range in {
		if !slices.Contains(edited(plan), i) {
			must.Not(t, !bytes.Equal(in[i], out[i]), "message %d changed unasked", i)
			continue
		}
		var p message.Parser
		before, _ := p.ParseMessage(in[i])
		after, err := p.ParseMessage(out[i])
		if err != nil {
			t.Fatalf("message %d is broken: %v", i, err)
		}
		was, is := before.Content.Span, after.Content.Span
		if !bytes.Equal(in[i][:was.Start], out[i][:is.Start]) || !bytes.Equal(in[i][was.End:], out[i][is.End:]) {
			t.Errorf("message %d: more than the content changed", i)
		}
		if !marker.Is(&after, out[i]) && !marker.HasExcerpt(&after, out[i]) || before.IsError && marker.Is(&after, out[i]) {
			t.Errorf("message %d became %s", i, out[i])
		}
		before.Content, after.Content = message.Content{}, message.Content{}
		must.Match(t, before, after, "message %d: the head changed from", i)
	}
}

// checkTotals compares a plan's figures with what came out.
func checkTotals(t testing.TB, out list, plan Plan) {
	t.Helper()
	results := 0
	for _, m := range out.parse() {
		if m.Head != nil && m.Head.Role == message.RoleToolResult {
			results++
		}
	}
	must.Not(t, len(plan.Edits)+len(plan.Kept) != results, "%d edits and %d kept of %d results", len(plan.Edits), len(plan.Kept), results)
	if got := NewInput(out.parse(), Situation{}).total; got != plan.AfterTokens {
		t.Errorf("%d tokens after, the plan says %d", got, plan.AfterTokens)
	}
}

// Holds prune 1, 2, 3.
func TestPlansHoldForRandomContexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	acted := 0
	for range 300 {
		s := settings()
		s.ProtectedTurns, s.Protect, s.Minimum = r.IntN(3), r.IntN(60), r.IntN(30)
		if check(t, random(r, r.IntN(60)), s).Acted {
			acted++
		}
	}
	must.Not(t, acted < 100, "only %d of 300 plans acted: the test tests nothing", acted)
}

// trials is how many random cases a test looks at: with -short a quarter of n.
func trials(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// A context only grows between two calls, and what was pruned stays pruned, with
// the same bytes: otherwise every call would rewrite the provider's cache.
//
// Holds prune 27.
func TestAGrowingContextNeverUnprunes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range trials(50) {
		in := random(r, 80)
		s := settings()
		s.ProtectedTurns = r.IntN(3)
		markers := map[int]string{}
		for n := range in {
			plan := NewSeed(s).Plan(in[:n].parse())
			now := map[int]string{}
			for _, e := range plan.Edits {
				now[e.Index] = e.Marker
			}
			for i, m := range markers {
				must.Stop(t, now[i] != m, "after %d messages, %d went from %q to %q", n, i, m, now[i])
			}
			markers = now
		}
	}
}

func TestPlanningIsDeterministic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		in := random(r, 50)
		p := NewSeed(settings())
		if a, b := p.Plan(in.parse()), p.Plan(in.parse()); !reflect.DeepEqual(a, b) {
			t.Fatal("two plans of one context differ")
		}
	}
}

func FuzzSeed(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 5 {
		f.Add(append(append([]byte{'['}, bytes.Join(random(r, 20), []byte{','})...), ']'), 20, 40, 1)
	}
	f.Add([]byte(`[{"role":"toolResult","toolName":"\u2028\"]","content":"[output pruned — ~1 tokens | x]"}]`), 0, 0, 0)
	f.Add([]byte(`[{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"x","arguments":{"path":"a\ud800\n"}}]},{"role":"toolResult","toolCallId":"a","content":[{"type":"text","text":"x"}]}]`), 0, 0, 0)
	f.Fuzz(func(t *testing.T, data []byte, minimum, protect, turns int) {
		s := SeedSettings{Minimum: minimum, Protect: protect, ProtectedTurns: turns}
		check(t, split(t, data), s)
	})
}

func benchmarkPlan(b *testing.B, n int, protect int) {
	var l list
	for i := range n / 3 {
		id := fmt.Sprintf("call_%d", i)
		l = append(l, []byte(user()), []byte(call(id, "read", `{"path":"src/a.ts"}`)), []byte(result(id, "read", 200)))
	}
	messages := l.parse()
	s := DefaultSeed()
	s.Protect = protect
	p := NewSeed(s)
	b.ReportAllocs()
	for b.Loop() {
		p.Plan(messages)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)*1000/float64(n), "µs/1000msgs")
}

func BenchmarkPlan1000(b *testing.B)         { benchmarkPlan(b, 1000, 40_000) }
func BenchmarkPlan10000(b *testing.B)        { benchmarkPlan(b, 10_000, 40_000) }
func BenchmarkPlan10000Nothing(b *testing.B) { benchmarkPlan(b, 10_000, 1<<40) }
