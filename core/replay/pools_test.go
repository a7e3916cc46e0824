package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object/pool"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/token"
)

// working is a session of turns with the given number of calls each.
func working(turns, calls int) *session {
	s := newSession()
	for turn := range turns {
		s.user(10)
		for i := range calls {
			id := fmt.Sprintf("c%d-%d", turn, i)
			s.calls(id, "read", fmt.Sprintf(`{"path":"f%d-%d.go"}`, turn, i))
			s.result(id, "read", strings.Repeat("x", 4000))
		}
		s.answer(20)
	}
	return s
}

// reread is a session whose last two calls read one file again.
func reread() *session {
	s := working(3, 5)
	for i := range 2 {
		id := fmt.Sprintf("again%d", i)
		s.calls(id, "read", `{"path":"f2-4.go"}`)
		s.result(id, "read", strings.Repeat("x", 4000))
	}
	s.answer(20)
	return s
}

// What is priced is what core/object/pool would send.
func TestPoolsAreAsLargeAsTheirMessages(t *testing.T) {
	for name, s := range map[string]*session{"many results": working(3, 8), "a file is read three times": reread()} {
		r := replayed(t, fixed(s.load(t), 1000), Pools(policy.Window{}), "openai")
		got, sent := r.Series[len(r.Series)-1].Tokens-1000, lastInPools(t, s)
		var want token.Count
		for _, one := range sent {
			var p message.Parser
			h, err := p.ParseMessage(one)
			if err != nil {
				t.Fatal(err)
			}
			want += token.Estimate(&h)
		}
		if d := got - want; d < -token.Count(len(sent)) || d > token.Count(len(sent)) {
			t.Errorf("%s: %v tokens are priced, %v are sent", name, got, want)
		}
	}
}

// lastInPools returns the messages of the last request of a session in pools.
func lastInPools(t *testing.T, s *session) [][]byte {
	t.Helper()
	tree, line := s.tree(t)
	path := tree.Path(tree.Nodes[len(tree.Nodes)-2].ID)
	var raw [][]byte
	var heads []*message.Head
	var messages []policy.Message
	for _, n := range path {
		text, err := line(n)
		if err != nil {
			t.Fatal(err)
		}
		raw, heads = append(raw, n.Body.Of(text)), append(heads, &n.Message)
		messages = append(messages, policy.NewMessage(n.ID, &n.Message, n.Body.Of(text)))
	}
	plan := pool.Planner("", policy.SeedWindow()).Plan(messages)
	return pool.Arrange("", messages, plan, pool.Items("", messages, "/home/dev"), "/home/dev").Apply(raw, heads)
}

func TestPoolsCostAndInlineSaves(t *testing.T) {
	rec := fixed(working(12, 12).load(t), 1000)
	none := replayed(t, rec, None(), "anthropic-5m")
	inline := replayed(t, rec, Inline(defaultAuto()), "anthropic-5m")
	pools := replayed(t, rec, Pools(policy.Window{}), "anthropic-5m")
	if inline.Bill >= none.Bill || pools.Bill < 2*none.Bill {
		t.Errorf("none %.0f, inline %.0f, pools %.0f", none.Bill, inline.Bill, pools.Bill)
	}
	if pools.TokensSent >= none.TokensSent || pools.WarmRewrites < pools.Calls-5 {
		t.Errorf("%+v", pools)
	}
	// A cache of the longest prefix has the beginning of the catalogue.
	prefix := replayed(t, rec, Pools(policy.Window{}), "openai")
	if prefix.Read <= token.Count(1000*prefix.Calls) || prefix.Read > prefix.TokensSent/3 {
		t.Errorf("read %v of %v", prefix.Read, prefix.TokensSent)
	}
}

// What a recorded session says of objects counts from that entry on.
func TestRecordedDeactivationsAreHeeded(t *testing.T) {
	s := newSession()
	s.user(10)
	s.calls("c1", "web", `{"url":"x"}`)
	entry := s.result("c1", "web", strings.Repeat("x", 80_000))
	s.answer(10)
	s.add(fmt.Sprintf(`"type":"custom","customType":%q,"data":{"states":[{"op":"deactivate","object":"o-1","entries":[%q],"time":1}]}`, state.Entry, entry))
	for range 30 {
		s.user(10)
		s.answer(10)
	}
	auto := defaultAuto()
	auto.Window = policy.Window{Calls: 100, Turns: 100}
	r := replayed(t, fixed(s.load(t), 1000), Inline(auto), "anthropic-5m")
	if r.FirstPrune < 3 || len(r.Pruned) != 1 || r.Pruned[0].Reason != policy.CodeDeactivated {
		t.Errorf("%+v", r)
	}
	s.lines[5] = strings.Replace(s.lines[5], state.Entry, "other", 1)
	if r := replayed(t, fixed(s.load(t), 1000), Inline(auto), "anthropic-5m"); len(r.Pruned) != 0 {
		t.Errorf("%+v", r.Pruned)
	}
}
