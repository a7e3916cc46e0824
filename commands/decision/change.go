package decision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
)

// changeExits are the usual exit codes of the verbs that change decisions.
const changeExits = "3 5 11 12 130"

// editing is a change of a decision, as given by the flags.
type editing struct {
	reason, review string
	paths, tags    []string
	force          bool
	decision.Change
}

func editVerb() verb {
	var o editing
	return verb{
		use:   "edit ID [TEXT…]",
		short: "Change a decision",
		old:   []string{"tag", "reason"},
		exits: changeExits,
		args:  cli.SomeArgs(1, -1),
		ids:   true,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.StringVar(&o.reason, "reason", "", "`why` it was decided")
			f.StringArrayVar(&o.tags, "tag", nil, "add a `tag`, or delete it with - before it; may be given more than once")
			f.StringVar(&o.review, "review", "", "review it after this `day`; '' for never")
			f.StringArrayVar(&o.paths, "path", nil, "files that it governs from now on, as a `glob`; '' for none")
			f.BoolVar(&o.force, "force", false, "change it even if it looks like a password or a key")
		},
		check: func(cmd *cobra.Command, args []string) error { return o.take(cmd, args[1:]) },
		run:   o.edit,
	}
}

// edit changes a decision. A new text is shown with the closest ones, as that of a new decision.
func (o *editing) edit(ctx context.Context, w *decisions, args []string) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	if d, err := s.Find(args[0]); err == nil && o.Text != nil {
		w.closest = s.Closest(*o.Text, d)
	}
	if _, err = w.consider(ctx, decision.Entrant{Closest: w.closest}, false); err != nil {
		return err
	}
	change := func(e *decision.Editor, d *decision.Decision) error { return e.Edit(d, o.Change) }
	return oneChange("edited", true, change)(ctx, w, args)
}

// take fills in the change from the flags and the words after the id, which are the text, or
// the tags or the reason where the verb is called by its old names.
func (o *editing) take(cmd *cobra.Command, words []string) error {
	given, body := cmd.Flags().Changed, strings.Join(words, " ")
	switch {
	case len(words) == 0:
	case cmd.CalledAs() == "tag":
		o.tags = append(o.tags, words...)
	case cmd.CalledAs() == "reason":
		o.Reason = &body
	default:
		o.Text = &body
	}
	if given("reason") {
		o.Reason = &o.reason
	}
	if given("review") {
		o.Review = &o.review
	}
	if given("path") {
		o.Paths = &o.paths
	}
	for _, t := range o.tags {
		if rest, ok := strings.CutPrefix(t, "-"); ok {
			o.Untag = append(o.Untag, rest)
		} else {
			o.Tag = append(o.Tag, t)
		}
	}
	if err := decision.CheckSecrets("edit decision", body+"\n"+o.reason); err != nil && !o.force {
		return exit.WithHint(exit.Refused, "--force changes it anyway", err)
	}
	if o.Text == nil && o.Reason == nil && o.Review == nil && o.Paths == nil && len(o.tags) == 0 {
		return exit.UsageError("pictx decision edit ID TEXT", "there is nothing to change: want a text, --reason, --tag, --path or --review")
	}
	return nil
}

func removeVerb() verb {
	yes := false
	return verb{
		use:    "remove ID",
		short:  "Remove a decision",
		exits:  changeExits,
		args:   cli.SomeArgs(1, 1),
		ids:    true,
		flags:  func(cmd *cobra.Command) { cmd.Flags().BoolVar(&yes, "yes", false, "do not ask") },
		writes: true,
		run: func(ctx context.Context, w *decisions, args []string) error {
			_, s, err := w.load()
			if err != nil {
				return err
			}
			d, err := s.Find(args[0])
			if err == nil {
				err = w.confirm(ctx, yes, "Remove "+d.Summary()+"?")
			}
			if err != nil {
				return err
			}
			return oneChange("removed", false, func(e *decision.Editor, d *decision.Decision) error { return e.Remove(d, "") })(ctx, w, args)
		},
	}
}

// judging returns the verb by which a person accepts or rejects decisions, for a reason.
func judging(name, short string, run func(ctx context.Context, w *decisions, ids []string, reason string) error) verb {
	reason := ""
	return verb{
		use:    name + " ID…",
		short:  short,
		exits:  changeExits,
		args:   cli.SomeArgs(1, -1),
		ids:    true,
		flags:  func(cmd *cobra.Command) { cmd.Flags().StringVar(&reason, "reason", "", "`why`") },
		people: name + " decisions",
		run:    func(ctx context.Context, w *decisions, args []string) error { return run(ctx, w, args, reason) },
	}
}

// accept makes drafts active, after asking about the decisions closest to each.
func accept(ctx context.Context, w *decisions, ids []string, reason string) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	drafts, err := s.FindAll(ids)
	var answers []decision.Addition
	if err == nil {
		drafts, answers, err = w.considerAll(ctx, s, drafts, reason)
	}
	if err != nil {
		return err
	}
	return w.changes(ctx, "accepted", func(e *decision.Editor) (ids []string, err error) {
		for i, d := range drafts {
			id, err := e.Accept(d.ID, answers[i])
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return ids, nil
	})
}

// reject rejects decisions.
func reject(ctx context.Context, w *decisions, ids []string, reason string) error {
	return w.changes(ctx, "rejected", func(e *decision.Editor) (did []string, err error) {
		list, err := e.State.FindAll(ids)
		for _, d := range list {
			if err == nil && d.Status == decision.Rejected {
				err = &decision.RefusedError{Cause: fmt.Sprintf("reject %s: it is rejected already", d.ID)}
			}
			if err == nil {
				err = e.Turn(d, decision.Rejected, reason)
			}
			did = append(did, d.ID)
		}
		return did, err
	})
}

// considerAll asks about each decision that is to become active, with the active ones closest
// to it, of which those before it in the list are some. It is not asked about a draft that names
// what it supersedes: that was decided on. It returns those to accept, each with the answer.
func (w *decisions) considerAll(ctx context.Context, s *decision.State, list []*decision.Decision, reason string) (kept []*decision.Decision, answers []decision.Addition, err error) {
	for _, d := range list {
		if d.Status == decision.Active && !d.Removed {
			return nil, nil, &decision.RefusedError{Cause: fmt.Sprintf("accept %s: it is active already", d.ID)}
		}
		old, _ := s.Find(d.Supersedes) // nil for none
		n := decision.Entrant{Text: d.Text, Closest: s.Closest(d.Text, old, kept...), Reason: reason}
		a, err := w.consider(ctx, n, d.Supersedes == "")
		switch {
		case err != nil:
			return nil, nil, err
		case a.Do != decision.DoCancel:
			kept, answers = append(kept, d), append(answers, a)
		}
		for _, o := range n.Closest {
			if !slices.Contains(w.closest, o) {
				w.closest = append(w.closest, o)
			}
		}
	}
	if len(kept) == 0 {
		err = errCancelled
	}
	return kept, answers, err
}

func conflictVerb() verb {
	return verb{
		use:    "conflict ID ID [NOTE…]",
		short:  "Mark two decisions as conflicting",
		exits:  changeExits,
		args:   cli.SomeArgs(2, -1),
		ids:    true,
		people: "mark a conflict",
		run: func(ctx context.Context, w *decisions, args []string) error {
			return w.changes(ctx, "marked", func(e *decision.Editor) ([]string, error) {
				two, err := e.State.FindAll(args[:2])
				if err != nil {
					return nil, err
				}
				return []string{two[0].ID, two[1].ID}, e.Clash(two[0], two[1], strings.Join(args[2:], " "))
			})
		},
	}
}

func resolveVerb() verb {
	var how decision.Settlement
	body := ""
	return verb{
		use:    "resolve ID STATUS",
		short:  "Settle the conflicts of a decision",
		exits:  changeExits,
		args:   cli.SomeArgs(2, 2),
		ids:    true,
		second: append([]string{removedWord}, statusWords...),
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&how.Reason, "reason", "", "`why`")
			cmd.Flags().StringVar(&body, "text", "", "the new text")
		},
		check: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("text") {
				how.Text = &body
			}
			if how.Removed = args[1] == removedWord; how.Removed {
				return nil
			}
			if how.To = decision.Status(args[1]); !how.To.Valid() {
				return exit.UsageError("pictx decision resolve ID active", "there is no status %q: want active, draft, rejected or superseded", args[1])
			}
			return nil
		},
		run: oneChange("resolved", false, func(e *decision.Editor, d *decision.Decision) error {
			return e.Resolve(d, how)
		}),
	}
}

// removedWord is the argument by which resolve confirms a removal, in place of a status.
const removedWord = "removed"
