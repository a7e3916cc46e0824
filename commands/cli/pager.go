package cli

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// Pager writes to a terminal through the user's pager: PICTX_PAGER, else PAGER, else less, which
// ends by itself where the output fits the terminal. With "cat", or a pager that cannot be
// started, it writes directly.
type Pager struct {
	to      io.Writer
	environ []string
	command []string  // empty once it has been started, or is not to be
	run     *exec.Cmd // the running pager, or nil
	pipe    io.WriteCloser
}

// NewPager returns a pager for a terminal. getenv reads environ, which is also the environment of
// the pager.
func NewPager(to io.Writer, environ []string, getenv func(string) string) *Pager {
	p := &Pager{to: to, environ: environ, command: strings.Fields(cmp.Or(getenv("PICTX_PAGER"), getenv("PAGER"), "less"))}
	if len(p.command) > 0 && p.command[0] == "cat" {
		p.command = nil
	}
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if getenv(name) == "" {
			p.environ = append(p.environ[:len(p.environ):len(p.environ)], name+"="+value)
		}
	}
	return p
}

// Write implements io.Writer. When the user has left the pager, further output is dropped.
func (p *Pager) Write(b []byte) (int, error) {
	if len(p.command) > 0 {
		p.start()
	}
	if p.run == nil {
		return p.to.Write(b)
	}
	_, _ = p.pipe.Write(b)
	return len(b), nil
}

// start starts the pager. From then on Ctrl-C is for the pager alone, because the terminal is in
// use until it ends.
func (p *Pager) start() {
	run := exec.Command(p.command[0], p.command[1:]...)
	run.Stdout, run.Stderr, run.Env = p.to, os.Stderr, p.environ
	p.command = nil
	pipe, err := run.StdinPipe()
	if err == nil {
		err = run.Start()
	}
	if err == nil {
		signal.Ignore(os.Interrupt)
		p.run, p.pipe = run, pipe
	}
}

// Close waits until the user leaves the pager.
func (p *Pager) Close() {
	if p.run != nil {
		_ = p.pipe.Close() // fails if the pager has ended
		_ = p.run.Wait()   // the exit code of a pager does not matter
	}
}
