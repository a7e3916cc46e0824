package prune_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune"
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

// past returns what is known at an entry of what was before its context.
func past(t *testing.T, leaf string, stored ...prune.Mark) prune.Situation {
	t.Helper()
	s := openText(t, sessionText(3, compacted()...))
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
	if l := past(t, "r2").Before; l != (bill.Bill{}) {
		t.Errorf("before the first compaction: %+v", l)
	}
	// The calls that the compaction keeps count once.
	first, second := past(t, "a3").Before, past(t, "a4").Before
	if first.Requests != 3 || second.Requests != 4 || first.Plain <= 3000 || second.Plain <= first.Plain {
		t.Errorf("%+v, then %+v", first, second)
	}
	if first.Saved() != 0 || second.Saved() != 0 {
		t.Errorf("nothing was pruned: %+v, %+v", first, second)
	}
}

func TestSavingsFromBeforeACompactionMayBeSpentAfterIt(t *testing.T) {
	pruned := prune.Mark{EntryID: "r0", Leaf: "r0", Marker: "[gone]", Tokens: 1000, MarkerTokens: 2}
	first, second := past(t, "a3", pruned).Before, past(t, "a4", pruned).Before
	// It was written once less, and read once less.
	if want := 998 * 1.35; math.Abs(first.Saved()-want) > 0.01 || math.Abs(second.Saved()-want) > 0.01 {
		t.Errorf("saved %v, then %v, want %v", first.Saved(), second.Saved(), want)
	}
}
