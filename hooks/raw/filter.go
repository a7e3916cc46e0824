package raw

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/hooks"
)

// ErrUnreadable marks input that is not one JSON object, or that could not be read to its
// end. Nothing was written then.
var ErrUnreadable = errors.New("event is unreadable")

// Filter copies events and changes only the bytes of pruned content. The zero Filter
// changes nothing. A Filter holds no state and may run concurrently if Plan may.
type Filter struct {
	// Plan decides what to prune from the messages of a context event. It may still be
	// running after the deadline of its event. A nil Plan prunes nothing.
	Plan func([]policy.Message) policy.Plan
}

// Report describes what happened to an event, for a log. It holds none of its content.
type Report struct {
	// Event is the name that was given to Run.
	Event string
	// Bytes is the size of the input.
	Bytes int64
	// Messages is the number of messages of a context event.
	Messages int
	// Plan is the plan that was carried out, or the zero Plan.
	Plan policy.Plan
	// Late is set when the context was done before there was a plan. The event passed
	// through unchanged then, which is not an error.
	Late bool
}

// Run reads one event from in and writes it to out, unchanged but for the content of pruned
// tool results. Only the event "context" is ever changed.
//
// An input whose first member is "v" is an envelope of the extension protocol. The reply to
// it is the empty reply, {}.
//
// Nothing is written before the whole input was validated. With ErrUnreadable nothing was
// written at all. Any other error, such as a panic in Plan, is returned after the input was
// written unchanged, unless writing itself failed.
func (f Filter) Run(ctx context.Context, event string, in io.Reader, out io.Writer) (Report, error) {
	report := Report{Event: event}
	ev, err := readEvent(ctx, in, event == hooks.EventContext && f.Plan != nil)
	if err != nil {
		return report, fmt.Errorf("read event: %w: %w", ErrUnreadable, err)
	}
	report.Bytes, report.Messages = int64(len(ev.bytes)), len(ev.messages)
	if ev.envelope {
		_, err := io.WriteString(out, "{}\n")
		return report, writeError(err)
	}
	splices, planErr := f.splices(ctx, ev, &report)
	if err := ev.writeTo(out, splices); err != nil {
		return report, writeError(err)
	}
	if planErr != nil {
		planErr = fmt.Errorf("plan %s: %w", event, planErr)
	}
	return report, planErr
}

func writeError(err error) error {
	if err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	return nil
}

// splices plans and returns the changes to the input. There are none with an error, and
// none when the plan is late.
func (f Filter) splices(ctx context.Context, ev *event, report *Report) ([]splice, error) {
	if ev.fault != nil || ev.late || len(ev.messages) == 0 {
		report.Late = ev.late
		return nil, ev.fault
	}
	plan, err := f.plan(ctx, ev.messages)
	if errors.Is(err, errLate) {
		report.Late = true
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	splices, err := ev.splices(plan.Edits)
	if err == nil {
		report.Plan = plan
	}
	return splices, err
}

// errLate is returned when the context was done before there was a plan.
var errLate = errors.New("too late")

// plan calls f.Plan. It waits no longer than ctx allows, and turns a panic into an error.
func (f Filter) plan(ctx context.Context, messages []policy.Message) (policy.Plan, error) {
	if ctx.Err() != nil {
		return policy.Plan{}, errLate
	}
	type result struct {
		plan policy.Plan
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("panic: %v", p)
			}
			done <- r
		}()
		r.plan = f.Plan(messages)
	}()
	select {
	case r := <-done:
		return r.plan, r.err
	case <-ctx.Done():
		return policy.Plan{}, errLate
	}
}

// splices returns the byte ranges of the input that edits replace. It fails for all edits
// if one of them is impossible, because half a plan must not be carried out.
func (ev *event) splices(edits []policy.Edit) ([]splice, error) {
	out := make([]splice, 0, len(edits))
	last := -1
	for i := range edits {
		e := &edits[i]
		if e.Index <= last || e.Index >= len(ev.messages) {
			return nil, fmt.Errorf("edit of message %d is out of order or range", e.Index)
		}
		last = e.Index
		h := ev.messages[e.Index].Head
		if h == nil || h.Role != message.RoleToolResult || h.Content.Span.End == 0 {
			return nil, fmt.Errorf("edit of message %d: it has no content of a tool result", e.Index)
		}
		start := ev.starts[e.Index]
		out = append(out, splice{start: start + h.Content.Span.Start, end: start + h.Content.Span.End, edit: e})
	}
	return out, nil
}
