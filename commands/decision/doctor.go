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
	var fix, yes bool
	return verb{
		use:   "doctor",
		short: "Check the log of decisions, and mend it",
		long: `Looks for what is wrong with the log: lines that cannot be read, marks that git left
in a merge, ids that two decisions have, events without a decision, times that are in
the future, texts that look like keys, conflicts. Each finding says what settles it.

--fix takes out the marks of a merge (both sides stay), lines that are there twice, a
byte order mark and line ends of Windows; a copy of the log stays beside it. Lines that
nothing can read are shown and moved to decisions.jsonl.damaged. It says what it would
do and asks. It ends with 0 when there is nothing, 1 with findings, 12
when the log cannot be read.`,
		example: "  pictx decision doctor\n  pictx decision doctor --fix --yes",
		exits:   "5 11 12 130",
		args:    cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&fix, "fix", false, "mend what can be mended without a decision")
			cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
		},
		run: func(ctx context.Context, w *decisions, _ []string) error { return doctorLog(ctx, w, fix, yes) },
	}
}

// doctorLog lists the problems of the log, after repairing it when fix is set.
func doctorLog(ctx context.Context, w *decisions, fix, yes bool) error {
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
	v := auditOf(all, checked)
	v.Fixed, v.Backup = fixed, backup
	err = w.emit(v, func(o *cli.Out) { v.print(o, all) })
	if err == nil && len(all) > 0 {
		return exit.Silent(exit.Failed)
	}
	return err
}

// mendLog repairs what needs no decision by a person.
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
