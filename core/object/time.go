package object

import (
	"math"
	"time"
)

// Time is a moment in Unix microseconds.
type Time int64

// Forever is the end of what has none.
const Forever Time = math.MaxInt64

// TimeOf is a moment as a Time.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// Std is the moment as the standard library has it, in UTC. Forever has none.
func (t Time) Std() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Interval is a half-open span of time: From is in it, To is not.
type Interval struct {
	// From is when it begins; in what is written 0 is the time of the transaction.
	From Time
	// To is when it ends, Forever for never. In what is written 0 is the next change
	// that is known, as in XTDB: what was recorded for later stays.
	To Time
}

// Contains reports whether a moment is in the interval.
func (i Interval) Contains(t Time) bool { return i.From <= t && t < i.To }

// Overlaps reports whether two intervals have a moment in common.
func (i Interval) Overlaps(o Interval) bool { return i.From < o.To && o.From < i.To }

// At is the point in both times at which something is asked.
type At struct {
	// Valid is when it should be true, 0 for now.
	Valid Time
	// Known is when it should have been known, 0 for now.
	Known Time
}
