package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// changeOne changes one decision and prints what it is now. An agent may change
// drafts alone.
func (a *app) changeOne(ctx context.Context, action, id string, drafts bool, edit func(e *decision.Editor, d *decision.Decision) error) error {
	w, err := a.decisions()
	if err != nil {
		return err
	}
	known := ""
	s, err := w.change(ctx, func(e *decision.Editor) error {
		d, err := e.State.Find(id)
		if err != nil {
			return err
		}
		if !drafts || d.Status != decision.Draft {
			if err := a.forPeople(action + " " + d.ID); err != nil {
				return err
			}
		}
		known = d.ID
		return edit(e, d)
	})
	if err != nil {
		return err
	}
	return w.changed(action, s, nil, known)
}

func (a *app) decisionEdit() *cobra.Command {
	var reason, review string
	var paths []string
	var secret bool
	cmd := &cobra.Command{
		Use:   "edit ID [TEXT…]",
		Short: "Change the text of a decision",
		Long: `Changes the text of a decision, and with flags its reason, the files that it governs
or its day of review. What it said before stays in the log: pictx decision history ID.`,
		Example: `  pictx decision edit K3F9 'Use PostgreSQL 17'
  pictx decision edit K3F9 --path 'db/**' --review 2027-06-01
  pictx decision edit K3F9 --review ''`,
		Annotations:       exits("3 5 11 12 130"),
		Args:              someArgs(1, -1),
		ValidArgsFunction: a.decisionWords,
	}
	f := cmd.Flags()
	f.StringVar(&reason, "reason", "", "`why` it was decided")
	f.StringVar(&review, "review", "", "the `day` after which to look at it again, '' for none")
	f.StringArrayVar(&paths, "path", nil, "a `glob` of files that it governs, instead of those before; '' for none")
	f.BoolVar(&secret, "allow-secret", false, "change it though it looks like a password or a key")
	a.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var c decision.Change
		if text := strings.Join(args[1:], " "); len(args) > 1 {
			c.Text = &text
			if names := decision.Secrets(text); len(names) > 0 && !secret {
				return withHint(exitRefused, "--allow-secret changes it all the same", fmt.Errorf("edit decision: it looks like %s, and the log is shared", strings.Join(names, ", ")))
			}
		}
		if f.Changed("reason") {
			c.Reason = &reason
		}
		if f.Changed("review") {
			c.Review = &review
		}
		if f.Changed("path") {
			c.Paths = &paths
		}
		if c == (decision.Change{}) {
			return usageError("pictx decision edit ID TEXT", "there is nothing to change: want a text, --reason, --path or --review")
		}
		return a.changeOne(cmd.Context(), "edited", args[0], true, func(e *decision.Editor, d *decision.Decision) error { return e.Edit(d, c) })
	}
	return cmd
}

func (a *app) decisionRemove() *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "remove ID",
		Short: "Remove a decision",
		Long: `Removes a decision: it is listed no more and its id is never used again. What it said
stays in the log, which is a history; pictx decision purge --redact takes that out, too.
It asks first. Of what was replaced by something else, supersede says more.`,
		Example:           "  pictx decision remove K3F9 --yes",
		Annotations:       exits("3 5 11 12 130"),
		Args:              someArgs(1, 1),
		ValidArgsFunction: a.decisionWords,
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	a.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
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
		d, err := s.Find(args[0])
		if err != nil {
			return err
		}
		if err := a.confirm(cmd.Context(), yes, "Remove "+d.ID+"?", d.Summary()); err != nil {
			return err
		}
		return a.changeOne(cmd.Context(), "removed", d.ID, false, func(e *decision.Editor, d *decision.Decision) error { return e.Remove(d, "") })
	}
	return cmd
}

func (a *app) decisionTag() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tag ID TAG… [-- -TAG…]",
		Short: "Tag a decision",
		Long: `Gives a decision tags, and takes away those that begin with - (after --). What is
tagged pinned is shown to the agent first.`,
		Example:           "  pictx decision tag K3F9 style pinned\n  pictx decision tag K3F9 -- -pinned",
		Annotations:       exits("3 5 11 12 130"),
		Args:              someArgs(2, -1),
		ValidArgsFunction: a.decisionWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			var add, drop []string
			for _, t := range args[1:] {
				if rest, ok := strings.CutPrefix(t, "-"); ok {
					drop = append(drop, rest)
				} else {
					add = append(add, t)
				}
			}
			return a.changeOne(cmd.Context(), "tagged", args[0], true, func(e *decision.Editor, d *decision.Decision) error { return e.Tag(d, add, drop) })
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) decisionReason() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "reason ID TEXT…",
		Short:             "Say why something was decided",
		Long:              "Sets the reason of a decision.",
		Example:           "  pictx decision reason K3F9 'we need joins'",
		Annotations:       exits("3 5 11 12 130"),
		Args:              someArgs(2, -1),
		ValidArgsFunction: a.decisionWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			reason := strings.Join(args[1:], " ")
			return a.changeOne(cmd.Context(), "edited", args[0], true, func(e *decision.Editor, d *decision.Decision) error {
				return e.Edit(d, decision.Change{Reason: &reason})
			})
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) decisionAccept() *cobra.Command {
	return a.turn("accept [ID…]", "Make drafts active", `Makes a draft, or what was rejected, active: it binds, and the agent is told. A draft
that wants the place of another decision takes it. A person does this, never an agent.

Without an ID it goes through the drafts at a terminal, with what each is related to:
those that the agent proposed, and what was captured where nobody could be asked.`, decision.Active, "accepted")
}

func (a *app) decisionReject() *cobra.Command {
	return a.turn("reject ID…", "Reject decisions", `Rejects a draft, or an active decision: it does not bind, and stays in the log for
others to see that it was thought of.`, decision.Rejected, "rejected")
}

// turn is a command that gives decisions a status.
func (a *app) turn(use, short, long string, to decision.Status, action string) *cobra.Command {
	reason := ""
	verb, _, _ := strings.Cut(use, " ")
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long,
		Example:           "  pictx decision " + verb + " K3F9 --reason 'tried it'",
		Annotations:       exits("3 5 11 12 130"),
		Args:              someArgs(1, -1),
		ValidArgsFunction: a.decisionWords,
	}
	if to == decision.Active {
		cmd.Args = a.argsOrForm(1, -1)
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`why`")
	a.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.forPeople(verb + " decisions"); err != nil {
			return err
		}
		if len(args) == 0 {
			return a.review(cmd.Context())
		}
		w, err := a.decisions()
		if err != nil {
			return err
		}
		var ids []string
		s, err := w.change(cmd.Context(), func(e *decision.Editor) error {
			for _, id := range args {
				d, err := e.State.Find(id)
				if err != nil {
					return err
				}
				if d.Status == to {
					return &decision.RefusedError{Cause: fmt.Sprintf("%s %s: it is %s already", verb, d.ID, to)}
				}
				if err := e.Turn(d, to, reason); err != nil {
					return err
				}
				ids = append(ids, d.ID)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return w.changed(action, s, nil, ids...)
	}
	return cmd
}

func (a *app) decisionConflict() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "conflict [ID ID [NOTE…]]",
		Short:             "Mark two decisions as being in conflict",
		Long:              "Marks two decisions as being in conflict with each other. audit fails while both are\nactive; resolve settles it. At a terminal, and in pi, it asks for what is\nnot given.",
		Example:           "  pictx decision conflict K3F9 7QXA 'both name a database'\n  pictx decision resolve K3F9 active",
		Annotations:       exits("3 5 11 12 130"),
		Args:              a.argsOrForm(2, -1),
		ValidArgsFunction: a.decisionWords,
	}
	a.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.forPeople("mark a conflict"); err != nil {
			return err
		}
		w, err := a.decisions()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			if args, err = w.conflictForm(cmd.Context()); err != nil {
				return err
			}
		}
		var ids []string
		s, err := w.change(cmd.Context(), func(e *decision.Editor) error {
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
	}
	return cmd
}

func (a *app) decisionResolve() *cobra.Command {
	var reason, text string
	cmd := &cobra.Command{
		Use:   "resolve ID STATUS",
		Short: "Settle the conflicts of a decision",
		Long: `Gives a decision a status and takes its conflicts away: those it was marked with, and
what two people changed side by side before their branches met. What stands of that is
what is shown now, or --text. STATUS is active, draft, rejected or superseded.`,
		Example:     "  pictx decision resolve K3F9 rejected --reason 'we keep the other'\n  pictx decision resolve K3F9 active --text 'Use tabs of 4'",
		Annotations: exits("3 5 11 12 130"),
		Args:        someArgs(2, 2),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return []string{"active", "draft", "rejected", "superseded"}, cobra.ShellCompDirectiveNoFileComp
			}
			return a.decisionWords(cmd, args, prefix)
		},
	}
	f := cmd.Flags()
	f.StringVar(&reason, "reason", "", "`why`")
	f.StringVar(&text, "text", "", "what it says from now on")
	a.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to := decision.Status(args[1])
		if !to.Valid() {
			return usageError("pictx decision resolve ID active", "there is no status %q: want active, draft, rejected or superseded", args[1])
		}
		var said *string
		if f.Changed("text") {
			said = &text
		}
		return a.changeOne(cmd.Context(), "resolved", args[0], false, func(e *decision.Editor, d *decision.Decision) error {
			return e.Resolve(d, to, reason, said)
		})
	}
	return cmd
}

func (a *app) decisionUndo() *cobra.Command {
	yes, dry := false, false
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Take back the latest change",
		Long: `Takes back the latest change of the log by one that does the opposite; both stay in
it. A decision that was removed comes back under a new id. It asks first.`,
		Example:     "  pictx decision undo --yes",
		Annotations: exits("5 11 12 130"),
		Args:        noArgs,
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "change nothing, say what it would take back")
	a.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		w, err := a.decisions()
		if err == nil {
			err = w.refuseOff()
		}
		if err != nil {
			return err
		}
		log, s, err := w.load()
		if err != nil {
			return err
		}
		e, err := w.editor(cmd.Context(), log, s)
		if err != nil {
			return err
		}
		what, err := e.Undo()
		if err != nil {
			return err
		}
		if dry {
			v := changedJSON{V: 1, Action: "would take back: " + what, Decisions: []decision.View{}, Related: []relatedJSON{}}
			return a.out.emit(v, func(o *out) { o.printf("%s\n", text.TerminalLine(v.Action)) })
		}
		if err := a.confirm(cmd.Context(), yes, "Take back: "+what+"?", ""); err != nil {
			return err
		}
		return w.undo(cmd.Context(), what)
	}
	return cmd
}

// undo takes back the latest change, when that is still what it was.
func (w *decisions) undo(ctx context.Context, what string) error {
	var ids []string
	s, err := w.change(ctx, func(e *decision.Editor) error {
		now, err := e.Undo()
		if err == nil && now != what {
			err = errors.New("undo: somebody else changed the log meanwhile")
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
	fmt.Fprintf(w.env.Err, "pictx: took back: %s\n", text.Printable(what))
	return w.changed("added again", s, nil, ids...)
}
