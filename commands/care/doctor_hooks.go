package care

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
)

// hookTimes is how long the hooks of an event took.
type hookTimes struct {
	Event  string  `json:"event"`
	Calls  int     `json:"calls"`
	P50    float64 `json:"p50_ms"`
	P95    float64 `json:"p95_ms"`
	Failed int     `json:"failed"`
}

const (
	// logLines is how much of the log doctor judges by, and lastFailures how many
	// of them it lists.
	logLines, lastFailures = 1000, 5
	// slowHook is a delay that a person begins to notice before every response.
	slowHook = 200
)

// hooks judges the last events by the log: whether they failed, and how long
// those took that the agent waits for.
func (d *doctor) hooks(ctx context.Context) error {
	r, err := HookLog(d.AgentDir).Open()
	if err != nil {
		d.say("hooks", resultWarning, "", "%v", err)
		return nil
	}
	defer r.Close()
	lines, err := lastLines(ctx, r, logLines, func(jsonl.LogEntry) bool { return true })
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return nil
	}
	d.times = timesOf(lines)
	for _, t := range d.times {
		c := d.say("hooks", resultOK, "", "%s: %s, p50 %s, p95 %s", t.Event, text.Count(t.Calls, "time"), milliseconds(t.P50), milliseconds(t.P95))
		if waited(t.Event) && t.P95 > slowHook {
			c.Result, c.Hint = resultWarning, "pictx log --event "+text.ShellWord(text.TerminalLine(t.Event))
		}
	}
	d.failed(lines)
	return nil
}

// failed reports what went wrong within a day.
func (d *doctor) failed(lines []jsonl.LogEntry) {
	recent := 0
	day := d.Env.Now().Add(-24 * time.Hour)
	for _, e := range slices.Backward(lines) {
		if !failed(e) {
			continue
		}
		if len(d.failures) < lastFailures {
			d.failures = append(d.failures, e)
		}
		if e.Time.After(day) {
			recent++
		}
	}
	slices.Reverse(d.failures)
	if recent > 0 {
		e := d.failures[len(d.failures)-1]
		d.say("hooks", resultWarning, "pictx log --failed", "%s within a day, the last %s: %s %s %s",
			text.Count(recent, "failure"), text.LocalMinute(e.Time.UnixMilli()), e.Event, e.Result, e.Error)
	}
}

// waited reports whether an agent waits for an event before it continues. Requests of a
// person or a model, and work in the background, may take longer.
func waited(event string) bool {
	return !slices.Contains([]string{
		"tool", "command", "complete", "session_start", "session_before_compact", "session_shutdown",
	}, event)
}

// timesOf groups lines by their event.
func timesOf(lines []jsonl.LogEntry) []hookTimes {
	took, missed := map[string][]float64{}, map[string]int{}
	for _, e := range lines {
		took[e.Event] = append(took[e.Event], e.Ms)
		if failed(e) {
			missed[e.Event]++
		}
	}
	var all []hookTimes
	for _, event := range slices.Sorted(maps.Keys(took)) {
		ms := took[event]
		slices.Sort(ms)
		all = append(all, hookTimes{event, len(ms), quantile(ms, 50), quantile(ms, 95), missed[event]})
	}
	return all
}

// quantile is the least of the sorted values that percent of them do not exceed.
func quantile(sorted []float64, percent int) float64 {
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}
