package decision

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

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
			return purgeDecisions(ctx, w, o)
		},
	}
}

// purgeResult is the JSON output of purge.
type purgeResult struct {
	V        int            `json:"v"`
	Done     bool           `json:"done"`
	Due      []decision.Due `json:"due"`
	Redacted int            `json:"redacted"`
	Backup   string         `json:"backup"`
}

// retentionOf returns the configured retentions, and an error about one that is missing. The project's
// settings apply even if it is not trusted: they concern its own log, and a person confirms
// the purge.
func retentionOf(w *decisions) (keep decision.Retention, missing, err error) {
	keep = decision.Retention{}
	set, err := w.app.TrustedSettings(w.Project, new(true))
	if err != nil {
		return nil, nil, err
	}
	days := set.Config.Decisions.RetentionDays
	for _, r := range []struct {
		of   decision.Status
		days int
	}{{decision.Draft, days.Draft}, {decision.Rejected, days.Rejected}, {decision.Superseded, days.Superseded}} {
		key := "decisions.retention_days." + string(r.of)
		if v, err := set.Get(key); err != nil || v.Default {
			missing = cmp.Or(missing, exit.WithHint(exit.Usage, "pictx config set "+key+" 90", fmt.Errorf("purge decisions: a setting is missing: %s", key)))
			continue
		}
		keep[r.of] = r.days
	}
	return keep, missing, nil
}

// selection selects the decisions that a purge removes, and says why.
type selection struct {
	due    func(s *decision.State, now time.Time) []decision.Due
	reason string
}

// selects returns what a purge removes: every decision, or those beyond their retention.
func (o purgeOptions) selects(w *decisions) (selection, error) {
	if o.all {
		return selection{(*decision.State).All, "reset"}, nil
	}
	keep, missing, err := retentionOf(w)
	if err == nil && !o.redact { // decisions that were removed before need no retention
		err = missing
	}
	due := func(s *decision.State, now time.Time) []decision.Due { return s.Due(keep, now) }
	return selection{due, decision.PurgeReason}, err
}

// purgeDecisions lists the decisions that are due, and removes them when told to.
func purgeDecisions(ctx context.Context, w *decisions, o purgeOptions) error {
	if o.all || o.yes && !o.dry {
		if err := w.refuseOff(); err != nil {
			return err
		}
	}
	which, err := o.selects(w)
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
	v := purgeResult{V: 1, Due: which.due(s, now)}
	if err := o.confirm(ctx, w, s, v.Due); err != nil {
		return err
	}
	if o.yes && !o.dry {
		if err := v.remove(ctx, w, o, which); err != nil {
			return err
		}
	}
	return w.emit(v, v.print)
}

// confirm asks a person about the decisions that are due. Unasked, a purge only lists them.
func (o *purgeOptions) confirm(ctx context.Context, w *decisions, s *decision.State, due []decision.Due) error {
	const limit = 15
	total := text.Count(len(due), "decision")
	if o.all {
		var each []string
		for _, st := range decision.Statuses() {
			each = append(each, fmt.Sprintf("%d %s", s.Counts()[st], st))
		}
		w.say("%s: %s", total, strings.Join(each, ", "))
	}
	if len(due) == 0 && !o.redact || o.dry || !o.all && !w.asks() {
		return nil
	}
	var about []string
	for _, d := range due[:min(len(due), limit)] {
		about = append(about, d.Line())
	}
	if more := len(due) - limit; more > 0 {
		about = append(about, "and "+text.Count(more, "more decision"))
	}
	question := "Remove " + total + "?"
	if o.redact {
		question += " The texts of removed decisions are deleted from the log."
	}
	err := w.confirm(ctx, o.yes, question, about...)
	o.yes = err == nil
	return err
}

// remove removes the decisions that a purge selects, and with --redact their texts.
func (v *purgeResult) remove(ctx context.Context, w *decisions, o purgeOptions, which selection) error {
	if err := w.app.ForPeople("purge decisions"); err != nil {
		return err
	}
	_, err := w.change(ctx, func(e *decision.Editor) error {
		v.Due = which.due(e.State, e.Now)
		return e.Purge(v.Due, which.reason)
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

// redactLog removes the texts of removed decisions from the log and verifies that they are
// gone.
func redactLog(ctx context.Context, w *decisions, backup bool) (int, string, error) {
	n := 0
	var gone []*decision.Decision
	saved, err := w.Rewrite(ctx, backup, func(data []byte) ([]byte, error) {
		s := decision.Replay(decision.Read(data).Events)
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
	if left := decision.Replay(decision.Read(data).Events).StillThere(data, gone); len(left) > 0 {
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
	for _, d := range v.Due {
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
