package decision

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// changeExits are the usual exit codes of the verbs that change decisions.
const changeExits = "3 5 11 12 130"

func editVerb() verb {
	var reason, review string
	var paths []string
	var secret bool
	var c decision.Change
	return verb{
		use:   "edit ID [TEXT…]",
		short: "Change the text of a decision",
		exits: changeExits,
		args:  cli.SomeArgs(1, -1),
		ids:   true,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			f.StringVar(&reason, "reason", "", "`why` it was decided")
			f.StringVar(&review, "review", "", "review it after this `day`; '' for never")
			f.StringArrayVar(&paths, "path", nil, "files that it governs from now on, as a `glob`; '' for none")
			f.BoolVar(&secret, "allow-secret", false, "change it even if it looks like a password or a key")
		},
		check: func(_ *cli.Run, cmd *cobra.Command, args []string) error {
			if body := strings.Join(args[1:], " "); len(args) > 1 {
				c.Text = &body
				if err := decision.CheckSecrets("edit decision", body); err != nil && !secret {
					return exit.WithHint(exit.Refused, "--allow-secret changes it anyway", err)
				}
			}
			given := cmd.Flags().Changed
			if given("reason") {
				c.Reason = &reason
			}
			if given("review") {
				c.Review = &review
			}
			if given("path") {
				c.Paths = &paths
			}
			if c == (decision.Change{}) {
				return exit.UsageError("pictx decision edit ID TEXT", "there is nothing to change: want a text, --reason, --path or --review")
			}
			return nil
		},
		run: oneChange("edited", true, func(e *decision.Editor, d *decision.Decision, _ []string) error { return e.Edit(d, c) }),
	}
}

func removeVerb() verb {
	yes := false
	remove := oneChange("removed", false, func(e *decision.Editor, d *decision.Decision, _ []string) error { return e.Remove(d, "") })
	return verb{
		use:    "remove ID",
		short:  "Remove a decision",
		exits:  changeExits,
		args:   cli.SomeArgs(1, 1),
		ids:    true,
		flags:  func(cmd *cobra.Command) { cmd.Flags().BoolVar(&yes, "yes", false, "do not ask") },
		writes: true,
		run: func(ctx context.Context, w *decisions, args []string) error {
			d, err := w.find(args[0])
			if err != nil {
				return err
			}
			if err := w.app.Confirm(ctx, yes, "Remove "+d.ID+"?", d.Summary()); err != nil {
				return err
			}
			return remove(ctx, w, []string{d.ID})
		},
	}
}

func tagVerb() verb {
	return verb{
		use:   "tag ID TAG… [-- -TAG…]",
		short: "Tag a decision",
		exits: changeExits,
		args:  cli.SomeArgs(2, -1),
		ids:   true,
		run: oneChange("tagged", true, func(e *decision.Editor, d *decision.Decision, tags []string) error {
			var add, drop []string
			for _, t := range tags {
				if rest, ok := strings.CutPrefix(t, "-"); ok {
					drop = append(drop, rest)
				} else {
					add = append(add, t)
				}
			}
			return e.Tag(d, add, drop)
		}),
	}
}

func reasonVerb() verb {
	return verb{
		use:   "reason ID TEXT…",
		short: "Set the reason of a decision",
		exits: changeExits,
		args:  cli.SomeArgs(2, -1),
		ids:   true,
		run: oneChange("edited", true, func(e *decision.Editor, d *decision.Decision, words []string) error {
			reason := strings.Join(words, " ")
			return e.Edit(d, decision.Change{Reason: &reason})
		}),
	}
}

func acceptVerb() verb {
	v := turnVerb("accept", decision.Active, "accepted")
	v.use, v.short = "accept [ID…]", "Make drafts active"
	v.asks = true
	return v
}

func rejectVerb() verb {
	v := turnVerb("reject", decision.Rejected, "rejected")
	v.use, v.short = "reject ID…", "Reject decisions"
	return v
}

// turnVerb returns a verb that sets the status of decisions. One that can do without
// arguments then reviews the drafts.
func turnVerb(name string, to decision.Status, action string) verb {
	reason := ""
	return verb{
		exits:  changeExits,
		args:   cli.SomeArgs(1, -1),
		ids:    true,
		flags:  func(cmd *cobra.Command) { cmd.Flags().StringVar(&reason, "reason", "", "`why`") },
		people: name + " decisions",
		run: func(ctx context.Context, w *decisions, args []string) error {
			if len(args) == 0 {
				return reviewDrafts(ctx, w)
			}
			var ids []string
			var closest []*decision.Decision
			s, err := w.change(ctx, func(e *decision.Editor) error {
				for _, id := range args {
					d, err := e.State.Find(id)
					if err != nil {
						return err
					}
					if d.Status == to {
						return &decision.RefusedError{Cause: fmt.Sprintf("%s %s: it is %s already", name, d.ID, to)}
					}
					if err := e.Turn(d, to, reason); err != nil {
						return err
					}
					ids = append(ids, d.ID)
					if to == decision.Active && d.Status == decision.Draft {
						closest = e.State.Closest(d.Text, nil)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			if !w.app.JSON && len(ids) == 1 {
				w.sayClosest(closest)
			}
			return w.changed(action, s, closest, ids...)
		},
	}
}

func conflictVerb() verb {
	return verb{
		use:    "conflict [ID ID [NOTE…]]",
		short:  "Mark two decisions as conflicting",
		exits:  changeExits,
		args:   cli.SomeArgs(2, -1),
		ids:    true,
		asks:   true,
		people: "mark a conflict",
		run: func(ctx context.Context, w *decisions, args []string) error {
			if len(args) == 0 {
				var err error
				if args, err = conflictForm(ctx, w); err != nil {
					return err
				}
			}
			var ids []string
			s, err := w.change(ctx, func(e *decision.Editor) error {
				one, err := e.State.Find(args[0])
				if err != nil {
					return err
				}
				two, err := e.State.Find(args[1])
				if err != nil {
					return err
				}
				ids = []string{one.ID, two.ID}
				return e.Clash(one, two, strings.Join(args[2:], " "))
			})
			if err != nil {
				return err
			}
			return w.changed("marked", s, nil, ids...)
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
			cmd.Flags().StringVar(&how.Stands, "stands", "", "the `id` of the one that stays, if several decisions replaced this one")
		},
		check: func(_ *cli.Run, cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("text") {
				how.Text = &body
			}
			if how.Removed = args[1] == removedWord; how.Removed {
				return nil
			}
			how.To = decision.Status(args[1])
			return checkStatus(args[1], "pictx decision resolve ID active")
		},
		run: oneChange("resolved", false, func(e *decision.Editor, d *decision.Decision, _ []string) error {
			return e.Resolve(d, how)
		}),
	}
}

// removedWord is the argument by which resolve confirms a removal, in place of a status.
const removedWord = "removed"

func undoVerb() verb {
	yes, dry := false, false
	return verb{
		use:   "undo",
		short: "Undo the latest change",
		exits: "5 11 12 130",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
			cmd.Flags().BoolVar(&dry, "dry-run", false, "change nothing; show what would be undone")
		},
		writes: true,
		run: func(ctx context.Context, w *decisions, _ []string) error {
			what := ""
			if err := w.try(ctx, true, func(e *decision.Editor) (err error) {
				what, err = e.Undo()
				return err
			}); err != nil {
				return err
			}
			if dry {
				v := changeResult{V: 1, Action: "would undo: " + what, Decisions: []decision.View{}, Closest: []closeDecision{}}
				return w.emit(v, func(o *cli.Out) { o.Printf("%s\n", text.TerminalLine(v.Action)) })
			}
			if err := w.app.Confirm(ctx, yes, "Take back: "+what+"?", ""); err != nil {
				return err
			}
			return undoLatest(ctx, w, what)
		},
	}
}

// undoLatest undoes the latest change, unless another one followed in the meantime.
func undoLatest(ctx context.Context, w *decisions, what string) error {
	var ids []string
	s, err := w.change(ctx, func(e *decision.Editor) error {
		now, err := e.Undo()
		if err == nil && now != what {
			err = errors.New("undo: the log changed in the meantime")
		}
		for _, ev := range e.Events() {
			if ev.Op == decision.OpAdd {
				ids = append(ids, ev.ID)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	w.say("undid: %s", text.Printable(what))
	return w.changed("added again", s, nil, ids...)
}
