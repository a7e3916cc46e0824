package text

import (
	"strings"
	"time"
)

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
