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

// summarizerTime is how long the program may take for one summary.
const summarizerTime = 10 * time.Minute

// SummarizerOptions override the settings of who writes summaries, and how.
type SummarizerOptions struct {
	Models       []string // asked through pi, in order
	Session      string   // the session's own model, "" if unknown
	Command      []string // run instead, with its arguments
	Instructions string   // what the summaries should pay attention to
	MaxCalls     int      // the maximum number of requests, 0 for the setting
}

// Summarizer returns the options of a compaction and what writes its summaries.
func (a *Workspace) Summarizer(set *Settings, o SummarizerOptions, pl Project) (summary.Options, summary.Summarizer) {
	opt := recall.OptionsOf(set.Config.History)
	opt.Now, opt.Instructions, opt.MaxCalls = a.Env.Now, o.Instructions, o.MaxCalls
	if len(o.Models) > 0 {
		opt.Models = o.Models
	}
	asker := &CommandSummarizer{env: a.Env, Argv: o.Command}
	if len(asker.Argv) == 0 {
		asker.Argv = set.Config.Summarizer.Command
	}
	pi := a.LookPath("pi", pl.Root)
	switch {
	case len(opt.Models) > 0 && opt.Models[0] == config.NoModel, len(asker.Argv) == 0 && pi == "":
		opt.Models = nil
	case len(asker.Argv) > 0:
		opt.Models = asker.Argv[:1]
	default:
		asker.Pi = pi
		if len(o.Models) == 0 {
			opt.Models = append(opt.Models, cmp.Or(o.Session, piDefault))
		}
	}
	return opt, asker
}

// piDefault stands for the model that pi chooses by itself.
const piDefault = "pi's own"

// CommandSummarizer writes summaries with a program, which gets the prompt on standard
// input and prints the summary. It runs without a shell, outside the project and with a
// time limit, after which it is killed with its children.
type CommandSummarizer struct {
	env  *Process
	Argv []string // the program, unless it is pi
	Pi   string   // the path of pi, if that is the program
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
		argv, input := s.command(model, r)
		said, wrong, failed := repo.Outside(ctx, summarizerTime, s.env.Environ, argv, input)
		switch {
		case failed == nil:
			return summary.Reply{Text: said, Model: model}, nil
		case ctx.Err() != nil:
			return summary.Reply{}, ctx.Err()
		}
		err = fmt.Errorf("%s: %w: %s", argv[0], failed, text.CutBytes(text.TerminalLine(wrong), 4<<10))
		if len(r.Models) > 1 {
			s.gone.Store(model, true)
		}
	}
	return summary.Reply{}, err
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
