package decision

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision/audit"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// auditResult is the JSON output of audit and doctor.
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
}

func auditVerb() verb {
	var o auditOptions
	return verb{
		use:   "audit",
		short: "Check the decisions of a repository, for CI",
		exits: "12 130",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.StringVar(&o.format, "format", "text", "output `format`: text, json or github")
			f.StringVar(&o.span, "diff", "", "check the commits in this `range`: A..B, A...B or A")
			f.IntVar(&o.drafts, "draft-days", 30, "report drafts older than this many `days`")
			f.BoolVar(&o.reasons, "require-reason", false, "report active decisions without a reason")
			f.BoolVar(&o.strict, "strict", false, "let warnings fail, too")
			f.BoolVar(&o.all, "all", false, allFindings)
			f.BoolVar(&o.noPaths, "no-paths", false, "do not check that governed paths match a file")
		},
		words: map[string][]string{"format": {"text", "json", "github"}},
		check: func(a *cli.Run, _ *cobra.Command, _ []string) error {
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

// auditLog audits the log and the decisions of a repository.
func auditLog(ctx context.Context, w *decisions, o auditOptions) error {
	log, s, err := w.Log.Load()
	if err != nil {
		return exit.WithHint(exit.Damaged, "pictx decision doctor", err)
	}
	checks := audit.Checks{DraftDays: o.drafts, Reasons: o.reasons}
	if checks.Now, err = workspace.Clock(w.Workspace.Env); err != nil {
		return err
	}
	if !o.noPaths {
		if checks.Files, err = w.Repository().Files(ctx); err != nil {
			return err
		}
	}
	if o.span != "" {
		if err := w.AuditSpan(ctx, o.span, &checks); err != nil {
			return err
		}
	}
	checks.NoDriver = w.DriverMissing(ctx)
	damage := audit.DamagedLines(log)
	all := append(damage, checks.CheckLog(log, s)...)
	if err := ctx.Err(); err != nil {
		return err
	}
	v := auditOf(all, len(s.Present()), o.all)
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
	case len(damage) > 0:
		return exit.Silent(exit.Damaged)
	case fails(all, o.strict):
		return exit.Silent(exit.Failed)
	}
	return nil
}

// fails reports whether an audit with these findings fails.
func fails(all []audit.Finding, strict bool) bool {
	return slices.ContainsFunc(all, func(f audit.Finding) bool { return strict || f.Level != audit.LevelWarning })
}

// auditOf converts findings to the output of audit and doctor, which lists the first of each
// kind, or all of them.
func auditOf(findings []audit.Finding, checked int, all bool) auditResult {
	v := auditResult{V: 1, Checked: checked}
	first := findings
	if !all {
		first, v.others = few(findings)
	}
	v.Findings, v.Omitted = append([]audit.Finding{}, first...), len(findings)-len(first)
	for i := range v.Findings {
		v.Findings[i].IDs = append([]string{}, v.Findings[i].IDs...)
		v.Findings[i].Level = cmp.Or(v.Findings[i].Level, audit.LevelError)
	}
	return v
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
