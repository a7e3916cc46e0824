package text

import (
	"strings"
	"time"
)

// TimeForm is the form of times that programs read: UTC, to the millisecond.
const TimeForm = "2006-01-02T15:04:05.000Z"

// MinuteForm is the form of times that people read.
const MinuteForm = "2006-01-02 15:04"

// ZonedForm is MinuteForm with its zone, a Z for UTC.
const ZonedForm = MinuteForm + "Z07:00"

// SecondForm is ZonedForm with seconds.
const SecondForm = "2006-01-02 15:04:05Z07:00"

// Time writes Unix milliseconds for a program, as TimeForm says.
func Time(ms int64) string { return time.UnixMilli(ms).UTC().Format(TimeForm) }

// KnownTime is Time, "" when ms is 0: unknown.
func KnownTime(ms int64) string {
	if ms == 0 {
		return ""
	}
	return Time(ms)
}

// LocalMinute writes Unix milliseconds for a person at a shell, in the local zone, as
// ZonedForm says; "-" when unknown.
func LocalMinute(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).Local().Format(ZonedForm)
}

// Minute writes Unix milliseconds in UTC, without saying so; "?" when unknown.
func Minute(ms int64) string {
	if ms == 0 {
		return "?"
	}
	return time.UnixMilli(ms).UTC().Format(MinuteForm)
}

// ZonedMinute writes Unix milliseconds in UTC, as ZonedForm says; "at an unknown
// time" when unknown.
func ZonedMinute(ms int64) string {
	if ms == 0 {
		return "at an unknown time"
	}
	return time.UnixMilli(ms).UTC().Format(ZonedForm)
}

// Moment reads a time as people give it: a date or a time in the local zone, a time with
// its offset, or a span before now such as 2h or 3d. It returns Unix milliseconds.
func Moment(s string, now time.Time) (ms int64, ok bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", ZonedForm, MinuteForm, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t.UnixMilli(), true
		}
	}
	span := s
	for unit, hours := range map[string]float64{"d": 24, "w": 24 * 7} {
		if n, isUnit := strings.CutSuffix(s, unit); isUnit {
			if d, err := time.ParseDuration(n + "h"); err == nil {
				span = time.Duration(float64(d) * hours).String()
			}
		}
	}
	if d, err := time.ParseDuration(span); err == nil && d >= 0 {
		return now.Add(-d).UnixMilli(), true
	}
	return 0, false
}
