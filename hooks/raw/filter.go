package raw

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/hooks"
)

// ErrUnreadable is the error of input that is not one JSON object, or that could
// not be read to its end. Nothing was written.
var ErrUnreadable = errors.New("event is unreadable")

// Filter prints events with only the bytes changed that have to change. The zero
// Filter changes nothing. It holds no state: one Filter may be handed any number of
// events at the same time, if Plan allows it.
type Filter struct {
	// Plan decides about the messages of a context event, in context order. It
	// may run on after the deadline of the event it was called for. Nil means
	// that nothing is ever pruned.
	Plan func([]prune.Message) prune.Plan
}

// Report is what happened to an event, for a log: no content.
type Report struct {
	// Event is the event's name as it was given.
	Event string
	// Bytes is the size of the input.
	Bytes int64
	// Messages is the number of messages of a context event.
	Messages int
	// Plan is what was decided, the zero Plan when nothing was.
	Plan prune.Plan
	// Late is set when the context was done before there was a plan, so that the
	// event passed through as it came. That is not an error.
	Late bool
}

// Run reads one event from in and writes the whole event to out, byte for byte
// as it came except for the content of pruned tool results. Only a context event
// is ever changed; other names, also unknown ones, pass through.
//
// An input that begins with a "v" member is an envelope of the extension protocol instead.
// The answer is an empty reply: no change.
//
// Writing begins after the whole input was checked. An error that is
// ErrUnreadable means that nothing was written; every other one, such as a
// panic in Plan, comes after the input was written as it came, unless writing
// itself failed.
func (f Filter) Run(ctx context.Context, event string, in io.Reader, out io.Writer) (Report, error) {
	report := Report{Event: event}
	src := openSource(in)
	defer src.close()
	ev, err := readEvent(ctx, src, event == hooks.EventContext && f.Plan != nil)
	if err != nil {
		return report, fmt.Errorf("read event: %w: %w", ErrUnreadable, err)
	}
	report.Bytes, report.Messages = src.size, len(ev.messages)
	if ev.envelope {
		_, err := io.WriteString(out, "{}\n")
		return report, writeError(err)
	}
	splices, planErr := f.splices(ctx, ev, &report)
	if err := src.writeTo(out, splices); err != nil {
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

// splices plans, and returns what to change in the input. With an error, and when
// it is late, that is nothing.
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

// errLate says that the deadline came before the plan.
var errLate = errors.New("too late")

// plan calls f.Plan, but waits no longer than ctx allows, and turns a panic into
// an error.
func (f Filter) plan(ctx context.Context, messages []prune.Message) (prune.Plan, error) {
	if ctx.Err() != nil {
		return prune.Plan{}, errLate
	}
	type answer struct {
		plan prune.Plan
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				a.err = fmt.Errorf("panic: %v", r)
			}
			done <- a
		}()
		a.plan = f.Plan(messages)
	}()
	select {
	case a := <-done:
		return a.plan, a.err
	case <-ctx.Done():
		return prune.Plan{}, errLate
	}
}

// splices turns edits into places in the input. Edits that no plan of tool
// results can hold are refused, all of them: half a plan is not a plan.
func (ev *event) splices(edits []prune.Edit) ([]splice, error) {
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
		out = append(out, splice{
			start: start + int64(h.Content.Span.Start), end: start + int64(h.Content.Span.End), edit: e,
		})
	}
	return out, nil
}
