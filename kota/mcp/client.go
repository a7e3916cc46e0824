package mcp

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/coctostan/pictx/core/fence"
)

// Limits on restarting the server.
const (
	retries    = 2                      // restarts for one question
	firstRest  = 250 * time.Millisecond // the first pause, doubled with every failure
	longestNap = time.Minute
	patience   = 2 * time.Second // a longer pause is an error instead of a wait
	badGrace   = 2 * time.Second // for the answer after a malformed line
)

// launch is how to start the server.
type launch struct {
	command, guard, environ []string
	dir                     string
	version                 string        // version of this program
	limit                   time.Duration // time limit of the start
	firstRest               time.Duration
}

// client asks the server one question at a time, and starts it when needed.
type client struct {
	launch launch
	noise  tail

	mu       sync.Mutex
	conn     *conn
	failures int
	restTill time.Time
	lastErr  error
	starts   int
}

// conn is a running server and its session.
type conn struct {
	proc    *process
	session *session
	bad     chan string // the first malformed line
}

// call calls a tool and returns the text of its answer. It restarts a server that died.
func (c *client) call(ctx context.Context, tool string, args any, limit time.Duration) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for try := 0; ; try++ {
		if err := c.ensure(ctx); err != nil {
			return "", err
		}
		text, err := c.ask(ctx, tool, args, limit)
		if err == nil {
			c.failures = 0
			return text, nil
		}
		if !died(err) {
			return "", err
		}
		c.failed(err)
		if try == retries {
			return "", err
		}
	}
}

// ensure starts the server unless it is running.
func (c *client) ensure(ctx context.Context) error {
	if c.conn != nil && !c.conn.proc.ended() {
		return nil
	}
	c.stop(true)
	if rest := time.Until(c.restTill); rest > patience {
		return &StoppedError{Times: c.failures, Rest: rest, Cause: c.lastErr}
	} else if rest > 0 {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	conn, err := c.start(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.failed(err)
		return err
	}
	c.conn = conn
	return nil
}

// failed stops the server and delays the next start, longer after each failure.
func (c *client) failed(err error) {
	c.stop(true)
	rest := c.launch.firstRest << min(c.failures, 12)
	c.failures++
	c.lastErr = err
	c.restTill = time.Now().Add(min(rest, longestNap))
}

// start starts the server and initializes the session.
func (c *client) start(ctx context.Context) (*conn, error) {
	l := c.launch
	if len(l.command) == 0 {
		return nil, &StartError{Command: l.command, Cause: errors.New("no command is configured")}
	}
	program, err := exec.LookPath(l.command[0])
	if err != nil {
		return nil, &MissingError{Command: l.command}
	}
	argv := append(append([]string{}, l.guard...), program)
	argv = append(argv, l.command[1:]...)
	c.starts++
	proc, err := startProcess(argv, l.environ, l.dir, &c.noise)
	if err != nil {
		return nil, &StartError{Command: l.command, Cause: err}
	}
	out := &conn{proc: proc, bad: make(chan string, 1)}
	reader := newLines(proc.stdout, func(line []byte, err error) { c.malformed(out, line, err) })
	ctx, cancel := context.WithTimeout(ctx, l.limit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { proc.end(true) }) // initialization may hang
	defer stop()
	out.session = newSession(reader, proc.stdin, reader.bad)
	err = out.session.greet(ctx, l.version)
	if err != nil {
		late := errors.Is(ctx.Err(), context.DeadlineExceeded)
		proc.end(true)
		return nil, c.startError(proc, err, late)
	}
	return out, nil
}

// startError says why the server did not start.
func (c *client) startError(proc *process, err error, late bool) error {
	cause := err
	var exit *exec.ExitError
	switch {
	case late:
		cause = fmt.Errorf("it did not answer within %s", c.launch.limit)
	case errors.As(proc.err, &exit) && exit.ExitCode() >= 0:
		cause = fmt.Errorf("it ended with code %d", exit.ExitCode())
	}
	return &StartError{Command: c.launch.command, Cause: cause, Last: c.noise.last()}
}

// malformed records a line that is not a message.
func (c *client) malformed(to *conn, line []byte, err error) {
	text := fence.OneLine(string(line[:min(len(line), 4*maxMessage)]), maxMessage)
	if err != nil {
		text = err.Error()
	}
	_, _ = c.noise.Write([]byte("not a message: " + text + "\n"))
	select {
	case to.bad <- text:
	default:
	}
}

// ask calls a tool of the running server. A server that does not answer in time is stopped: it
// would block the next question, too.
func (c *client) ask(ctx context.Context, tool string, args any, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{Tool: tool, Limit: limit})
	defer cancel()
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	conn := c.conn
	select {
	case <-conn.bad: // left from an earlier question
	default:
	}
	go conn.watch(ctx, quit, tool, &c.noise)
	res, err := conn.session.callTool(ctx, tool, args)
	if err == nil {
		return answerText(tool, res)
	}
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) && ctx.Err() == nil {
		return "", &AnswerError{Tool: tool, Message: rpc.Message}
	}
	cause := context.Cause(ctx)
	if cause == nil {
		cause = &diedError{tool: tool, last: c.noise.last()}
	}
	c.stop(true)
	return "", cause
}

// watch cancels a question when the server ends, or when it prints a malformed line and then no
// answer within badGrace.
func (c *conn) watch(ctx context.Context, quit context.CancelCauseFunc, tool string, noise *tail) {
	select {
	case <-ctx.Done():
	case <-c.proc.done:
		quit(&diedError{tool: tool, last: noise.last()})
	case text := <-c.bad:
		select {
		case <-ctx.Done():
		case <-time.After(badGrace):
		}
		quit(&AnswerError{Tool: tool, Message: "it sent an invalid answer: " + text})
	}
}

// answerText returns the text of an answer.
func answerText(tool string, res *toolResult) (string, error) {
	var text strings.Builder
	for _, part := range res.Content {
		if part.Type == "text" {
			text.WriteString(part.Text)
		}
	}
	if res.IsError {
		return "", &AnswerError{Tool: tool, Message: text.String()}
	}
	return text.String(), nil
}

// close stops the server.
func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop(false)
}

// stop stops the server, without a grace period when hurry is set. The caller holds the lock.
func (c *client) stop(hurry bool) {
	if c.conn == nil {
		return
	}
	c.conn.proc.end(hurry)
	_ = c.conn.session.close()
	c.conn = nil
}

// state returns "stopped" or "running".
func (c *client) state() string {
	if !c.mu.TryLock() {
		return "running" // a question or a start is in progress
	}
	defer c.mu.Unlock()
	if c.conn == nil || c.conn.proc.ended() {
		return "stopped"
	}
	return "running"
}
