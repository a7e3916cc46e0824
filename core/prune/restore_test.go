package prune_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// wasRead is a mark of one of the reads of sessionText.
func wasRead(id, leaf string) prune.Mark {
	return prune.Mark{EntryID: id, Leaf: leaf, Marker: `[output pruned — ~1,000 tokens | read path="f0"]`, Tokens: 1000, MarkerTokens: 12}
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

func TestWhatWasRestoredIsNotLeftOutAfterACompaction(t *testing.T) {
	t.Parallel()
	marks := []prune.Mark{wasRead("r0", "r1"), wasRead("r1", "r1")}
	s := openText(t, sessionText(3,
		entry("custom", "p", "r2", `"customType":"pictx.pins","data":{"pins":[{"target":"r0"}],"restored":["r0"]}`),
		entry("compaction", "k", "p", `"summary":"so far","firstKeptEntryId":"a2","tokensBefore":9`)))
	for leaf, want := range map[string]int{"r2": 2 * 988, "p": 988, "k": 988} {
		if got := int(branchOf(t, s, leaf, marks).LeftOut()); got != want {
			t.Errorf("at %s %d tokens are left out, want %d", leaf, got, want)
		}
	}
}

// What was saved until a result was restored stays saved; what is sent since is not.
func TestARestoredResultIsBilledAsEachRequestSawIt(t *testing.T) {
	t.Parallel()
	mark := wasRead("r0", "r1")
	size := token.OfText(mark.Marker)
	restored := `"customType":"pictx.pins","data":{"pins":[{"target":"r0"}],"restored":["r0"]}`
	pruned := fmt.Sprintf(`"targetId":"r0","replacement":{"content":[{"type":"text","text":%q}]}`, mark.Marker)
	original := `"targetId":"r0","replacement":{"content":[{"type":"text","text":"` + strings.Repeat("x", 4000) + `"}]}`
	for name, c := range map[string]struct {
		extra []string
		marks []prune.Mark
		leaf  string
		saved token.Count
	}{
		"of an agent without edits": {[]string{entry("custom", "p", "r2", restored), assistant("n0", "p", "m"), assistant("n1", "n0", "m")}, []prune.Mark{mark}, "n1", 1000 - size},
		"of an agent with edits": {[]string{
			entry("custom", "p", "r2", restored), entry("context_edit", "e", "p", original), assistant("n0", "e", "m"), assistant("n1", "n0", "m"),
		}, []prune.Mark{mark}, "n1", 1000 - size},
		"of a fork, which has the edits alone": {[]string{
			entry("context_edit", "e0", "r2", pruned), assistant("m0", "e0", "m"),
			entry("context_edit", "e", "m0", original), entry("custom", "p", "e", restored), assistant("n0", "p", "m"), assistant("n1", "n0", "m"),
		}, nil, "n1", 1000 - size},
		"of a fork, pruned again": {[]string{
			entry("context_edit", "e0", "r2", pruned), assistant("m0", "e0", "m"),
			entry("context_edit", "e", "m0", original), entry("custom", "p", "e", restored), assistant("n0", "p", "m"),
			entry("context_edit", "e1", "n0", pruned), assistant("n1", "e1", "m"),
		}, nil, "n1", 2 * (1000 - size)},
		"pruned again": {[]string{
			entry("custom", "p", "r2", restored), assistant("n0", "p", "m"), assistant("n1", "n0", "m"), assistant("n2", "n1", "m"),
		}, []prune.Mark{mark, wasRead("r0", "n1")}, "n2", 2 * (1000 - size)},
	} {
		s := openText(t, sessionText(3, c.extra...))
		for _, leaf := range []string{"p", "n0", c.leaf} {
			b := branchOf(t, s, leaf, c.marks)
			sit := situation(t, b, "", "")
			sit.Prices, sit.KnownPrices, sit.Floor, sit.Scale = token.Prices{Name: "even", Read: 1, Write: 1}, true, 3000, 1
			got, want := policy.PastOf(sit, b.Messages).Bill, c.saved
			if leaf != c.leaf {
				want = 1000 - size
			}
			if got.Saved() != float64(want) {
				t.Errorf("%s, at %s: saved %v, want %v", name, leaf, got.Saved(), want)
			}
			if got, want := got.Parts[bill.Markers].Tokens, size*want/(1000-size); got != want {
				t.Errorf("%s, at %s: %d tokens of markers were sent, want %d", name, leaf, got, want)
			}
		}
	}
}
