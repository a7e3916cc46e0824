package decision

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// auditResult is what audit and doctor print as JSON.
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
	noPaths      bool
}

func auditVerb() verb {
	var o auditOptions
	return verb{
		use:   "audit",
		short: "Check the decisions of a repository, for CI",
		long: `Looks for what somebody has to settle: unresolved conflicts, ids that two decisions
have, drafts that wait for too long, days of review that are past, governed paths that
match no file, and with --diff files that the commits of a range changed and an active
decision governs, unless a commit message names the decision or the range changes it.

It ends with 0 when there is nothing, 1 with findings, 2 for a wrong usage, 12 for a
log that is damaged. As a step of a GitHub workflow, after a checkout with
fetch-depth: 0:

  - run: pictx decision audit --diff origin/${{ github.base_ref }}...HEAD --format github`,
		example: "  pictx decision audit\n  pictx decision audit --diff origin/main...HEAD --format github",
		exits:   "12 130",
		args:    cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.StringVar(&o.format, "format", "text", "`how` to print it: text, json or github")
			f.StringVar(&o.span, "diff", "", "commits to look at, as `range`: A..B, A...B or A")
			f.IntVar(&o.drafts, "draft-days", 30, "the `days` that a draft may wait")
			f.BoolVar(&o.reasons, "require-reason", false, "want a reason for every active decision")
			f.BoolVar(&o.noPaths, "no-paths", false, "do not look whether governed paths match a file")
		},
		words: map[string][]string{"format": {"text", "json", "github"}},
		check: func(a *cli.Run, _ *cobra.Command, _ []string) error {
			switch {
			case o.format == "json":
				a.JSON, a.Out.JSON = true, true
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

// auditLog checks the log and the decisions of a repository.
func auditLog(ctx context.Context, w *decisions, o auditOptions) error {
	log, s, err := w.Log.Load()
	if err != nil {
		return exit.WithHint(exit.Damaged, "pictx decision doctor", err)
	}
	audit := decision.Audit{DraftDays: o.drafts, Reasons: o.reasons}
	if audit.Now, err = workspace.Clock(w.Workspace.Env); err != nil {
		return err
	}
	if !o.noPaths {
		if audit.Files, err = w.Repository().Files(ctx); err != nil {
			return err
		}
	}
	if o.span != "" {
		if err := inSpan(ctx, w, o.span, &audit); err != nil {
			return err
		}
	}
	damage := decision.DamagedLines(log)
	all := append(damage, audit.Check(s)...)
	v := auditOf(all, len(s.Present()))
	err = w.emit(v, func(out *cli.Out) {
		if o.format != "github" {
			v.print(out, all)
			return
		}
		for _, f := range all {
			out.Printf("%s\n", f.Annotation())
		}
	})
	switch {
	case err != nil:
		return err
	case len(damage) > 0:
		return exit.Silent(exit.Damaged)
	case len(all) > 0:
		return exit.Silent(exit.Failed)
	}
	return nil
}

// inSpan adds to an audit what the commits of a range changed.
func inSpan(ctx context.Context, w *decisions, span string, audit *decision.Audit) error {
	if err := w.Repository().Check(ctx); err != nil {
		return err
	}
	from, to, err := w.Repository().Span(ctx, span)
	if err != nil {
		return err
	}
	args := []string{"diff", "--name-only", "--relative", "-z", "--no-renames", from}
	if to != "" {
		args = append(args, to)
	}
	names, err := w.Repository().Git(ctx, append(args, "--")...)
	if err != nil {
		return err
	}
	for _, n := range strings.Split(string(names), "\x00") {
		if n != "" {
			audit.Changed = append(audit.Changed, n)
		}
	}
	end := to
	if end == "" {
		end = "HEAD"
	}
	messages, err := w.Repository().Git(ctx, "log", "--format=%B", from+".."+end)
	if err != nil {
		return err
	}
	audit.Messages = string(messages)
	before, after, err := w.two(ctx, from, to)
	if err == nil {
		audit.Touched = decision.Touched(before, after)
	}
	return err
}

// two returns the logs at two commits; "" is the working tree.
func (w *decisions) two(ctx context.Context, from, to string) (before, after *decision.Log, err error) {
	b, err := w.Repository().Blob(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	if to == "" {
		after, _, err = w.Log.Load()
		return w.Lines(b), after, err
	}
	c, err := w.Repository().Blob(ctx, to)
	return w.Lines(b), w.Lines(c), err
}

// auditOf returns findings in the form that audit and doctor print.
func auditOf(all []decision.Finding, checked int) auditResult {
	v := auditResult{V: 1, Findings: append([]decision.Finding{}, all...), Checked: checked}
	for i := range v.Findings {
		v.Findings[i].IDs = append([]string{}, v.Findings[i].IDs...)
	}
	return v
}

// print prints findings as text.
func (v *auditResult) print(o *cli.Out, all []decision.Finding) {
	for _, f := range all {
		o.Printf("%s\n", f.Lines())
	}
	if v.Fixed > 0 {
		o.Printf("mended %s; the log as it was: %s\n", text.Count(v.Fixed, "finding"), text.Printable(v.Backup))
	}
	o.Printf("%s, %s\n", text.Count(v.Checked, "decision"), text.Count(len(all), "finding"))
}

func doctorVerb() verb {
	var fix, yes bool
	return verb{
		use:   "doctor",
		short: "Check the log of decisions, and mend it",
		long: `Looks for what is wrong with the log: lines that cannot be read, marks that git left
in a merge, ids that two decisions have, events without a decision, times that are in
the future, texts that look like keys, conflicts. Each finding says what settles it.

--fix takes out the marks of a merge (both sides stay), lines that are there twice, a
byte order mark and line ends of Windows; a copy of the log stays beside it. It says
what it would do and asks. It ends with 0 when there is nothing, 1 with findings, 12
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
	all, checked, err := examineLog(w, now)
	if err != nil {
		return err
	}
	fixed, backup := 0, ""
	if fix {
		if fixed, backup, err = mendLog(ctx, w, all, yes); err != nil {
			return err
		}
		if all, checked, err = examineLog(w, now); err != nil {
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

// examineLog returns the problems of the log, and how many decisions it has.
func examineLog(w *decisions, now time.Time) ([]decision.Finding, int, error) {
	log, s, err := w.Log.Load()
	if err != nil {
		return nil, 0, exit.WithHint(exit.Damaged, "look at the file and who may read it", err)
	}
	data, err := w.Log.Bytes()
	if err != nil {
		return nil, 0, exit.WithHint(exit.Damaged, "", err)
	}
	return append(decision.Doctor(log, s, now), decision.LeftTexts(log, s, data)...), len(s.Present()), nil
}

// mendLog repairs what needs no decision by a person.
func mendLog(ctx context.Context, w *decisions, all []decision.Finding, yes bool) (int, string, error) {
	var plan []string
	for _, f := range all {
		if f.Fixable {
			plan = append(plan, strings.TrimSpace(strings.Split(f.Lines(), "\n")[0]))
		}
	}
	if len(plan) == 0 {
		return 0, "", nil
	}
	for _, p := range plan {
		w.say("would mend %s", text.Printable(p))
	}
	if err := w.refuseOff(); err != nil {
		return 0, "", err
	}
	if err := w.app.Confirm(ctx, yes, "Mend "+text.Count(len(plan), "finding")+"?", strings.Join(plan, "\n")); err != nil {
		return 0, "", err
	}
	saved, err := w.Rewrite(ctx, true, func(data []byte) ([]byte, error) { return decision.Fix(data), nil })
	return len(plan), saved, err
}
