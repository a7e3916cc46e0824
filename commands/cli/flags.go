package cli

import (
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// Moment reads the time of a flag: a date in local time, a time with its offset, or a
// span of time before now. An empty one is 0.
func (a *Run) Moment(s string) (int64, error) {
	ms, ok := text.Moment(s, a.Env.Now())
	if s != "" && !ok {
		return 0, exit.UsageError("give a date as 2026-03-01, or a span as 3d", "parse time %q: want a date, a date with time, or a span such as 2h, 3d", s)
	}
	return ms, nil
}
