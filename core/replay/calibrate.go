package replay

import (
	"cmp"
	"math"

	"github.com/coctostan/pictx/core/token"
)

// Calibration is how the tokens that a provider counted follow from pi's
// estimate of the messages: Floor + Scale * estimate.
type Calibration struct {
	// Model names what it is for.
	Model string
	// Scale is the provider's tokens for each estimated one.
	Scale float64
	// Floor is the size of the system prompt and the tools.
	Floor token.Count
	// Calls counts the recorded calls it comes from; 0 when nothing was recorded
	// and both are assumed.
	Calls int
}

// scaled converts an estimate.
func (c *Calibration) scaled(estimate token.Count) token.Count {
	return token.Count(math.Round(c.Scale * float64(estimate)))
}

// fit takes over the line through the recorded calls.
func (c *Calibration) fit(l *token.Line) {
	c.Floor, c.Scale = l.Fit()
	c.Floor = cmp.Or(c.Floor, token.AssumedFloor)
}

// Check compares the model of a cache with what a provider recorded, over the
// calls that have recorded usage.
type Check struct {
	Calls int
	// RecordedPrompt is the input that was recorded, RecordedRead the part of it
	// that came from the cache.
	RecordedPrompt, RecordedRead token.Count
	// Prompt and Read are the same as the model has them.
	Prompt, Read token.Count
	// Agrees counts the calls that both take for warm, or both for cold: warm is
	// when at least half of the input came from the cache.
	Agrees int
}

// Check replays the recording without pruning and compares what the cache gave.
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
