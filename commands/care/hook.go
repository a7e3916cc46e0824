package care

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/hooks/recall"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/world"
)

type hookOptions struct {
	export        recall.ExportFunc
	strict, serve bool
	trust         string
}

// HookCommand returns the command pictx hook.
func HookCommand(a *cli.Run, export recall.ExportFunc) *cobra.Command {
	o := hookOptions{export: export}
	cmd := cli.Command("hook [EVENT]", "Process an event of the agent", "", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		a.FailsOpen = !o.strict // even a panic must not stop an agent
		err := runHook(a, ctx, o, args)
		if err != nil && !o.strict {
			fmt.Fprintf(a.Env.Err, "pictx: %s\n", text.TerminalLine(err.Error()))
			return nil
		}
		return err
	})
	cmd.ValidArgsFunction = cobra.FixedCompletions(hookEvents(), cobra.ShellCompDirectiveNoFileComp)
	f := cmd.Flags()
	f.BoolVar(&o.strict, "strict", false, "exit 1 on an error")
	f.BoolVar(&o.serve, "serve", false, "reply to requests, one per line, until the input ends")
	cli.WordFlag(cmd, &o.trust, "trust", "`whether` the agent trusts the project (default: pictx looks itself)", "yes", "no")
	return cmd
}

// hookEvents lists the events that the shell completes.
func hookEvents() []string { return append([]string{hooks.EventHello}, hooks.PiEvents()...) }

func runHook(a *cli.Run, ctx context.Context, o hookOptions, args []string) error {
	var trust *bool // nil if --trust is not given
	if o.trust != "" {
		yes := o.trust == "yes"
		trust = &yes
	}
	switch {
	case o.serve == (len(args) > 0):
		return exit.UsageError("pictx hook --help", "want either pictx hook EVENT, or --serve")
	case o.serve:
		return serve(a, ctx, o, trust)
	case args[0] == hooks.EventHello:
		d := world.New(a.Workspace).Dispatcher(world.OneShot, a.Env.HookDeadline, o.export)
		return d.Greet(a.Env.Dir, trust, a.Out)
	}
	return oneEvent(a, ctx, o, args[0])
}

// oneShotMemory is the heap size in bytes at which a process that answers one request
// starts to collect garbage.
const oneShotMemory = 96 << 20

// oneEvent handles one event of pi, or one request of the extension.
func oneEvent(a *cli.Run, ctx context.Context, o hookOptions, event string) error {
	// The process ends soon: up to a bound, collecting garbage costs more than it frees.
	if a.Env.Alone {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(oneShotMemory)
	}
	data, err := io.ReadAll(a.Env.In)
	if err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	if hooks.IsRequest(data) {
		w := world.New(a.Workspace)
		w.OneShot = true
		defer w.Close()
		return w.Dispatcher(world.OneShot, a.Env.HookDeadline, o.export).Once(ctx, data, flushed{a.Out})
	}
	ctx, cancel := context.WithTimeout(ctx, a.Env.HookDeadline)
	defer cancel()
	var plan func([]policy.Message) policy.Plan
	if event == hooks.EventContext {
		plan = hookPlan(a)
	}
	out, _, err := hooks.Bare(ctx, event, data, plan)
	if _, failed := a.Out.Write(out); failed != nil {
		return fmt.Errorf("write event: %w", failed)
	}
	if errors.Is(err, hooks.ErrLate) {
		fmt.Fprintf(a.Env.Err, "pictx: %s passed through: there was no plan within %v\n", event, a.Env.HookDeadline)
		return nil
	}
	return err
}

// flushed is an output that flushes every write, because the agent waits for the line.
type flushed struct{ *cli.Out }

// Write implements io.Writer.
func (f flushed) Write(b []byte) (int, error) {
	n, err := f.Out.Write(b)
	return n, errors.Join(err, f.Flush())
}

// serve answers requests until the input ends.
func serve(a *cli.Run, ctx context.Context, o hookOptions, trust *bool) error {
	if a.Env.Alone {
		debug.SetGCPercent(400) // most of the heap is the session, which stays in use
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := world.New(a.Workspace)
	w.Replaced = cancel
	defer w.Close()
	return w.Dispatcher(world.Serving, a.Env.HookDeadline, o.export).Serve(ctx, a.Env.Dir, trust, a.Env.In, a.Env.Out)
}

// hookPlan returns the planner's Plan, nil if pruning is off or the settings cannot be
// read. An event without a session has no memory, so the policy auto could not keep to its
// decisions; seed replaces it.
func hookPlan(a *cli.Run) func([]policy.Message) policy.Plan {
	set, _, err := workspace.InForce(a.Workspace)
	if err != nil {
		return nil
	}
	if set.Config.Prune.Policy == config.PolicyAuto {
		set.Config.Prune.Policy = config.PolicySeed
	}
	p := workspace.Choice(set.Config, false).Planner
	if p == nil {
		return nil
	}
	return p.Plan
}
