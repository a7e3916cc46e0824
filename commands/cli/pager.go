package cli

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// Pager writes to a terminal. Output that is longer than the terminal goes through the
// user's pager: PICTX_PAGER, else PAGER, else less. Shorter output is written directly, and
// so is everything if the pager is "cat" or cannot be started.
type Pager struct {
	to      io.Writer
	height  int
	environ []string
	command []string

	held  bytes.Buffer // the output while it still fits
	lines int
	run   *exec.Cmd // the running pager, or nil
	pipe  io.WriteCloser
	gone  bool // the user has left the pager, so further output is dropped
}

// NewPager returns a pager for a terminal of height lines. getenv reads environ, which is
// also the environment of the pager.
func NewPager(to io.Writer, height int, environ []string, getenv func(string) string) *Pager {
	p := &Pager{to: to, height: height, environ: environ}
	p.command = strings.Fields(cmp.Or(getenv("PICTX_PAGER"), getenv("PAGER"), "less"))
	if len(p.command) == 0 || p.command[0] == "cat" || height <= 0 {
		p.command = nil
	}
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if getenv(name) == "" {
			p.environ = append(p.environ[:len(p.environ):len(p.environ)], name+"="+value)
		}
	}
	return p
}

// Write implements io.Writer.
func (p *Pager) Write(b []byte) (int, error) {
	switch {
	case p.gone:
		return len(b), nil
	case p.run != nil:
		if _, err := p.pipe.Write(b); err != nil {
			p.gone = true
		}
		return len(b), nil
	case p.command == nil:
		return p.to.Write(b)
	}
	p.held.Write(b)
	if p.lines += bytes.Count(b, []byte("\n")); p.lines >= p.height {
		return len(b), p.start()
	}
	return len(b), nil
}

// start starts the pager with the output so far. From then on Ctrl-C is for the pager
// alone, because the terminal is in use until it ends.
func (p *Pager) start() error {
	run := exec.Command(p.command[0], p.command[1:]...)
	run.Stdout, run.Stderr, run.Env = p.to, os.Stderr, p.environ
	pipe, err := run.StdinPipe()
	if err == nil {
		err = run.Start()
	}
	p.command = nil
	if err != nil { // the pager cannot be started
		_, err = p.held.WriteTo(p.to)
		return err
	}
	signal.Ignore(os.Interrupt)
	p.run, p.pipe = run, pipe
	_, err = p.held.WriteTo(pipe)
	p.gone = err != nil
	return nil
}

// Close writes output that fits the terminal, or waits until the user leaves the pager.
func (p *Pager) Close() error {
	if p.run == nil {
		_, err := p.held.WriteTo(p.to)
		return err
	}
	_ = p.pipe.Close() // fails if the pager has ended
	_ = p.run.Wait()   // the exit code of a pager does not matter
	return nil
}
