package replay

import (
	"cmp"
	"math"

	"github.com/coctostan/pictx/core/token"
)

// Calibration converts pi's estimate of the messages to the tokens that a provider counted:
// Floor + Scale * estimate.
type Calibration struct {
	// Model is the model it applies to.
	Model string
	// Scale is the provider's tokens per estimated token.
	Scale float64
	// Floor is the size of the system prompt and the tools.
	Floor token.Count
	// Calls is the number of recorded calls it is based on; 0 when nothing was recorded and
	// Floor and Scale are assumed.
	Calls int
}

// scaled converts an estimate.
func (c *Calibration) scaled(estimate token.Count) token.Count {
	return token.Count(math.Round(c.Scale * float64(estimate)))
}

// fit sets Floor and Scale from the line through the recorded calls.
func (c *Calibration) fit(l *token.Line) {
	c.Floor, c.Scale = l.Fit()
	c.Floor = cmp.Or(c.Floor, token.AssumedFloor)
}

// Check compares the cache model with what a provider recorded, over the calls with
// recorded usage.
type Check struct {
	Calls int
	// RecordedPrompt is the recorded input, RecordedRead the part of it that was read from
	// the cache.
	RecordedPrompt, RecordedRead token.Count
	// Prompt and Read are the same by the cache model.
	Prompt, Read token.Count
	// Agrees is the number of calls that are warm in both, or cold in both. Warm means that
	// at least half of the input was read from the cache.
	Agrees int
}

// Check replays the recording without pruning and compares the cache model with it.
func (r *Recording) Check(prices token.Prices) Check {
	s := newRun(r, None(), prices, Options{Series: true})
	var c Check
	for i := range r.calls {
		s.call(i)
		u := &r.calls[i].usage
		recorded := r.calls[i].recorded()
		if recorded == 0 {
			continue
		}
		p := s.Series[i]
		c.Calls++
		c.RecordedPrompt, c.RecordedRead = c.RecordedPrompt+token.Count(recorded), c.RecordedRead+token.Count(u.CacheRead)
		c.Prompt, c.Read = c.Prompt+p.Tokens, c.Read+p.Read
		if (2*u.CacheRead >= recorded) == (2*p.Read >= p.Tokens) {
			c.Agrees++
		}
	}
	return c
}
