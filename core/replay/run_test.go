package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/internal/must"
)

// neutral are the arguments of a call of "read" that is 4 tokens and names no path.
const neutral = `{"n":123456}`

// filled is a text of the given size that begins with a line.
func filled(line string, tokens int) string {
	return line + "\n" + strings.Repeat("x", 4*tokens-len(line)-1)
}

// two is a session with two results, A and B, and three calls.
func two(pause time.Duration) (s *script, a, b string) {
	s = newSession()
	s.user(100)
	s.calls("c1", "read", neutral)
	a = s.result("c1", "read", filled("only in result A", 200))
	s.calls("c2", "read", neutral)
	s.wait(pause)
	b = s.result("c2", "read", filled("only in result B", 200))
	return s, a, b
}

func TestWithoutPruningTheCacheBillsWhatWasAdded(t *testing.T) {
	s := newSession()
	s.user(100)
	s.calls("c1", "read", neutral)
	s.result("c1", "read", filled("r", 200))
	s.answer(20)
	s.wait(10 * time.Minute)
	s.user(50)
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), None(), "anthropic-5m")
	wantSizes(t, got, 1100, 1304, 1374)
	// Everything is written; then the first prompt is read; then it is forgotten.
	wantBill(t, "the bill", alone(got), 1100*1.25+(1100*0.1+204*1.25)+1374*1.25)
	must.Not(t, got.TokensSent != 1100+1304+1374 || got.PeakContext != 1374, "%+v", got)
	must.Not(t, got.Bill.Tokens.Billed != alone(got) || got.WarmRewrites+got.FirstPrune+got.Edits+got.CallsMissing != 0, "something was pruned: %+v", got)
	if p := got.Series; p[0].Start != session.StartsSession || p[1].Start != session.Continues || p[1].Idle || !p[2].Idle || p[1].Read != 1100 {
		t.Errorf("the series is %+v", p)
	}
}

func TestAWarmRewriteBillsWhatFollowsTheLastBreakpointBeforeIt(t *testing.T) {
	s, a, _ := two(0)
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), older(a, 1), "anthropic-5m")
	// The third call has A pruned: 190 tokens less. What the second wrote is of no
	// use, the breakpoint of the first is before the change.
	wantSizes(t, got, 1100, 1304, 1318)
	wantBill(t, "the bill", alone(got), 1100*1.25+(1100*0.1+204*1.25)+(1100*0.1+218*1.25))
	must.Not(t, got.WarmRewrites != 1 || got.FirstPrune != 3, "%+v", got)
	must.Stop(t, len(got.Pruned) != 1, "pruned: %+v", got.Pruned)
	p := got.Pruned[0]
	if p.EntryID != a || p.ToolName != "read" || p.Reason.Code != policy.CodeOld || p.Source != "seed" || p.Request != 3 || p.Tokens != 200 || p.MarkerTokens != 10 {
		t.Errorf("pruned: %+v", p)
	}
}

func TestPrefixCachesKeepWhatIsBeforeAChange(t *testing.T) {
	s, a, _ := two(0)
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), older(a, 1), "openai")
	wantBill(t, "the bill", alone(got), 1100+(1100*0.1+204)+(1104*0.1+214))
}

func TestRewritingAColdCacheIsNotAWarmRewrite(t *testing.T) {
	s, a, _ := two(10 * time.Minute)
	s.answer(1)
	r := fixed(s.load(t), 1000)
	got := replayed(t, r, older(a, 1), "anthropic-5m")
	wantBill(t, "the bill", alone(got), 1100*1.25+(1100*0.1+204*1.25)+1318*1.25)
	must.Not(t, got.WarmRewrites != 0 || got.Series[2].Change != ChangedCold, "%+v", got)
	if got = replayed(t, r, older(a, 1), "anthropic-1h"); got.WarmRewrites != 1 || got.Series[2].Change != ChangedWarm {
		t.Errorf("within the hour: %+v", got)
	}
	if got = replayed(t, r, older(a, 1), "none"); got.WarmRewrites != 0 {
		t.Errorf("without a cache there is nothing to rewrite: %+v", got)
	}
}

func TestPruningMessagesThatWereNeverSentIsNotARewrite(t *testing.T) {
	s, _, b := two(0)
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), older(b, 0), "anthropic-5m")
	wantSizes(t, got, 1100, 1304, 1318)
	must.Not(t, got.WarmRewrites != 0 || got.FirstPrune != 3 || got.Series[2].Read != 1304, "%+v", got)
}

func TestAPruneStaysUntilTheBranchChanges(t *testing.T) {
	s, a, b := two(0)
	third := s.answer(20)
	s.at = a // back to before B, and on
	s.user(30)
	s.answer(1)
	s.at = third // and to the first branch again
	s.user(30)
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), older(a, 1), "anthropic-5m")
	wantSizes(t, got, 1100, 1304, 1318, 1000+100+4+200+30, 1000+100+4+10+4+200+20+30)
	must.Not(t, got.WarmRewrites != 1 || got.Series[3].Start != session.OnBranch || got.Series[4].Start != session.OnBranch, "%+v", got)
	// The first branch is left at its first message that the second has not: the
	// call to B. Breakpoints before it are found again.
	must.Not(t, got.Series[3].Read != 1100, "on the second branch %d are read", got.Series[3].Read)
	if got = replayed(t, fixed(s.load(t), 1000), older(b, 99), "anthropic-5m"); got.Series[4].Read != 1304 {
		t.Errorf("with nothing pruned %d are read on the way back", got.Series[4].Read)
	}
}

func TestAPruneStaysInWhatACompactionKeeps(t *testing.T) {
	s := newSession()
	s.user(100)
	kept := s.calls("c1", "read", neutral)
	a := s.result("c1", "read", filled("A", 200))
	s.calls("c2", "read", neutral)
	s.result("c2", "read", filled("B", 200))
	s.answer(20)
	s.compact(50, kept)
	s.user(30)
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), older(a, 1), "anthropic-5m")
	// What was pruned leaves room for the prompt of 100 tokens.
	wantSizes(t, got, 1100, 1304, 1318, 1000+50+4+10+4+200+20+30+100)
	must.Not(t, got.Series[3].Start != session.AfterCompaction || got.Series[3].Change != Unchanged || got.Series[3].Read != 1000, "%+v", got.Series[3])
}

func TestAnotherModelReadsNothing(t *testing.T) {
	s, a, _ := two(0)
	s.answer(1)
	s.edit(`"model":"m"`, `"model":"n"`)
	got := replayed(t, fixed(s.load(t), 1000), None(), "anthropic-5m")
	must.Not(t, got.Series[2].Read != 0 || got.Series[1].Read != 1100, "%+v", got.Series)
	if got = replayed(t, fixed(s.load(t), 1000), older(a, 1), "anthropic-5m"); got.WarmRewrites != 0 {
		t.Errorf("%+v", got)
	}
}

func TestARequestThatKeepsTheCacheWarmCounts(t *testing.T) {
	for _, kind := range []string{"cache_warm", "other"} {
		s := newSession()
		s.user(100)
		s.answer(20)
		s.wait(4 * time.Minute)
		s.add(`"type":"usage","kind":"` + kind + `","usage":{"input":1}`)
		s.wait(4 * time.Minute)
		s.user(30)
		s.answer(1)
		got := replayed(t, fixed(s.load(t), 1000), None(), "anthropic-5m")
		if warm := got.Series[1].Read == 1100; warm != (kind == "cache_warm") || got.Series[1].Idle == warm {
			t.Errorf("%s: %+v", kind, got.Series[1])
		}
	}
}

func TestARequestThatComesTooLateKeepsNothingWarm(t *testing.T) {
	s, a, _ := two(6 * time.Minute)
	s.lines = s.lines[:len(s.lines)-1] // the result comes later
	s.n--
	s.at = "00000004"
	s.add(`"type":"usage","kind":"cache_warm","usage":{"input":1}`)
	s.wait(time.Minute)
	s.result("c2", "read", filled("B", 200))
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), older(a, 1), "anthropic-5m")
	must.Not(t, got.Series[2].Read != 0 || !got.Series[2].Idle || got.Series[2].Change != ChangedCold, "%+v", got.Series[2])
}

func TestTheFloorCanBeAssumed(t *testing.T) {
	s, _, _ := two(0)
	s.answer(1)
	r := s.load(t)
	r.AssumeFloor(7000)
	wantSizes(t, replayed(t, r, None(), "openai"), 7100, 7304, 7508)
}

// What was recorded was billed at other prices, with another context.
func TestRecordedUsageDoesNotJudgeTheReplayedCache(t *testing.T) {
	bill := func(read int) float64 {
		s := newSession()
		s.user(100)
		for i := range 40 {
			id := fmt.Sprintf("c%d", i)
			s.calls(id, "bash", `{"command":"x"}`)
			s.uses(5000*i+1000, read*i)
			s.result(id, "bash", filled("r", 5000))
			if i%4 == 3 { // the turn ends
				s.answer(1)
				s.user(10)
			}
		}
		s.answer(1)
		got := replayed(t, fixed(s.load(t), 1000), Auto(defaultAuto()), "anthropic-5m")
		must.Not(t, got.WarmRewrites < 5, "%d rewrites: the test tests nothing", got.WarmRewrites)
		return alone(got)
	}
	if a, b := bill(4900), bill(0); a != b {
		t.Errorf("%v when the cache was read, %v when it was not", a, b)
	}
}
