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
	check := q.Check
	if check == nil && q.Required {
		check = huh.ValidateNotEmpty()
	}
	if check == nil {
		check = func(string) error { return nil }
	}
	switch q.Kind {
	case dialog.WriteLine:
		return huh.NewInput().Title(q.Title).Description(q.About).Value(said).Validate(check)
	case dialog.WriteText:
		f := huh.NewText().Title(q.Title).Description(q.About).Value(said).Validate(check)
		if q.Lines > 0 {
			f.Lines(q.Lines)
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

// ask shows questions as one form and returns the answers in the same order.
func ask(ctx context.Context, w *decisions, questions ...dialog.Question) ([]string, error) {
	said := make([]string, len(questions))
	fields := make([]huh.Field, len(questions))
	env := w.app.Env
	aloud := env.Getenv("ACCESSIBLE") != ""
	for i, q := range questions {
		said[i] = q.Default
		fields[i] = field(q, &said[i])
		if aloud {
			fmt.Fprint(env.Err, q.Spoken)
		}
	}
	return said, w.app.Ask(ctx, fields...)
}

// askAll asks the questions that next returns until there are none.
func askAll(ctx context.Context, w *decisions, said *dialog.Answers, next func(s *decision.State) ([]dialog.Question, error)) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	for {
		open, err := next(s)
		if err != nil || len(open) == 0 {
			return err
		}
		answers, err := ask(ctx, w, open...)
		if err != nil {
			return err
		}
		for i, q := range open {
			said.Take(q.ID, answers[i])
		}
	}
}

// supersedeForm asks which decision is superseded, by what, and why.
func supersedeForm(ctx context.Context, w *decisions, o *addition) error {
	said := dialog.Answers{Suggested: o.Reason}
	err := askAll(ctx, w, &said, func(s *decision.State) ([]dialog.Question, error) { return said.Superseding(s, w.MaxText()) })
	if err != nil {
		return err
	}
	o.Supersedes, o.Text, o.Reason = said.IDs[0], said.Text, said.Reason
	return nil
}

// conflictForm asks which two decisions conflict and returns the equivalent arguments.
func conflictForm(ctx context.Context, w *decisions) ([]string, error) {
	var said dialog.Answers
	if err := askAll(ctx, w, &said, said.Conflicting); err != nil {
		return nil, err
	}
	return append(said.IDs, said.Note), nil
}

// addForm asks for a new decision.
func addForm(ctx context.Context, w *decisions, o *addition) error {
	body, reason, tags := dialog.New(w.MaxText())
	reason.Default, tags.Default = o.Reason, strings.Join(o.Tags, ", ")
	said, err := ask(ctx, w, body, reason, tags)
	if err == nil {
		o.Text, o.Reason, o.Tags = said[0], said[1], dialog.SplitTags(said[2])
	}
	return err
}

// closestForm asks what to do about the closest decisions.
func closestForm(ctx context.Context, w *decisions, o *addition) error {
	do, err := ask(ctx, w, dialog.Closest(o.closest))
	switch {
	case err != nil:
		return err
	case do[0] == dialog.Cancel:
		return exit.WithHint(exit.Refused, "", errors.New("not added"))
	case do[0] == dialog.Add:
		return nil
	}
	which, err := ask(ctx, w, dialog.Which(o.closest))
	if err != nil {
		return err
	}
	switch do[0] {
	case dialog.Mark:
		o.marks = append(o.marks, which[0])
	case dialog.Update:
		o.update = which[0]
	case dialog.Supersede:
		o.Supersedes = which[0]
		if o.Reason == "" {
			why, err := ask(ctx, w, dialog.Why(which[0]))
			if err != nil {
				return err
			}
			o.Reason = why[0]
		}
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
		do, err := ask(ctx, w, dialog.Review(s, d, fmt.Sprintf("Draft %d of %d", i+1, len(drafts))))
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

// purgeForm asks what to do about decisions that are due: keep them, remove them, or also
// remove their texts from the log.
func purgeForm(ctx context.Context, w *decisions, due []decision.Due, o *purgeOptions) error {
	do, err := ask(ctx, w, dialog.Purge(due, o.redact))
	if err == nil {
		o.yes, o.redact = do[0] != dialog.Keep, do[0] == dialog.Redact
	}
	return err
}
