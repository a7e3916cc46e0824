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

// How long an agent waits for a reply unless hello says otherwise.
const (
	requestTime    = 200 * time.Millisecond
	firstTime      = time.Second             // before the first request of a session, which may have to be stored first
	shutdownTime   = 3 * time.Second         // takes this long only while another process holds the store
	endTime        = 2200 * time.Millisecond // for work within shutdownTime; a busy machine needs the rest to reply
	foldTime       = 3 * time.Second         // before a prompt, whose conversation may be folded first
	backgroundTime = 10 * time.Minute
	returnTime     = 20 * time.Millisecond // reserved in requestTime for returning the reply
)

// AskedTime is how long an agent waits when a model or a user asked for something.
const AskedTime = 60 * time.Second

// MaxState is the maximum size of Reply.State in bytes.
const MaxState = 4 << 10

// Record is the log record of a request. It holds none of its content.
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
	Asked    string // the shape of the payload without its texts; only with the setting debug
}

// Dispatcher passes events to systems. The failure of one does not keep the others from
// answering.
type Dispatcher struct {
	// Systems handle each event in this order.
	Systems []System
	// World gives access to the machine.
	World World
	// Version is the version of pictx.
	Version string
	// Deadline is how long the agent waits for a reply that it needs before it can go on.
	// 0 means 200 ms.
	Deadline time.Duration
	// Now is the clock.
	Now func() time.Time
	// Log is called with the record of each request; it may be nil.
	Log func(Record)
}

// Hello declares what the systems offer in a directory. None of it is part of the prompt
// until a reply activates it. It fails when the settings cannot be read.
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
	h.Wants = slices.DeleteFunc(PiEvents(), func(e string) bool { return !slices.Contains(h.Wants, e) })
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

// Want subscribes to events.
func (h *Hello) Want(events ...string) { h.Wants = append(h.Wants, events...) }

// Parse reads a request. It fails when data is not a request, or is one in a version of the
// protocol that this program does not support. The request is returned with the error, as
// far as it was read: whoever sent it waits for a reply to its id.
func Parse(data []byte) (*Request, error) {
	r := &Request{}
	if err := Decode(data, r); err != nil {
		// Read the id alone, whatever the rest looks like.
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

// Handle answers a request of size bytes. The function that it returns does the background
// work of the event. The caller must call it after sending the reply.
func (d *Dispatcher) Handle(ctx context.Context, r *Request, size int64) (Reply, func(context.Context, func(...Effect))) {
	return d.answer(ctx, r, size, func(...Effect) {})
}

// answer is Handle with a push function, which sends effects to the agent before the reply.
func (d *Dispatcher) answer(ctx context.Context, r *Request, size int64, push func(...Effect)) (Reply, func(context.Context, func(...Effect))) {
	began := d.Now()
	c := &Call{Request: r, Push: push, states: make(map[string]jsontext.Value)}
	err := d.ask(ctx, c)
	d.finish(c, err)
	if c.Project != nil {
		c.Project.Close()
	}
	rec := Record{Took: d.Now().Sub(began), Bytes: size, Result: d.outcome(ctx, c, err), Decision: decisionOf(c)}
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

// decisionOf says in the log what was decided. It names the tool or the command that was
// run, without its arguments.
func decisionOf(c *Call) string {
	name := c.named()
	if name != "" && c.Event != EventTool {
		name = "/" + name
	}
	return text.JoinNonEmpty(": ", name, c.Decision)
}

// named returns the name of the tool or the command that a call is about, "" for other
// events.
func (c *Call) named() string {
	var p struct {
		Name string `json:"name"`
	}
	if !c.Is(EventTool, EventCommand, EventComplete) || c.Read(&p) != nil {
		return ""
	}
	return p.Name
}

// ask has the systems handle the event, within its time limit.
func (d *Dispatcher) ask(ctx context.Context, c *Call) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit(c.Request))
	defer cancel()
	var err error
	if c.Project, err = d.World.Project(ctx, c.Request); err != nil {
		return causeOf(ctx, err)
	}
	var failed error
	for _, s := range d.systems(c) {
		c.system = s.Name()
		if err := handle(ctx, s, c); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.Name(), err))
		}
	}
	c.dropExactCompletions()
	failed = errors.Join(failed, d.activate(ctx, c))
	if c.Event == EventSessionShutdown { // no work can follow the reply: the agent kills its processes
		failed = errors.Join(failed, c.Project.Maintain(ctx, true))
	}
	return causeOf(ctx, failed)
}

// dropExactCompletions removes all completions when one equals what is typed. While pi
// shows completions, Enter accepts one of them instead of sending the command.
func (c *Call) dropExactCompletions() {
	var p Completion
	if c.Event != EventComplete || c.Read(&p) != nil {
		return
	}
	if r := c.Reply.Result; r != nil && slices.ContainsFunc(r.Items, func(i CompletionItem) bool { return i.Value == p.Prefix }) {
		r.Items = nil
	}
}

// causeOf returns the cause of a cancellation in place of an error that only says "context
// canceled".
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) && !errors.Is(err, cause) {
		return cause
	}
	return err
}

// systems lists the systems that handle a call: for a tool or a command, the one that
// declares it; otherwise all.
func (d *Dispatcher) systems(c *Call) []System {
	if !c.Is(EventTool, EventCommand, EventComplete) {
		return d.Systems
	}
	name := c.named()
	for _, s := range d.Systems {
		if h := d.declared(s, c); h.offers(c.Event, name) {
			return []System{s}
		}
	}
	return nil
}

// offers reports whether hello declares a tool or a command.
func (h *Hello) offers(event, name string) bool {
	if event == EventTool {
		return slices.ContainsFunc(h.Tools, func(t Tool) bool { return t.Name == name })
	}
	return slices.ContainsFunc(h.Commands, func(c CommandSpec) bool { return c.Name == name })
}

// handle has one system handle the event. It turns a panic into an error, so that a fault
// in one system does not cost the replies of the others.
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

// finish completes the reply. It reports an error only in a reply without a result, upon
// which the agent applies its last edits again. A context event without edits always needs
// that; for other events, errors that the next event will not meet are only logged.
func (d *Dispatcher) finish(c *Call, err error) {
	c.Reply.ID = c.ID
	if err != nil && c.Reply.Result == nil && (c.Event == EventContext || !d.transient(c, err)) {
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

// limit returns how long the handling of an event may take.
func (d *Dispatcher) limit(r *Request) time.Duration {
	switch {
	case len(r.Replies) > 0, r.Event == EventBeforeCompact, !slices.Contains(PiEvents(), r.Event):
		return AskedTime
	case slices.Contains(backgroundEvents(), r.Event):
		return backgroundTime
	case r.Event == EventSessionShutdown:
		return endTime
	case r.Event == EventBeforeAgent && slices.Contains(r.Can, CanFold):
		return max(d.deadline(r), foldTime) - returnTime
	}
	return d.deadline(r) - returnTime
}

// deadline returns how long the agent waits for an event that it needs before it goes on.
func (d *Dispatcher) deadline(r *Request) time.Duration {
	var p BeforeAgent
	if r != nil && r.Event == EventBeforeAgent && Decode(r.Payload, &p) == nil && p.First {
		return max(d.Deadline, firstTime)
	}
	return cmp.Or(d.Deadline, requestTime)
}

// outcome classifies how a call ended, for the log: ok, cancelled, late or failed.
func (d *Dispatcher) outcome(ctx context.Context, c *Call, err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(ctx.Err(), context.Canceled):
		return "cancelled"
	case d.transient(c, err):
		return "late"
	}
	return "failed"
}

// transient reports whether the next event is expected not to meet an error again.
func (d *Dispatcher) transient(c *Call, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || c.Project != nil && c.Project.Busy(err)
}

// logMissed logs the requests that the agent reports as unanswered.
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
