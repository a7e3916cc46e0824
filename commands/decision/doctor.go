package decision

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision/audit"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

func doctorVerb() verb {
	var o doctorOptions
	return verb{
		use:   "doctor",
		short: "Check and repair the decision log",
		exits: "5 11 12 130",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&o.fix, "fix", false, "repair whatever needs no judgement")
			cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
			cmd.Flags().BoolVar(&o.all, "all", false, allFindings)
		},
		run: func(ctx context.Context, w *decisions, _ []string) error { return doctorLog(ctx, w, o) },
	}
}

// doctorOptions are the flags of decision doctor.
type doctorOptions struct{ fix, yes, all bool }

// doctorLog lists the problems of the log, after repairing it with --fix.
func doctorLog(ctx context.Context, w *decisions, o doctorOptions) error {
	now, err := workspace.Clock(w.Workspace.Env)
	if err != nil {
		return err
	}
	found, checked, err := w.Examine(ctx, now)
	if err != nil {
		return err
	}
	fixed, backup := 0, ""
	if o.fix {
		if fixed, backup, err = mendLog(ctx, w, found, o.yes); err != nil {
			return err
		}
		if found, checked, err = w.Examine(ctx, now); err != nil {
			return err
		}
	}
	v := auditOf(found, checked, o.all)
	v.Fixed, v.Backup = fixed, backup
	err = w.emit(v, v.print)
	if err == nil && len(found) > 0 {
		return exit.Silent(exit.Failed)
	}
	return err
}

// mendLog repairs problems that need no decision by a person.
func mendLog(ctx context.Context, w *decisions, all []audit.Finding, yes bool) (int, string, error) {
	data, err := w.Log.Bytes()
	if err != nil {
		return 0, "", err
	}
	plan, fixable := audit.MendPlan(all, data, w.Lines(data))
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
