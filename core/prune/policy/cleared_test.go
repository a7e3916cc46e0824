package policy

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

// thoughtful is a conversation of two turns in which every response thinks: the positions of
// its responses and of its results.
func thoughtful(tokens int) (k *talk, answers, results []int) {
	k = &talk{}
	for turn := range 2 {
		k.user()
		for i := range 3 {
			k.calls++
			id := fmt.Sprintf("c%d", k.calls)
			k.answer("toolUse", thinking(400)+fmt.Sprintf(`,{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":"x%d-%d"}}`, id, turn, i))
			answers = append(answers, len(k.list)-1)
			results = append(results, k.add(result(id, "bash", tokens)))
		}
		k.answer("stop", thinking(400)+","+said)
		answers = append(answers, len(k.list)-1)
	}
	return k, answers, results
}

// left returns which responses still have thinking after a plan.
func left(k *talk, p Plan, answers []int) []int {
	var out []int
	messages := pruned(k.parse(), p)
	for _, i := range answers {
		if messages[i].Head.Content.ThinkingBlocks() > 0 {
			out = append(out, i)
		}
	}
	return out
}

func TestAllThinkingBehindTheFirstChangeGoesWithItAndWhatIsBeforeStays(t *testing.T) {
	k, answers, results := thoughtful(3000)
	s, m := k.trimmable(k.later())
	set := DefaultAuto()
	s.Pins.Entries = []string{m[results[0]].EntryID, m[results[1]].EntryID}
	p := NewAuto(set).at(s, m)
	must.Stop(t, !p.Acted || p.Edits[0].Index != results[2], "the first change is not at %d: %s %v", results[2], p.Outcome, edited(p))
	must.Match(t, left(k, p, answers), answers[:3], "thinking is left")
	cleared := 0
	for _, e := range p.Edits {
		if e.Reason.Code == CodeCleared {
			cleared++
		}
	}
	must.Not(t, cleared != 5 || p.OnlyClears(), "%d are cleared: %+v", cleared, p.Edits)
}

func TestNothingChangesWhileATurnRunsUnlessItsModelBindsNothing(t *testing.T) {
	k, _, _ := thoughtful(3000)
	for name, p := range map[string]*Planner{"auto": NewAuto(DefaultAuto()), "seed": NewSeed(SeedSettings{}), "kota": NewKota(KotaSettings{})} {
		s, m := k.trimmable(k.later())
		s.Boundary = false
		if plan := p.at(s, m); plan.Acted || plan.Outcome == "" {
			t.Errorf("%s: %s", name, plan.Outcome)
		}
		s.Unbound, s.Bound = true, func(*message.Head) bool { return false }
		if plan := p.at(s, m); !plan.Acted {
			t.Errorf("%s, a model that binds nothing, the cache is cold: %s", name, plan.Outcome)
		}
	}
}

func TestThinkingOfAModelThatBindsNothingStaysBehindAChange(t *testing.T) {
	k, answers, _ := thoughtful(3000)
	s, m := k.trimmable(k.later())
	s.Bound = func(*message.Head) bool { return false }
	set := DefaultAuto()
	p := NewAuto(set).at(s, m)
	if got := left(k, p, answers); !p.Acted || !slices.Equal(got, answers) {
		t.Errorf("%s: thinking is left in %v", p.Outcome, got)
	}
}

func TestInvalidThinkingIsClearedThoughNothingIsPruned(t *testing.T) {
	k, answers, _ := thoughtful(10)
	for name, p := range map[string]*Planner{"auto": NewAuto(DefaultAuto()), "none": Clearing()} {
		s, m := k.trimmable(k.now())
		s.Boundary, s.Changed = false, answers[2]
		plan := p.at(s, m)
		if got := left(k, plan, answers); !slices.Equal(got, answers[:2]) || !plan.OnlyClears() {
			t.Errorf("%s: thinking is left in %v: %+v", name, got, plan.Edits)
		}
	}
}

func TestThinkingThatIsClearedCountsAsRemovable(t *testing.T) {
	k, _, _ := thoughtful(3000)
	set := DefaultAuto()
	figures := func(bound bool) *Figures {
		s, m := k.trimmable(k.later())
		s.Bound = func(*message.Head) bool { return bound }
		return NewAuto(set).at(s, m).Figures
	}
	with, without := figures(true), figures(false)
	if gone := with.RemovableTokens - without.RemovableTokens; gone != 7*100 || with.Results != without.Results+7 {
		t.Errorf("%d tokens of thinking, %d results", gone, without.Results)
	}
}
