package hooks_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
)

// line is a line that serve printed.
type line struct {
	ID      string
	Error   string
	Hello   *struct{ V int }
	Effects []struct{ Text string }
}

// serving is a server under way.
type serving struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Scanner
	done chan error
}

func serve(t *testing.T, d *hooks.Dispatcher) *serving {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &serving{t, inW, bufio.NewScanner(outR), make(chan error, 1)}
	s.out.Buffer(nil, 1<<24)
	go func() {
		err := d.Serve(context.WithoutCancel(t.Context()), "/w", nil, inR, outW)
		outW.Close()
		s.done <- err
	}()
	l := s.next()
	must.Stop(t, l.Hello == nil || l.Hello.V != 1, "first line %+v", l)
	t.Cleanup(s.end)
	return s
}

func (s *serving) send(format string, args ...any) {
	s.t.Helper()
	must.Get(fmt.Fprintf(s.in, format+"\n", args...))(s.t)
}

func (s *serving) next() line {
	s.t.Helper()
	if !s.out.Scan() {
		s.t.Fatal("no more lines", s.out.Err())
	}
	var l line
	if err := json.Unmarshal(s.out.Bytes(), &l); err != nil {
		s.t.Fatalf("%v in %q", err, s.out.Bytes())
	}
	return l
}

// expect reads the next line, which must be the reply to a request, with an error that contains
// this text.
func (s *serving) expect(id, failure string) {
	s.t.Helper()
	l := s.next()
	must.Not(s.t, l.ID != id || (l.Error == "") != (failure == "") || !strings.Contains(l.Error, failure), "%+v is not the reply to %s, with the error %q", l, id, failure)
}

// end ends the input, as every test does in the end.
func (s *serving) end() {
	s.in.Close()
	for s.out.Scan() {
	}
	if s.done != nil {
		must.Do(s.t, <-s.done)
		s.done = nil
	}
}

const turnEnd = `{"v":1,"id":"%s","event":"turn_end","cwd":"/w","session":{"id":"s"},"payload":{}}`

func TestServeAnswersByIDInAnyOrder(t *testing.T) {
	second := make(chan struct{})
	d, _ := dispatcher(t, system{name: "x", handle: func(ctx context.Context, c *hooks.Call) error {
		if c.ID == "slow" {
			<-second
		}
		return nil
	}})
	s := serve(t, d)
	s.send(turnEnd, "slow")
	s.send(turnEnd, "fast")
	s.expect("fast", "")
	close(second)
	s.expect("slow", "")
}

func TestServeCancelsRequests(t *testing.T) {
	d, _ := dispatcher(t, system{name: "x", handle: func(ctx context.Context, c *hooks.Call) error {
		if c.ID == "hangs" {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}})
	s := serve(t, d)
	s.send(`{"v":1,"id":"hangs","event":"session_start","cwd":"/w","session":{"id":"s"},"payload":{}}`)
	s.send(`{"v":1,"cancel":"unknown"}`)
	s.send(`{"v":1,"cancel":"hangs"}`)
	s.expect("hangs", "x: context canceled")
	s.send(turnEnd, "after")
	s.expect("after", "")
}

func TestServeIgnoresLinesThatAreNotRequests(t *testing.T) {
	d, _ := dispatcher(t)
	s := serve(t, d)
	s.send("")
	s.send("garbage")
	s.send("[1,2]")
	s.send(`{"v":9,"id":"new","event":"turn_end"}`)
	s.expect("new", "protocol version 9")
	s.send(`{"v":1,"id":"unknown","event":"later_event","cwd":"/w","session":{"id":"s"},"payload":{}}`)
	s.expect("unknown", "")
	s.send(turnEnd, strings.Repeat("x", 1<<20))
	s.expect(strings.Repeat("x", 1<<20), "")
}

// An agent waits for an answer to every id it has sent.
func TestServeAnswersRequestsWithMembersOfTheWrongType(t *testing.T) {
	d, _ := dispatcher(t)
	s := serve(t, d)
	for i, wrong := range []string{`"session":"all"`, `"model":[]`, `"can":{}`, `"cwd":7`, `"entries":3`} {
		s.send(`{"v":1,"id":"w%d","event":"turn_end",%s}`, i, wrong)
		s.expect(fmt.Sprint("w", i), "read request")
	}
}

func TestServePushesEffectsAfterTheReply(t *testing.T) {
	d, _ := dispatcher(t, system{name: "x", after: func(_ context.Context, _ *hooks.Call, push func(...hooks.Effect)) error {
		push(hooks.Status("k", "50 %"))
		return nil
	}})
	s := serve(t, d)
	s.send(turnEnd, "1")
	if l := s.next(); l.ID != "1" || len(l.Effects) > 0 {
		t.Errorf("%+v", l)
	}
	if l := s.next(); l.ID != "" || len(l.Effects) != 1 || l.Effects[0].Text != "50 %" {
		t.Errorf("%+v", l)
	}
}

func TestServeEndsWithItsInputDespiteUnfinishedRequests(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	d, _ := dispatcher(t, system{name: "x", handle: func(context.Context, *hooks.Call) error {
		<-release // deaf to everything
		return nil
	}})
	s := serve(t, d)
	s.send(turnEnd, "1")
	s.end()
}

// What is cancelled deletes its temporary files and releases the store.
func TestServeEndsAfterWhatItCancelledHasEnded(t *testing.T) {
	released := make(chan struct{})
	d, _ := dispatcher(t, system{name: "x", handle: func(ctx context.Context, _ *hooks.Call) error {
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond) // until Serve would have returned
		close(released)
		return ctx.Err()
	}})
	d.Deadline = time.Minute
	s := serve(t, d)
	s.send(turnEnd, "1")
	s.end()
	select {
	case <-released:
	default:
		t.Error("it was cut off")
	}
}

// Work after a reply is in no hurry, until the session ends: then it goes before the work of
// others.
func TestServeHurriesTheWorkOfASessionThatHasEnded(t *testing.T) {
	waits, end := make(chan bool), make(chan struct{})
	d, _ := dispatcher(t, system{name: "x", handle: func(_ context.Context, c *hooks.Call) error {
		if c.Is(hooks.EventSessionShutdown) {
			close(end)
		}
		return nil
	}, after: func(ctx context.Context, c *hooks.Call, _ func(...hooks.Effect)) error {
		if c.Is(hooks.EventTurnEnd) {
			_, soon := ctx.Deadline()
			waits <- soon
			<-end
			at, soon := ctx.Deadline()
			waits <- soon && time.Until(at) < time.Minute
		}
		return nil
	}})
	s := serve(t, d)
	s.send(turnEnd, "1")
	s.next()
	must.Not(t, <-waits, "it has a deadline before the end of the session")
	s.send(strings.Replace(turnEnd, "turn_end", "session_shutdown", 1), "2")
	s.next()
	must.Not(t, !<-waits, "it does not know that the session has ended")
}

func TestServeFinishesQuickRequestsWhenItsInputEnds(t *testing.T) {
	d, _ := dispatcher(t, effects("a"))
	var out bytes.Buffer
	in := strings.NewReader(fmt.Sprintf(turnEnd, "1") + "\n" + fmt.Sprintf(turnEnd, "2")) // the last line has no end
	must.Do(t, d.Serve(t.Context(), "/w", nil, in, &out))
	if n := strings.Count(out.String(), "\n"); n != 3 {
		t.Errorf("%d lines\n%s", n, out.String())
	}
}

func TestServeReportsABrokenInputAndOutput(t *testing.T) {
	d, _ := dispatcher(t)
	cause := errors.New("gone")
	if err := d.Serve(t.Context(), "/w", nil, iotest.ErrReader(cause), io.Discard); !errors.Is(err, cause) {
		t.Errorf("input: %v", err)
	}
	broken := brokenWriter{}
	if err := d.Serve(t.Context(), "/w", nil, strings.NewReader(""), broken); err == nil {
		t.Error("output: no error")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Both ways in are the same handlers: the same request has the same reply.
func TestOneShotAnswersAsServeDoes(t *testing.T) {
	d, _ := dispatcher(t, asker("a"), effects("b"))
	for _, req := range []string{
		fmt.Sprintf(turnEnd, "1"),
		`{"v":1,"id":"2","event":"agent_end","cwd":"/w","session":{"id":"s"},"payload":{},"replies":[{"id":"a.first","value":1}]}`,
		`{"v":1,"id":"3","event":"agent_end","cwd":"/w","session":{"id":"s"},"payload":{},"replies":[{"id":"a.second","value":2}],"state":{"a":{"First":"1"}}}`,
		`{"v":7,"id":"4"}`,
	} {
		var once, served bytes.Buffer
		_ = d.Once(t.Context(), []byte(req), &once)
		must.Do(t, d.Serve(t.Context(), "/w", nil, strings.NewReader(req+"\n"), &served))
		_, reply, _ := strings.Cut(served.String(), "\n")
		must.Not(t, once.String() != reply || reply == "", "%s\none shot %s\nserve    %s", req, once.String(), reply)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(turnEnd, "1")))
	f.Add([]byte(`{"v":1,"cancel":"1"}`))
	f.Add([]byte(`{"v":1,"entries":[{"a":"\ud800"}],"state":{},"replies":[{"id":"x","value":[]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := hooks.Parse(data)
		if err != nil {
			return
		}
		must.Not(t, r.V < 1 || r.V > 2, "version %d passes", r.V)
		d := &hooks.Dispatcher{World: &world{}, Now: time.Now, Systems: []hooks.System{asker("a")}}
		reply, _ := d.Handle(t.Context(), r, 0)
		must.Equal(t, reply.ID, r.ID, "reply to %q has id", r.ID)
	})
}
