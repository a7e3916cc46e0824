package policy

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/internal/must"
)

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
		var k talk
		for range 40 {
			if r.IntN(4) == 0 {
				k.user()
			}
			k.run([]string{"read", "bash", "web"}[r.IntN(3)], `{"path":"f"}`, r.IntN(30))
		}
		in := k.list
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

func FuzzSeed(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 5 {
		f.Add(append(append([]byte{'['}, bytes.Join(chat(r, 20, 30).list, []byte{','})...), ']'), 20, 40, 1)
	}
	f.Add([]byte(`[{"role":"toolResult","toolName":"\u2028\"]","content":"[output pruned — ~1 tokens | x]"}]`), 0, 0, 0)
	f.Add([]byte(`[{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"x","arguments":{"path":"a\ud800\n"}}]},{"role":"toolResult","toolCallId":"a","content":[{"type":"text","text":"x"}]}]`), 0, 0, 0)
	f.Fuzz(func(t *testing.T, data []byte, minimum, protect, turns int) {
		s := SeedSettings{Minimum: minimum, Protect: protect, ProtectedTurns: turns}
		in := split(t, data)
		plan := checkAuto(t, NewSeed(s), in, moment{Situation: Situation{Boundary: true}})
		again := NewSeed(s).Plan(in.apply(plan).parse())
		must.Not(t, len(again.Edits) > 0, "planning on the output edits %v", edited(again))
	})
}
