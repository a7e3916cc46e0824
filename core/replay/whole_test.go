package replay

import (
	"fmt"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// whole replays a policy that prunes a under Anthropic's prices.
func whole(t *testing.T, s *script, p Policy) Run {
	t.Helper()
	return replayed(t, fixed(s.load(t), 1000), p, "anthropic-5m")
}

func TestNothingIsDeclaredInASessionThatIsNeverPruned(t *testing.T) {
	s := newSession()
	s.user(100)
	for range 5 {
		s.answer(10)
		s.user(10)
	}
	s.answer(10)
	got := whole(t, s, Auto(defaultAuto()))
	must.Not(t, got.Bill.Tokens.Saved() != 0 || got.Bill.Tokens.Parts[bill.Declarations].Tokens != 0, "%+v", got.Bill.Tokens)
}

func TestToolsAreDeclaredOnceSomethingWasPrunedAndThePromptIsWrittenAnyway(t *testing.T) {
	s, a, _ := two(0)
	s.answer(10)
	s.user(10)
	s.answer(10)
	warm := whole(t, s, older(a, 1)).Bill.Tokens.Parts[bill.Declarations]
	must.Equal(t, warm.Tokens, 0, "the cache was warm: %+v", warm)
	s.wait(time.Hour)
	s.user(10)
	s.answer(10)
	s.user(10)
	s.answer(10)
	if cold := whole(t, s, older(a, 1)).Bill.Tokens.Parts[bill.Declarations]; cold.Tokens != 2*historyTools {
		t.Errorf("two requests after the pause: %+v", cold)
	}
}

func TestACompactionAloneDeclaresNothing(t *testing.T) {
	declared := func(pause time.Duration) token.Count {
		s, a, _ := two(0)
		kept := s.answer(10)
		s.wait(pause)
		s.compact(50, kept)
		s.user(30)
		s.answer(1)
		return whole(t, s, older(a, 1)).Bill.Tokens.Parts[bill.Declarations].Tokens
	}
	must.Equal(t, declared(0), 0, "tokens declared with a warm cache, and the system prompt written again")
	must.Equal(t, declared(time.Hour), historyTools, "tokens declared after a pause")
}

func TestCompactionIsBilledOnBothSides(t *testing.T) {
	s, a, _ := two(0)
	kept := s.answer(10)
	s.compact(50, kept)
	s.user(30)
	s.answer(1)
	none, got := whole(t, s, None()).Bill.Tokens, whole(t, s, older(a, 1)).Bill.Tokens
	must.Not(t, none.Saved() != 0 || none.PlainSummaries <= 50*5 || none.Parts[bill.Summaries].Cost != none.PlainSummaries, "plain pi: %+v", none)
	must.Not(t, got.PlainSummaries != none.PlainSummaries || got.Plain != none.Plain || got.Parts[bill.Summaries].Cost <= 0, "%+v beside %+v", got, none)
}

// pi keeps the newest messages up to a size, and measures them as they are: what was
// pruned of them leaves room for older ones.
func TestACompactionKeepsMoreOfAPrunedContext(t *testing.T) {
	for _, c := range []struct {
		name    string
		dropped int // tokens that the compaction of the recording drops
		kept    int // how many of them it keeps when 400 tokens of the others are pruned
	}{{"enough was dropped", 1000, 398}, {"little was dropped", 100, 100}} {
		s := newSession()
		s.user(c.dropped)
		keep := s.calls("c1", "read", neutral)
		a := s.result("c1", "read", filled("only in result A", 400))
		s.calls("c2", "read", neutral)
		s.result("c2", "read", filled("only in result B", 200))
		s.answer(10)
		s.compact(20, keep)
		s.user(10)
		s.answer(1)
		plain, got := replayed(t, fixed(s.load(t), 1000), None(), "anthropic-5m").Series, replayed(t, fixed(s.load(t), 1000), older(a, 1), "anthropic-5m").Series
		before, after := plain[2].Tokens-got[2].Tokens, plain[3].Tokens-got[3].Tokens
		if before-after < token.Count(c.kept)-30 || before-after > token.Count(c.kept)+30 {
			t.Errorf("%s: %d tokens less are sent before the compaction, %d after it", c.name, before, after)
		}
	}
}

// A session recorded with pictx kept more over its compaction than plain pi would have, which
// must not be billed for the difference.
func TestPlainPiIsNotBilledForWhatOnlyAPrunedContextKept(t *testing.T) {
	record := func(pruned bool) []Point {
		s := newSession()
		s.user(100)
		keep := s.calls("c1", "read", neutral)
		a := s.result("c1", "read", filled("only in result A", 4000))
		s.calls("c2", "read", neutral)
		s.result("c2", "read", filled("only in result B", 200))
		last := s.answer(150)
		if pruned {
			s.add(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":{"content":%q}`, a, "[pruned: read (~4000 tok); full text: pictx expand "+a+"]"))
		} else {
			keep = last
		}
		s.compact(20, keep)
		for range 2 {
			s.user(10)
			s.answer(1)
		}
		return replayed(t, fixed(s.load(t), 1000), None(), "anthropic-5m").Series
	}
	plain, pruned := record(false), record(true)
	for i := range plain {
		if got, want := pruned[i].Tokens, plain[i].Tokens; got < want || got > want+250 { // result B may fit
			t.Errorf("request %d of plain pi: %d tokens by a session with pictx, %d by one without", i+1, got, want)
		}
	}
}

func TestASummaryIsTakenToBeAsLongOnBothSides(t *testing.T) {
	cost := func(written int) (plain, own float64) {
		s, a, _ := two(0)
		kept := s.answer(10)
		s.compact(written, kept)
		s.user(30)
		s.answer(1)
		got := whole(t, s, older(a, 1)).Bill.Tokens
		return got.PlainSummaries, got.Parts[bill.Summaries].Cost
	}
	plain, own := cost(20)
	longerPlain, longerOwn := cost(40)
	if longerPlain-plain != 20*5 || longerOwn-own != 20*5 {
		t.Errorf("20 tokens more of a summary: %v -> %v for plain pi, %v -> %v for pictx", plain, longerPlain, own, longerOwn)
	}
}

func TestThePolicyKotaNeverBringsBackWhatItPruned(t *testing.T) {
	s := newSession()
	s.user(100)
	for i := range 3 {
		id := fmt.Sprintf("c%d", i)
		s.calls(id, "grep", neutral)
		s.result(id, "grep", filled("found", 1500)) // only prunable in a large context
	}
	for range 3 {
		s.user(10)
		s.answer(10)
	}
	kota := Kota(policy.KotaSettings{KeepRecentTurns: 2, MaxToolChars: 1200, Adaptive: true, AdaptiveTokens: 4000})
	got := replayed(t, fixed(s.load(t), 1000), kota, "openai")
	seen := false
	for i, p := range got.Series {
		small := p.Tokens < 3000 && i > 2
		must.Not(t, seen && !small, "call %d has %v tokens again: %v", p.Request, p.Tokens, sizes(got))
		seen = seen || small
	}
	must.Not(t, !seen, "nothing was pruned: %v", sizes(got))
}
