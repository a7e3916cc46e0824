package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// written is a conversation in which the agent writes n files of so many tokens, of which nothing
// can be pruned.
func written(n, tokens int) *talk {
	c := &talk{}
	c.user()
	for i := range n {
		c.run("write", fmt.Sprintf(`{"path":"f%d","content":%q}`, i, strings.Repeat("y", 4*tokens)), 10)
	}
	c.say(1)
	return c
}

// folded plans with a fold that keeps so many responses.
func (t *talk) folded(s moment, keeps int) Plan {
	return NewAuto(DefaultAuto()).Folding(keeps).at(s, t.parse())
}

func TestAConversationIsFoldedWhenItsCacheIsLostAndMuchIsLeftAfterPruning(t *testing.T) {
	t.Parallel()
	long, commands := written(40, 1500), stale(60_000, 100)
	commands.say(25)
	for name, c := range map[string]struct {
		talk *talk
		sit  func(*talk) moment
		want bool
	}{
		"cold":              {long, (*talk).later, true},
		"warm":              {long, (*talk).now, false},
		"short":             {written(40, 500), (*talk).later, false},
		"few responses":     {written(15, 4000), (*talk).later, false},
		"pruning is enough": {commands, (*talk).later, false},
		"inside a turn": {long, func(t *talk) moment {
			s := t.later()
			s.Boundary = false
			return s
		}, false},
		"asked for pruning": {long, func(t *talk) moment {
			s := t.later()
			s.Forced = true
			return s
		}, false},
	} {
		p := c.talk.folded(c.sit(c.talk), FoldKeeps)
		must.Not(t, (p.Fold != nil) != c.want, "%s: folded %v, %s", name, p.Fold != nil, p.Outcome)
		if p := c.talk.folded(c.sit(c.talk), 0); p.Fold != nil {
			t.Errorf("%s: folded although nothing asks for it", name)
		}
	}
}

func TestAFoldKeepsTheNewestResponses(t *testing.T) {
	t.Parallel()
	c := written(40, 1500)
	for keeps, summary := range map[int]token.Count{FoldKeeps: 3000, FreshKeeps: 8000} {
		p, messages := c.folded(c.later(), keeps), c.parse()
		responses := 0
		for _, m := range messages[p.Fold.Keep:] {
			if m.Head.Role == message.RoleAssistant {
				responses++
			}
		}
		if responses != keeps || p.Fold.EntryID != messages[p.Fold.Keep].EntryID || p.Fold.Summary != summary {
			t.Errorf("%d of %d responses stay, %+v", responses, keeps, p.Fold)
		}
		if gone := p.BeforeTokens - p.AfterTokens; gone < p.Fold.Tokens-p.Fold.Summary || p.Figures.PlannedTokens != p.Figures.ContextTokens-gone {
			t.Errorf("%d tokens go, figures %+v", gone, p.Figures)
		}
	}
}

func TestAFoldWithAWarmCacheKeepsRequestsBelowAStepOfThePrice(t *testing.T) {
	t.Parallel()
	c := written(40, 1500)
	for above, want := range map[token.Count]bool{30_000: false, 62_000: true, 200_000: false} {
		s := c.now()
		s.Prices.Tiers = []token.Tier{{Above: above, Times: 5}}
		if p := c.folded(s, FoldKeeps); (p.Fold != nil) != want {
			t.Errorf("with a step at %d: folded %v, %s", above, p.Fold != nil, p.Outcome)
		}
	}
}
