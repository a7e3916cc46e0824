package prune_test

import (
	"testing"

	"github.com/coctostan/pictx/core/prune"
)

// wasRead is a mark of one of the reads of sessionText.
func wasRead(id, leaf string) prune.Mark {
	return prune.Mark{EntryID: id, Leaf: leaf, Marker: `[output pruned — ~1,000 tokens | read path="f0"]`, Tokens: 1000, MarkerTokens: 12}
}

func TestWhatIsLeftOutCountsAcrossCompactions(t *testing.T) {
	marks := []prune.Mark{wasRead("r0", "r2"), wasRead("r2", "a3"), wasRead("r1", "elsewhere")}
	s := openText(t, sessionText(4, entry("compaction", "k", "r3", `"summary":"so far","firstKeptEntryId":"u2","tokensBefore":9`)))
	for leaf, want := range map[string]int{"r2": 988, "r3": 2 * 988, "k": 2 * 988} {
		if leaf == "r2" {
			marks[1].Leaf = "r3"
		} else {
			marks[1].Leaf = "a3"
		}
		if got := int(branchOf(t, s, leaf, marks).LeftOut()); got != want {
			t.Errorf("%s: %d tokens are left out, want %d", leaf, got, want)
		}
	}
}

func TestAPinNamesThePrunedResultsThatItBringsBack(t *testing.T) {
	s := openText(t, sessionText(3))
	b := branchOf(t, s, "r2", []prune.Mark{wasRead("r0", "r1"), wasRead("r1", "r1")})
	for _, c := range []struct {
		pin  prune.Pin
		want int
	}{
		{prune.Pin{Target: "r0"}, 1},
		{prune.Pin{Target: "f1", IsPath: true}, 1},
		{prune.Pin{Target: "f*", IsPath: true}, 2},
		{prune.Pin{Target: "r2"}, 0},
	} {
		back, err := b.Restore(c.pin, "/w")
		if err != nil || len(back) != c.want {
			t.Errorf("%+v brings back %d results, want %d: %v", c.pin, len(back), c.want, err)
		}
		for _, r := range back {
			if len(r.Content) < 4000 {
				t.Errorf("%s comes back as %s", r.EntryID, r.Content)
			}
		}
	}
}

func TestARestoredResultIsNotPrunedOnItsBranch(t *testing.T) {
	marks := []prune.Mark{wasRead("r0", "r1"), wasRead("r1", "r1")}
	s := openText(t, sessionText(3, entry("custom", "p", "r2", `"customType":"pictx.pins","data":{"pins":[{"target":"r0"}],"restored":["r0"]}`)))
	for leaf, want := range map[string]int{"r2": 2, "p": 1} {
		if got := len(branchOf(t, s, leaf, marks).Pruned()); got != want {
			t.Errorf("at %s %d results are pruned, want %d", leaf, got, want)
		}
	}
}
