package decision

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

func doctorVerb() verb {
	var fix, yes, all bool
	return verb{
		use:   "doctor",
		short: "Check and repair the decision log",
		exits: "5 11 12 130",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&fix, "fix", false, "repair whatever needs no judgement")
			cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
			cmd.Flags().BoolVar(&all, "all", false, allFindings)
		},
		run: func(ctx context.Context, w *decisions, _ []string) error { return doctorLog(ctx, w, fix, yes, all) },
	}
}

// doctorLog lists the problems of the log, after repairing it when fix is set.
func doctorLog(ctx context.Context, w *decisions, fix, yes, list bool) error {
	now, err := workspace.Clock(w.Workspace.Env)
	if err != nil {
		return err
	}
	all, checked, err := w.Examine(ctx, now)
	if err != nil {
		return err
	}
	fixed, backup := 0, ""
	if fix {
		if fixed, backup, err = mendLog(ctx, w, all, yes); err != nil {
			return err
		}
		if all, checked, err = w.Examine(ctx, now); err != nil {
			return err
		}
	}
	v := auditOf(all, checked, list)
	v.Fixed, v.Backup = fixed, backup
	err = w.emit(v, func(o *cli.Out) { v.print(o) })
	if err == nil && len(all) > 0 {
		return exit.Silent(exit.Failed)
	}
	return err
}

// mendLog repairs problems that need no decision by a person.
func mendLog(ctx context.Context, w *decisions, all []decision.Finding, yes bool) (int, string, error) {
	data, err := w.Log.Bytes()
	if err != nil {
		return 0, "", err
	}
	plan, fixable := decision.MendPlan(all, data, w.Lines(data))
	if fixable == 0 {
		return 0, "", nil
	}
	for _, p := range plan {
		w.say("would mend %s", text.Printable(p))
	}
	if err := w.refuseOff(); err != nil {
		return 0, "", err
	}
	if err := w.app.Confirm(ctx, yes, "Mend "+text.Count(fixable, "finding")+"?", strings.Join(plan, "\n")); err != nil {
		return 0, "", err
	}
	saved, aside, err := w.Mend(ctx)
	if aside != "" {
		w.say("lines were set aside in %s", text.Printable(aside))
	}
	return fixable, saved, err
}
