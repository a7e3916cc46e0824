package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

func TestTheNumbersAreThoseOfTheREADME(t *testing.T) {
	want := SeedSettings{
		Minimum: 20000, Protect: 40000, ProtectedTurns: 2,
		PrunableTools: []string{"read", "bash", "grep", "find", "ls", "edit", "write"},
	}
	must.Match(t, DefaultSeed(), want, "what differs")
}

// seedCase is a context, what becomes of it, and why for single messages.
type seedCase struct {
	name    string
	set     func(*SeedSettings)
	in      list
	edits   []int
	reasons map[int]string
}

func (c seedCase) run(t *testing.T) {
	s := settings()
	if c.set != nil {
		c.set(&s)
	}
	plan := NewSeed(s).Plan(c.in.parse())
	must.Match(t, edited(plan), c.edits, "what differs")
	for i, want := range c.reasons {
		must.Equal(t, why(plan, i), want, "message %d: reason", i)
	}
}

func TestResultsOlderThanTheBudgetArePruned(t *testing.T) {
	for _, c := range []seedCase{
		{
			name: "the newest tokens stay", in: of(result("a", "read", 30), result("b", "read", 20), result("c", "read", 20)),
			edits: []int{0}, reasons: map[int]string{0: CodeOld, 1: CodeBudget, 2: CodeBudget},
		},
		{
			name: "the result that crosses the line stays whole",
			in:   of(result("a", "read", 20), result("b", "read", 1000), result("c", "read", 39)), edits: []int{0},
			reasons: map[int]string{1: CodeBudget},
		},
		{
			name: "a result after exactly the budget goes",
			in:   of(result("a", "read", 20), result("b", "read", 40)), edits: []int{0},
		},
		{
			name: "a budget of nothing protects nothing", set: func(s *SeedSettings) { s.Protect = 0 },
			in: of(result("a", "read", 20), result("b", "read", 1)), edits: []int{0, 1},
		},
		{
			name: "only tool results count", in: of(result("a", "read", 30), call("b", "bash", `{"command":"`+strings.Repeat("y", 400)+`"}`), result("b", "bash", 30)),
			edits: []int{}, reasons: map[int]string{0: CodeBudget},
		},
	} {
		t.Run(c.name, c.run)
	}
}

func TestResultsThatJustReachTheMinimumArePruned(t *testing.T) {
	for _, c := range []seedCase{
		{name: "one token below", in: of(result("a", "read", 19), result("b", "read", 40)), edits: []int{}, reasons: map[int]string{0: CodeMinimum}},
		{name: "exactly", in: of(result("a", "read", 20), result("b", "read", 40)), edits: []int{0}},
		{name: "together", in: of(result("a", "read", 10), result("a", "read", 10), result("b", "read", 40)), edits: []int{0, 1}},
		{name: "none needed", set: func(s *SeedSettings) { s.Minimum = 0 }, in: of(result("a", "read", 1), result("b", "read", 40)), edits: []int{0}},
		{name: "none needed and nothing there", set: func(s *SeedSettings) { s.Minimum = 0 }, in: of(user()), edits: []int{}},
	} {
		t.Run(c.name, c.run)
	}
}

func TestTheNewestUserTurnsAreProtected(t *testing.T) {
	two := func(s *SeedSettings) { s.ProtectedTurns, s.Protect = 2, 0 }
	for _, c := range []seedCase{
		{
			name: "two of three", set: two,
			in:    of(user(), result("a", "read", 20), user(), result("b", "read", 20), user(), result("c", "read", 20)),
			edits: []int{1}, reasons: map[int]string{3: CodeTurn, 5: CodeTurn},
		},
		{name: "a single user message protects all", set: two, in: of(user(), result("a", "read", 99), result("b", "read", 99)), edits: []int{}},
		{
			name: "what a turn protects does not use the budget", set: func(s *SeedSettings) { s.ProtectedTurns = 1 },
			in:    of(result("a", "read", 20), result("b", "read", 40), user(), result("c", "read", 500)),
			edits: []int{0}, reasons: map[int]string{1: CodeBudget, 3: CodeTurn},
		},
		{
			name: "other roles are no turns", set: func(s *SeedSettings) { s.ProtectedTurns, s.Protect = 1, 0 },
			in: of(result("a", "read", 99), `{"role":"custom","content":"x"}`, `{"role":"bashExecution","command":"ls"}`, `{"role":"later"}`), edits: []int{},
		},
	} {
		t.Run(c.name, c.run)
	}
}

func TestOnlyOutputOfPrunableToolsIsPruned(t *testing.T) {
	for _, c := range []seedCase{
		{
			name: "a tool of an extension stays and uses no budget", in: of(result("a", "read", 20), result("b", "kota_impact", 500), result("c", "read", 40)),
			edits: []int{0}, reasons: map[int]string{1: CodeTool},
		},
		{
			name: "an empty list means every tool", set: func(s *SeedSettings) { s.PrunableTools = nil },
			in: of(result("b", "kota_impact", 500), result("c", "read", 40)), edits: []int{0},
		},
		{
			name: "a protected tool stays although it is prunable", set: func(s *SeedSettings) { s.ProtectedTools = []string{"read"} },
			in: of(result("a", "read", 500), result("b", "bash", 20), result("c", "bash", 40)), edits: []int{1}, reasons: map[int]string{0: CodeTool},
		},
		{
			name: "a protected tool stays when every tool is prunable",
			set:  func(s *SeedSettings) { s.ProtectedTools, s.PrunableTools = []string{"read"}, nil },
			in:   of(result("a", "read", 500), result("b", "web", 20), result("c", "bash", 40)), edits: []int{1},
		},
	} {
		t.Run(c.name, c.run)
	}
}

// Holds prune 14.
func TestFailedResultsAreNotPruned(t *testing.T) {
	for _, c := range []seedCase{
		{
			name: "and do not count towards the minimum", in: of(failed(result("a", "read", 500)), result("b", "read", 19), result("c", "read", 40)),
			edits: []int{}, reasons: map[int]string{0: CodeError, 1: CodeMinimum},
		},
		{
			name: "but use the budget", in: of(result("a", "read", 20), failed(result("b", "read", 40))),
			edits: []int{0}, reasons: map[int]string{1: CodeBudget},
		},
	} {
		t.Run(c.name, c.run)
	}
}

func TestNothingBeforeACompactionSummaryIsLookedAt(t *testing.T) {
	seedCase{
		in:    of(result("a", "read", 500), `{"role":"compactionSummary","summary":"s"}`, result("b", "read", 20), result("c", "read", 40)),
		edits: []int{2}, reasons: map[int]string{0: CodeCompacted},
	}.run(t)
}

// Holds prune 4, 5.
func TestContentThatIsNotTextAndImagesStays(t *testing.T) {
	content := func(json string) string {
		return `{"role":"toolResult","toolCallId":"a","toolName":"read","content":` + json + `}`
	}
	long := strings.Repeat("x", 100)
	for name, m := range map[string]string{
		"null": content("null"), "missing": `{"role":"toolResult","toolName":"read"}`, "number": content("7"),
		"object": content("{}"), "not a block": content(`[{"type":"text","text":"` + long + `"},7]`),
		"a new kind of block": content(`[{"type":"text","text":"` + long + `"},{"type":"video"}]`),
	} {
		seedCase{
			name: name, set: func(s *SeedSettings) { s.Minimum = 0 }, in: of(m, result("b", "read", 40)),
			edits: []int{}, reasons: map[int]string{0: CodeContent},
		}.run(t)
	}
}

// Holds prune 5.
func TestAStringIsReplacedByAnArray(t *testing.T) {
	in := of(`{"role":"toolResult","toolName":"read","content" : "`+strings.Repeat("x", 80)+`" ,"z":1}`, result("b", "read", 40))
	out := in.apply(NewSeed(settings()).Plan(in.parse()))
	want := `{"role":"toolResult","toolName":"read","content" : [{"type":"text","text":"[output pruned — ~20 tokens | read]"}] ,"z":1}`
	must.Not(t, string(out[0]) != want, "got  %s\nwant %s", out[0], want)
}

// Holds prune 24.
func TestImagesGoWithTheirResult(t *testing.T) {
	in := of(`{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, result("b", "read", 40))
	out := in.apply(NewSeed(settings()).Plan(in.parse()))
	want := `{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"[output pruned — ~1,201 tokens | read]"}]}`
	must.Not(t, string(out[0]) != want, "got  %s\nwant %s", out[0], want)
}

// Holds prune 4.
func TestElementsThatAreNotMessagesAreLeftAlone(t *testing.T) {
	in := of("null", result("a", "read", 20), "7", result("b", "read", 40), `"x"`, "[]", "{}")
	seedCase{in: in, edits: []int{1}}.run(t)
}

func TestThePlanSaysWhyForEveryToolResult(t *testing.T) {
	in := of(
		`{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"[output pruned — ~20 tokens | read]"}]}`,
		call("a", "read", `{"path":"a.go"}`), result("a", "read", 25), failed(result("b", "bash", 1)), user(),
		result("c", "web", 7), result("d", "read", 40),
	)
	s := settings()
	want := Plan{
		Acted: true, Outcome: "pruned: 25 prunable tokens >= 20 (prune.seed.minimum)",
		Edits: []Edit{{
			Index: 2, EntryID: "e2", ToolName: "read", Tokens: 25, MarkerTokens: 12, Source: "seed",
			Marker: `[output pruned — ~25 tokens | read path="a.go"]`,
			Reason: Reason{CodeOld, "beyond the newest 40 tokens of older tool output (prune.seed.protect)"},
		}},
		Kept: []Kept{
			{Index: 0, EntryID: "e0", ToolName: "read", Tokens: 9, Reason: Reason{CodeMarked, "already pruned"}},
			{Index: 3, EntryID: "e3", ToolName: "bash", Tokens: 1, Reason: Reason{CodeError, "the tool failed, and its message may matter"}},
			{Index: 5, EntryID: "e5", ToolName: "web", Tokens: 7, Reason: Reason{CodeTool, "the tool is not prunable (prune.seed.protected_tools, prune.seed.prunable_tools)"}},
			{Index: 6, EntryID: "e6", ToolName: "read", Tokens: 40, Reason: Reason{CodeBudget, "within the newest 40 tokens of older tool output (prune.seed.protect)"}},
		},
		ScannedTokens: 82, BeforeTokens: 89, AfterTokens: 76, PrunedTokens: 25,
	}
	must.Match(t, NewSeed(s).Plan(in.parse()), want, "what differs")
}

func TestTheOutcomeComparesTheTokensWithTheMinimum(t *testing.T) {
	s := DefaultSeed()
	s.ProtectedTurns = 0
	for _, c := range []struct {
		old  int
		want string
	}{
		{12_400, "nothing: 12,400 prunable tokens < 20,000 (prune.seed.minimum)"},
		{25_000, "pruned: 25,000 prunable tokens >= 20,000 (prune.seed.minimum)"},
	} {
		plan := NewSeed(s).Plan(of(result("a", "read", c.old), result("b", "read", 40_000)).parse())
		must.Equal(t, plan.Outcome, c.want, "outcome")
	}
	s.Minimum = 0
	must.Equal(t, NewSeed(s).Plan(nil).Outcome, "nothing: no tool output is prunable", "outcome")
}

func TestSourcesAddUpAndProtectionsHoldForAll(t *testing.T) {
	in := of(failed(result("a", "web", 20)), result("b", "read", 20), result("c", "web", 9), result("d", "read", 40))
	p := NewSeed(settings())
	p.Sources = append(p.Sources, Source{"another", func(in *Input, say *Opinions) {
		for i := range 3 {
			say.Prune(&in.results[i], Reason{"superseded", "superseded"})
		}
	}})
	plan := p.Plan(in.parse())
	if got := edited(plan); !slices.Equal(got, []int{1, 2}) {
		t.Fatalf("edits %v", got)
	}
	must.Not(t, plan.Edits[0].Source != "seed" || plan.Edits[1].Source != "another" || why(plan, 0) != CodeError, "plan %+v", plan)
}

func TestResultsThatNoSourceMentionsAreExplained(t *testing.T) {
	p := &Planner{When: atLeast(0, "x"), Marker: seedMarker}
	must.Equal(t, why(p.Plan(of(result("a", "read", 1)).parse()), 0), CodeNoRule, "reason")
}

// Holds prune 1.
func TestEditsChangeNothingButContent(t *testing.T) {
	raw := []byte("{\"role\":\"toolResult\",\"n\":1e400, \"content\":[{\"type\":\"text\",\"text\":\"" + strings.Repeat("\\n\\ud800", 40) + "\xff\"}] ,\"content2\":null,\"toolName\":\"ls\"}")
	in := list{raw, []byte(result("b", "read", 40))}
	out := in.apply(NewSeed(settings()).Plan(in.parse()))
	var p message.Parser
	h := must.Get(p.ParseMessage(raw))(t)
	want := string(raw[:h.Content.Span.Start]) + `[{"type":"text","text":"[output pruned — ~21 tokens | ls]"}]` + string(raw[h.Content.Span.End:])
	must.Not(t, string(out[0]) != want, "got  %q\nwant %q", out[0], want)
}
