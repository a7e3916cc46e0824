package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
	"github.com/coctostan/pictx/core/text"
)

// updateSame is the value of --update without one.
const updateSame = "same"

// addOptions are the flags of what adds a decision.
type addOptions struct {
	decision.New
	status  string
	force   bool
	update  string // the id to update, updateSame for the one that says the same, "" for none
	strict  bool
	secret  bool
	dry     bool
	place   bool               // it takes the place of another, which a form asks for
	related []decision.Related // as shown
	mark    []string           // to be marked as being in conflict with
}

// newFlags are the flags that say more of a new decision.
func (o *addOptions) newFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Reason, "reason", "", "`why` it was decided")
	f.StringArrayVar(&o.Tags, "tag", nil, "a `tag`; may be given more than once")
	f.StringArrayVar(&o.Paths, "path", nil, "a `glob` of files that it governs; may be given more than once")
	f.StringVar(&o.Review, "review", "", "the `day` after which to look at it again, as 2026-12-31")
	f.BoolVar(&o.force, "force", false, "add it though it is there, or not possible otherwise")
	f.BoolVar(&o.secret, "allow-secret", false, "add it though it looks like a password or a key")
	f.BoolVar(&o.dry, "dry-run", false, "write nothing, print what is related")
}

func (a *app) decisionAdd() *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:   "add [TEXT…]",
		Short: "Add a decision",
		Long: `Adds a decision. A text that says the same as an active one is refused, with its id:
--force adds it all the same, --update writes the new text over the old. Related ones
are listed as a likely duplicate, conflict or special case, and at a terminal you are
asked what to do; --strict refuses then. TEXT - reads standard input.

In the agent's own shell it adds a draft, which a person accepts.`,
		Example: `  pictx decision add 'Use tabs' --reason 'gofmt does' --tag style
  pictx decision add 'Handlers never touch SQL' --path 'http/**' --review 2027-06-01
  pictx decision add 'Use SQLite' --supersedes K3F9 --reason 'one file is enough'`,
		Annotations: exits("3 5 11 12 130"),
		Args:        someArgs(0, -1),
		RunE:        func(cmd *cobra.Command, args []string) error { return a.runDecisionAdd(cmd.Context(), o, args) },
	}
	o.newFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Supersedes, "supersedes", "", "the `id` of the decision whose place it takes; wants --reason")
	f.StringVar(&o.status, "status", "active", "its `status`: active, draft or rejected")
	f.StringVar(&o.update, "update", "", "change the decision that says the same, or the one whose `id` follows =")
	f.Lookup("update").NoOptDefVal = updateSame
	f.StringArrayVar(&o.mark, "conflicts", nil, "the `id` of a decision that it is in conflict with")
	complete(cmd, "update", a.decisionWords)
	complete(cmd, "conflicts", a.decisionWords)
	f.BoolVar(&o.strict, "strict", false, "refuse when an active decision is related")
	a.completeWords(cmd, "status", []string{"active", "draft", "rejected"})
	complete(cmd, "supersedes", a.decisionWords)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) decisionDraft() *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:         "draft TEXT…",
		Short:       "Propose a decision",
		Long:        "Adds a draft: a decision that does not bind, and that the agent is not shown, until a\nperson accepts it.",
		Example:     "  pictx decision draft 'Use tabs' --reason 'gofmt does'\n  pictx decision accept K3F9",
		Annotations: exits("3 5 11 12 130"),
		Args:        someArgs(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.status = string(decision.Draft)
			return a.runDecisionAdd(cmd.Context(), o, args)
		},
	}
	o.newFlags(cmd)
	cmd.Flags().StringVar(&o.Supersedes, "supersedes", "", "the `id` of the decision whose place it would take")
	complete(cmd, "supersedes", a.decisionWords)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) decisionSupersede() *cobra.Command {
	var o addOptions
	cmd := &cobra.Command{
		Use:         "supersede [ID TEXT…]",
		Short:       "Put a decision in the place of another",
		Long:        "Adds a decision that takes the place of another, which stays in the log as\nsuperseded. Both happen at once or not at all. It wants a reason. At a terminal, and in\npi, it asks for what is not given.",
		Example:     "  pictx decision supersede K3F9 'Use SQLite' --reason 'one file is enough'",
		Annotations: exits("3 5 11 12 130"),
		Args:        a.argsOrForm(2, -1), ValidArgsFunction: a.decisionWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				o.status, o.place = string(decision.Active), true
				return a.runDecisionAdd(cmd.Context(), o, nil)
			}
			o.Supersedes, o.status = args[0], string(decision.Active)
			return a.runDecisionAdd(cmd.Context(), o, args[1:])
		},
	}
	o.newFlags(cmd)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runDecisionAdd(ctx context.Context, o addOptions, args []string) error {
	w, err := a.decisions()
	if err == nil {
		err = w.refuseOff()
	}
	if err == nil {
		err = w.read(ctx, &o, args)
	}
	if err != nil {
		return err
	}
	_, s, err := w.load()
	if err != nil {
		return err
	}
	if err := w.consider(ctx, s, &o); err != nil {
		return err
	}
	if o.dry {
		return w.changed("would add", s, o.related)
	}
	if o.update != "" {
		return w.update(ctx, s, &o)
	}
	id := ""
	s, err = w.change(ctx, func(e *decision.Editor) error { return o.apply(e, &id) })
	if err != nil {
		return err
	}
	return w.changed("added", s, o.related, id)
}

// apply adds the decision.
func (o *addOptions) apply(e *decision.Editor, id *string) error {
	var err error
	if *id, err = e.Add(o.New, o.force); err != nil {
		return err
	}
	for _, other := range o.mark {
		d, err := e.State.Find(other)
		if err != nil {
			return err
		}
		if err := e.Mark(*id, d, ""); err != nil {
			return err
		}
	}
	return nil
}

// read completes what is to be added from the arguments, standard input or a form.
func (w *decisions) read(ctx context.Context, o *addOptions, args []string) error {
	o.Status = decision.Status(o.status)
	if !o.Status.Valid() || o.Status == decision.Superseded {
		return usageError("pictx decision add TEXT --status draft", "there is no status %q to begin with: want active, draft or rejected", o.status)
	}
	if w.env.agent() {
		o.Status = decision.Draft
	}
	switch {
	case len(args) == 1 && args[0] == "-":
		b, err := io.ReadAll(io.LimitReader(w.env.In, int64(w.maxText())+1))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		o.Text = string(b)
	case len(args) > 0:
		o.Text = strings.Join(args, " ")
	case w.interactive() && o.place:
		if err := w.supersedeForm(ctx, o); err != nil {
			return err
		}
	case w.interactive():
		if err := w.addForm(ctx, o); err != nil {
			return err
		}
	default:
		return usageError("pictx decision add 'Use tabs' --reason 'gofmt does'", "missing argument: want the text of the decision")
	}
	var err error
	if o.Text, err = decision.CleanTo(o.Text, w.maxText()); err != nil {
		return fmt.Errorf("add decision: %w", err)
	}
	if names := decision.Secrets(o.Text + "\n" + o.Reason); len(names) > 0 && !o.secret {
		return withHint(exitRefused, "--allow-secret adds it all the same", fmt.Errorf("add decision: it looks like %s, and the log is shared", strings.Join(names, ", ")))
	}
	return nil
}

// interactive reports whether there is a person to ask.
func (a *app) interactive() bool { return a.env.InTerminal && a.env.ErrTerminal && !a.env.agent() }

// consider looks for what is related, and asks what to do about it where there is
// somebody to ask.
func (w *decisions) consider(ctx context.Context, s *decision.State, o *addOptions) error {
	var old *decision.Decision
	if o.Supersedes != "" {
		var err error
		if old, err = s.Find(o.Supersedes); err != nil {
			return err
		}
	}
	if same := s.Equal(o.Text); same != nil && same != old && !o.force && o.update == "" {
		return &decision.EqualError{Decision: same}
	}
	o.related = s.Related(o.Text, old)
	if len(o.related) == 0 || o.update != "" || o.force || len(o.mark) > 0 {
		return nil
	}
	if w.interactive() && o.Supersedes == "" {
		return w.relatedForm(ctx, o)
	}
	for _, r := range o.related[:min(len(o.related), dialog.MaxRelatedShown)] {
		fmt.Fprintf(w.env.Err, "pictx: warning: related (%s?, %.2f): %s\n", r.Class, r.Score, r.Decision.Summary())
	}
	if more := len(o.related) - dialog.MaxRelatedShown; more > 0 {
		fmt.Fprintf(w.env.Err, "pictx: warning: and %s; --dry-run --json lists them\n", text.Count(more, "more related decision"))
	}
	if o.strict {
		return withHint(exitRefused, "pictx decision supersede "+o.related[0].Decision.ID+" TEXT --reason WHY, or without --strict",
			fmt.Errorf("add decision: %s related", text.Count(len(o.related), "active decision")))
	}
	return nil
}

// update changes the decision that says the same, or the nearest that seems to.
func (w *decisions) update(ctx context.Context, s *decision.State, o *addOptions) error {
	d := s.Equal(o.Text)
	if o.update != updateSame {
		var err error
		if d, err = s.Find(o.update); err != nil {
			return err
		}
	}
	if d == nil {
		for _, r := range s.Related(o.Text, nil) {
			if r.Class == decision.Duplicate {
				d = r.Decision
				break
			}
		}
	}
	if d == nil {
		return withHint(exitNotFound, "pictx decision edit ID TEXT", errors.New("update decision: no active decision says the same"))
	}
	if err := w.forPeople("change an active decision"); err != nil {
		return err
	}
	s, err := w.change(ctx, func(e *decision.Editor) error {
		now, err := e.State.Find(d.ID)
		if err != nil {
			return err
		}
		c := decision.Change{Text: &o.Text}
		if o.Reason != "" {
			c.Reason = &o.Reason
		}
		return e.Edit(now, c)
	})
	if err != nil {
		return err
	}
	return w.changed("edited", s, nil, d.ID)
}
