package replay

import (
	"math"
	"slices"

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

// What is assumed of a model without recorded usage: pi's estimate, and a system
// prompt with pi's own tools and a few instructions.
const (
	assumedScale = 1
	assumedFloor = 3000
)

const (
	// Nothing of text is measured as fewer or more tokens than this.
	minScale, maxScale = 0.5, 2.5
	// enough is how many estimated tokens a conversation must have grown by before
	// its slope says something.
	enough = 2000
	// firstCalls is how many calls of an epoch tell the floor: later ones hold too
	// much that the estimate may be wrong about.
	firstCalls = 3
)

// Measure is one recorded call: what the provider counted, and pi's estimate of the
// messages that were sent.
type Measure struct {
	// Epoch counts the calls that do not continue the one before them.
	Epoch              int
	Recorded, Estimate int64
}

// scaled converts an estimate.
func (c *Calibration) scaled(estimate token.Count) token.Count {
	return token.Count(math.Round(c.Scale * float64(estimate)))
}

// Calibrate measures a model by its recorded calls, in order.
func Calibrate(model string, calls []Measure) Calibration {
	c := Calibration{Model: model, Scale: assumedScale, Floor: assumedFloor, Calls: len(calls)}
	if len(calls) == 0 {
		return c
	}
	var slopes, floors []float64
	first, n := calls[0], 0
	for _, m := range calls {
		if m.Epoch != first.Epoch {
			first, n = m, 0
		}
		if grown := m.Estimate - first.Estimate; grown >= enough {
			slopes = append(slopes, float64(m.Recorded-first.Recorded)/float64(grown))
		}
	}
	if len(slopes) > 0 {
		c.Scale = min(max(median(slopes), minScale), maxScale)
	}
	first = Measure{Epoch: -1}
	for _, m := range calls {
		if m.Epoch != first.Epoch {
			first, n = m, 0
		}
		if n++; n <= firstCalls {
			floors = append(floors, float64(m.Recorded)-c.Scale*float64(m.Estimate))
		}
	}
	// A floor of nothing would be one that no cache can hold.
	c.Floor = max(1, token.Count(math.Round(median(floors))))
	return c
}

// median returns the middle value of a list that is not empty. The list is
// sorted.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
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
