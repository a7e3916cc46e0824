package hooks_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/hooks"
)

// system is a System of functions.
type system struct {
	name    string
	declare func(*hooks.Hello)
	handle  func(context.Context, *hooks.Call) error
	after   func(context.Context, *hooks.Call, func(...hooks.Effect)) error
}

func (s system) Name() string { return s.name }

func (s system) Declare(_ *config.Config, h *hooks.Hello) {
	if s.declare != nil {
		s.declare(h)
	}
}

func (s system) Handle(ctx context.Context, c *hooks.Call) error {
	if s.handle == nil {
		return nil
	}
	return s.handle(ctx, c)
}

func (s system) After(ctx context.Context, c *hooks.Call, push func(...hooks.Effect)) error {
	if s.after == nil {
		return nil
	}
	return s.after(ctx, c, push)
}

var errBusy = errors.New("another process is writing")

// world has no machine behind it.
type world struct {
	err      error         // of Project
	settings []string      // the environment, in which there are none otherwise
	session  hooks.Session // of Project, nil for an empty one
	mu       sync.Mutex
	closed   int
}

func (w *world) Settings(string, *bool) (*config.Resolved, error) {
	return config.Resolve(config.Input{Environ: w.settings}), nil
}

func (w *world) Project(context.Context, *hooks.Request) (*hooks.Project, error) {
	if w.err != nil {
		return nil, w.err
	}
	return &hooks.Project{Ports: surroundings{w}}, nil
}

type surroundings struct{ w *world }

func (s surroundings) Config() *config.Resolved {
	return config.Resolve(config.Input{Environ: s.w.settings})
}

func (surroundings) Store(context.Context) (hooks.Stores, error)    { return hooks.Stores{}, errBusy }
func (surroundings) Unread(context.Context) ([]history.File, error) { return nil, nil }
func (s surroundings) Session(context.Context) (hooks.Session, error) {
	if s.w.session != nil {
		return s.w.session, nil
	}
	return empty{}, nil
}
func (surroundings) Maintain(context.Context, bool) error { return nil }
func (surroundings) Busy(err error) bool                  { return errors.Is(err, errBusy) }

func (surroundings) Search(context.Context, string) (hooks.SearchStores, error) {
	return hooks.SearchStores{}, errBusy
}

func (s surroundings) Close() {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.closed++
}

type empty struct{}

func (empty) Entries() *message.Tree             { return &message.Tree{} }
func (empty) Line(*message.Node) ([]byte, error) { return nil, errors.New("there is none") }

// dispatcher asks the systems in order; what it logs is in the slice.
func dispatcher(t *testing.T, systems ...hooks.System) (*hooks.Dispatcher, *[]hooks.Record) {
	t.Helper()
	var mu sync.Mutex
	var log []hooks.Record
	return &hooks.Dispatcher{
		Systems: systems, World: &world{}, Version: "1.2.3", Now: time.Now,
		Log: func(r hooks.Record) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, r)
		},
	}, &log
}

// request is an event of a session.
func request(event, payload string) *hooks.Request {
	return &hooks.Request{V: 1, ID: "7", Event: event, CWD: "/w", Session: hooks.SessionRef{ID: "s"}, Payload: []byte(payload)}
}

// effects is a system that adds a notice, to tell that it was asked.
func effects(name string) system {
	return system{name: name, handle: func(_ context.Context, c *hooks.Call) error {
		c.Add(hooks.Notify(name, "info"))
		return nil
	}}
}

func texts(r hooks.Reply) []string {
	var out []string
	for _, e := range r.Effects {
		if e.Text != nil {
			out = append(out, *e.Text)
		}
	}
	return out
}

// handled has a dispatcher answer a request and do the background work of it.
func handled(t *testing.T, d *hooks.Dispatcher, r *hooks.Request) hooks.Reply {
	t.Helper()
	reply, after := d.Handle(t.Context(), r, 0)
	after(t.Context(), func(...hooks.Effect) {})
	return reply
}

// timeFor is how long a request may be worked on.
func timeFor(t *testing.T, r *hooks.Request) (left time.Duration) {
	t.Helper()
	d, _ := dispatcher(t, system{name: "x", handle: func(ctx context.Context, _ *hooks.Call) error {
		end, _ := ctx.Deadline()
		left = time.Until(end)
		return nil
	}})
	handled(t, d, r)
	return left
}
