package decision

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// auditResult is the JSON output of audit.
type auditResult struct {
	V        int                `json:"v"`
	Findings []decision.Finding `json:"findings"`
	Checked  int                `json:"checked"`
	Fixed    int                `json:"fixed"`
	Backup   string             `json:"backup"`
}

type auditOptions struct {
	format, span string
	drafts       int
	reasons      bool
	strict       bool
	fix, yes     bool
}

func auditVerb() verb {
	o := auditOptions{format: "text"}
	return verb{
		use:   "audit",
		short: "Check and repair the decisions of a repository",
		old:   []string{"doctor"},
		exits: "5 11 12 130",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			cli.WordFlag(cmd, &o.format, "format", "output `format`", "text", "github")
			f.StringVar(&o.span, "diff", "", "check the commits in this `range`: A..B, A...B or A")
			f.IntVar(&o.drafts, "draft-days", 30, "report drafts older than this many `days`")
			f.BoolVar(&o.reasons, "require-reason", false, "report active decisions without a reason")
			f.BoolVar(&o.strict, "strict", false, "let warnings fail, too")
			f.BoolVar(&o.fix, "fix", false, "repair whatever needs no judgement")
			f.BoolVar(&o.yes, "yes", false, "do not ask")
		},
		check: func(cmd *cobra.Command, _ []string) error {
			o.strict = o.strict || cmd.CalledAs() == "doctor"
			if o.drafts < 0 {
				return exit.UsageError("pictx decision audit --draft-days 30", "--draft-days %d: want 0 or more", o.drafts)
			}
			return nil
		},
		run: o.run,
	}
}

// run audits the log and the decisions of a repository, after repairing it with --fix.
func (o *auditOptions) run(ctx context.Context, w *decisions, _ []string) error {
	checks, err := o.checks(ctx, w)
	if err != nil {
		return err
	}
	v := auditResult{V: 1}
	v.Findings, v.Checked, err = w.Audit(checks)
	if err == nil && o.fix {
		if v.Fixed, v.Backup, err = mendLog(ctx, w, v.Findings, o.yes); err == nil {
			v.Findings, v.Checked, err = w.Audit(checks)
		}
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	err = w.emit(v, func(out *cli.Out) { v.print(out, o.format == "github") })
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(v.Findings, decision.Finding.Damages):
		return exit.Silent(exit.Damaged)
	case slices.ContainsFunc(v.Findings, func(f decision.Finding) bool { return o.strict || f.Level != decision.LevelWarning }):
		return exit.Silent(exit.Failed)
	}
	return nil
}

// checks returns what to check.
func (o *auditOptions) checks(ctx context.Context, w *decisions) (decision.Checks, error) {
	now, err := workspace.Clock(w.Workspace.Env)
	c := decision.Checks{Now: now, DraftDays: o.drafts, Reasons: o.reasons, NoDriver: w.DriverMissing(ctx)}
	if err == nil {
		c.Files, _, err = repo.List(ctx, w.Project.Root, true)
	}
	if err == nil && o.span != "" {
		err = w.AuditSpan(ctx, o.span, &c)
	}
	return c, err
}

// print prints the findings as text, or as annotations of a pull request.
func (v *auditResult) print(o *cli.Out, annotated bool) {
	for _, f := range v.Findings {
		line := f.Lines()
		if annotated {
			line = f.Annotation()
		}
		o.Printf("%s\n", line)
	}
	if annotated {
		return
	}
	if v.Fixed > 0 {
		o.Printf("mended %s; the log as it was: %s\n", text.Count(v.Fixed, "finding"), text.Printable(v.Backup))
	}
	o.Printf("%s, %s\n", text.Count(v.Checked, "decision"), text.Count(len(v.Findings), "finding"))
}

// mendLog repairs problems that need no decision by a person.
func mendLog(ctx context.Context, w *decisions, all []decision.Finding, yes bool) (int, string, error) {
	data, err := w.Log.Bytes()
	if err != nil {
		return 0, "", err
	}
	plan, fixable := decision.MendPlan(all, data, decision.Read(data))
	if fixable == 0 {
		return 0, "", nil
	}
	if err := w.refuseOff(); err != nil {
		return 0, "", err
	}
	if err := w.confirm(ctx, yes, "Mend "+text.Count(fixable, "finding")+"?", plan...); err != nil {
		return 0, "", err
	}
	saved, aside, err := w.Mend(ctx)
	if aside != "" {
		w.say("lines were set aside in %s", text.Printable(aside))
	}
	return fixable, saved, err
}
