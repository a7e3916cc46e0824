package mcp

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Grace periods when a process ends: after SIGTERM, after SIGKILL, and for its last output.
const (
	termGrace = 500 * time.Millisecond
	killGrace = 3 * time.Second
	hearGrace = 200 * time.Millisecond
)

// process is a server and its children: a process group of its own.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser

	done chan struct{} // closed when the process has ended
	err  error         // the result of Wait; valid after done
	once sync.Once
}

// startProcess starts a command in its own process group. Its standard error goes to noise.
func startProcess(argv, environ []string, dir string, noise *tail) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, environ
	ownGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stderr, errs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = out, errs // files, so that Wait does not wait for grandchildren
	err = cmd.Start()
	_ = out.Close()
	_ = errs.Close()
	if err != nil {
		_ = stdout.Close()
		_ = stderr.Close()
		return nil, err
	}
	p := &process{cmd: cmd, stdin: stdin, stdout: stdout, done: make(chan struct{})}
	heard := make(chan struct{})
	go func() {
		_, _ = io.Copy(noise, stderr)
		_ = stderr.Close()
		close(heard)
	}()
	go func() {
		p.err = cmd.Wait()
		killGroup(cmd) // its children end with it
		select {
		case <-heard: // its last output may say why
		case <-time.After(hearGrace): // a process that left the group still has the pipe open
		}
		close(p.done)
	}()
	return p, nil
}

// end stops a process and its children. Unless hurry is set it sends SIGTERM first.
func (p *process) end(hurry bool) {
	p.once.Do(func() {
		_ = p.stdin.Close()
		if !hurry {
			endGroup(p.cmd)
			select {
			case <-p.done:
			case <-time.After(termGrace):
			}
		}
		killGroup(p.cmd)
		select {
		case <-p.done:
		case <-time.After(killGrace): // it hangs in the kernel; give up
		}
		_ = p.stdout.Close()
	})
}

// ended reports whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// tailBytes is how much of a server's output is kept.
const tailBytes = 2 << 10

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[max(0, len(p)-tailBytes):]...)
	if n := len(t.b) - tailBytes; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

// last returns the last line that is not blank, "" when there is none.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(bytes.TrimSpace(t.b))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
