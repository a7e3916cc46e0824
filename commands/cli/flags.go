package cli

import (
	"strings"
	"time"

	"github.com/coctostan/pictx/core/exit"
)

// Moment reads a time: a date in local time, a time with its offset, or a span
// of time before now.
func (a *Run) Moment(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t.UnixMilli(), nil
		}
	}
	span := s
	for unit, hours := range map[string]float64{"d": 24, "w": 24 * 7} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			if d, err := time.ParseDuration(n + "h"); err == nil {
				span = time.Duration(float64(d) * hours).String()
			}
		}
	}
	if d, err := time.ParseDuration(span); err == nil && d >= 0 {
		return a.Env.Now().Add(-d).UnixMilli(), nil
	}
	return 0, exit.UsageError("pictx grep --after 2026-03-01 QUERY", "parse time %q: want a date, a date with time, or a span such as 2h, 3d", s)
}
