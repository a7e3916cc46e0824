package replay

import (
	"fmt"
	"testing"

	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/internal/must"
)

// editing are the arguments of an edit.
func editing(old string) string { return fmt.Sprintf(`{"path":"x","oldText":%q,"newText":"y"}`, old) }

func TestAnEditMissesATextThatIsOnlyInWhatIsPruned(t *testing.T) {
	for name, c := range map[string]struct {
		before  string // what the user said at the start
		args    string
		edits   int
		missing int
	}{
		"only in the pruned result":      {"", editing("only in result A"), 1, 1},
		"indented in another way":        {"", editing("\tonly in result A  "), 1, 1},
		"its longest line decides":       {"", editing("short\nonly in result A\nx"), 1, 1},
		"in a result that is there":      {"", editing("only in result B"), 1, 0},
		"in both":                        {"", editing("only in result"), 1, 0},
		"the user said it, too":          {"only in result A", editing("only in result A"), 1, 0},
		"nowhere":                        {"", editing("neither here nor there"), 0, 0},
		"too short to tell":              {"", editing("in result A"), 0, 0},
		"one of several":                 {"", `{"path":"x","edits":[{"oldText":"only in result B"},{"oldText":"only in result A"}]}`, 1, 1},
		"several, written as a text":     {"", `{"path":"x","edits":"[{\"oldText\":\"only in result A\"}]"}`, 1, 1},
		"by another name":                {"", `{"file_path":"x","old_string":"only in result A","new_string":"y"}`, 1, 1},
		"a patch":                        {"", `{"input":"*** Begin Patch\n*** Update File: x\n@@\n-only in result A\n+y\n*** End Patch"}`, 1, 1},
		"not an edit":                    {"", `{"content":"only in result A"}`, 0, 0},
		"arguments that are no object":   {"", `["only in result A"]`, 0, 0},
		"something that is not a string": {"", `{"oldText":7}`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession()
			s.says(c.before)
			s.calls("c1", "read", neutral)
			a := s.result("c1", "read", filled("only in result A", 200))
			s.calls("c2", "read", neutral)
			s.result("c2", "read", filled("only in result B", 200))
			s.calls("c3", "edit", c.args)
			got := replayed(t, fixed(s.load(t), 1000), older(a, 1), "anthropic-5m")
			if got.Edits != c.edits || got.EditsMissing != c.missing {
				t.Errorf("%d of %d edits miss their text, want %d of %d", got.EditsMissing, got.Edits, c.missing, c.edits)
			}
			none := replayed(t, fixed(s.load(t), 1000), None(), "anthropic-5m")
			must.Not(t, none.Edits != 0 || none.EditsMissing != 0, "without pruning: %+v", none)
		})
	}
}

func TestAnEditBeforeAnythingIsPrunedDoesNotCount(t *testing.T) {
	s, a, _ := two(0)
	s.calls("c3", "edit", editing("only in result A"))
	s.result("c3", "edit", "done")
	s.answer(1)
	got := replayed(t, fixed(s.load(t), 1000), older(a, 2), "anthropic-5m")
	must.Not(t, got.FirstPrune != 4 || got.Edits != 0, "%+v", got)
}

func TestACallMissesAPathThatIsOnlyInWhatIsPruned(t *testing.T) {
	for name, c := range map[string]struct {
		args    string
		missing int
	}{
		"only in the pruned result":  {`{"path":"deep/inside.go"}`, 1},
		"in a command":               {`{"command":"cat deep/inside.go | head"}`, 1},
		"in a result that is there":  {`{"path":"other/place.go"}`, 0},
		"in both":                    {`{"path":"common.txt"}`, 0},
		"nowhere":                    {`{"path":"new/file.go"}`, 0},
		"too short":                  {`{"path":"d/i"}`, 0},
		"no path":                    {`{"pattern":"deep"}`, 0},
		"what is written":            {`{"content":"deep/inside.go"}`, 0},
		"two of which one is there":  {`{"command":"diff deep/inside.go other/place.go"}`, 1},
		"the marker says it, in all": {`{"path":"forty/marked.go"}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession()
			s.user(10)
			s.calls("c1", "grep", neutral)
			a := s.result("c1", "grep", filled("deep/inside.go common.txt d/i forty/marked.go", 200))
			s.calls("c2", "grep", neutral)
			s.result("c2", "grep", filled("other/place.go common.txt", 200))
			s.calls("c3", "read", c.args)
			p := older(a, 1)
			write := p.Planner.Marker
			p.Planner.Marker = withPath(write)
			got := replayed(t, fixed(s.load(t), 1000), p, "anthropic-5m")
			must.Not(t, got.CallsMissing != c.missing || got.Edits != 0, "%d calls miss a path, want %d: %+v", got.CallsMissing, c.missing, got)
		})
	}
}

// asking is what the output of a request costs that fetches a text.
const asking = float64(fetchOutput) * 5

// fetching is what texts cost that were fetched again, with all that follows from it.
func fetching(t *testing.T, r *Recording, p Policy) float64 {
	t.Helper()
	with := replayed(t, r, p, "anthropic-5m").Bill.Tokens.Billed
	nothing := *r
	nothing.tools = make([][]toolCall, len(r.Requests))
	return with - replayed(t, &nothing, p, "anthropic-5m").Bill.Tokens.Billed
}

func TestALostTextIsFetchedOnceAndStaysUntilTheEnd(t *testing.T) {
	s := newSession()
	s.user(100)
	s.calls("c1", "read", neutral)
	a := s.result("c1", "read", filled("only in result A\nand this as well", 200))
	s.calls("c2", "read", neutral)
	s.result("c2", "read", filled("only in result B", 200))
	s.calls("c3", "edit", editing("only in result A"))
	s.result("c3", "edit", filled("done", 50))
	s.calls("c4", "edit", editing("and this as well"))
	s.result("c4", "edit", filled("done", 50))
	s.calls("c5", "edit", editing("only in result A"))
	got := replayed(t, fixed(s.load(t), 1000), older(a, 1), "anthropic-5m")
	// The whole result is fetched, and what the others need with it.
	must.Stop(t, got.Edits != 3 || got.EditsMissing != 1, "%+v", got)
	// One more call after the third, which had 318 tokens: it reads them and the
	// floor, and writes the 200 of the result. The two calls after it read those.
	wantBill(t, "what fetching costs", fetching(t, fixed(s.load(t), 1000), older(a, 1)), asking+(1318*0.1+200*1.25)+2*(200*0.1))
}

func TestAFetchedTextIsGoneAfterACompaction(t *testing.T) {
	s, a, _ := two(0)
	kept := s.calls("c3", "edit", editing("only in result A"))
	s.result("c3", "edit", filled("done", 50))
	s.compact(50, kept)
	s.user(30)
	s.answer(1)
	wantBill(t, "what fetching costs", fetching(t, fixed(s.load(t), 1000), older(a, 1)), asking+1318*0.1+200*1.25)
}

func TestAtMostTwoThousandTokensOfATextAreFetched(t *testing.T) {
	s := newSession()
	s.user(100)
	s.calls("c1", "read", neutral)
	a := s.result("c1", "read", filled("only in result A", 9000))
	s.calls("c2", "read", neutral)
	s.result("c2", "read", filled("only in result B", 200))
	s.calls("c3", "edit", editing("only in result A"))
	wantBill(t, "what fetching costs", fetching(t, fixed(s.load(t), 1000), older(a, 1)), asking+1318*0.1+2000*1.25)
}

func TestWhatALostTextCostsIsAnAssumptionThatCanBeChosen(t *testing.T) {
	s := newSession()
	s.user(100)
	s.calls("c1", "read", neutral)
	a := s.result("c1", "read", filled("only in result A\nand this as well", 9000))
	s.calls("c2", "read", neutral)
	s.result("c2", "read", filled("only in result B", 200))
	s.calls("c3", "edit", editing("only in result A"))
	s.result("c3", "edit", filled("done", 50))
	s.calls("c4", "edit", editing("and this as well"))
	r := fixed(s.load(t), 1000)
	nothing := *r
	nothing.tools = make([][]toolCall, len(r.Requests))
	plain := replayed(t, &nothing, older(a, 1), "anthropic-5m").Bill.Tokens.Billed
	for misses, want := range map[Misses]float64{
		NeverFetched: 0,
		// As the tests above: a part of the text is fetched, and read by the next request.
		FetchedOnce: asking + 1318*0.1 + 2000*1.25 + 2000*0.1,
		// All of it, and a second time after the next edit, whose call and result have 65 tokens.
		AlwaysReread: asking + 1318*0.1 + 9000*1.25 + 9000*0.1 + asking + (1318+9000+65)*0.1 + 9000*1.25,
	} {
		run := must.Get(r.Run(t.Context(), older(a, 1), world(t, "anthropic-5m"), Options{Misses: misses}))(t)
		wantBill(t, fmt.Sprintf("assumption %d", misses), run.Bill.Tokens.Billed-plain, want)
	}
}

func TestACallThatLostSeveralTextsFetchesOnce(t *testing.T) {
	s := newSession()
	s.user(100)
	s.calls("c1", "read", neutral)
	a := s.result("c1", "read", filled("only in result A", 200))
	s.calls("c2", "read", neutral)
	b := s.result("c2", "read", filled("only in result B", 300))
	s.calls("c3", "read", neutral)
	s.result("c3", "read", filled("only in result C", 200))
	s.calls("c4", "edit", `{"path":"x.go","edits":[{"oldText":"only in result A"},{"oldText":"only in result B"}]}`)
	both := chosen(func(e string, age int) bool { return age >= 1 && (e == a || e == b) }).policy()
	got := fetching(t, fixed(s.load(t), 1000), both)
	prompt := replayed(t, fixed(s.load(t), 1000), both, "anthropic-5m").Series[3].Tokens
	wantBill(t, "one fetch of both", got, asking+float64(prompt)*0.1+500*1.25)
}

// A fetch leaves two content blocks in the context, which count towards the provider's
// look-back: a planner that did not know of them would rely on a breakpoint out of reach.
func TestThePlannerSeesWhatWasFetched(t *testing.T) {
	s := newSession()
	s.user(100)
	s.calls("c1", "read", neutral)
	a := s.result("c1", "read", filled("only in result A", 200))
	s.calls("c2", "read", neutral)
	s.result("c2", "read", filled("only in result B", 200))
	s.calls("c3", "edit", editing("only in result A"))
	s.result("c3", "edit", filled("done", 50))
	s.answer(10)
	var seen *policy.View
	p := older(a, 1)
	when := p.Planner.When
	p.Planner.When = func(in *policy.Input, found []*policy.Candidate) policy.Verdict {
		seen = in.Situation.View
		return when(in, found)
	}
	replayed(t, fixed(s.load(t), 1000), p, "anthropic-5m")
	must.Not(t, seen == nil || len(seen.Fetched) != 1 || seen.Fetched[0].Tokens != 200 || seen.Fetched[0].Blocks != fetchBlocks, "%+v", seen)
}
