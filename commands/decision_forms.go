package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
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

// field draws a question as a field of a form, whose answer goes to said.
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

// ask asks questions in one form on the terminal and returns what was said, in their
// order.
func (a *app) ask(ctx context.Context, questions ...dialog.Question) ([]string, error) {
	said := make([]string, len(questions))
	fields := make([]huh.Field, len(questions))
	aloud := a.env.Getenv("ACCESSIBLE") != ""
	for i, q := range questions {
		said[i] = q.Default
		fields[i] = field(q, &said[i])
		if aloud {
			fmt.Fprint(a.env.Err, q.Spoken)
		}
	}
	form := huh.NewForm(huh.NewGroup(fields...)).WithInput(a.env.In).WithOutput(a.env.Err).WithAccessible(aloud)
	err := form.RunWithContext(ctx)
	if errors.Is(err, huh.ErrUserAborted) {
		return nil, withHint(exitRefused, "", errors.New("not confirmed"))
	}
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	return said, nil
}

// askAll asks what next returns until that is nothing.
func (w *decisions) askAll(ctx context.Context, said *dialog.Answers, next func(s *decision.State) ([]dialog.Question, error)) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	for {
		open, err := next(s)
		if err != nil || len(open) == 0 {
			return err
		}
		answers, err := w.ask(ctx, open...)
		if err != nil {
			return err
		}
		for i, q := range open {
			said.Take(q.ID, answers[i])
		}
	}
}

// supersedeForm asks which decision is superseded by what, and why.
func (w *decisions) supersedeForm(ctx context.Context, o *addOptions) error {
	said := dialog.Answers{Suggested: o.Reason}
	err := w.askAll(ctx, &said, func(s *decision.State) ([]dialog.Question, error) { return said.Superseding(s, w.maxText()) })
	if err != nil {
		return err
	}
	o.Supersedes, o.Text, o.Reason = said.IDs[0], said.Text, said.Reason
	return nil
}

// conflictForm asks which two decisions are in conflict. It returns the words that
// say so on the command line.
func (w *decisions) conflictForm(ctx context.Context) ([]string, error) {
	var said dialog.Answers
	if err := w.askAll(ctx, &said, said.Conflicting); err != nil {
		return nil, err
	}
	return append(said.IDs, said.Note), nil
}

// addForm asks for a new decision.
func (w *decisions) addForm(ctx context.Context, o *addOptions) error {
	body, reason, tags := dialog.New(w.maxText())
	reason.Default, tags.Default = o.Reason, strings.Join(o.Tags, ", ")
	said, err := w.ask(ctx, body, reason, tags)
	if err == nil {
		o.Text, o.Reason, o.Tags = said[0], said[1], dialog.SplitTags(said[2])
	}
	return err
}

// relatedForm asks what to do about what is related.
func (w *decisions) relatedForm(ctx context.Context, o *addOptions) error {
	first := o.related[0].Decision
	do, err := w.ask(ctx, dialog.Related(o.related))
	if err != nil {
		return err
	}
	switch do[0] {
	case dialog.Supersede:
		o.Supersedes = first.ID
		if o.Reason == "" {
			why, err := w.ask(ctx, dialog.Why(first.ID))
			if err != nil {
				return err
			}
			o.Reason = why[0]
		}
	case dialog.Mark:
		for _, r := range o.related[:min(len(o.related), dialog.MaxRelatedShown)] {
			if r.Class == decision.Conflict || r.Decision == first {
				o.mark = append(o.mark, r.Decision.ID)
			}
		}
	case dialog.Update:
		o.update = first.ID
	case dialog.Cancel:
		return withHint(exitRefused, "", errors.New("not added"))
	}
	return nil
}

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
	drafts := s.With(decision.Draft)
	become := make(map[string]decision.Status, len(drafts))
	for i, d := range drafts {
		do, err := w.ask(ctx, dialog.Review(s, d, fmt.Sprintf("Draft %d of %d", i+1, len(drafts))))
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
	fmt.Fprintf(w.env.Err, "pictx: %s looked at\n", text.Count(len(drafts), "draft"))
	return w.changed("now", s, nil, ids...)
}

// purgeForm asks what to do about what is due: nothing, removing it, or taking the
// texts out of the log, too.
func (w *decisions) purgeForm(ctx context.Context, due []decision.Due, o *decisionPurgeOptions) error {
	do, err := w.ask(ctx, dialog.Purge(due, o.redact))
	if err == nil {
		o.yes, o.redact = do[0] != dialog.Keep, do[0] == dialog.Redact
	}
	return err
}
