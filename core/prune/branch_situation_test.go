package prune_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// entry is a line of a session that is not a message of a turn.
func entry(typ, id, parent, rest string) string {
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%q,"timestamp":"2026-03-02T09:30:00.000Z",%s}`, typ, id, parent, rest)
}

func assistant(id, parent, model string) string {
	return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":"well"}],"provider":"p","model":%q,"stopReason":"stop","timestamp":100}`, model))
}

func situation(t *testing.T, b *prune.Branch, m prune.Moment) policy.Situation {
	t.Helper()
	return must.Get(b.Situation(m))(t)
}

func TestABranchKnowsTheModelOfItsLastCall(t *testing.T) {
	s := openText(t, sessionText(1, assistant("a9", "r0", "m")))
	b := branchOf(t, s, "a9", nil)
	for _, c := range []struct{ provider, model, want string }{
		{"p", "m", ""}, {"", "m", ""}, {"", "", ""}, {"p", "other", policy.ColdModel}, {"q", "m", policy.ColdModel},
	} {
		got := situation(t, b, prune.Moment{Now: 500, Model: prune.Model{Provider: c.provider, ID: c.model}})
		must.Not(t, got.View.Cold != c.want || got.View.Now != 500 || got.CWD != "/w", "%v: %q, %+v", c, got.View.Cold, got)
	}
}

func TestABranchKnowsThatTheSessionWasMoved(t *testing.T) {
	s := openText(t, sessionText(3, assistant("a9", "r1", "m")))
	later := prune.Moment{Now: (2 * time.Hour).Milliseconds()}
	for leaf, want := range map[string]string{"a9": policy.ColdIdle, "r2": policy.ColdBranch, "r1": policy.ColdBranch} {
		must.Equal(t, situation(t, branchOf(t, s, leaf, nil), later).View.Cold, want, "at %s", leaf)
	}
	must.Equal(t, situation(t, branchOf(t, openText(t, sessionText(0)), "", nil), later).View.Cold, policy.ColdFirst, "an empty session")
}

// Holds prune 38.
func TestWarmingTheCacheCountsAsAUse(t *testing.T) {
	prices, _ := token.Profile("anthropic-5m")
	for kind, want := range map[string]string{"cache_warm": "", "other": policy.ColdIdle} {
		s := openText(t, sessionText(2, fmt.Sprintf(`{"type":"usage","id":"w1","parentId":"r1","timestamp":"1970-01-01T00:04:00.000Z","kind":%q,"usage":{}}`, kind)))
		m := prune.Moment{Now: (8 * time.Minute).Milliseconds(), Model: prune.Model{Prices: prices, KnownPrices: true}}
		must.Equal(t, situation(t, branchOf(t, s, "w1", nil), m).View.Cold, want, "%s", kind)
	}
}

func TestWhatStandsBeforeAConversationIsWrittenOnlyWithAColdCache(t *testing.T) {
	five, _ := token.Profile("anthropic-5m")
	none, _ := token.Profile("none")
	warm := func(id, parent string, minute int) string {
		return fmt.Sprintf(`{"type":"usage","id":%q,"parentId":%q,"timestamp":"1970-01-01T00:%02d:00.000Z","kind":"cache_warm","usage":{}}`, id, parent, minute)
	}
	for name, c := range map[string]struct {
		minute int64 // the last response is of minute 0
		prices token.Prices
		model  string
		extra  []string
		want   bool
	}{
		"used just now":           {minute: 1, prices: five},
		"a pause":                 {minute: 10, prices: five, want: true},
		"a pause, kept in use":    {minute: 10, prices: five, extra: []string{warm("w0", "r0", 4), warm("w1", "w0", 8)}},
		"kept in use too late":    {minute: 10, prices: five, extra: []string{warm("w1", "r0", 8)}, want: true},
		"a pause, prices unknown": {minute: 10, prices: token.Unknown()},
		"another model":           {minute: 1, prices: five, model: "other", want: true},
		"no cache":                {minute: 1, prices: none, want: true},
	} {
		s := openText(t, sessionText(1, c.extra...))
		m := prune.Moment{Leaf: s.Leaf(), Now: c.minute * time.Minute.Milliseconds(), Model: prune.Model{ID: c.model, Prices: c.prices, KnownPrices: true}}
		must.Equal(t, prune.Writes(s, m), c.want, "%s", name)
	}
	must.Equal(t, prune.Writes(openText(t, sessionText(0)), prune.Moment{Model: prune.Model{Prices: none, KnownPrices: true}}), false, "nothing is known")
}

// The whole session is billed, wherever it stands.
func TestRequestsOnOtherBranchesAreInTheBillOfADecision(t *testing.T) {
	answer := func(id, parent string) string { return assistant(id, parent, "m") }
	s := openText(t, sessionText(3,
		entry("custom", "m", "r0", fmt.Sprintf(`"customType":"pictx.marks","data":{"marks":[{"id":"r0","marker":%q}]}`, wasRead("r0", "").Marker)),
		answer("b1", "m"), answer("b2", "b1"),
		entry("compaction", "k1", "b2", `"summary":"s","firstKeptEntryId":"b2","tokensBefore":9`), answer("b3", "k1"),
		answer("d1", "r0")))
	want := situation(t, branchOf(t, s, "d1", nil), prune.Moment{}).View.Bill
	must.Not(t, want.Requests != 7 || want.Saved() <= 0, "%+v, want seven requests, which saved something", want)
	for _, leaf := range []string{"r2", "b2", "b3"} {
		must.Equal(t, situation(t, branchOf(t, s, leaf, nil), prune.Moment{}).View.Bill, want, "at %s: the same requests were made as at d1", leaf)
	}
}

func TestABranchReadsTheTextOfItsResults(t *testing.T) {
	b := branchOf(t, openText(t, sessionText(2)), "r1", nil)
	must.Equal(t, b.Text(2), strings.Repeat("x", 4000), "got")
	if n := testing.AllocsPerRun(10, func() { b.Text(2) }); n > 10 {
		t.Errorf("%v allocations: the result is parsed, and was when the session was read", n)
	}
	for _, i := range []int{-1, 99} {
		must.Equal(t, b.Text(i), "", "%d", i)
	}
}

// Holds prune 33.
func TestAForcedDecisionStays(t *testing.T) {
	st := &marks{}
	s := openText(t, sessionText(9))
	auto := policy.NewAuto(policy.AutoSettings{})
	plan := func(sit policy.Situation) prune.Decision {
		return must.Get(prune.DecideAt(t.Context(), st, branchOf(t, s, "r8", st.kept), auto, sit))(t)
	}
	prices, _ := token.Profile("anthropic-1h")
	sit := situation(t, branchOf(t, s, "r8", nil), prune.Moment{Now: 100, Model: prune.Model{Prices: prices, KnownPrices: true}})
	sit.Boundary = true
	if d := plan(sit); d.New != 0 || d.Figures.Trigger != policy.TriggerWait {
		t.Fatalf("it pays: %s", d.Outcome)
	}
	sit.Forced = true
	forced := plan(sit)
	must.Stop(t, forced.New == 0 || st.kept[0].Time != 77, "nothing was forced: %s", forced.Outcome)
	must.Contain(t, forced.Tell[0].Marker, "read f0 lines 1-1 (~1000 tok)", "the marker was written without the text")
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
	must.Stop(t, err != nil || d.New == 0, "%v %v", d.Outcome, err)
	var lines []string
	parent := "r8"
	for i, m := range d.Tell {
		id := fmt.Sprintf("e%d", i)
		lines = append(lines, entry("context_edit", id, parent, fmt.Sprintf(`"targetId":%q,"replacement":{"content":%s}`, m.EntryID, m.Content())))
		parent = id
	}
	elsewhere := openText(t, sessionText(9, lines...))
	b := branchOf(t, elsewhere, parent, nil)
	must.Stop(t, len(b.Pruned()) != d.New || len(b.Untold) != 0, "%d pruned of %d, %d to tell", len(b.Pruned()), d.New, len(b.Untold))
	for i, m := range b.Messages {
		if want := slices.ContainsFunc(d.Tell, func(one prune.Mark) bool { return one.EntryID == m.EntryID }); m.Marked != want {
			t.Errorf("message %d: marked %v", i, m.Marked)
		}
	}
	if again := auto.PlanAt(policy.Situation{Forced: true, Boundary: true}, b.Messages); len(again.Edits) > 0 {
		t.Errorf("it is decided again: %+v", again.Edits)
	}
	for _, m := range branchOf(t, elsewhere, "r8", nil).Messages {
		must.Not(t, m.Marked, "a marker before the decision")
	}
}

// Holds prune 36.
func TestNothingIsToldWhenNothingIsPruned(t *testing.T) {
	d, err := prune.DecideAt(t.Context(), &marks{}, branchOf(t, openText(t, sessionText(2)), "r1", nil), policy.NewAuto(defaultAuto()), policy.Situation{})
	must.Not(t, err != nil || len(d.Tell) > 0 || d.New > 0 || d.Acted || len(d.Edits) > 0, "%+v, %v", d, err)
}
