package commands

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/hooks"
)

func (a *app) hookCommand() *cobra.Command {
	strict, session := false, ""
	cmd := &cobra.Command{
		Use:     "hook EVENT",
		GroupID: groupContext,
		Short:   "Filter an event of the agent",
		Long: `Reads one event of pi on standard input, as JSON.stringify writes it, and prints
the whole event: byte for byte as it came, but for what the policy changes. Only
"context" is changed, whose old tool outputs become markers; every other event
passes through.

A hook must not stop an agent. Input that cannot be read gives nothing on standard
output, one line on standard error and exit code 0, or 1 with --strict; on any
other error, and after 200 ms, the event passes through as it came. Warnings about
the configuration are left to pictx config list.`,
		Example: `  jq -c . context.json | pictx hook context | jq '.messages | length'
  pictx hook context < event.json > pruned.json
  pictx hook context -c prune.seed.minimum=0 < event.json`,
		Args:              someArgs(1, 1),
		ValidArgsFunction: cobra.FixedCompletions(hookEvents(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.failsOpen = !strict // a panic, too, must not stop an agent
			err := a.runHook(cmd.Context(), args[0])
			if err != nil && !strict {
				fmt.Fprintf(a.env.Err, "pictx: %s\n", oneLine(err.Error()))
				return nil
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "exit 1 on an error")
	cmd.Flags().StringVar(&session, "session", "", "the session `file` the event belongs to; no event needs it yet")
	return cmd
}

// hookEvents are the events of pi that somebody may want to complete.
func hookEvents() []string {
	return []string{
		"context", "tool_result", "before_agent_start", "turn_end", "agent_before_settle", "agent_end",
		"session_start", "session_before_compact", "session_compact", "session_tree", "session_shutdown",
	}
}

func (a *app) runHook(ctx context.Context, event string) error {
	ctx, cancel := context.WithTimeout(ctx, a.env.HookDeadline)
	defer cancel()
	var h hooks.Handler
	if event == hooks.EventContext {
		h.Plan = a.hookPlan()
	}
	rep, err := h.Bare(ctx, event, a.env.In, a.out)
	if err == nil && rep.Late {
		fmt.Fprintf(a.env.Err, "pictx: %s passed through: there was no plan within %v\n", event, a.env.HookDeadline)
	}
	return err
}

// hookPlan returns the plan of the settings, nil when pruning is off or the
// settings cannot be read: then nothing is changed.
func (a *app) hookPlan() func([]prune.Message) prune.Plan {
	pl, err := a.place()
	if err != nil {
		return nil
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return nil
	}
	p, _ := planner(set.Config.Prune, false)
	if p == nil {
		return nil
	}
	return p.Plan
}
