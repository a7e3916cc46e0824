package replay

import "github.com/coctostan/pictx/core/token"

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
