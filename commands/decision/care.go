package decision

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

type purgeOptions struct{ yes, redact, dry, noBackup, all bool }

func purgeVerb() verb {
	var o purgeOptions
	return verb{
		use:   "purge",
		short: "Remove old drafts, rejected and superseded decisions",
		old:   []string{"reset", "clear"},
		exits: "4 5 11 12 130",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.BoolVar(&o.yes, "yes", false, "do it")
			f.BoolVar(&o.all, "all", false, "remove every decision, whatever its status and age")
			f.BoolVar(&o.redact, "redact", false, "delete the texts of removed decisions from the log")
			f.BoolVar(&o.noBackup, "no-backup", false, "with --redact, keep no copy of the old log")
			f.BoolVar(&o.dry, "dry-run", false, "delete nothing (the default)")
		},
		check: func(_ *cli.Run, cmd *cobra.Command, _ []string) error {
			o.all = o.all || cmd.CalledAs() != "purge"
			return nil
		},
		run: func(ctx context.Context, w *decisions, _ []string) error {
			if o.all {
				return purgeAll(ctx, w, o)
			}
			return purgeDecisions(ctx, w, o)
		},
	}
}

// purgeResult is the JSON output of purge.
type purgeResult struct {
	V        int           `json:"v"`
	Done     bool          `json:"done"`
	Due      []dueDecision `json:"due"`
	Redacted int           `json:"redacted"`
	Backup   string        `json:"backup"`

	due []decision.Due
}

// dueDecision is a decision that purge removes.
type dueDecision struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Age    int    `json:"age_days"`
	Over   int    `json:"over_days"`
	Text   string `json:"text"`
}

// take fills in the decisions that are due.
func (v *purgeResult) take(due []decision.Due) {
	v.due, v.Due = due, []dueDecision{}
	for _, d := range due {
		v.Due = append(v.Due, dueDecision{d.Decision.ID, string(d.Decision.Status), d.Age, d.Over, d.Decision.Text})
	}
}

// retentionOf returns the configured retentions. The project's settings apply even if it is
// not trusted: they concern its own log, and a person confirms the purge.
func retentionOf(w *decisions) (decision.Retention, error) {
	keep := decision.Retention{}
	set, err := w.app.TrustedSettings(w.Place, new(true))
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

// purgeDecisions lists the decisions that are due, and removes them when told to.
func purgeDecisions(ctx context.Context, w *decisions, o purgeOptions) error {
	if o.yes && !o.dry {
		if err := w.refuseOff(); err != nil {
			return err
		}
	}
	keep, err := retentionOf(w)
	if err == nil && !o.redact { // decisions that were removed before need no retention
		err = decision.CheckRetention(keep)
	}
	if err != nil {
		return err
	}
	now, err := workspace.Clock(w.Workspace.Env)
	if err != nil {
		return err
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	v := purgeResult{V: 1}
	v.take(s.Due(keep, now))
	if len(v.due) > 0 && !o.yes && !o.dry && w.app.Interactive() && !w.app.JSON {
		if err := purgeForm(ctx, w, v.due, &o); err != nil {
			return err
		}
	}
	if o.yes && !o.dry {
		if err := purgeDue(ctx, w, &v, o, keep); err != nil {
			return err
		}
	}
	return w.emit(v, v.print)
}

// purgeDue removes the decisions that are due.
func purgeDue(ctx context.Context, w *decisions, v *purgeResult, o purgeOptions, keep decision.Retention) error {
	return v.remove(ctx, w, o, func(e *decision.Editor) ([]decision.Due, error) { return e.Purge(keep) })
}

// remove removes the decisions that purge selects, and with --redact their texts.
func (v *purgeResult) remove(ctx context.Context, w *decisions, o purgeOptions, purge func(e *decision.Editor) ([]decision.Due, error)) error {
	if err := w.app.ForPeople("purge decisions"); err != nil {
		return err
	}
	_, err := w.change(ctx, func(e *decision.Editor) error {
		due, err := purge(e)
		v.take(due)
		return err
	})
	if err != nil {
		return err
	}
	v.Done = true
	if o.redact {
		v.Redacted, v.Backup, err = redactLog(ctx, w, !o.noBackup)
	}
	return err
}

// purgeAll removes every decision.
func purgeAll(ctx context.Context, w *decisions, o purgeOptions) error {
	if err := w.refuseOff(); err != nil {
		return err
	}
	now, err := workspace.Clock(w.Workspace.Env)
	if err != nil {
		return err
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	v := purgeResult{V: 1}
	v.take(s.All(now))
	var each []string
	for _, st := range decision.Statuses() {
		each = append(each, fmt.Sprintf("%d %s", s.Counts()[st], st))
	}
	total := text.Count(len(v.due), "decision")
	w.say("%s: %s", total, strings.Join(each, ", "))
	if len(v.due) > 0 && !o.dry {
		if err := w.app.Confirm(ctx, o.yes, "Remove "+total+"?", strings.Join(each, ", ")); err != nil {
			return err
		}
		if err := v.remove(ctx, w, o, (*decision.Editor).PurgeAll); err != nil {
			return err
		}
	}
	return w.emit(v, v.print)
}

// redactLog removes the texts of removed decisions from the log and verifies that they are
// gone.
func redactLog(ctx context.Context, w *decisions, backup bool) (int, string, error) {
	n := 0
	var gone []*decision.Decision
	saved, err := w.Rewrite(ctx, backup, func(data []byte) ([]byte, error) {
		s := decision.Replay(w.Lines(data).Events)
		gone = s.Removed()
		var out []byte
		out, n = decision.Redact(data, s, nil)
		return out, nil
	})
	if err != nil {
		return 0, "", err
	}
	data, err := w.Log.Bytes()
	if err != nil {
		return n, saved, err
	}
	if left := decision.Replay(w.Lines(data).Events).StillThere(data, gone); len(left) > 0 {
		return n, saved, exit.WithHint(exit.Partly, "pictx decision audit", fmt.Errorf("the text of %s is still in the log", left[0].ID))
	}
	if n > 0 {
		w.say("git's history still has what was committed")
	}
	return n, saved, nil
}

func (v purgeResult) print(o *cli.Out) {
	verb := "would purge"
	if v.Done {
		verb = "purged"
	}
	for _, d := range v.due {
		o.Printf("%s %s\n", verb, d.Line())
	}
	o.Printf("%s %s\n", verb, text.Count(len(v.Due), "decision"))
	if v.Redacted > 0 {
		o.Printf("redacted %s\n", text.Count(v.Redacted, "line"))
	}
	if v.Backup != "" {
		o.Printf("the log as it was: %s\n", text.Printable(v.Backup))
	}
}
