package policy

import (
	"testing"

	"github.com/coctostan/pictx/core/token"
)

// TestAPlanJudgesOnlyWhatMayHaveChangedHoweverMuchWaits counts the opinions that a plan
// forms. Until a rewrite pays, the output of every earlier command waits.
func TestAPlanJudgesOnlyWhatMayHaveChangedHoweverMuchWaits(t *testing.T) {
	t.Parallel()
	for _, commands := range []int{50, 400} {
		var c talk
		c.user()
		for range commands {
			c.run("bash", `{"command":"x"}`, 500)
		}
		c.say(1)
		messages, now := c.parse(), c.now()
		now.Prices, _ = token.Profile("deepseek")
		now.KnownPrices = true
		p, in := NewAuto(DefaultAuto()), NewInput(nil)
		var last Plan
		for i := range messages {
			if !in.Follow(messages[:i+1], nil) {
				t.Fatal("the input does not follow the messages")
			}
			last = p.PlanOn(in, now)
		}
		if last.Figures.Results < commands-3 {
			t.Fatalf("%d of %d outputs wait: that says little", last.Figures.Results, commands)
		}
		if n := len(in.opinions); n > 5 {
			t.Errorf("with %d outputs that wait, a plan judges %d", last.Figures.Results, n)
		}
	}
}
