package object

import (
	"math"
	"time"
)

// Time is a moment in Unix microseconds.
type Time int64

// Forever is the end of an interval that does not end.
const Forever Time = math.MaxInt64

// TimeOf converts a time.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// Std converts to the standard library's time, in UTC. Forever cannot be converted.
func (t Time) Std() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Interval is a half-open span of time: From is in it, To is not.
type Interval struct {
	// From is when it begins; in an Op 0 is the time of the transaction.
	From Time
	// To is when it ends, Forever for never. In an Op 0 is the next change that is
	// known, as in XTDB: what was recorded for later stays.
	To Time
}

// Contains reports whether a moment is in the interval.
func (i Interval) Contains(t Time) bool { return i.From <= t && t < i.To }

// Overlaps reports whether two intervals have a moment in common.
func (i Interval) Overlaps(o Interval) bool { return i.From < o.To && o.From < i.To }

// At is the point in both times that a question is about.
type At struct {
	// Valid is when it should be true, 0 for now.
	Valid Time
	// Known is when it should have been known, 0 for now.
	Known Time
}
