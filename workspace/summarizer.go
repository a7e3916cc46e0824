package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/recall"
	"github.com/coctostan/pictx/repo"
)

// A lease lasts for LeaseFor and is renewed every RenewEvery, so that a run that was killed
// does not block others for long.
const (
	LeaseFor   = 8 * time.Second
	RenewEvery = 2 * time.Second
)

// summarizerTime is how long the program may take for one summary.
const summarizerTime = 10 * time.Minute

// Summarizer returns the options of a compaction and what writes its summaries.
func (a *Workspace) Summarizer(set *Settings, o SummarizerOptions, pl Project) (summary.Options, summary.Summarizer) {
	opt := recall.OptionsOf(set.Config.History)
	opt.Now, opt.Instructions, opt.LeaseFor = a.Env.Now, o.Wishes, LeaseFor
	if opt.LeafTokens == 0 {
		opt.LeafTokens = summary.LeafFor(0)
	}
	if o.MaxCalls > 0 {
		opt.MaxCalls = o.MaxCalls
	}
	asker := &CommandSummarizer{env: a.Env, limit: summarizerTime}
	command := set.Config.Summarizer.Command
	if len(o.Command) > 0 {
		command = o.Command
	}
	pi := a.LookPath("pi", pl.Root)
	if len(o.Models) > 0 {
		opt.Models = o.Models
	}
	switch {
	case len(opt.Models) > 0 && opt.Models[0] == config.NoModel:
		opt.Models = nil
	case len(command) > 0:
		asker.Argv = command
		opt.Models = []string{command[0]}
	case pi != "":
		asker.Pi = pi
		if len(o.Models) == 0 {
			opt.Models = append(opt.Models, cmp.Or(o.Session, piDefault))
		}
	default:
		opt.Models = nil
	}
	return opt, asker
}

// piDefault stands for the model that pi chooses by itself.
const piDefault = "pi's own"

// SummarizerOptions override the settings of who writes summaries, and how.
type SummarizerOptions struct {
	Models   []string // asked through pi, in order
	Session  string   // the session's own model, "" if unknown
	Command  []string // run instead, with its arguments
	Wishes   string   // what the summaries should pay attention to
	MaxCalls int      // the maximum number of requests, 0 for the setting
}

// CommandSummarizer writes summaries with a program, which gets the prompt on standard
// input and prints the summary. It runs without a shell, outside the project and with a
// time limit, after which it is killed with its children.
type CommandSummarizer struct {
	env   *Process
	Argv  []string // the program, unless it is pi
	Pi    string   // the path of pi, if that is the program
	limit time.Duration

	gone sync.Map // models that have failed
}

// Summarize implements summary.Summarizer. It does not ask a model again that has failed,
// if there are others.
func (s *CommandSummarizer) Summarize(ctx context.Context, r summary.Request) (summary.Reply, error) {
	err := errors.New("no model is left to ask")
	for _, model := range r.Models {
		if _, failed := s.gone.Load(model); failed {
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
		if len(r.Models) > 1 {
			s.gone.Store(model, true)
		}
	}
	return summary.Reply{}, err
}

// run asks a model once.
func (s *CommandSummarizer) run(ctx context.Context, model string, r summary.Request) (string, error) {
	argv, input := s.command(model, r)
	said, wrong, err := repo.Outside(ctx, s.limit, s.env.Environ, argv, input)
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", argv[0], err, text.CutBytes(text.TerminalLine(wrong), 4<<10))
	}
	return said, nil
}

// command returns the command to run, and its input.
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

// HoldLease renews the lease of a run until stop is called, which returns why the lease was
// lost. The returned context is cancelled when it is lost, because further summaries could
// not be stored.
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
			// If the store is busy, the next tick tries again.
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
