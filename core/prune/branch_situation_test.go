package prune_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// entry is a line of a session that is not a message of a turn.
func entry(typ, id, parent, rest string) string {
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%q,"timestamp":"2026-03-02T09:30:00.000Z",%s}`, typ, id, parent, rest)
}

func assistant(id, parent, model string) string {
	return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":"well"}],"provider":"p","model":%q,"stopReason":"stop","timestamp":100}`, model))
}

func situation(t *testing.T, b *prune.Branch, provider, model string) policy.Situation {
	t.Helper()
	s, err := b.Situation(500, provider, model)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestABranchKnowsTheModelOfItsLastCall(t *testing.T) {
	s := openText(t, sessionText(1, assistant("a9", "r0", "m")))
	b := branchOf(t, s, "a9", nil)
	for _, c := range []struct {
		provider, model string
		want            bool
	}{{"p", "m", false}, {"", "m", false}, {"", "", false}, {"p", "other", true}, {"q", "m", true}} {
		if got := situation(t, b, c.provider, c.model); got.ModelSwitched != c.want || got.Now != 500 || got.CWD != "/w" {
			t.Errorf("%v: %+v", c, got)
		}
	}
}

func TestABranchKnowsThatTheSessionWasMoved(t *testing.T) {
	s := openText(t, sessionText(3, assistant("a9", "r1", "m")))
	for leaf, want := range map[string]bool{"a9": false, "r2": true, "r1": true, "r0": true} {
		if got := situation(t, branchOf(t, s, leaf, nil), "", "").Moved; got != want {
			t.Errorf("at %s: %v", leaf, got)
		}
	}
	if situation(t, branchOf(t, openText(t, sessionText(0)), "", nil), "", "").Moved {
		t.Error("an empty session was moved")
	}
}

// Holds prune 38.
func TestWarmingTheCacheCountsAsAUse(t *testing.T) {
	s := openText(t, sessionText(1,
		entry("usage", "w1", "r0", `"kind":"cache_warm","usage":{}`),
		entry("usage", "w2", "w1", `"kind":"other","usage":{}`),
		entry("usage", "w3", "w2", `"usage":{}`)))
	if got := situation(t, branchOf(t, s, "w3", nil), "", "").Warmed; len(got) != 1 || got[0] != 1772443800000 {
		t.Errorf("%v", got)
	}
}

func TestABranchReadsTheTextOfItsResults(t *testing.T) {
	b := branchOf(t, openText(t, sessionText(2)), "r1", nil)
	if got := b.Text(2); got != strings.Repeat("x", 4000) {
		t.Errorf("%.20q", got)
	}
	if n := testing.AllocsPerRun(10, func() { b.Text(2) }); n > 10 {
		t.Errorf("%v allocations: the result is parsed, and was when the session was read", n)
	}
	for _, i := range []int{-1, 99} {
		if got := b.Text(i); got != "" {
			t.Errorf("%d: %.20q", i, got)
		}
	}
}

// When a result was pruned decides which calls it was cheaper for.
func TestABranchKnowsSinceWhenResultsArePruned(t *testing.T) {
	mark := func(id, leaf string) prune.Mark {
		return prune.Mark{EntryID: id, Leaf: leaf, Marker: `[output pruned — ~1,000 tokens | read path="f0"]`, Tokens: 1000, MarkerTokens: 12}
	}
	check := func(name string, b *prune.Branch, index, since int) {
		t.Helper()
		if m := b.Messages[index]; !m.Marked || len(m.Was) != 1 || m.Was[0] != (policy.Form{Tokens: 1000, Until: since}) {
			t.Errorf("%s: marked %v, was %v", name, m.Marked, m.Was)
		}
	}
	s := openText(t, sessionText(4))
	check("remembered", branchOf(t, s, "r3", []prune.Mark{mark("r0", "r2")}), 2, 9)
	edit := entry("context_edit", "e0", "r3", fmt.Sprintf(`"targetId":"r0","replacement":{"content":[{"type":"text","text":%q}]}`, mark("r0", "").Marker))
	shown := openText(t, sessionText(4, edit))
	check("in the session", branchOf(t, shown, "e0", nil), 2, 12)
	check("both", branchOf(t, shown, "e0", []prune.Mark{mark("r0", "r2")}), 2, 9)
	compacted := openText(t, sessionText(4,
		entry("compaction", "k", "r3", `"summary":"so far","firstKeptEntryId":"u2","tokensBefore":9`), assistant("a9", "k", "m")))
	check("kept by a compaction", branchOf(t, compacted, "a9", []prune.Mark{mark("r2", "a3")}), 3, 6)
}

// pi measures what it keeps in its context as it is: what was pruned there leaves room
// for more, which plain pi would not have kept and is not billed for.
func TestPlainPiIsNotBilledForWhatItWouldNotHaveKept(t *testing.T) {
	prune0 := func(i int, parent string) string {
		return entry("context_edit", fmt.Sprint("e", i), parent, fmt.Sprintf(`"targetId":"r%d","replacement":{"content":[{"type":"text","text":"[pruned: x]"}]}`, i))
	}
	keep := func(parent, first string) string {
		return entry("compaction", "k", parent, fmt.Sprintf(`"summary":"so far","firstKeptEntryId":%q,"tokensBefore":9`, first))
	}
	for _, c := range []struct {
		name  string
		lines []string
		leaf  string
		want  int // how many of the ten kept turns of three messages plain pi keeps
	}{
		{"nothing was pruned", []string{keep("r9", "u0"), assistant("a99", "k", "m")}, "a99", 10},
		{"most was pruned before", []string{
			prune0(0, "r9"), prune0(1, "e0"), prune0(2, "e1"), prune0(3, "e2"), prune0(4, "e3"), prune0(5, "e4"), prune0(6, "e5"), prune0(7, "e6"), keep("e7", "u0"), assistant("a99", "k", "m"),
		}, "a99", 2},
		{"most was pruned after", []string{
			keep("r9", "u0"), prune0(0, "k"), prune0(1, "e0"), prune0(2, "e1"), prune0(3, "e2"), assistant("a99", "e3", "m"),
		}, "a99", 10},
	} {
		b := branchOf(t, openText(t, sessionText(10, c.lines...)), c.leaf, nil)
		got := situation(t, b, "", "")
		if want := 1 + 3*(10-c.want); max(1, got.PlainFrom-2) > want || got.PlainFrom < want {
			t.Errorf("%s: plain pi keeps messages from %d on, want about %d of %d", c.name, got.PlainFrom, want, len(b.Messages))
		}
	}
}

// Holds prune 33.
func TestAForcedDecisionStays(t *testing.T) {
	st := &marks{}
	s := openText(t, sessionText(9))
	auto := policy.NewAuto(policy.AutoSettings{})
	plan := func(sit policy.Situation) prune.Decision {
		d, err := prune.DecideAt(t.Context(), st, branchOf(t, s, "r8", st.kept), auto, sit)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	prices, _ := token.Profile("anthropic-1h")
	sit := policy.Situation{Boundary: true, Now: 100, Prices: prices, KnownPrices: true, Floor: 1000, Scale: 1}
	if d := plan(sit); d.New != 0 || d.Figures.Trigger != policy.TriggerWait {
		t.Fatalf("it pays: %s", d.Outcome)
	}
	sit.Forced = true
	forced := plan(sit)
	if forced.New == 0 || st.kept[0].Time != 100 {
		t.Fatalf("nothing was forced: %s", forced.Outcome)
	}
	if !strings.Contains(forced.Tell[0].Marker, "read f0 lines 1-1 (~1000 tok)") {
		t.Errorf("the marker was written without the text: %s", forced.Tell[0].Marker)
	}
	sit.Forced = false
	later := plan(sit)
	if diff := cmp.Diff(forced.Tell, later.Tell); diff != "" || later.New != 0 {
		t.Errorf("afterwards:\n%s", diff)
	}
}

// With the session file alone, on another machine or after a restart, the markers
// are the same bytes; before the decision there are none.
//
// Holds prune 31, 34.
func TestTheSameSessionShowsTheSameMarkers(t *testing.T) {
	st := &marks{}
	s := openText(t, sessionText(9))
	auto := policy.NewAuto(policy.AutoSettings{})
	d, err := prune.DecideAt(t.Context(), st, branchOf(t, s, "r8", nil), auto, policy.Situation{Forced: true, Boundary: true})
	if err != nil || d.New == 0 {
		t.Fatal(d.Outcome, err)
	}
	var lines []string
	parent := "r8"
	for i, m := range d.Tell {
		id := fmt.Sprintf("e%d", i)
		lines = append(lines, entry("context_edit", id, parent, fmt.Sprintf(`"targetId":%q,"replacement":{"content":%s}`, m.EntryID, m.Content())))
		parent = id
	}
	elsewhere := openText(t, sessionText(9, lines...))
	b := branchOf(t, elsewhere, parent, nil)
	if len(b.Pruned()) != d.New || len(b.Untold) != 0 {
		t.Fatalf("%d pruned of %d, %d to tell", len(b.Pruned()), d.New, len(b.Untold))
	}
	for i, m := range b.Messages {
		if want := slices.ContainsFunc(d.Tell, func(one prune.Mark) bool { return one.EntryID == m.EntryID }); m.Marked != want {
			t.Errorf("message %d: marked %v", i, m.Marked)
		}
	}
	if again := auto.PlanAt(policy.Situation{Forced: true, Boundary: true}, b.Messages); len(again.Edits) > 0 {
		t.Errorf("it is decided again: %+v", again.Edits)
	}
	for _, m := range branchOf(t, elsewhere, "r8", nil).Messages {
		if m.Marked {
			t.Error("a marker before the decision")
		}
	}
}

// Holds prune 36.
func TestNothingIsToldWhenNothingIsPruned(t *testing.T) {
	d, err := prune.DecideAt(t.Context(), &marks{}, branchOf(t, openText(t, sessionText(2)), "r1", nil), policy.NewAuto(defaultAuto()), policy.Situation{})
	if err != nil || len(d.Tell) > 0 || d.New > 0 || d.Acted || len(d.Edits) > 0 {
		t.Errorf("%+v, %v", d, err)
	}
}
