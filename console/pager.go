package console

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// Pager is a terminal that shows what does not fit its height through the user's pager:
// PICTX_PAGER, else PAGER, else less. Output that fits is written as it is, and so is all
// of it where the pager is "cat" or cannot be started.
type Pager struct {
	to      io.Writer
	height  int
	environ []string
	command []string

	held  bytes.Buffer // what was written while it may still fit
	lines int
	run   *exec.Cmd // nil until a pager shows the output
	pipe  io.WriteCloser
	gone  bool // the reader has left the pager: the rest is of no interest
}

// NewPager pages what is written to a terminal of so many lines. getenv reads the
// environment, which is also the pager's.
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

// start hands what was held back to the pager. From now on Ctrl-C is the pager's: the
// terminal is not free before it ends.
func (p *Pager) start() error {
	run := exec.Command(p.command[0], p.command[1:]...)
	run.Stdout, run.Stderr, run.Env = p.to, os.Stderr, p.environ
	pipe, err := run.StdinPipe()
	if err == nil {
		err = run.Start()
	}
	p.command = nil
	if err != nil { // there is no such pager
		_, err = p.held.WriteTo(p.to)
		return err
	}
	signal.Ignore(os.Interrupt)
	p.run, p.pipe = run, pipe
	_, err = p.held.WriteTo(pipe)
	p.gone = err != nil
	return nil
}

// Close writes what fits the terminal, or waits until the reader leaves the pager.
func (p *Pager) Close() error {
	if p.run == nil {
		_, err := p.held.WriteTo(p.to)
		return err
	}
	_ = p.pipe.Close() // fails when the pager is gone
	_ = p.run.Wait()   // how a pager ends does not matter
	return nil
}
