package hooks

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/text"
)

// drainTime is how long Serve waits for unfinished requests when its input ends.
const drainTime = 700 * time.Millisecond

// unwindTime is how long it then waits for those that it cancelled to release the store and to
// delete their temporary files. Both together are less than the agent waits before it kills.
const unwindTime = 200 * time.Millisecond

// readSize is the size of the read buffer in bytes: the capacity of a pipe.
const readSize = 64 << 10

// ErrReplaced ends Serve when the agent should start another process, because a newer
// program has changed the store that this one has open.
var ErrReplaced = errors.New("the store was changed by a newer pictx")

// Serve prints hello, then answers one request per line until in ends. It handles requests
// concurrently, and sends each reply as soon as it is ready.
func (d *Dispatcher) Serve(ctx context.Context, cwd string, trusted *bool, in io.Reader, out io.Writer) error {
	hello, err := d.Hello(cwd, trusted)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{Dispatcher: d, out: out, stop: cancel, running: make(map[string]context.CancelFunc), ends: new(atomic.Pointer[time.Time])}
	if err := s.print(Line{Hello: &hello}); err != nil {
		return err
	}
	lines := make(chan []byte)
	go read(in, lines, s.failed)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				return s.end()
			}
			s.start(ctx, line)
		case <-ctx.Done():
			s.end()
			return context.Cause(ctx)
		}
	}
}

// read sends the non-empty lines of in.
func read(in io.Reader, lines chan<- []byte, failed func(error)) {
	defer close(lines)
	r := bufio.NewReaderSize(in, readSize)
	for {
		line, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			lines <- line
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				failed(err)
			}
			return
		}
	}
}

// server is one run of Serve.
type server struct {
	*Dispatcher
	mu      sync.Mutex // guards out
	out     io.Writer
	stop    context.CancelCauseFunc
	work    sync.WaitGroup
	state   sync.Mutex // guards running and err
	running map[string]context.CancelFunc
	err     error
	// ends is when the agent stops waiting for the work of the present session, nil until
	// the session ends. Only Serve changes it.
	ends *atomic.Pointer[time.Time]
}

// untilEnd is the context of background work. It has no deadline until its session ends.
type untilEnd struct {
	context.Context
	ends *atomic.Pointer[time.Time]
}

// Deadline implements context.Context.
func (u untilEnd) Deadline() (time.Time, bool) {
	if end := u.ends.Load(); end != nil {
		return *end, true
	}
	return u.Context.Deadline()
}

func (s *server) failed(err error) {
	s.state.Lock()
	defer s.state.Unlock()
	s.err = fmt.Errorf("read requests: %w", err)
}

// print writes one line.
func (s *server) print(v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return write(s.out, v)
}

// start starts the handling of a line. A line that is not a valid request gets an error
// reply if it has an id, and is ignored otherwise.
func (s *server) start(ctx context.Context, line []byte) {
	r, err := Parse(line)
	switch {
	case err != nil && r != nil && r.ID != "":
		s.reply(Reply{ID: r.ID, Error: text.LogLine(err.Error())})
		return
	case err != nil:
		return
	case r.Cancel != "":
		s.cancel(r.Cancel)
		return
	}
	if r.Event == EventSessionShutdown { // what is under way has until the process is killed
		end := s.Now().Add(shutdownTime + drainTime)
		s.ends.Store(&end)
		s.ends = new(atomic.Pointer[time.Time])
	}
	ctx, cancel := context.WithCancel(untilEnd{ctx, s.ends})
	s.state.Lock()
	s.running[r.ID] = cancel
	s.state.Unlock()
	s.work.Go(func() {
		defer cancel()
		s.answer(ctx, r, int64(len(line)))
	})
}

func (s *server) reply(r Reply) {
	if err := s.print(r); err != nil {
		s.stop(err)
	}
}

// answer answers one request, then does its background work.
func (s *server) answer(ctx context.Context, r *Request, size int64) {
	push := func(effects ...Effect) { s.reply(Reply{Effects: effects}) }
	reply, after := s.Dispatcher.answer(ctx, r, size, push)
	s.state.Lock()
	delete(s.running, r.ID)
	s.state.Unlock()
	s.reply(reply)
	after(ctx, push)
}

func (s *server) cancel(id string) {
	s.state.Lock()
	defer s.state.Unlock()
	if cancel := s.running[id]; cancel != nil {
		cancel()
	}
}

// end waits up to drainTime for unfinished requests, above all a shutdown.
func (s *server) end() error {
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(drainTime):
		s.stop(nil)
		select {
		case <-done:
		case <-time.After(unwindTime):
		}
	}
	s.state.Lock()
	defer s.state.Unlock()
	return s.err
}

// Once answers one request.
func (d *Dispatcher) Once(ctx context.Context, data []byte, out io.Writer) error {
	r, err := Parse(data)
	if err != nil {
		if r == nil {
			return err
		}
		return errors.Join(err, write(out, Reply{ID: r.ID, Error: text.LogLine(err.Error())}))
	}
	reply, after := d.Handle(ctx, r, int64(len(data)))
	err = write(out, reply)
	after(ctx, func(...Effect) {})
	return err
}

// Greet prints hello.
func (d *Dispatcher) Greet(cwd string, trusted *bool, out io.Writer) error {
	h, err := d.Hello(cwd, trusted)
	if err != nil {
		return err
	}
	return write(out, Line{Hello: &h})
}

// write prints v as one line of JSON, in a single write.
func write(out io.Writer, v any) error {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return fmt.Errorf("write reply: %w", err)
	}
	if _, err := out.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("write reply: %w", err)
	}
	return nil
}
