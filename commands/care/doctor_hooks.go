package care

import (
	"context"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
)

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
	lines, err := r.Last(ctx, logLines, func(jsonl.LogEntry) bool { return true })
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return nil
	}
	d.times = jsonl.Times(lines)
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
		if !e.Failed() {
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
