package prune_test

import (
	"testing"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/internal/must"
)

// wasRead is a mark of one of the reads of sessionText.
func wasRead(id, leaf string) prune.Mark {
	return prune.Mark{EntryID: id, Leaf: leaf, Marker: `[output pruned — ~1,000 tokens | read path="f0"]`, Tokens: 1000, MarkerTokens: 12}
}

func TestARestoredResultIsNotPrunedOnItsBranch(t *testing.T) {
	marks := []prune.Mark{wasRead("r0", "r1"), wasRead("r1", "r1")}
	s := openText(t, sessionText(3, entry("custom", "p", "r2", `"customType":"pictx.pins","data":{"pins":[{"target":"r0"}],"restored":["r0"]}`)))
	for leaf, want := range map[string]int{"r2": 2, "p": 1} {
		must.Equal(t, len(branchOf(t, s, leaf, marks).Pruned()), want, "pruned results at %s", leaf)
	}
}

func TestWhatWasRestoredIsNotLeftOutAfterACompaction(t *testing.T) {
	t.Parallel()
	marks := []prune.Mark{wasRead("r0", "r1"), wasRead("r1", "r1")}
	s := openText(t, sessionText(3,
		entry("custom", "p", "r2", `"customType":"pictx.pins","data":{"pins":[{"target":"r0"}],"restored":["r0"]}`),
		entry("compaction", "k", "p", `"summary":"so far","firstKeptEntryId":"a2","tokensBefore":9`)))
	for leaf, want := range map[string]int{"r2": 2 * 988, "p": 988, "k": 988} {
		must.Equal(t, int(branchOf(t, s, leaf, marks).LeftOut()), want, "tokens left out at %s", leaf)
	}
}
