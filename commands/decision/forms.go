package decision

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// argsOrForm allows missing arguments where a form can ask for them. Other arguments are
// checked as usual.
func argsOrForm(a *cli.Run, check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && a.Interactive() && !a.JSON {
			return nil
		}
		return check(cmd, args)
	}
}

// field returns the form field for a question. Its answer is stored in said.
func field(q dialog.Question, said *string) huh.Field {
	if len(q.Choices) == 0 {
		f := huh.NewInput().Title(q.Title).Description(q.About).Value(said)
		if q.Required {
			f.Validate(huh.ValidateNotEmpty())
		}
		return f
	}
	options := make([]huh.Option[string], len(q.Choices))
	for i, c := range q.Choices {
		options[i] = huh.NewOption(c.Label, c.Value)
	}
	f := huh.NewSelect[string]().Title(q.Title).Description(q.About).Value(said).Options(options...)
	if q.About == "" {
		const rows = 12
		f.Height(min(len(options)+2, rows))
	}
	return f
}

// Ask implements dialog.Asker: it shows questions as one form.
func (w *decisions) Ask(ctx context.Context, questions ...dialog.Question) ([]string, error) {
	said := make([]string, len(questions))
	fields := make([]huh.Field, len(questions))
	env := w.app.Env
	for i, q := range questions {
		said[i] = q.Default
		fields[i] = field(q, &said[i])
		if q.About != "" && env.Getenv("ACCESSIBLE") != "" { // such a form does not show it
			fmt.Fprintln(env.Err, strings.TrimSpace(q.About))
		}
	}
	return said, w.app.Ask(ctx, fields...)
}

// supersedeForm asks which decision is superseded, by what, and why.
func supersedeForm(ctx context.Context, w *decisions, o *addition) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	said := dialog.Supersession{Reason: o.Reason}
	err = said.Complete(ctx, w, s)
	o.Supersedes, o.Text, o.Reason = said.ID, said.Text, said.Reason
	return err
}

// conflictForm asks which two decisions conflict and returns the equivalent arguments.
func conflictForm(ctx context.Context, w *decisions) ([]string, error) {
	_, s, err := w.load()
	if err != nil {
		return nil, err
	}
	both, err := dialog.Conflicting(ctx, w, s)
	if err != nil {
		return nil, err
	}
	note, err := w.Ask(ctx, dialog.Question{Title: "Note", About: "The note says what the conflict is; it may be left empty."})
	return append(both, note...), err
}

// addForm asks for a new decision.
func addForm(ctx context.Context, w *decisions, o *addition) error {
	said, err := w.Ask(
		ctx,
		dialog.Question{Title: "Decision", About: "A decision is a rule that was chosen over alternatives and applies from now on.", Required: true},
		dialog.Question{Title: "Reason", Default: o.Reason},
		dialog.Question{Title: "Tags", About: "Tags are separated by commas.", Default: strings.Join(o.Tags, ",")},
	)
	if err == nil {
		o.Text, o.Reason = said[0], said[1]
		o.Tags = strings.FieldsFunc(said[2], func(r rune) bool { return r == ',' || r == ' ' })
	}
	return err
}

// closestForm asks what to do about the closest decisions.
func closestForm(ctx context.Context, w *decisions, o *addition) error {
	a, err := dialog.Adding(ctx, w, o.closest, o.Reason)
	if err != nil {
		return err
	}
	switch a.Do {
	case dialog.Cancel:
		return exit.WithHint(exit.Refused, "", errors.New("not added"))
	case dialog.Mark:
		o.marks = append(o.marks, a.ID)
	case dialog.Update:
		o.update = a.ID
	case dialog.Supersede:
		o.Supersedes, o.Reason = a.ID, a.Reason
	}
	return nil
}

// reviewDrafts asks about each draft. Drafts were captured without a person or proposed by
// an agent.
func reviewDrafts(ctx context.Context, w *decisions) error {
	if err := w.refuseOff(); err != nil {
		return err
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	drafts := s.With(decision.Draft)
	become := make(map[string]decision.Status, len(drafts))
	for i, d := range drafts {
		do, err := w.Ask(ctx, review(s, d, fmt.Sprintf("Draft %d of %d", i+1, len(drafts))))
		if err != nil {
			return err
		}
		become[d.ID] = decision.Status(do[0])
	}
	var ids []string
	s, err = w.change(ctx, func(e *decision.Editor) error {
		var err error
		ids, err = e.Review(become)
		return err
	})
	if err != nil {
		return err
	}
	w.say("%s looked at", text.Count(len(drafts), "draft"))
	return w.changed("now", s, nil, ids...)
}

// review asks what to do with a draft and names the closest active decisions. The answer is a
// status.
func review(s *decision.State, d *decision.Decision, title string) dialog.Question {
	about := d.Summary() + "\n"
	if d.Reason != "" {
		about += "reason: " + text.TerminalLine(d.Reason) + "\n"
	}
	about += "from " + text.TerminalLine(d.Actor+" "+d.By) + "\n"
	if closest := s.Closest(d.Text, nil); len(closest) > 0 {
		about += "closest active decisions; check whether one contradicts it or says the same:\n"
		for _, c := range closest {
			about += c.Summary() + "\n"
		}
	}
	return dialog.Question{
		Title: title, About: about, Default: string(decision.Draft),
		Choices: []dialog.Choice{
			{Value: string(decision.Active), Label: "Accept: it is binding from now on"},
			{Value: string(decision.Rejected), Label: "Reject"},
			{Value: string(decision.Draft), Label: "Leave it a draft"},
		},
	}
}
