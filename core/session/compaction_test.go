package session_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// reads adds a turn with a read of a thousand tokens, and returns the ids of its prompt and of
// the result.
func (s *script) reads(n int) (prompt, result string) {
	prompt = s.says("go on")
	return prompt, s.runs("m", fmt.Sprint("c", n), "read", fmt.Sprintf(`{"path":"f%d"}`, n), strings.Repeat("x", 4000))
}

// gone is a marker.
const gone = `[pruned: read f0 (~1000 tok); full text: pictx expand 12345678]`

// compacts adds a compaction that keeps everything from an entry on.
func (s *script) compacts(keeps, more string) string {
	return s.add(fmt.Sprintf(`"type":"compaction","summary":"s","firstKeptEntryId":%q,"tokensBefore":9%s`, keeps, more))
}

func TestRequestsForSummariesAreBilledAsTheSessionSaysTheyWere(t *testing.T) {
	const usage = `{"input":1000,"output":100,"cacheRead":500,"cacheWrite":40}`
	const cost = 1000 + 0.1*500 + 1.25*40 + 5*100
	const own = `,"details":{"pictx":{"summaries":["s"],"requests":%s}}`
	for name, c := range map[string]struct {
		more  string
		sent  float64 // -1 is what plain pi's is estimated at
		plain float64 // likewise, and larger than 0
	}{
		"pi's own":                   {`,"usage":` + usage, cost, cost},
		"pi's own, of an older pi":   {`,"fromHook":false`, -1, -1},
		"pictx's":                    {fmt.Sprintf(own, `1,"usage":`+usage), cost, -1},
		"pictx's, as a newer pi has": {`,"details":{"pictx":{}},"usage":` + usage, cost, -1},
		"pictx's, without a model":   {fmt.Sprintf(own, `0`), 0, -1},
		"pictx's, of no known usage": {fmt.Sprintf(own, `2`), -1, -1},
		"nonsense":                   {`,"usage":{"input":"many","output":-1},"details":[]`, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			s.reads(0)
			s.reads(1)
			kept, _ := s.reads(2)
			s.compacts(kept, c.more)
			s.answers("m", 0, 0)
			got := s.load(t)
			got.AssumeFloor(1000)
			b := got.Bill(at(profile(t, "anthropic-5m")), nil).Tokens
			// Two calls, two results of which 2,000 characters are sent, two prompts, and the instructions.
			plain := got.Requests[3].Compaction.Plain
			must.Stop(t, plain.Input < 520+2*500 || plain.Input > 520+2*600, "a request of %v tokens", plain.Input)
			want := func(v float64) float64 {
				if v < 0 {
					return float64(plain.Input) + 5*float64(plain.Output)
				}
				return v
			}
			if got := b.Parts[bill.Summaries].Cost; math.Abs(got-want(c.sent)) > 1e-6 {
				t.Errorf("the requests cost %v, want %v", got, want(c.sent))
			}
			must.Not(t, math.Abs(b.PlainSummaries-want(c.plain)) > 1e-6, "those of plain pi cost %v, want %v", b.PlainSummaries, want(c.plain))
			must.Not(t, math.Abs(b.Saved()-(b.PlainSummaries-b.Parts[bill.Summaries].Cost)) > 1e-6, "saved %v: %+v", b.Saved(), b)
		})
	}
}

func TestASummaryOfPlainPiHoldsWhatWasPruned(t *testing.T) {
	plain := func(pruned bool) bill.Compaction {
		s := newScript()
		_, result := s.reads(0)
		kept, _ := s.reads(1)
		if pruned {
			s.shows(result, gone)
		}
		s.compacts(kept, "")
		s.answers("m", 0, 0)
		return s.load(t).Requests[2].Compaction.Plain
	}
	if got, want := plain(true), plain(false); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestRequestsAndSavingsFromBeforeACompactionCountAfterIt(t *testing.T) {
	s := newScript()
	_, result := s.reads(0)
	s.shows(result, gone)
	kept, _ := s.reads(1)
	before := s.load(t).Bill(at(profile(t, "none")), nil).Tokens
	s.compacts(kept, `,"details":{"pictx":{"requests":0}}`)
	s.answers("m", 0, 0)
	after := s.load(t).Bill(at(profile(t, "none")), nil).Tokens
	if before.Requests != 2 || after.Requests != 3 || before.Saved() != float64(1000-token.OfText(gone)) || after.Saved()-after.PlainSummaries != before.Saved() {
		t.Errorf("%+v, then %+v", before, after)
	}
}

// pi measures what it keeps in its context as it is: what was pruned there leaves room
// for more, which plain pi would not have kept and is not billed for.
func TestPlainPiIsNotBilledForWhatItWouldNotHaveKept(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after int // how many of the ten kept results are pruned before the compaction, and after it
		want          int // how many of the ten kept turns of three messages plain pi keeps
	}{
		{"nothing was pruned", 0, 0, 10},
		{"most was pruned before", 8, 0, 2},
		{"most was pruned after", 0, 4, 10},
	} {
		s := newScript()
		first, result := s.reads(0)
		results := []string{result}
		for i := range 9 {
			_, result := s.reads(i + 1)
			results = append(results, result)
		}
		for _, id := range results[:c.before] {
			s.shows(id, gone)
		}
		s.compacts(first, "")
		for _, id := range results[:c.after] {
			s.shows(id, gone)
		}
		s.answers("m", 0, 0)
		plain := s.load(t).Requests[10].Plain
		if n, want := plain.Keep+len(plain.Add), 1+3*c.want; n < want-2 || n > want+2 {
			t.Errorf("%s: plain pi has %d messages, want about %d", c.name, n, want)
		}
	}
}

// What was saved until a result was restored stays saved; what is sent since is not.
func TestARestoredResultIsBilledAsEachRequestSawIt(t *testing.T) {
	const marker = `[output pruned — ~1,000 tokens | read path="f0"]`
	size := token.OfText(marker)
	mark := func(s *script, id string) {
		s.add(fmt.Sprintf(`"type":"custom","customType":"pictx.marks","data":{"marks":[{"id":%q,"marker":%q}]}`, id, marker))
	}
	restore := func(s *script, id string) {
		s.add(fmt.Sprintf(`"type":"custom","customType":"pictx.pins","data":{"pins":[{"target":%q}],"restored":[%q]}`, id, id))
	}
	edit := func(s *script, id string) { s.shows(id, marker) }
	original := func(s *script, id string) { s.shows(id, strings.Repeat("x", 4000)) }
	for name, c := range map[string]struct {
		steps []func(s *script, id string) // a request follows each
		saved int                          // of how many requests
	}{
		"of an agent without edits":               {[]func(*script, string){mark, restore}, 1},
		"of an agent with edits":                  {[]func(*script, string){edit, original}, 1},
		"of an agent without edits, pruned again": {[]func(*script, string){mark, restore, mark}, 2},
		"of an agent with edits, pruned again":    {[]func(*script, string){edit, original, edit}, 2},
	} {
		s := newScript()
		_, result := s.reads(0)
		s.answers("m", 0, 0)
		for _, step := range c.steps {
			step(s, result)
			s.answers("m", 0, 0)
		}
		got := s.load(t)
		got.AssumeFloor(3000)
		b := got.Bill(at(token.Prices{Name: "even", Read: 1, Write: 1}), nil).Tokens
		if want := token.Count(c.saved) * (1000 - size); b.Saved() != float64(want) {
			t.Errorf("%s: saved %v, want %v", name, b.Saved(), want)
		}
		if got, want := b.Parts[bill.Markers].Tokens, token.Count(c.saved)*size; got != want {
			t.Errorf("%s: %d tokens of markers were sent, want %d", name, got, want)
		}
	}
}

func TestTheNextRequestKnowsHowItFollows(t *testing.T) {
	s := newScript()
	first, _ := s.reads(0)
	_, second := s.reads(1)
	answer := s.answers("m", 0, 0)
	for leaf, want := range map[string]session.Start{answer: session.Continues, second: session.OnBranch, first: session.OnBranch} {
		if got, err := s.load(t).Next(leaf); err != nil || got.Start != want {
			t.Errorf("from %s: %+v, %v", leaf, got, err)
		}
	}
	edit := s.shows(second, gone)
	if got, err := s.load(t).Next(edit); err != nil || got.Changed != second || got.Start != session.Continues {
		t.Errorf("after an edit: %+v, %v", got, err)
	}
	compaction := s.compacts(answer, "")
	if got, err := s.load(t).Next(compaction); err != nil || got.Start != session.AfterCompaction {
		t.Errorf("after a compaction: %+v, %v", got, err)
	}
}
