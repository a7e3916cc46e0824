package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/recall"
	"github.com/coctostan/pictx/repo"
)

// A lease lasts for leaseFor and is renewed every renewEvery, so that a run that was
// killed is in nobody's way for long.
const (
	LeaseFor   = 8 * time.Second
	RenewEvery = 2 * time.Second
)

// Summarizer says whom to ask, and how.
func (a *Workspace) Summarizer(set *Settings, o SummarizerOptions, pl Place) (summary.Options, summary.Summarizer) {
	opt := recall.OptionsOf(set.Config.History)
	opt.Now, opt.Instructions, opt.LeaseFor = a.Env.Now, o.Wishes, LeaseFor
	if opt.LeafTokens == 0 {
		opt.LeafTokens = summary.LeafFor(0)
	}
	if o.MaxCalls > 0 {
		opt.MaxCalls = o.MaxCalls
	}
	asker := &CommandSummarizer{env: a.Env, limit: time.Duration(set.Config.Summarizer.Seconds) * time.Second}
	command := set.Config.Summarizer.Command
	if len(o.Command) > 0 {
		command = o.Command
	}
	pi := a.LookPath("pi", pl.Root)
	switch {
	case o.Extract, len(o.Models) == 0 && len(opt.Models) > 0 && opt.Models[0] == config.NoModel:
		opt.Models = nil
	case len(command) > 0:
		asker.Argv = command
		opt.Models = []string{command[0]}
	case pi != "":
		asker.Pi = pi
		if len(o.Models) > 0 {
			opt.Models = o.Models
		} else {
			opt.Models = append(opt.Models, cmp.Or(o.Session, piDefault))
		}
	default:
		opt.Models = nil
	}
	return opt, asker
}

// piDefault names the model that pi itself would take.
const piDefault = "pi's own"

// mostAnswer bounds what is read of an answer, in bytes.
const mostAnswer = 1 << 20

// SummarizerOptions say who writes summaries, and how, where the settings do not.
type SummarizerOptions struct {
	Models   []string // asked through pi, in order
	Session  string   // the session's own model, "" when it is not known
	Command  []string // asked instead, with its arguments
	Extract  bool     // nobody is asked: summaries are extracts
	Wishes   string   // what the summaries should attend to
	MaxCalls int      // of a model, 0 for what is usual
}

// CommandSummarizer asks a program: the prompt on its standard input, the summary
// on its standard output. It is run without a shell, away from the project, with a
// time limit, and is killed with its children.
type CommandSummarizer struct {
	env   *Process
	Argv  []string // of a program that is told everything on its input
	Pi    string   // pi's path, when it is pi that is asked
	limit time.Duration

	mu   sync.Mutex
	gone map[string]bool // models that cannot be used
}

// Summarize implements summary.Summarizer. A model that fails is not asked again.
func (s *CommandSummarizer) Summarize(ctx context.Context, r summary.Request) (summary.Reply, error) {
	err := errors.New("no model is left to ask")
	for _, model := range r.Models {
		if s.failed(model) {
			continue
		}
		var text string
		text, err = s.run(ctx, model, r)
		if err == nil {
			return summary.Reply{Text: text, Model: model}, nil
		}
		if ctx.Err() != nil {
			return summary.Reply{}, ctx.Err()
		}
		s.give(model, len(r.Models) > 1)
	}
	return summary.Reply{}, err
}

// failed reports whether a model is not to be asked.
func (s *CommandSummarizer) failed(model string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone[model]
}

// give gives a model up, when there are others.
func (s *CommandSummarizer) give(model string, others bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone == nil {
		s.gone = make(map[string]bool)
	}
	s.gone[model] = others
}

// run asks once.
func (s *CommandSummarizer) run(ctx context.Context, model string, r summary.Request) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	dir, err := os.MkdirTemp("", "pictx-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	argv, input := s.command(model, r)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(s.env.Environ[:len(s.env.Environ):len(s.env.Environ)], "PICTX_DISABLE=1", "PI_SKIP_VERSION_CHECK=1")
	cmd.Stdin = strings.NewReader(input)
	var said, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &capped{w: &said, left: mostAnswer}, &capped{w: &wrong, left: 4 << 10}
	cmd.WaitDelay = time.Second
	repo.OwnGroup(cmd)
	err = cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("%s took longer than %v", argv[0], s.limit)
	case err != nil:
		return "", fmt.Errorf("%s: %w: %s", argv[0], err, text.TerminalLine(wrong.String()))
	}
	return said.String(), nil
}

// command is what to run, and its input.
func (s *CommandSummarizer) command(model string, r summary.Request) (argv []string, input string) {
	if s.Pi == "" {
		return s.Argv, r.System + "\n\n" + r.Prompt
	}
	argv = []string{
		s.Pi, "-p", "--no-session", "--no-tools", "--no-extensions", "--no-skills", "--no-prompt-templates", "--no-context-files",
		"--system-prompt", r.System,
	}
	if model != piDefault {
		argv = append(argv, "--model", model)
	}
	return argv, r.Prompt
}

// capped writes up to a bound and forgets the rest.
type capped struct {
	w    io.Writer
	left int
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.left -= n
	if _, err := c.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// HoldLease renews the lease of a run until stop is called, which returns why it was
// lost. The returned context ends when it is: what a model would still be asked is
// not stored any more.
func HoldLease(ctx context.Context, job *summary.Job) (held context.Context, stop func() error) {
	held, cancel := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() {
		tick := time.NewTicker(RenewEvery)
		defer tick.Stop()
		for {
			select {
			case <-held.Done():
				over <- nil
				return
			case <-tick.C:
			}
			// A store that is busy now is not so in two seconds.
			if err := job.Renew(held); errors.Is(err, summary.ErrFenced) {
				cancel()
				over <- err
				return
			}
		}
	}()
	return held, func() error {
		cancel()
		return <-over
	}
}
