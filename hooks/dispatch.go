package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/text"
)

// How long an agent waits when hello does not say, and how much of that is reserved
// for returning the reply.
const (
	requestTime    = 200 * time.Millisecond
	firstTime      = time.Second             // before the first request of a session, which may not be stored yet
	shutdownTime   = 3 * time.Second         // it is only long where another process holds the store
	endTime        = 2200 * time.Millisecond // of work at the end of a session: a busy machine needs the rest to return
	backgroundTime = 10 * time.Minute
	returnTime     = 20 * time.Millisecond
)

// AskedTime is how long an agent waits for what a model or a user asked for.
const AskedTime = 60 * time.Second

// MaxState is how much a reply may have the agent keep, in bytes.
const MaxState = 4 << 10

// Record is what is logged about a request. It has no content.
type Record struct {
	Time     time.Time
	Event    string
	Session  string
	CWD      string
	Took     time.Duration
	Bytes    int64  // of the request
	Result   string // ok, late, failed, cancelled or missed
	Decision string
	Error    string
	Asked    string // the form of the request without its texts, when the user wants it
}

// Dispatcher hands events to systems, in their order. A system that fails does not
// keep the others from answering.
type Dispatcher struct {
	// Systems are asked in this order.
	Systems []System
	// World is the machine.
	World World
	// Version is the program's.
	Version string
	// Deadline is how long the agent waits for what it needs before it can go on;
	// 200 ms when 0.
	Deadline time.Duration
	// Now is the clock.
	Now func() time.Time
	// Log is called with every request that was answered; it may be nil.
	Log func(Record)
}

// Hello declares what the systems offer in a directory; none of it is part of the prompt
// until a reply names it. Settings that cannot be read are the defaults.
func (d *Dispatcher) Hello(cwd string, trusted *bool) (Hello, error) {
	h := newHello()
	h.V, h.Version, h.Active = Version, d.Version, []string{}
	set, err := d.World.Settings(cwd, trusted)
	if err != nil {
		return h, err
	}
	for _, s := range d.Systems {
		s.Declare(&set.Config, &h)
	}
	h.Want(EventAgentEnd, EventSessionShutdown)
	if len(h.Tools) > 0 {
		h.Want(EventBeforeAgent, EventCompact)
	}
	h.Timeouts.Events[EventSessionShutdown] = int(shutdownTime.Milliseconds())
	h.Wants = slices.DeleteFunc(piEvents(), func(e string) bool { return !slices.Contains(h.Wants, e) })
	h.Background = slices.DeleteFunc(backgroundEvents(), func(e string) bool { return !slices.Contains(h.Wants, e) })
	if d.deadline(nil) != requestTime {
		for _, e := range h.Wants {
			if !slices.Contains(h.Background, e) && h.Timeouts.Events[e] == 0 {
				h.Timeouts.Events[e] = int(d.deadline(nil).Milliseconds())
			}
		}
	}
	return h, nil
}

// Want adds events to what is asked for.
func (h *Hello) Want(events ...string) { h.Wants = append(h.Wants, events...) }

// Parse reads a request. An error means that the data is not a request, or one of a
// version that this program does not speak; the request is then nil unless it was read.
func Parse(data []byte) (*Request, error) {
	r := &Request{}
	if err := Decode(data, r); err != nil {
		// The rest may have any form: whoever sent it waits for an answer.
		var sent struct {
			ID string `json:"id"`
		}
		_ = Decode(data, &sent)
		return &Request{ID: sent.ID}, fmt.Errorf("read request: %w", err)
	}
	if r.V < Version-1 || r.V > Version+1 || r.V < 1 {
		return r, fmt.Errorf("read request: it has protocol version %d, this program speaks %d", r.V, Version)
	}
	return r, nil
}

// Handle answers a request. The second result does the background work that follows
// from it, and must be called once the reply was sent.
func (d *Dispatcher) Handle(ctx context.Context, r *Request, size int64) (Reply, func(context.Context, func(...Effect))) {
	return d.answer(ctx, r, size, func(...Effect) {})
}

// answer is Handle for an agent to which push sends effects before the reply.
func (d *Dispatcher) answer(ctx context.Context, r *Request, size int64, push func(...Effect)) (Reply, func(context.Context, func(...Effect))) {
	began := d.Now()
	c := &Call{Request: r, Push: push, states: make(map[string]jsontext.Value)}
	err := d.ask(ctx, c)
	d.settle(c, err)
	if c.Project != nil {
		c.Project.Close()
	}
	rec := Record{Took: d.Now().Sub(began), Bytes: size, Result: d.outcome(ctx, c, err), Decision: c.Decision}
	if c.Project != nil && c.Project.Config().Config.Debug {
		rec.Asked = outline(r.Payload)
	}
	return c.Reply, func(ctx context.Context, push func(...Effect)) {
		d.logMissed(r)
		d.log(r, rec, err)
		if c.Project == nil {
			return
		}
		if err := d.after(ctx, c, push); err != nil {
			d.log(r, Record{Took: d.Now().Sub(began), Result: d.outcome(ctx, c, err), Decision: "afterwards"}, err)
		}
	}
}

// ask has every system that the event concerns handle it.
func (d *Dispatcher) ask(ctx context.Context, c *Call) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit(c.Request))
	defer cancel()
	var err error
	if c.Project, err = d.World.Project(ctx, c.Request); err != nil {
		return because(ctx, err)
	}
	var failed error
	for _, s := range d.systems(c) {
		c.system = s.Name()
		if err := handle(ctx, s, c); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.Name(), err))
		}
	}
	c.leaveTyped()
	failed = errors.Join(failed, d.activate(ctx, c))
	if c.Event == EventSessionShutdown { // no work can follow the reply: the agent ends its processes
		failed = errors.Join(failed, c.Project.Maintain(ctx, true))
	}
	return because(ctx, failed)
}

// leaveTyped offers no completion of what is typed in full: while one is offered, pi takes
// Enter for choosing it and does not send the command.
func (c *Call) leaveTyped() {
	var p Completion
	if c.Event != EventComplete || c.Read(&p) != nil {
		return
	}
	if r := c.Reply.Result; r != nil && slices.ContainsFunc(r.Items, func(i CompletionItem) bool { return i.Value == p.Prefix }) {
		r.Items = nil
	}
}

// because returns the cause of a cancellation instead of an error that only says that
// there was one.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) && !errors.Is(err, cause) {
		return cause
	}
	return err
}

// systems lists the systems that a call concerns: for a tool or a command, the one that
// declared it.
func (d *Dispatcher) systems(c *Call) []System {
	if !c.Is(EventTool, EventCommand, EventComplete) {
		return d.Systems
	}
	var p struct {
		Name string `json:"name"`
	}
	if c.Read(&p) != nil {
		return nil
	}
	for _, s := range d.Systems {
		h := newHello()
		s.Declare(&c.Project.Config().Config, &h)
		if h.offers(c.Event, p.Name) {
			return []System{s}
		}
	}
	return nil
}

// offers reports whether hello declares a tool or a command.
func (h *Hello) offers(event, name string) bool {
	if event == EventTool {
		for _, t := range h.Tools {
			if t.Name == name {
				return true
			}
		}
		return false
	}
	for _, c := range h.Commands {
		if c.Name == name {
			return true
		}
	}
	return false
}

// handle has one system handle the event, and turns a panic into an error: a fault in
// one system must not cost the others their answer.
func handle(ctx context.Context, s System, c *Call) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	return s.Handle(ctx, c)
}

// after does the background work of every system.
func (d *Dispatcher) after(ctx context.Context, c *Call, push func(...Effect)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	for _, s := range d.Systems {
		if w, ok := s.(Worker); ok {
			c.system = s.Name()
			err = errors.Join(err, w.After(ctx, c, push))
		}
	}
	if c.Is(EventSessionStart, EventTurnEnd, EventAgentEnd) {
		err = errors.Join(err, c.Project.Maintain(ctx, false))
	}
	return err
}

// settle finishes the reply. An error is reported only when there is no result: the
// agent then applies its last edits again. A context event without its edits is such a
// case, whatever the reason.
func (d *Dispatcher) settle(c *Call, err error) {
	c.Reply.ID = c.ID
	if err != nil && c.Reply.Result == nil && (c.Event == EventContext || !d.later(c, err)) {
		c.Reply.Error = text.LogLine(err.Error())
	}
	if len(c.Reply.Ask) == 0 {
		return
	}
	c.Reply.Result = nil
	if len(c.states) == 0 {
		return
	}
	state, merr := json.Marshal(c.states, json.Deterministic(true))
	if merr != nil || len(state) > MaxState {
		c.Reply = Reply{ID: c.ID, Error: "internal error: too much state between asks"}
		return
	}
	c.Reply.State = state
}

// limit returns how long an event may take.
func (d *Dispatcher) limit(r *Request) time.Duration {
	switch {
	case len(r.Replies) > 0, r.Event == EventBeforeCompact, !slices.Contains(piEvents(), r.Event):
		return AskedTime
	case slices.Contains(backgroundEvents(), r.Event):
		return backgroundTime
	case r.Event == EventSessionShutdown:
		return endTime
	}
	return d.deadline(r) - returnTime
}

// deadline is how long the agent waits for an event that it needs before it goes on.
func (d *Dispatcher) deadline(r *Request) time.Duration {
	var p BeforeAgent
	if r != nil && r.Event == EventBeforeAgent && Decode(r.Payload, &p) == nil && p.First {
		return max(d.Deadline, firstTime)
	}
	return cmp.Or(d.Deadline, requestTime)
}

// outcome returns a word for how a call ended.
func (d *Dispatcher) outcome(ctx context.Context, c *Call, err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(ctx.Err(), context.Canceled):
		return "cancelled"
	case d.later(c, err):
		return "late"
	}
	return "failed"
}

// later reports whether an error is expected to be gone at the next event.
func (d *Dispatcher) later(c *Call, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || c.Project != nil && c.Project.Busy(err)
}

// logMissed logs the requests that the agent reports as missed.
func (d *Dispatcher) logMissed(r *Request) {
	for _, m := range r.Missed {
		d.log(r, Record{Event: m.Event, Took: time.Duration(m.MS * float64(time.Millisecond)), Result: "missed"}, errors.New(m.Why))
	}
}

func (d *Dispatcher) log(r *Request, rec Record, err error) {
	if d.Log == nil {
		return
	}
	rec.Time, rec.Session, rec.CWD = d.Now(), r.Session.ID, r.CWD
	rec.Event = cmp.Or(rec.Event, r.Event)
	rec.Decision = text.LogLine(rec.Decision)
	if err != nil {
		rec.Error = text.LogLine(err.Error())
	}
	d.Log(rec)
}
