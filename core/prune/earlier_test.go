package prune_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// compacted are the entries after three turns: a compaction that keeps the third,
// an answer, and the same once more.
func compacted() []string {
	answer := func(id, parent string, at int) string {
		return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":"well"}],"stopReason":"stop","timestamp":17724438%05d}`, at))
	}
	return []string{
		entry("compaction", "k1", "r2", `"summary":"s","firstKeptEntryId":"u2","tokensBefore":9`),
		answer("a3", "k1", 1000),
		entry("compaction", "k2", "a3", `"summary":"t","firstKeptEntryId":"a3","tokensBefore":9`),
		answer("a4", "k2", 2000),
	}
}

// twice is a session that was compacted twice, as it was when it had so many of the
// entries of compacted.
func twice(t *testing.T, entries int) *pi.Session {
	return openText(t, sessionText(3, compacted()[:entries]...))
}

// past returns what is known at an entry of what was before its context.
func past(t *testing.T, s *pi.Session, leaf string, stored ...prune.Mark) policy.Situation {
	t.Helper()
	b := branchOf(t, s, leaf, stored)
	sit := situation(t, b, "", "")
	sit.Prices, _ = token.Profile("anthropic-5m")
	sit.KnownPrices, sit.Floor, sit.Scale = true, 1000, 1
	sit, err := b.WithPast(sit)
	if err != nil {
		t.Fatal(err)
	}
	return sit
}

func TestTheAccountGoesOnAfterACompaction(t *testing.T) {
	if l := past(t, twice(t, 0), "r2").Before; l != (bill.Bill{}) {
		t.Errorf("before the first compaction: %+v", l)
	}
	// The calls that the compaction keeps count once.
	first, second := past(t, twice(t, 2), "a3").Before, past(t, twice(t, 4), "a4").Before
	if first.Requests != 3 || second.Requests != 4 || first.Plain <= 3000 || second.Plain <= first.Plain {
		t.Errorf("%+v, then %+v", first, second)
	}
	if first.Saved() != 0 || second.Saved() != 0 {
		t.Errorf("nothing was pruned: %+v, %+v", first, second)
	}
}

// forked is a session of three turns that went back to the first one and on from there, was
// compacted on that branch, and went back to the first one again.
func forked(t *testing.T) *pi.Session {
	answer := func(id, parent string, at int) string {
		return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":"well"}],"stopReason":"stop","timestamp":%d}`, at))
	}
	return openText(t, sessionText(3,
		answer("b1", "r0", 101), answer("b2", "b1", 102),
		entry("compaction", "k1", "b2", `"summary":"s","firstKeptEntryId":"b2","tokensBefore":9`), answer("b3", "k1", 17724438_00103),
		answer("d1", "r0", 104)))
}

// whole is the bill of all requests up to an entry.
func whole(t *testing.T, s *pi.Session, leaf string, stored ...prune.Mark) bill.Bill {
	t.Helper()
	return policy.PastOf(past(t, s, leaf, stored...), branchOf(t, s, leaf, stored).Messages).Bill
}

func TestRequestsOnOtherBranchesAreInTheBill(t *testing.T) {
	pruned := []prune.Mark{{EntryID: "r0", Leaf: "r1", Marker: "[gone]", Tokens: 1000, MarkerTokens: 2}, {EntryID: "r0", Leaf: "b1", Marker: "[gone]", Tokens: 1000, MarkerTokens: 2}}
	for _, stored := range [][]prune.Mark{nil, pruned[:1], pruned[1:], pruned} {
		s := forked(t)
		on := whole(t, s, "d1", stored...)
		if on.Requests != 7 {
			t.Errorf("%d requests, want 7: each once", on.Requests)
		}
		for _, leaf := range []string{"r2", "b2", "b3"} {
			got := whole(t, s, leaf, stored...)
			if math.Abs(got.Plain-on.Plain) > 1e-6 || math.Abs(got.Billed-on.Billed) > 1e-6 || got.Requests != on.Requests {
				t.Errorf("%d marks: at %s %+v, at d1 %+v: the same requests were made", len(stored), leaf, got, on)
			}
		}
		if (on.Saved() != 0) != (len(stored) > 0) {
			t.Errorf("%d marks saved %v", len(stored), on.Saved())
		}
	}
}

func TestSavingsFromBeforeACompactionMayBeSpentAfterIt(t *testing.T) {
	pruned := prune.Mark{EntryID: "r0", Leaf: "r0", Marker: "[gone]", Tokens: 1000, MarkerTokens: 2}
	first, second := past(t, twice(t, 2), "a3", pruned).Before, past(t, twice(t, 4), "a4", pruned).Before
	// It was written once less, and read once less.
	if want := 998 * 1.35; math.Abs(first.Saved()-want) > 0.01 || math.Abs(second.Saved()-want) > 0.01 {
		t.Errorf("saved %v, then %v, want %v", first.Saved(), second.Saved(), want)
	}
}

func TestRequestsForSummariesAreBilledAsTheSessionSaysTheyWere(t *testing.T) {
	const usage = `{"input":1000,"output":100,"cacheRead":500,"cacheWrite":40}`
	const cost = 1000 + 0.1*500 + 1.25*40 + 5*100
	const own = `"details":{"pictx":{"summaries":["s"],"requests":%s}}`
	for name, c := range map[string]struct {
		more  string
		sent  float64 // -1 is what plain pi's is estimated at
		plain float64 // likewise, and larger than 0
	}{
		"pi's own":                   {`"usage":` + usage, cost, cost},
		"pi's own, of an older pi":   {`"fromHook":false`, -1, -1},
		"pictx's":                    {fmt.Sprintf(own, `1,"usage":`+usage), cost, -1},
		"pictx's, as a newer pi has": {`"details":{"pictx":{}},"usage":` + usage, cost, -1},
		"pictx's, without a model":   {fmt.Sprintf(own, `0`), 0, -1},
		"pictx's, of no known usage": {fmt.Sprintf(own, `2`), -1, -1},
		"nonsense":                   {`"usage":{"input":"many","output":-1},"details":[]`, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			entries := compacted()[:2]
			entries[0] = entry("compaction", "k1", "r2", `"summary":"s","firstKeptEntryId":"u2","tokensBefore":9,`+c.more)
			b := past(t, openText(t, sessionText(3, entries...)), "a3").Before
			estimate := estimated(t)
			want := func(v float64) float64 {
				if v < 0 {
					return estimate
				}
				return v
			}
			if got := b.Parts[bill.Summaries].Cost; math.Abs(got-want(c.sent)) > 1e-6 {
				t.Errorf("the requests cost %v, want %v", got, want(c.sent))
			}
			if math.Abs(b.PlainSummaries-want(c.plain)) > 1e-6 {
				t.Errorf("those of plain pi cost %v, want %v", b.PlainSummaries, want(c.plain))
			}
			if math.Abs(b.Saved()-(b.PlainSummaries-b.Parts[bill.Summaries].Cost)) > 1e-6 {
				t.Errorf("saved %v: %+v", b.Saved(), b)
			}
		})
	}
}

// estimated is what the summary of two turns costs in plain pi: two calls, two results
// of which 2,000 characters are sent, two prompts, and the instructions.
func estimated(t *testing.T) float64 {
	t.Helper()
	tree := openText(t, sessionText(3, compacted()[0])).Entries()
	c := ledger.PlainCompaction(tree.Context("r2"), tree.Context("k1"), 1)
	if c.Input < 520+2*500 || c.Input > 520+2*600 {
		t.Fatalf("a request of %v tokens", c.Input)
	}
	return float64(c.Input) + 5*float64(c.Output)
}

func TestASummaryOfPlainPiHoldsWhatWasPruned(t *testing.T) {
	tree := openText(t, sessionText(3)).Entries()
	edited := entry("context_edit", "x1", "r2", `"targetId":"r0","content":[{"type":"text","text":"[gone]"}]`)
	with := openText(t, sessionText(3, edited, entry("compaction", "k1", "x1", `"summary":"s","firstKeptEntryId":"u2","tokensBefore":9`))).Entries()
	whole := ledger.PlainCompaction(tree.Context("r2"), nil, 1)
	if got := ledger.PlainCompaction(with.Context("x1"), nil, 1); got != whole {
		t.Errorf("%+v, want %+v", got, whole)
	}
}
