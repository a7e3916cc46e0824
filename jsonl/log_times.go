package jsonl

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
)

// EventTimes is how long the hooks of an event took, in milliseconds, and how many of
// them came to nothing.
type EventTimes struct {
	Event  string  `json:"event"`
	Calls  int     `json:"calls"`
	P50    float64 `json:"p50_ms"`
	P95    float64 `json:"p95_ms"`
	Failed int     `json:"failed"`
}

// Failed reports whether an event failed, was answered too late, or was missed.
func (e LogEntry) Failed() bool {
	return e.Result == LogFailed || e.Result == LogLate || e.Result == LogMissed
}

// Times are those of the events of some lines, by event.
func Times(lines []LogEntry) []EventTimes {
	took, missed := map[string][]float64{}, map[string]int{}
	for _, e := range lines {
		took[e.Event] = append(took[e.Event], e.Ms)
		if e.Failed() {
			missed[e.Event]++
		}
	}
	var all []EventTimes
	for _, event := range slices.Sorted(maps.Keys(took)) {
		ms := took[event]
		slices.Sort(ms)
		all = append(all, EventTimes{event, len(ms), quantile(ms, 50), quantile(ms, 95), missed[event]})
	}
	return all
}

// quantile is the least of the sorted values that percent of them do not exceed.
func quantile(sorted []float64, percent int) float64 {
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

// Last reads to the end and returns the last n lines, all of them for 0.
func (r *LogReader) Last(ctx context.Context, n int, wanted func(LogEntry) bool) ([]LogEntry, error) {
	var lines []LogEntry
	for ctx.Err() == nil {
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			if n > 0 && len(lines) > n {
				lines = lines[len(lines)-n:]
			}
			return lines, nil
		case err != nil:
			return nil, err
		case !wanted(e):
			continue
		}
		lines = append(lines, e)
		if n > 0 && len(lines) == 2*n+1000 { // so that a long log is not held in memory
			lines = append(lines[:0], lines[len(lines)-n:]...)
		}
	}
	return nil, ctx.Err()
}
