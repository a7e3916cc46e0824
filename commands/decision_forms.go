package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// argsOrForm is someArgs for a command that asks for what is missing when there is
// somebody to ask and nothing was said.
func (a *app) argsOrForm(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && a.interactive() && !a.json {
			return nil
		}
		return someArgs(least, most)(cmd, args)
	}
}

// spoken prints what a form shows beside its question, where forms are read aloud:
// those have no descriptions.
func (a *app) spoken(text string) {
	if a.env.Getenv("ACCESSIBLE") != "" {
		fmt.Fprint(a.env.Err, text)
	}
}

// pick asks for one of the active decisions, the latest first.
func (w *decisions) pick(ctx context.Context, s *decision.State, title, except string) (*decision.Decision, error) {
	active := s.With(decision.Active)
	var options []huh.Option[string]
	for i := len(active) - 1; i >= 0; i-- {
		if d := active[i]; d.ID != except {
			options = append(options, huh.NewOption(text.Printable(decisionLine(d)), d.ID))
		}
	}
	if len(options) == 0 {
		return nil, withHint(exitNotFound, "pictx decision add", errors.New("there is no active decision to choose"))
	}
	const rows = 12
	id := ""
	err := w.form(ctx, huh.NewGroup(huh.NewSelect[string]().Title(title).Options(options...).Height(min(len(options)+2, rows)).Value(&id)))
	if err != nil {
		return nil, err
	}
	return s.Find(id)
}

// supersedeForm asks which decision is superseded by what, and why.
func (w *decisions) supersedeForm(ctx context.Context, o *addOptions) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	old, err := w.pick(ctx, s, "Which decision is superseded?", "")
	if err != nil {
		return err
	}
	o.Supersedes = old.ID
	w.spoken("It says: " + text.Printable(decisionLine(old)) + "\n")
	return w.form(ctx, huh.NewGroup(
		huh.NewText().Title("New decision").Description("In the place of: "+text.Printable(decisionLine(old))).Value(&o.Text).
			Validate(func(s string) error { _, err := decision.CleanTo(s, w.maxText()); return err }),
		huh.NewInput().Title("Reason for superseding").Value(&o.Reason).Validate(huh.ValidateNotEmpty()),
	))
}

// conflictForm asks which two decisions are in conflict. It returns the words that
// say so on the command line.
func (w *decisions) conflictForm(ctx context.Context) ([]string, error) {
	_, s, err := w.load()
	if err != nil {
		return nil, err
	}
	one, err := w.pick(ctx, s, "Which decision is in conflict with another?", "")
	if err != nil {
		return nil, err
	}
	two, err := w.pick(ctx, s, "With which one?", one.ID)
	if err != nil {
		return nil, err
	}
	note := ""
	err = w.form(ctx, huh.NewGroup(huh.NewInput().Title("Note").Description("What is in conflict; may stay empty.").Value(&note)))
	return []string{one.ID, two.ID, note}, err
}

// What may become of a draft.
const (
	reviewAccept = "accept"
	reviewReject = "reject"
	reviewLeave  = "leave"
)

// reviewed is what a person says of a draft.
type reviewed struct{ id, do string }

// review asks of each draft what is to become of it: those that were captured
// without a person, and those that an agent proposed.
func (a *app) review(ctx context.Context) error {
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
	var all []reviewed
	drafts := s.With(decision.Draft)
	for i, d := range drafts {
		do, err := w.reviewOne(ctx, s, d, fmt.Sprintf("Draft %d of %d", i+1, len(drafts)))
		if err != nil {
			return err
		}
		all = append(all, reviewed{d.ID, do})
	}
	return w.applyReview(ctx, all)
}

// reviewOne asks about one draft.
func (w *decisions) reviewOne(ctx context.Context, s *decision.State, d *decision.Decision, title string) (string, error) {
	about := text.Printable(decisionLine(d)) + "\n"
	if d.Reason != "" {
		about += "reason: " + text.Printable(text.TerminalLine(d.Reason)) + "\n"
	}
	about += "from " + text.Printable(text.TerminalLine(strings.TrimSpace(d.Actor+" "+d.By))) + "\n"
	related := s.Related(d.Text, nil)
	const most = 3
	for _, r := range related[:min(len(related), most)] {
		about += string(r.Class) + "? " + text.Printable(decisionLine(r.Decision)) + "\n"
	}
	w.spoken(about)
	do := reviewLeave
	err := w.form(ctx, huh.NewGroup(huh.NewSelect[string]().Title(title).Description(about).Value(&do).Options(
		huh.NewOption("Accept: it binds from now on", reviewAccept),
		huh.NewOption("Reject", reviewReject),
		huh.NewOption("Leave it a draft", reviewLeave),
	)))
	return do, err
}

// applyReview does what was said, in one change.
func (w *decisions) applyReview(ctx context.Context, all []reviewed) error {
	var ids []string
	s, err := w.change(ctx, func(e *decision.Editor) error {
		ids = nil
		for _, r := range all {
			to := decision.Active
			switch r.do {
			case reviewLeave:
				continue
			case reviewReject:
				to = decision.Rejected
			}
			d, err := e.State.Find(r.id)
			if err != nil || d.Status != decision.Draft {
				continue // somebody else settled it meanwhile
			}
			if err := e.Turn(d, to, ""); err != nil {
				return err
			}
			ids = append(ids, d.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w.env.Err, "pictx: %s looked at\n", text.Count(len(all), "draft"))
	return w.changed("now", s, nil, ids...)
}

// purgeForm asks what to do about what is due: nothing, removing it, or taking the
// texts out of the log, too.
func (w *decisions) purgeForm(ctx context.Context, v decisionPurgeJSON, o *decisionPurgeOptions) error {
	var about strings.Builder
	const most = 15
	for i, d := range v.Due {
		if i == most {
			fmt.Fprintf(&about, "and %s; --dry-run lists them\n", text.Count(len(v.Due)-i, "more decision"))
			break
		}
		about.WriteString(d.line() + "\n")
	}
	w.spoken(about.String())
	const keep, remove, redact = "keep", "remove", "redact"
	options := []huh.Option[string]{huh.NewOption("Keep them", keep), huh.NewOption("Remove them; their texts stay in the log's history", remove)}
	if o.redact {
		options = options[:1]
	}
	options = append(options, huh.NewOption("Remove them and take their texts out of the log", redact))
	do := keep
	err := w.form(ctx, huh.NewGroup(huh.NewSelect[string]().Title("Purge "+text.Count(len(v.Due), "decision")+"?").
		Description(about.String()).Options(options...).Value(&do)))
	o.yes, o.redact = do != keep, do == redact
	return err
}
