package commands

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// decisionStatusJSON is what status prints as JSON.
type decisionStatusJSON struct {
	V          int            `json:"v"`
	Path       string         `json:"path"`
	Branch     string         `json:"branch"`
	Enabled    bool           `json:"enabled"`
	Off        string         `json:"off"`
	Trusted    bool           `json:"trusted"`
	Counts     map[string]int `json:"counts"`
	Removed    int            `json:"removed"`
	Events     int            `json:"events"`
	Damaged    int            `json:"damaged"`
	Unknown    int            `json:"unknown"`
	Conflicts  int            `json:"conflicts"`
	Bytes      int64          `json:"bytes"`
	Project    string         `json:"project"`
	Unreadable string         `json:"newer"`
}

func (a *app) decisionStatus() *cobra.Command {
	cmd := &cobra.Command{
		Use:         "status",
		Short:       "Say where the decisions are and how many",
		Long:        "Says which file holds the decisions and on which branch, whether they are on, and how\nmany there are of each status.",
		Example:     "  pictx decision status",
		Annotations: exits("12"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runDecisionStatus(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runDecisionStatus(ctx context.Context) error {
	w, err := a.decisions()
	if err != nil {
		return err
	}
	where, err := w.off()
	if err != nil {
		return err
	}
	log, s, err := w.load()
	if err != nil {
		return err
	}
	v := decisionStatusJSON{
		V: 1, Path: w.log.Path(), Enabled: where == "", Off: where, Counts: map[string]int{}, Events: len(log.Events),
		Trusted: trusted(w.pl, w.set.Config.Trust, a.env.Getenv("HOME")) || w.pl.began() || len(log.Events) == 0, Unknown: len(log.Has(decision.DamageUnknown)),
		Conflicts: len(s.Clashes()), Bytes: log.Size, Removed: len(s.Decisions) - len(s.Present()),
	}
	v.Damaged = len(log.Damage) - v.Unknown
	for _, st := range decision.Statuses() {
		v.Counts[string(st)] = s.Counts()[st]
	}
	if len(log.Events) > 0 {
		v.Project = log.Events[0].Project
	}
	if branch, err := w.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		v.Branch = strings.TrimSpace(string(branch))
	}
	if err := log.Writable(); err != nil {
		v.Unreadable = err.Error()
	}
	return a.out.emit(v, func(o *out) { v.print(o) })
}

func (v *decisionStatusJSON) print(o *out) {
	o.printf("%s\n", text.Printable(v.Path))
	if v.Branch != "" {
		o.printf("branch %s\n", text.Printable(v.Branch))
	}
	if !v.Enabled {
		o.printf("off: %s says so\n", text.Printable(v.Off))
	}
	if !v.Trusted {
		o.printf("begun by somebody else, and not trusted by pi: its agent is shown nothing until you say /trust there\n")
	}
	for _, st := range decision.Statuses() {
		o.printf("%s %d\n", st, v.Counts[string(st)])
	}
	o.printf("%s, %s removed, %s\n", text.Count(v.Events, "event"), text.Thousands(int64(v.Removed)), text.Bytes(v.Bytes))
	for _, n := range []struct {
		n    int
		what string
	}{{v.Damaged, "damaged line"}, {v.Unknown, "line of an unknown kind"}, {v.Conflicts, "conflict"}} {
		if n.n > 0 {
			o.printf("%s: pictx decision doctor\n", text.Count(n.n, n.what))
		}
	}
	if v.Unreadable != "" {
		o.printf("%s\n", text.Printable(v.Unreadable))
	}
}

type decisionPurgeOptions struct{ yes, redact, dry, noBackup bool }

func (a *app) decisionPurge() *cobra.Command {
	var o decisionPurgeOptions
	cmd := &cobra.Command{
		Use:   "purge",
		Short: "Remove old drafts, rejected and superseded decisions",
		Long: `Lists the decisions that were a draft, rejected or superseded for longer than
decisions.retention_days says, each of which must be set; --yes removes them, and at a
terminal you are asked. Active ones are never purged. What they said stays in the log,
as its history.

--redact takes the texts of all removed decisions out of the log, too, keeps the old
one beside it unless --no-backup is given, and looks again whether they are gone.
Git's history still has what was committed.`,
		Example:     "  pictx decision purge\n  pictx decision purge --yes --redact --no-backup",
		Annotations: exits("4 5 11 12 130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runDecisionPurge(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.yes, "yes", false, "do it")
	f.BoolVar(&o.redact, "redact", false, "take the texts of removed decisions out of the log")
	f.BoolVar(&o.noBackup, "no-backup", false, "with --redact: keep no copy of the log as it was")
	f.BoolVar(&o.dry, "dry-run", false, "remove nothing, which is the default")
	a.jsonFlag(cmd)
	return cmd
}

// decisionPurgeJSON is what purge prints as JSON.
type decisionPurgeJSON struct {
	V        int       `json:"v"`
	Done     bool      `json:"done"`
	Due      []dueJSON `json:"due"`
	Redacted int       `json:"redacted"`
	Backup   string    `json:"backup"`

	due []decision.Due
}

// dueJSON is a decision that a purge removes.
type dueJSON struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Age    int    `json:"age_days"`
	Over   int    `json:"over_days"`
	Text   string `json:"text"`
}

// take takes in what is due.
func (v *decisionPurgeJSON) take(due []decision.Due) {
	v.due, v.Due = due, []dueJSON{}
	for _, d := range due {
		v.Due = append(v.Due, dueJSON{d.Decision.ID, string(d.Decision.Status), d.Age, d.Over, d.Decision.Text})
	}
}

// retention is for how long each status is kept, of those that were set. What the
// project says counts, trusted or not: it is about its own log, and a person asks.
func (w *decisions) retention() (decision.Retention, error) {
	keep := decision.Retention{}
	yes := true
	set, err := w.trustedSettings(w.pl, &yes)
	if err != nil {
		return nil, err
	}
	days := set.Config.Decisions.RetentionDays
	for s, n := range map[decision.Status]int{decision.Draft: days.Draft, decision.Rejected: days.Rejected, decision.Superseded: days.Superseded} {
		if v, err := set.Get("decisions.retention_days." + string(s)); err == nil && !v.Default {
			keep[s] = n
		}
	}
	return keep, nil
}

func (a *app) runDecisionPurge(ctx context.Context, o decisionPurgeOptions) error {
	w, err := a.decisions()
	if err != nil {
		return err
	}
	keep, err := w.retention()
	if err == nil {
		err = decision.CheckRetention(keep)
	}
	if err != nil {
		return err
	}
	now, err := a.now()
	if err != nil {
		return err
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	v := decisionPurgeJSON{V: 1}
	due := s.Due(keep, now)
	v.take(due)
	if len(v.Due) > 0 && !o.yes && !o.dry && w.interactive() && !a.json {
		if err := w.purgeForm(ctx, due, &o); err != nil {
			return err
		}
	}
	if o.yes && !o.dry {
		if err := w.purge(ctx, &v, o, keep); err != nil {
			return err
		}
	}
	return a.out.emit(v, v.print)
}

// purge removes what is due.
func (w *decisions) purge(ctx context.Context, v *decisionPurgeJSON, o decisionPurgeOptions, keep decision.Retention) error {
	if err := w.forPeople("purge decisions"); err != nil {
		return err
	}
	if _, err := w.change(ctx, func(e *decision.Editor) error {
		due, err := e.Purge(keep)
		v.take(due)
		return err
	}); err != nil {
		return err
	}
	v.Done = true
	if !o.redact {
		return nil
	}
	var err error
	v.Redacted, v.Backup, err = w.redact(ctx, !o.noBackup)
	return err
}

// redact takes the texts of removed decisions out of the log, and looks again.
func (w *decisions) redact(ctx context.Context, backup bool) (int, string, error) {
	n := 0
	var gone []*decision.Decision
	saved, err := w.log.Rewrite(ctx, backup, func(data []byte) ([]byte, error) {
		s := decision.Replay(w.lines(data).Events)
		for _, d := range s.Decisions {
			if d.Removed {
				gone = append(gone, d)
			}
		}
		var out []byte
		out, n = decision.Redact(data, s, nil)
		return out, nil
	})
	if err != nil {
		return 0, "", err
	}
	data, err := w.log.Bytes()
	if err != nil {
		return n, saved, err
	}
	if left := decision.Replay(w.lines(data).Events).StillThere(data, gone); len(left) > 0 {
		return n, saved, withHint(exitPartly, "pictx decision doctor", fmt.Errorf("the text of %s is still in the log", left[0].ID))
	}
	if n > 0 {
		fmt.Fprintf(w.env.Err, "pictx: git's history still has what was committed\n")
	}
	return n, saved, nil
}

func (v decisionPurgeJSON) print(o *out) {
	verb := "would purge"
	if v.Done {
		verb = "purged"
	}
	for _, d := range v.due {
		o.printf("%s %s\n", verb, d.Line())
	}
	o.printf("%s %s\n", verb, text.Count(len(v.Due), "decision"))
	if v.Redacted > 0 {
		o.printf("redacted %s\n", text.Count(v.Redacted, "line"))
	}
	if v.Backup != "" {
		o.printf("the log as it was: %s\n", text.Printable(v.Backup))
	}
}

// resetJSON is what reset prints as JSON.
type resetJSON struct {
	V       int            `json:"v"`
	Done    bool           `json:"done"`
	Counts  map[string]int `json:"counts"`
	Removed int            `json:"removed"`
}

func (a *app) decisionReset() *cobra.Command {
	yes, dry := false, false
	cmd := &cobra.Command{
		Use:         "reset",
		Aliases:     []string{"clear"},
		Short:       "Remove every decision",
		Long:        "Removes every decision of whatever status, after saying how many there are and asking.\nThe log keeps them as its history; pictx decision undo brings them back.",
		Example:     "  pictx decision reset --dry-run\n  pictx decision clear --yes",
		Annotations: exits("5 11 12 130"),
		Args:        noArgs,
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "remove nothing, say how many there are")
	a.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.runDecisionReset(cmd.Context(), yes, dry) }
	return cmd
}

func (a *app) runDecisionReset(ctx context.Context, yes, dry bool) error {
	w, err := a.decisions()
	if err == nil {
		err = w.refuseOff()
	}
	if err != nil {
		return err
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	v := resetJSON{V: 1, Counts: map[string]int{}}
	var body []string
	for _, st := range decision.Statuses() {
		n := s.Counts()[st]
		v.Counts[string(st)] = n
		body = append(body, fmt.Sprintf("%d %s", n, st))
	}
	total := len(s.Present())
	fmt.Fprintf(a.env.Err, "pictx: %s: %s\n", text.Count(total, "decision"), strings.Join(body, ", "))
	if total > 0 && !dry {
		if err := a.confirm(ctx, yes, "Remove "+text.Count(total, "decision")+"?", strings.Join(body, ", ")); err != nil {
			return err
		}
		_, err = w.change(ctx, func(e *decision.Editor) error {
			for _, d := range e.State.Present() {
				if err := e.Remove(d, "reset"); err != nil {
					return err
				}
				v.Removed++
			}
			return nil
		})
		v.Done = err == nil
	}
	if err != nil {
		return err
	}
	return a.out.emit(v, func(o *out) {
		if dry {
			o.printf("would remove %s\n", text.Count(total, "decision"))
			return
		}
		o.printf("removed %s\n", text.Count(v.Removed, "decision"))
	})
}
