package commands

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// foundJSON is a finding as JSON.
type foundJSON struct {
	Code    string   `json:"code"`
	IDs     []string `json:"ids"`
	Line    int      `json:"line"`
	File    string   `json:"file"`
	Message string   `json:"message"`
	Hint    string   `json:"hint"`
	Fixable bool     `json:"fixable"`
}

// auditJSON is what audit and doctor print as JSON.
type auditJSON struct {
	V        int         `json:"v"`
	Findings []foundJSON `json:"findings"`
	Checked  int         `json:"checked"`
	Fixed    int         `json:"fixed"`
	Backup   string      `json:"backup"`
}

func foundLine(f decision.Finding) foundJSON {
	return foundJSON{f.Code, append([]string{}, f.IDs...), f.Line, f.File, f.Text, f.Fix, f.Fixable}
}

type auditOptions struct {
	format, span string
	drafts       int
	reasons      bool
	noPaths      bool
}

func (a *app) decisionAudit() *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Check the decisions of a repository, for CI",
		Long: `Looks for what somebody has to settle: unresolved conflicts, ids that two decisions
have, drafts that wait for too long, days of review that are past, governed paths that
match no file, and with --diff files that the commits of a range changed and an active
decision governs, unless a commit message names the decision or the range changes it.

It ends with 0 when there is nothing, 1 with findings, 2 for a wrong usage, 12 for a
log that is damaged. As a step of a GitHub workflow, after a checkout with
fetch-depth: 0:

  - run: pictx decision audit --diff origin/${{ github.base_ref }}...HEAD --format github`,
		Example:     "  pictx decision audit\n  pictx decision audit --diff origin/main...HEAD --format github",
		Annotations: exits("12 130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runDecisionAudit(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "`how` to print it: text, json or github")
	f.StringVar(&o.span, "diff", "", "commits to look at, as `range`: A..B, A...B or A")
	f.IntVar(&o.drafts, "draft-days", 30, "the `days` that a draft may wait")
	f.BoolVar(&o.reasons, "require-reason", false, "want a reason for every active decision")
	f.BoolVar(&o.noPaths, "no-paths", false, "do not look whether governed paths match a file")
	a.completeWords(cmd, "format", []string{"text", "json", "github"})
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runDecisionAudit(ctx context.Context, o auditOptions) error {
	switch {
	case o.format == "json":
		a.json, a.out.json = true, true
	case o.format != "text" && o.format != "github":
		return usageError("pictx decision audit --format github", "unknown --format %q: want text, json or github", o.format)
	case o.drafts < 0:
		return usageError("pictx decision audit --draft-days 30", "--draft-days %d: want 0 or more", o.drafts)
	}
	w, err := a.decisions()
	if err != nil {
		return err
	}
	log, s, err := w.log.Load()
	if err != nil {
		return withHint(exitDamaged, "pictx decision doctor", err)
	}
	audit := decision.Audit{DraftDays: o.drafts, Reasons: o.reasons}
	if audit.Now, err = a.now(); err != nil {
		return err
	}
	if !o.noPaths {
		if audit.Files, err = w.files(ctx); err != nil {
			return err
		}
	}
	if o.span != "" {
		if err := w.inSpan(ctx, o.span, &audit); err != nil {
			return err
		}
	}
	var all []decision.Finding
	damaged := false
	for _, f := range decision.Doctor(log, s, audit.Now) {
		if f.Line > 0 && len(f.IDs) == 0 && f.Code != decision.DamageUnknown && f.Code != decision.FindBOM {
			all, damaged = append(all, f), true
		}
	}
	all = append(all, audit.Check(s)...)
	if err := w.printFindings(all, len(s.Present()), o.format); err != nil {
		return err
	}
	switch {
	case damaged:
		return silent(exitDamaged)
	case len(all) > 0:
		return silent(exitFailed)
	}
	return nil
}

// inSpan fills in what the commits of a range did.
func (w *decisions) inSpan(ctx context.Context, span string, audit *decision.Audit) error {
	if err := w.repository(ctx); err != nil {
		return err
	}
	from, to, err := w.span(ctx, span)
	if err != nil {
		return err
	}
	args := []string{"diff", "--name-only", "--relative", "-z", "--no-renames", from}
	if to != "" {
		args = append(args, to)
	}
	names, err := w.git(ctx, append(args, "--")...)
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
	messages, err := w.git(ctx, "log", "--format=%B", from+".."+end)
	if err != nil {
		return err
	}
	audit.Messages = string(messages)
	audit.Touched, err = w.touched(ctx, from, to)
	return err
}

// touched are the decisions about which a range of commits wrote something.
func (w *decisions) touched(ctx context.Context, from, to string) (map[string]bool, error) {
	before, after, err := w.two(ctx, from, to)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for i := range before.Events {
		known[before.Events[i].Key] = true
	}
	out := make(map[string]bool)
	for _, d := range decision.Replay(after.Events).Decisions {
		for _, e := range d.Events() {
			if e.Line > 0 && !known[e.Key] {
				out[d.ID] = true
			}
		}
	}
	return out, nil
}

// two are the logs of two commits; "" is the work tree.
func (w *decisions) two(ctx context.Context, from, to string) (before, after *decision.Log, err error) {
	b, err := w.blob(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	if to == "" {
		after, _, err = w.log.Load()
		return w.lines(b), after, err
	}
	c, err := w.blob(ctx, to)
	return w.lines(b), w.lines(c), err
}

// maxFiles bounds what is listed of a project that no git keeps.
const maxFiles = 200_000

// files lists the project's files: those that git knows or would, else all.
func (w *decisions) files(ctx context.Context) ([]string, error) {
	out := []string{}
	list, err := w.git(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err == nil {
		for _, n := range strings.Split(string(list), "\x00") {
			if n != "" {
				out = append(out, n)
			}
		}
		return out, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	err = filepath.WalkDir(w.pl.Root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil //nolint:nilerr // what cannot be read matches nothing
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case len(out) >= maxFiles:
			return fs.SkipAll
		case !d.IsDir():
			rel, _ := filepath.Rel(w.pl.Root, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return out, err
}

// printFindings prints findings as text, JSON or commands of a GitHub workflow.
func (w *decisions) printFindings(all []decision.Finding, checked int, format string) error {
	v := auditJSON{V: 1, Findings: []foundJSON{}, Checked: checked}
	for _, f := range all {
		v.Findings = append(v.Findings, foundLine(f))
	}
	return w.out.emit(v, func(o *out) {
		for _, f := range all {
			if format == "github" {
				o.printf("%s\n", w.annotation(f))
				continue
			}
			o.printf("%s\n", findingText(f))
		}
		if format != "github" {
			o.printf("%s, %s\n", text.Count(checked, "decision"), text.Count(len(all), "finding"))
		}
	})
}

// findingText is a finding in two lines.
func findingText(f decision.Finding) string {
	about := strings.Join(f.IDs, " ")
	if f.Line > 0 {
		about = strings.TrimSpace(fmt.Sprintf("line %d %s", f.Line, about))
	}
	if about != "" {
		about += ": "
	}
	return fmt.Sprintf("%s: %s%s\n  fix: %s", f.Code, text.TerminalLine(about)+" ", text.TerminalLine(f.Text), text.TerminalLine(f.Fix))
}

// annotation is a finding as a command of a GitHub workflow.
func (w *decisions) annotation(f decision.Finding) string {
	file := f.File
	if file == "" {
		file = ".pi/decision-memory/decisions.jsonl"
	}
	where := "file=" + property(file)
	if f.Line > 0 {
		where += fmt.Sprintf(",line=%d", f.Line)
	}
	body := strings.TrimSpace(strings.Join(f.IDs, " ") + " " + f.Text + " (" + f.Fix + ")")
	return fmt.Sprintf("::error %s,title=%s::%s", where, property("decision "+f.Code), workflowText(text.Printable(body)))
}

// workflowText escapes the text of a command of a workflow, property one of its
// properties.
func workflowText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(workflowText(text.Printable(s)))
}

func (a *app) decisionDoctor() *cobra.Command {
	var fix, yes bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the log of decisions, and mend it",
		Long: `Looks for what is wrong with the log: lines that cannot be read, marks that git left
in a merge, ids that two decisions have, events without a decision, times that are in
the future, texts that look like keys, conflicts. Each finding says what settles it.

--fix takes out the marks of a merge (both sides stay), lines that are there twice, a
byte order mark and line ends of Windows; a copy of the log stays beside it. It says
what it would do and asks. It ends with 0 when there is nothing, 1 with findings, 12
when the log cannot be read.`,
		Example:     "  pictx decision doctor\n  pictx decision doctor --fix --yes",
		Annotations: exits("5 11 12 130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runDecisionDoctor(cmd.Context(), fix, yes) },
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "mend what can be mended without a decision")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runDecisionDoctor(ctx context.Context, fix, yes bool) error {
	w, err := a.decisions()
	if err != nil {
		return err
	}
	now, err := a.now()
	if err != nil {
		return err
	}
	all, checked, err := w.examine(now)
	if err != nil {
		return err
	}
	v := auditJSON{V: 1, Findings: []foundJSON{}, Checked: checked}
	if fix {
		if v.Fixed, v.Backup, err = w.mend(ctx, all, yes); err != nil {
			return err
		}
		if all, v.Checked, err = w.examine(now); err != nil {
			return err
		}
	}
	for _, f := range all {
		v.Findings = append(v.Findings, foundLine(f))
	}
	err = a.out.emit(v, func(o *out) {
		for _, f := range all {
			o.printf("%s\n", findingText(f))
		}
		if v.Fixed > 0 {
			o.printf("mended %s; the log as it was: %s\n", text.Count(v.Fixed, "finding"), text.Printable(v.Backup))
		}
		o.printf("%s, %s\n", text.Count(v.Checked, "decision"), text.Count(len(all), "finding"))
	})
	if err == nil && len(all) > 0 {
		return silent(exitFailed)
	}
	return err
}

// examine lists what is wrong with the log.
func (w *decisions) examine(now time.Time) ([]decision.Finding, int, error) {
	log, s, err := w.log.Load()
	if err != nil {
		return nil, 0, withHint(exitDamaged, "look at the file and who may read it", err)
	}
	all := decision.Doctor(log, s, now)
	data, err := w.log.Bytes()
	if err != nil {
		return nil, 0, withHint(exitDamaged, "", err)
	}
	var purged []*decision.Decision
	for _, d := range s.Decisions {
		if d.Removed && d.StatusReason == decision.PurgeReason && redactedBefore(log) {
			purged = append(purged, d)
		}
	}
	for _, d := range s.StillThere(data, purged) {
		all = append(all, decision.Finding{Code: decision.FindText, IDs: []string{d.ID}, Text: "it was purged, and its text is still in the log", Fix: "pictx decision purge --yes --redact"})
	}
	return all, len(s.Present()), nil
}

// redactedBefore reports whether somebody wanted texts gone: a log that was never
// redacted keeps them by design.
func redactedBefore(log *decision.Log) bool {
	for i := range log.Events {
		if e := &log.Events[i]; e.Op == decision.OpAdd && e.Data.Text == nil && e.Data.Title == nil {
			return true
		}
	}
	return false
}

// mend does what can be done without a decision.
func (w *decisions) mend(ctx context.Context, all []decision.Finding, yes bool) (int, string, error) {
	var plan []string
	for _, f := range all {
		if f.Fixable {
			plan = append(plan, strings.TrimSpace(strings.Split(findingText(f), "\n")[0]))
		}
	}
	if len(plan) == 0 {
		return 0, "", nil
	}
	for _, p := range plan {
		fmt.Fprintf(w.env.Err, "pictx: would mend %s\n", text.Printable(p))
	}
	if err := w.refuseOff(); err != nil {
		return 0, "", err
	}
	if err := w.confirm(ctx, yes, "Mend "+text.Count(len(plan), "finding")+"?", strings.Join(plan, "\n")); err != nil {
		return 0, "", err
	}
	saved, err := w.log.Rewrite(ctx, true, func(data []byte) ([]byte, error) { return decision.Fix(data), nil })
	return len(plan), saved, err
}
