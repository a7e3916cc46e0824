//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// result is the result of a process.
type result struct {
	code   int // -1 when killed
	out    string
	said   string // standard error
	killed bool
}

// ended reports whether the process did its work, at least in part.
func (r result) ended() bool { return r.code == 0 || r.code == 4 }

func (s *soak) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.pictx, args...)
	cmd.Dir = s.project()
	cmd.Env = []string{
		"HOME=" + s.dir + "/home", "TMPDIR=" + s.dir + "/tmp", "PATH=" + s.dir + "/bin:" + os.Getenv("PATH"),
		"PI_CODING_AGENT_DIR=" + s.agentDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + s.dir + "/home/.gitconfig",
	}
	return cmd
}

// pictxOnce runs pictx to the end.
func (s *soak) pictxOnce(args ...string) result { return s.start(nil, 0, "", args...) }

// pictxMaybe runs pictx and may kill it.
func (s *soak) pictxMaybe(rng *rand.Rand, in string, args ...string) result {
	return s.start(rng, s.kills, in, args...)
}

// start runs pictx. With probability kill it kills the process at some time within its
// usual duration.
func (s *soak) start(rng *rand.Rand, kill float64, in string, args ...string) result {
	cmd := s.command(args...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &said
	name := args[0]
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") && (name == "history" || name == "decision" || name == "object" || name == "blobs" || name == "hook") {
		name += " " + args[1]
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return result{code: -1, said: err.Error()}
	}
	var killer *time.Timer
	killed := make(chan struct{})
	if rng != nil && rng.Float64() < kill {
		after := time.Duration(rng.Float64() * float64(s.figures.usual(name)))
		killer = time.AfterFunc(after, func() {
			_ = cmd.Process.Kill()
			close(killed)
		})
	}
	err := cmd.Wait()
	r := result{out: out.String(), said: said.String()}
	if killer != nil && !killer.Stop() {
		<-killed
		r.killed = true
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		r.code = -1
	}
	s.figures.ran(name, r, time.Since(begun))
	return r
}

// server is a process that answers all requests of a session.
type server struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

// serve starts a server and waits for its greeting.
func (s *soak) serve() *server {
	v := &server{cmd: s.command("hook", "--serve"), lines: make(chan string, 64)}
	in, err := v.cmd.StdinPipe()
	out, err2 := v.cmd.StdoutPipe()
	if err != nil || err2 != nil || v.cmd.Start() != nil {
		return nil
	}
	v.in = in
	go func() {
		defer close(v.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			v.lines <- line
		}
	}()
	s.figures.count("serve started")
	if !v.line("", 10*time.Second) {
		v.kill()
		return nil
	}
	return v
}

// line waits for a line that contains a text, and reports whether it arrived.
func (v *server) line(has string, limit time.Duration) bool {
	late := time.After(limit)
	for {
		select {
		case line, ok := <-v.lines:
			if !ok || strings.Contains(line, has) {
				return ok
			}
		case <-late:
			return false
		}
	}
}

// ask sends a request and reports whether the reply arrived in time.
func (v *server) ask(request string, limit time.Duration) bool {
	if _, err := io.WriteString(v.in, request+"\n"); err != nil {
		return false
	}
	return v.line(`"id":"1"`, limit)
}

func (v *server) kill() {
	_ = v.cmd.Process.Kill()
	v.drain()
	_ = v.cmd.Wait()
}

// end closes the input as pi does, and kills a process that does not end in time. It
// reports whether the process ended by itself.
func (v *server) end(limit time.Duration) bool {
	_ = v.in.Close()
	killer := time.AfterFunc(limit, func() { _ = v.cmd.Process.Signal(syscall.SIGKILL) })
	v.drain()
	err := v.cmd.Wait()
	return killer.Stop() && err == nil
}

func (v *server) drain() {
	for range v.lines {
		continue
	}
}
