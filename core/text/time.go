package text

import (
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// TimeForm is the layout of times for programs: UTC with milliseconds.
const TimeForm = "2006-01-02T15:04:05.000Z"

// MinuteForm is the layout of times for people.
const MinuteForm = "2006-01-02 15:04"

// ZonedForm is MinuteForm with the zone; UTC is Z.
const ZonedForm = MinuteForm + "Z07:00"

// SecondForm is ZonedForm with seconds.
const SecondForm = "2006-01-02 15:04:05Z07:00"

// Time formats Unix milliseconds in TimeForm.
func Time(ms int64) string { return time.UnixMilli(ms).UTC().Format(TimeForm) }

// KnownTime is Time, but "" for 0, which means unknown.
func KnownTime(ms int64) string {
	if ms == 0 {
		return ""
	}
	return Time(ms)
}

// LocalMinute formats Unix milliseconds in the local zone in ZonedForm, for a person at a
// shell; "-" when unknown.
func LocalMinute(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).Local().Format(ZonedForm)
}

// Minute formats Unix milliseconds in UTC in MinuteForm, without the zone; "?" when
// unknown.
func Minute(ms int64) string {
	if ms == 0 {
		return "?"
	}
	return time.UnixMilli(ms).UTC().Format(MinuteForm)
}

// ZonedMinute formats Unix milliseconds in UTC in ZonedForm; "at an unknown time" when
// unknown.
func ZonedMinute(ms int64) string {
	if ms == 0 {
		return "at an unknown time"
	}
	return time.UnixMilli(ms).UTC().Format(ZonedForm)
}

// Moment parses a time as people write it: a date or time in the zone of now, a time with an
// offset, or a span before now such as 2h or 3d. It returns Unix milliseconds.
func Moment(s string, now time.Time) (ms int64, ok bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", ZonedForm, MinuteForm, "2006-01-02 15:04:05", SecondForm, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t.UnixMilli(), true
		}
	}
	if t, ok := namedDay(strings.ToLower(s), now); ok {
		return t.UnixMilli(), true
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

// namedDay returns the midnight at which a named day or week began.
func namedDay(name string, now time.Time) (t time.Time, ok bool) {
	y, m, d := now.Date()
	monday := d - (int(now.Weekday())+6)%7
	day, ok := map[string]int{"today": d, "yesterday": d - 1, "this week": monday, "last week": monday - 7}[name]
	return time.Date(y, m, day, 0, 0, 0, 0, now.Location()), ok
}

// Ago describes how long before now a time was, in its largest unit: "3 days ago". The time 0 is
// unknown.
func Ago(t, now time.Time) string {
	if t.UnixMilli() <= 0 {
		return "at an unknown time"
	}
	if d := now.Sub(t); 0 <= d && d < time.Minute {
		return "just now"
	}
	return humanize.RelTime(t, now, "ago", "from now")
}
