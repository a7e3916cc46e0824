package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/hooks/raw"
	"github.com/coctostan/pictx/hooks/recall"
)

type hookOptions struct {
	strict  bool
	serve   bool
	trust   string
	session string
}

func (a *app) hookCommand() *cobra.Command {
	var o hookOptions
	cmd := &cobra.Command{
		Use:     "hook [EVENT]",
		GroupID: groupContext,
		Short:   "Filter an event of the agent",
		Long: `Reads one event of pi on standard input, as JSON.stringify writes it, and prints
the whole event: byte for byte as it came, but for what the policy changes. Only
"context" is changed, whose old tool outputs become markers; every other event
passes through.

pi's extension (pictx setup pi) sends requests instead: an event in an envelope,
with a member "v". The answer is a reply, which says what to change. --serve
answers a request a line, until the input ends. pictx hook hello prints what is
declared. pictx help hooks has more.

A hook must not stop an agent. Input that cannot be read gives nothing on standard
output, one line on standard error and exit code 0, or 1 with --strict; on any
other error, and after 200 ms, the event passes through as it came. Warnings about
the configuration are left to pictx config list.`,
		Example: `  jq -c . context.json | pictx hook context | jq '.messages | length'
  pictx hook context < event.json > pruned.json
  pictx hook context -c prune.seed.minimum=0 < event.json
  pictx hook hello | jq .hello.wants`,
		Args:              o.args,
		ValidArgsFunction: cobra.FixedCompletions(hookEvents(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.failsOpen = !o.strict // a panic, too, must not stop an agent
			err := a.runHook(cmd.Context(), o, args)
			if err != nil && !o.strict {
				fmt.Fprintf(a.env.Err, "pictx: %s\n", text.TerminalLine(err.Error()))
				return nil
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.strict, "strict", false, "exit 1 on an error")
	f.BoolVar(&o.serve, "serve", false, "answer requests, one a line, until the input ends")
	f.StringVar(&o.trust, "trust", "", "whether the agent trusts the project: `yes` or no (default: pictx looks itself)")
	f.StringVar(&o.session, "session", "", "the session `file` the event belongs to; no event needs it yet")
	a.completeWords(cmd, "trust", []string{"yes", "no"})
	return cmd
}

// args wants an event, or none with --serve.
func (o *hookOptions) args(cmd *cobra.Command, args []string) error {
	if o.serve {
		return someArgs(0, 0)(cmd, args)
	}
	if len(args) == 0 {
		return usageError("pictx hook --help", "missing argument: want pictx hook EVENT, or --serve")
	}
	return someArgs(1, 1)(cmd, args)
}

// hookEvents are the events that the shell completes.
func hookEvents() []string { return append([]string{hooks.EventHello}, hooks.FilterEvents()...) }

// trusted is what --trust says, nil when it says nothing.
func (o *hookOptions) trusted() (*bool, error) {
	switch o.trust {
	case "":
		return nil, nil
	case "yes", "no":
		yes := o.trust == "yes"
		return &yes, nil
	}
	return nil, usageError("pictx hook --serve --trust yes", "unknown --trust %q: want yes or no", o.trust)
}

func (a *app) runHook(ctx context.Context, o hookOptions, args []string) error {
	trust, err := o.trusted()
	if err != nil {
		return err
	}
	switch {
	case o.serve:
		return a.serve(ctx, trust)
	case args[0] == hooks.EventHello:
		d := a.dispatcher(a.hookWorld(), "oneshot")
		return d.Greet(a.env.Dir, trust, a.out)
	}
	return a.oneEvent(ctx, args[0])
}

// oneShotMemory is where a process that answers one request begins to collect
// garbage, in bytes.
const oneShotMemory = 96 << 20

// oneEvent answers one event, or one request.
func (a *app) oneEvent(ctx context.Context, event string) error {
	in, request, err := isRequest(a.env.In)
	if err != nil {
		return err
	}
	if request {
		// A session is read and forgotten: collecting garbage meanwhile costs more
		// than the process lives to need, up to a bound.
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(oneShotMemory)
		w := a.hookWorld()
		w.oneShot = true
		defer w.Close()
		return a.dispatcher(w, "oneshot").Once(ctx, in, flushed{a.out})
	}
	ctx, cancel := context.WithTimeout(ctx, a.env.HookDeadline)
	defer cancel()
	var h raw.Filter
	if event == hooks.EventContext {
		h.Plan = a.hookPlan()
	}
	rep, err := h.Run(ctx, event, in, a.out)
	if err == nil && rep.Late {
		fmt.Fprintf(a.env.Err, "pictx: %s passed through: there was no plan within %v\n", event, a.env.HookDeadline)
	}
	return err
}

// requestStart is how the extension begins every request; pi's events begin with
// their type.
const requestStart = `{"v":`

// isRequest reports whether the input is a request, by its beginning. The returned
// reader reads all of the input.
func isRequest(in io.Reader) (io.Reader, bool, error) {
	head := make([]byte, len(requestStart))
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return in, false, fmt.Errorf("read event: %w", err)
	}
	if s, ok := in.(io.Seeker); ok {
		if _, err := s.Seek(int64(-n), io.SeekCurrent); err == nil {
			return in, string(head[:n]) == requestStart, nil
		}
	}
	return io.MultiReader(bytes.NewReader(head[:n]), in), string(head[:n]) == requestStart, nil
}

// flushed is an output that holds nothing back: the agent waits for the line.
type flushed struct{ *out }

// Write implements io.Writer.
func (f flushed) Write(b []byte) (int, error) {
	n, err := f.out.Write(b)
	return n, errors.Join(err, f.Flush())
}

// serving is the transport of a process that stays.
const serving = "serve"

// serve answers requests until the input ends.
func (a *app) serve(ctx context.Context, trust *bool) error {
	debug.SetGCPercent(400) // most of the heap is the session, which stays
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := a.hookWorld()
	w.replaced = cancel
	defer w.Close()
	return a.dispatcher(w, serving).Serve(ctx, a.env.Dir, trust, a.env.In, a.env.Out)
}

// dispatcher lists the systems, in the order they are asked.
func (a *app) dispatcher(w *hookWorld, transport string) *hooks.Dispatcher {
	pruning := hooks.Prune{Planner: hookPlanner, Deactivated: deactivatedPlanner, Now: a.env.Now, LongCache: a.env.Getenv("PI_CACHE_RETENTION") == "long"}
	code := w.hookKota(pruning)
	return &hooks.Dispatcher{
		Systems: []hooks.System{
			recall.History{Behind: new(atomic.Int32), Blobs: a.hookBlobs().Cache},
			w.hookObjects(pruning, transport),
			w.hookDecisions(),
			pruning,
			recall.Summaries{Now: a.env.Now, Export: hookExport},
			a.hookBlobs(),
			hooks.KotaCommands{Prune: pruning, Blobs: a.hookBlobs(), Kota: code},
			code,
			w.untrustedSettings(),
		},
		World: w, Version: a.versionInfo().Version, Deadline: a.env.HookDeadline, Now: a.env.Now, Log: w.hookLog(transport),
	}
}

// hookPlanner is the planner of an event. What the user asks for has no minimum.
func hookPlanner(c config.Config, asked bool) (*prune.Planner, string) {
	if asked {
		c.Prune.Seed.Minimum = 0
	}
	return planner(c, asked)
}

// hookPlan returns the plan of the settings, nil when pruning is off or the
// settings cannot be read: then nothing is changed. An event without a session has
// no memory, and the policy auto would not stick to what it decided: seed stands
// for it.
func (a *app) hookPlan() func([]prune.Message) prune.Plan {
	pl, err := a.place()
	if err != nil {
		return nil
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return nil
	}
	if set.Config.Prune.Policy == config.PolicyAuto {
		set.Config.Prune.Policy = config.PolicySeed
	}
	p, _ := planner(set.Config, false)
	if p == nil {
		return nil
	}
	return p.Plan
}
