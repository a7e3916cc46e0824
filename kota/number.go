package kota

import (
	"fmt"
	"strings"
)

// Number is how many there are of something, or Unknown: an engine that cannot
// know does not say none.
type Number int

// Unknown is a number that the engine cannot know. In JSON it is null.
const Unknown Number = -1

// Known reports whether the engine knows the number.
func (n Number) Known() bool { return n >= 0 }

// String is the number, or a question mark.
func (n Number) String() string {
	if !n.Known() {
		return "?"
	}
	return fmt.Sprint(int(n))
}

// MarshalJSON writes null for what is not known.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return fmt.Append(nil, int(n)), nil
}

// Source says how old what an answer rests on is.
type Source struct {
	// Freshness is empty when the engine looked at every file before it answered,
	// else what it did not see.
	Freshness string `json:"freshness,omitempty"`
	// Incomplete says what may be missing from the answer, a clause each.
	Incomplete []string `json:"incomplete,omitempty"`
}

// footer ends an answer.
func (s Source) footer() string {
	text := "index fresh"
	if s.Freshness != "" {
		text = safe(s.Freshness)
	}
	if len(s.Incomplete) > 0 {
		text += " · incomplete: " + safe(strings.Join(s.Incomplete, "; "))
	}
	return text
}
