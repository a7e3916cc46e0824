package decision

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// addition is a decision to be added, as given by the flags.
type addition struct {
	decision.New
	draft  bool
	force  bool
	dry    bool
	answer decision.Addition // what a person said about the closest
}

// newFlags declares the flags of every new decision.
func (o *addition) newFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Reason, "reason", "", "`why` it was decided")
	f.BoolVar(&o.force, "force", false, "add it even if it exists already, looks like a key or is not allowed otherwise")
}

func addVerb() verb {
	var o addition
	return verb{
		use:   "add TEXT…",
		short: "Add a decision",
		old:   []string{"draft"},
		exits: changeExits,
		args:  cli.SomeArgs(1, -1),
		flags: func(cmd *cobra.Command) {
			o.newFlags(cmd)
			f := cmd.Flags()
			f.StringArrayVar(&o.Tags, "tag", nil, "a `tag`; may be given more than once")
			f.StringArrayVar(&o.Paths, "path", nil, "files that it governs, as a `glob`; may be given more than once")
			f.StringVar(&o.Review, "review", "", "review it after this `day`, such as 2026-12-31")
			f.BoolVar(&o.dry, "dry-run", false, "write nothing; show the closest decisions")
			f.BoolVar(&o.draft, "draft", false, "propose it; it binds once a person accepts it")
			f.StringVar(&o.Supersedes, "supersedes", "", "the `id` of the decision that it replaces; requires --reason")
			f.StringArrayVar(&o.Conflicts, "conflicts", nil, "mark it as conflicting with the decision of this `id`")
		},
		idFlags: []string{"conflicts", "supersedes"},
		writes:  true,
		check: func(cmd *cobra.Command, _ []string) error {
			o.draft = o.draft || cmd.CalledAs() == "draft"
			return nil
		},
		run: o.add,
	}
}

func supersedeVerb() verb {
	var o addition
	return verb{
		use:    "supersede ID TEXT…",
		short:  "Replace a decision with another",
		exits:  changeExits,
		args:   cli.SomeArgs(2, -1),
		flags:  o.newFlags,
		ids:    true,
		writes: true,
		run: func(ctx context.Context, w *decisions, args []string) error {
			o.Supersedes = args[0]
			return o.add(ctx, w, args[1:])
		},
	}
}

// add adds the decision, after asking about the closest ones.
func (o *addition) add(ctx context.Context, w *decisions, args []string) error {
	if err := o.complete(w, args); err != nil {
		return err
	}
	_, s, err := w.load()
	if err == nil {
		err = o.considerClosest(ctx, w, s)
	}
	if err != nil {
		return err
	}
	if err := decision.CheckSecrets("add decision", o.Text+"\n"+o.Reason+"\n"+o.answer.Reason); err != nil && !o.force {
		return exit.WithHint(exit.Refused, "--force adds it anyway", err)
	}
	if o.dry {
		w.say("would add %s", text.TerminalLine(o.Text))
		return w.changed("would add", s)
	}
	did := "added"
	if o.answer.Do == decision.DoUpdate {
		did = "edited"
	}
	return w.changes(ctx, did, func(e *decision.Editor) ([]string, error) {
		id, err := e.Enter(o.New, o.answer, o.force)
		return []string{id}, err
	})
}

// complete reads the decision from the arguments or standard input.
func (o *addition) complete(w *decisions, args []string) error {
	if o.draft || w.app.Env.Agent() {
		o.Status = decision.Draft
	}
	if o.Text = strings.Join(args, " "); o.Text == "-" {
		b, err := io.ReadAll(io.LimitReader(w.app.Env.In, decision.MaxText+1))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		o.Text = string(b)
	}
	var err error
	if o.Text, err = decision.Clean(o.Text); err != nil {
		return fmt.Errorf("add decision: %w", err)
	}
	return nil
}

// considerClosest refuses a text that an active decision has already, and shows the closest
// ones. At a terminal it asks what to do about them.
func (o *addition) considerClosest(ctx context.Context, w *decisions, s *decision.State) (err error) {
	var old *decision.Decision
	if o.Supersedes != "" {
		if old, err = s.Find(o.Supersedes); err != nil {
			return err
		}
	}
	if same := s.Same(o.Text, decision.Active); same != nil && same != old && !o.force {
		return decision.SaysTheSame(same)
	}
	w.closest = s.Closest(o.Text, old)
	if old != nil && o.Reason == "" && o.Status != decision.Draft && w.asks() {
		o.Reason, err = w.Ask(ctx, decision.Why(old.ID))
	}
	if err == nil && !o.force && len(o.Conflicts) == 0 {
		n := decision.Entrant{Text: o.Text, Closest: w.closest, Reason: o.Reason}
		o.answer, err = w.consider(ctx, n, old == nil && !o.dry)
	}
	if o.answer.Do == decision.DoCancel {
		err = errCancelled
	}
	return err
}
