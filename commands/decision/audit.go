package decision

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/audit"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// auditResult is the JSON output of audit.
type auditResult struct {
	V        int             `json:"v"`
	Findings []audit.Finding `json:"findings"`
	// Omitted is the number of findings that are not listed without --all.
	Omitted int    `json:"omitted"`
	Checked int    `json:"checked"`
	Fixed   int    `json:"fixed"`
	Backup  string `json:"backup"`

	others []omitted
}

type auditOptions struct {
	format, span string
	drafts       int
	reasons      bool
	noPaths      bool
	strict       bool
	all          bool
	fix, yes     bool
}

func auditVerb() verb {
	var o auditOptions
	return verb{
		use:   "audit",
		short: "Check and repair the decisions of a repository",
		old:   []string{"doctor"},
		exits: "5 11 12 130",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.StringVar(&o.format, "format", "text", "output `format`: text, json or github")
			f.StringVar(&o.span, "diff", "", "check the commits in this `range`: A..B, A...B or A")
			f.IntVar(&o.drafts, "draft-days", 30, "report drafts older than this many `days`")
			f.BoolVar(&o.reasons, "require-reason", false, "report active decisions without a reason")
			f.BoolVar(&o.strict, "strict", false, "let warnings fail, too")
			f.BoolVar(&o.all, "all", false, "list every finding, not only the first 50 of a kind")
			f.BoolVar(&o.noPaths, "no-paths", false, "do not check that governed paths match a file")
			f.BoolVar(&o.fix, "fix", false, "repair whatever needs no judgement")
			f.BoolVar(&o.yes, "yes", false, "do not ask")
		},
		words: map[string][]string{"format": {"text", "json", "github"}},
		check: func(a *cli.Run, cmd *cobra.Command, _ []string) error {
			o.strict = o.strict || cmd.CalledAs() == "doctor"
			switch {
			case o.format == "json":
				if !a.JSON {
					a.JSON = true
					a.Out.PrintJSON(nil)
				}
			case o.format != "text" && o.format != "github":
				return exit.UsageError("pictx decision audit --format github", "unknown --format %q: want text, json or github", o.format)
			case o.drafts < 0:
				return exit.UsageError("pictx decision audit --draft-days 30", "--draft-days %d: want 0 or more", o.drafts)
			}
			return nil
		},
		run: func(ctx context.Context, w *decisions, _ []string) error { return auditLog(ctx, w, o) },
	}
}

// auditLog audits the log and the decisions of a repository, after repairing it with --fix.
func auditLog(ctx context.Context, w *decisions, o auditOptions) error {
	checks, err := o.checks(ctx, w)
	if err != nil {
		return err
	}
	all, checked, err := w.Audit(checks)
	if err != nil {
		return err
	}
	v := auditResult{}
	if o.fix {
		if v.Fixed, v.Backup, err = mendLog(ctx, w, all, o.yes); err != nil {
			return err
		}
		if all, checked, err = w.Audit(checks); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	v.take(all, checked, o.all)
	err = w.emit(v, func(out *cli.Out) {
		if o.format == "github" {
			v.annotate(out)
		} else {
			v.print(out)
		}
	})
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(all, audit.Finding.Damages):
		return exit.Silent(exit.Damaged)
	case fails(all, o.strict):
		return exit.Silent(exit.Failed)
	}
	return nil
}

// checks returns what to check.
func (o auditOptions) checks(ctx context.Context, w *decisions) (audit.Checks, error) {
	now, err := workspace.Clock(w.Workspace.Env)
	c := audit.Checks{Now: now, DraftDays: o.drafts, Reasons: o.reasons, NoDriver: w.DriverMissing(ctx)}
	if err == nil && !o.noPaths {
		c.Files, err = w.Repository().Files(ctx)
	}
	if err == nil && o.span != "" {
		err = w.AuditSpan(ctx, o.span, &c)
	}
	return c, err
}

// fails reports whether an audit with these findings fails.
func fails(all []audit.Finding, strict bool) bool {
	return slices.ContainsFunc(all, func(f audit.Finding) bool { return strict || f.Level != audit.LevelWarning })
}

// take fills in the first findings of each kind, or all of them.
func (v *auditResult) take(findings []audit.Finding, checked int, all bool) {
	v.V, v.Checked = 1, checked
	first := findings
	if !all {
		first, v.others = few(findings)
	}
	v.Findings, v.Omitted = append([]audit.Finding{}, first...), len(findings)-len(first)
	for i := range v.Findings {
		v.Findings[i].IDs = append([]string{}, v.Findings[i].IDs...)
	}
}

// print prints the findings as text.
func (v *auditResult) print(o *cli.Out) {
	for _, f := range v.Findings {
		o.Printf("%s\n", f.Lines())
	}
	for _, other := range v.others {
		o.Printf("%s\n", other)
	}
	if v.Fixed > 0 {
		o.Printf("mended %s; the log as it was: %s\n", text.Count(v.Fixed, "finding"), text.Printable(v.Backup))
	}
	o.Printf("%s, %s\n", text.Count(v.Checked, "decision"), text.Count(len(v.Findings)+v.Omitted, "finding"))
}

// annotate prints the findings as annotations of a pull request.
func (v *auditResult) annotate(o *cli.Out) {
	for _, f := range v.Findings {
		o.Printf("%s\n", f.Annotation())
	}
	for _, other := range v.others {
		o.Printf("%s\n", other.annotation())
	}
}

// mendLog repairs problems that need no decision by a person.
func mendLog(ctx context.Context, w *decisions, all []audit.Finding, yes bool) (int, string, error) {
	data, err := w.Log.Bytes()
	if err != nil {
		return 0, "", err
	}
	plan, fixable := audit.MendPlan(all, data, decision.Read(data))
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
