package decision

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// verb is a subcommand of pictx decision: its help, and what it does with the project's
// log.
type verb struct {
	use, short string
	// old are the names of verbs that it took over. They work and are not listed. hidden is
	// set when the whole verb is not listed.
	old    []string
	hidden bool
	// exits are its exit codes in addition to those of every command.
	exits string
	args  cobra.PositionalArgs
	// flags declares its flags besides --json. Those in idFlags complete to ids.
	flags   func(cmd *cobra.Command)
	idFlags []string
	// ids is set when its arguments are ids. second are the completions of its second
	// argument.
	ids    bool
	second []string
	// commits is set when it works without files, on the commits of a repository.
	commits bool
	// plain is set when it has no JSON output.
	plain bool

	// check rejects wrong usage before anything is read.
	check func(cmd *cobra.Command, args []string) error
	// people names the action when it is reserved for a person, "" when an agent may do it.
	people string
	// writes is set when it changes the log, which is refused while decisions are off.
	writes bool
	run    func(ctx context.Context, w *decisions, args []string) error
}

// Command returns the command pictx decision.
func Command(a *cli.Run) *cobra.Command {
	cmd := cli.Parent("decision", "Record and find the decisions of a project")
	for _, v := range []verb{
		addVerb(), listVerb(), showVerb(), editVerb(), judging("accept", "Make drafts active", accept), judging("reject", "Reject decisions", reject), supersedeVerb(), conflictVerb(), resolveVerb(),
		removeVerb(), purgeVerb(), auditVerb(), diffVerb(), contextVerb(), importVerb(), exportVerb(), initVerb(),
		statusVerb(), switchVerb("enable", "true"), switchVerb("disable", "false"),
	} {
		cmd.AddCommand(v.command(a))
	}
	merge := func(_ context.Context, args []string) error { return mergeLogs(a, args) }
	cmd.AddCommand(cli.Command("merge-driver BASE OURS THEIRS", "Merge two decision logs (for git)", "", cli.SomeArgs(3, 3), merge))
	return cmd
}

// command returns the cobra command of the verb.
func (v verb) command(a *cli.Run) *cobra.Command {
	cmd := &cobra.Command{Use: v.use, Aliases: v.old, Hidden: v.hidden, Short: v.short, Args: v.args}
	if v.exits != "" {
		cmd.Annotations = cli.Exits(v.exits)
	}
	if v.ids {
		cmd.ValidArgsFunction = v.completed(a)
	}
	if v.flags != nil {
		v.flags(cmd)
	}
	for _, flag := range v.idFlags {
		cli.Complete(cmd, flag, verb{}.completed(a))
	}
	if !v.plain {
		a.JSONFlag(cmd)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return v.do(cmd, a, args) }
	return cmd
}

// completed returns the completion of the verb's arguments: ids, and words for the second one.
func (v verb) completed(a *cli.Run) cobra.CompletionFunc {
	const limit = 100
	return func(_ *cobra.Command, args []string, prefix string) (out []string, _ cobra.ShellCompDirective) {
		if len(args) == 1 && v.second != nil {
			return v.second, cobra.ShellCompDirectiveNoFileComp
		}
		w, err := openLog(a)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		s, err := w.Load()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, d := range s.Listed() {
			if strings.HasPrefix(strings.ToUpper(d.ID), strings.ToUpper(prefix)) && len(out) < limit {
				out = append(out, d.ID+"\t"+text.TerminalLine(d.Title))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// do checks whether the verb is allowed and runs it.
func (v verb) do(cmd *cobra.Command, a *cli.Run, args []string) error {
	if v.check != nil {
		if err := v.check(cmd, args); err != nil {
			return err
		}
	}
	if v.people != "" {
		if err := a.ForPeople(v.people); err != nil {
			return err
		}
	}
	w, err := openLog(a)
	if err == nil && !v.commits {
		err = w.NotBare()
	}
	if err == nil && v.writes {
		err = w.refuseOff()
	}
	if err != nil {
		return err
	}
	err = v.run(cmd.Context(), w, args)
	var refused *decision.RefusedError
	switch {
	case errors.Is(err, decision.ErrReason):
		return exit.WithHint(exit.Usage, a.Again("--reason", "WHY"), err)
	case errors.As(err, &refused) && refused.How == "--force":
		return exit.WithHint(exit.Refused, a.Again(refused.How), err)
	}
	return err
}

// oneChange returns the run function of a verb that changes the decision given by its first
// argument and prints the result. With drafts set, an agent may change drafts.
func oneChange(action string, drafts bool, edit func(e *decision.Editor, d *decision.Decision) error) func(context.Context, *decisions, []string) error {
	return func(ctx context.Context, w *decisions, args []string) error {
		return w.changes(ctx, action, func(e *decision.Editor) ([]string, error) {
			d, err := e.State.Find(args[0])
			if err == nil && (!drafts || d.Status != decision.Draft) {
				err = w.app.ForPeople(action + " " + d.ID)
			}
			if err != nil {
				return nil, err
			}
			return []string{d.ID}, edit(e, d)
		})
	}
}

// statusWords are the completions for a status.
var statusWords = []string{"active", "draft", "rejected", "superseded"}
