package decision

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// purging is a purge, as given by the flags.
type purging struct {
	yes, redact, dry, noBackup, all bool
	keep                            decision.Retention // nil to remove every decision
}

func purgeVerb() verb {
	var o purging
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
		check: func(cmd *cobra.Command, _ []string) error {
			o.all = o.all || cmd.CalledAs() != "purge"
			return nil
		},
		run: o.run,
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

// retentions sets the configured retentions. One that is missing is an error, unless only the
// texts of decisions that were removed before are to be redacted. The project's settings apply
// even if it is not trusted: they concern its own log, and a person confirms the purge.
func (o *purging) retentions(w *decisions) error {
	set, err := w.app.TrustedSettings(w.Project, new(true))
	if err != nil {
		return err
	}
	days := set.Config.Decisions.RetentionDays
	o.keep = decision.Retention{decision.Draft: days.Draft, decision.Rejected: days.Rejected, decision.Superseded: days.Superseded}
	for _, status := range decision.Statuses() {
		key := "decisions.retention_days." + string(status)
		v, err := set.Get(key)
		switch {
		case status == decision.Active || err == nil && v.Origin.Kind != config.Default:
		case !o.redact:
			return exit.WithHint(exit.Usage, "pictx config set "+key+" 90", fmt.Errorf("purge decisions: a setting is missing: %s", key))
		default:
			delete(o.keep, status)
		}
	}
	return nil
}

// run lists the decisions that are due, and removes them when told to.
func (o *purging) run(ctx context.Context, w *decisions, _ []string) error {
	if o.all || o.yes && !o.dry {
		if err := w.refuseOff(); err != nil {
			return err
		}
	}
	if !o.all {
		if err := o.retentions(w); err != nil {
			return err
		}
	}
	now, err := workspace.Clock(w.Workspace.Env)
	if err != nil {
		return err
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	v := purgeResult{V: 1, Due: s.Due(o.keep, now)}
	if err = o.confirm(ctx, w, s, v.Due); err == nil && o.yes && !o.dry {
		err = v.remove(ctx, w, o)
	}
	if err != nil {
		return err
	}
	return w.emit(v, v.print)
}

// confirm asks a person about the decisions that are due. Unasked, a purge only lists them.
func (o *purging) confirm(ctx context.Context, w *decisions, s *decision.State, due []decision.Due) error {
	const limit = 15
	total := text.Count(len(due), "decision")
	if o.all {
		var each []string
		for _, st := range decision.Statuses() {
			each = append(each, fmt.Sprintf("%d %s", len(s.With(st)), st))
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
func (v *purgeResult) remove(ctx context.Context, w *decisions, o *purging) error {
	if err := w.app.ForPeople("purge decisions"); err != nil {
		return err
	}
	reason := decision.PurgeReason
	if o.all {
		reason = "reset"
	}
	_, err := w.change(ctx, func(e *decision.Editor) error {
		v.Due = e.State.Due(o.keep, e.Now)
		for _, d := range v.Due {
			if err := e.Remove(d.Decision, reason); err != nil {
				return err
			}
		}
		return nil
	})
	if v.Done = err == nil; v.Done && o.redact {
		v.Redacted, v.Backup, err = redactLog(ctx, w, !o.noBackup)
	}
	return err
}

// redactLog removes the texts of removed decisions from the log and verifies that they are
// gone.
func redactLog(ctx context.Context, w *decisions, backup bool) (n int, saved string, err error) {
	var gone []*decision.Decision
	saved, err = w.Rewrite(ctx, backup, func(data []byte) (out []byte, _ error) {
		s := decision.Replay(decision.Read(data).Events)
		gone = s.Removed()
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
