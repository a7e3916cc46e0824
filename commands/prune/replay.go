package prune

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	all        bool
	policies   []string
	prices     string
	profile    string
	perSession bool
	html       string
	check      bool
	floor      int
	recorded   bool
	ablate     bool
	figures    bool
	plans      bool
}

// ReplayCommand returns the command pictx replay.
func ReplayCommand(a *cli.Run) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:               "replay [SESSION|DIR]...",
		GroupID:           cli.GroupContext,
		Short:             "Price recorded sessions under each pruning policy",
		Annotations:       cli.Exits("3 4 130"),
		Args:              cli.SomeArgs(0, -1),
		ValidArgsFunction: a.SessionWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return runReplay(a, cmd.Context(), o, args) },
	}
	o.flags(cmd.Flags())
	a.CompleteWords(cmd, "policy", append(policyNames(), agentNames()...))
	a.CompleteWords(cmd, "profile", priceNames(token.Profiles()))
	a.JSONFlag(cmd)
	return cmd
}

// flags declares the flags of replay.
func (o *replayOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.all, "all", false, "replay the sessions of every project")
	f.StringSliceVar(&o.policies, "policy", nil, "only these `policies`, separated by commas")
	f.StringVar(&o.prices, "prices", "", "add the price profiles of this TOML `file`")
	f.StringVar(&o.profile, "profile", "", "the price profile to show, by its `name` (default anthropic-5m)")
	f.BoolVar(&o.perSession, "per-session", false, "show every session on a line")
	cli.NewFileFlag(f, &o.html, "html", "write a report to read in a browser to this `file`")
	f.BoolVar(&o.check, "check", false, "compare the model of the cache with recorded usage, and price nothing")
	f.BoolVar(&o.ablate, "ablate", false, "replay auto, then auto without each of its rules in turn")
	f.BoolVar(&o.figures, "figures", false, "print what auto and cold cost on halves of the sessions, on their first requests, and under other assumptions")
	f.BoolVar(&o.plans, "plans", false, "print what each policy pruned, as JSON lines")
	f.BoolVar(&o.recorded, "recorded", false, "price sessions of other agents with their own system prompts instead of one of pi's size")
	f.IntVar(&o.floor, "floor", 0, "assume this many `tokens` of system prompt and tools instead of the recorded ones")
}

func runReplay(a *cli.Run, ctx context.Context, o replayOptions, args []string) error {
	if err := o.conflict(a.JSON); err != nil {
		return err
	}
	w, pl, err := newReplayWork(a, o)
	if err != nil {
		return err
	}
	files, err := a.ReplayFiles(ctx, pl, o.all, args)
	if err != nil {
		return err
	}
	w.detail = o.html != "" || len(files) == 1 && !a.JSON
	switch {
	case o.check:
		return runCacheCheck(a, ctx, w, files)
	case o.figures:
		return runFigures(a, ctx, w, files)
	case o.plans:
		return runPlans(a, ctx, w, files)
	}
	res, lost := w.run(ctx, files)
	if o.html != "" && (res.Sessions > 0 || !res.Interrupted) { // a page of nothing would be in the way of the next one
		var page bytes.Buffer
		if err := report.Replay(&page, res); err != nil {
			return err
		}
		if err := a.Deliver(o.html, page.Bytes()); err != nil {
			return err
		}
	}
	if err := a.Out.Emit(res, func(w *cli.Out) { replayText{w, res}.print(o) }); err != nil {
		return err
	}
	err = lost.verdict(a.Env.Err, len(files))
	if res.Interrupted {
		fmt.Fprintf(a.Env.Err, "pictx: interrupted: %d of %s were replayed\n", res.Sessions, text.Count(len(files), "session"))
		err = ctx.Err()
	}
	return err
}

// newReplayWork returns the work that the flags and settings describe, and the project.
func newReplayWork(a *cli.Run, o replayOptions) (*replayWork, workspace.Place, error) {
	set, pl, err := a.Resolved()
	if err != nil {
		return nil, pl, err
	}
	w := &replayWork{app: a, options: o, workers: runtime.GOMAXPROCS(0)}
	if w.policies, err = choosePolicies(set.Config, o); err == nil {
		w.prices, w.models, w.shown, err = choosePrices(a, o)
		w.models = append(w.models, bill.ModelPrices(set.Config.Prices)...)
	}
	return w, pl, err
}

// conflict rejects flags that exclude each other.
func (o replayOptions) conflict(asJSON bool) error {
	switch {
	case o.floor < 0:
		return exit.UsageError("pictx replay --floor 4000", "--floor is %d: want a number of tokens", o.floor)
	case o.check && (o.html != "" || o.perSession || o.ablate || len(o.policies) > 0):
		return exit.UsageError("pictx replay --check", "--check prices nothing: it excludes --html, --per-session, --ablate and --policy")
	case o.figures && (o.html != "" || o.perSession || o.ablate || o.plans || o.floor > 0 || o.check || len(o.policies) > 0):
		return exit.UsageError("pictx replay --figures", "--figures chooses policies and assumptions: of the other flags only --all, --recorded and --prices go with it")
	case o.figures && asJSON:
		return exit.UsageError("pictx replay --json", "--figures prints tables: it excludes --json")
	case o.plans && (o.html != "" || o.perSession || o.check):
		return exit.UsageError("pictx replay --plans --policy auto", "--plans prints lines: it excludes --html, --per-session and --check")
	case o.ablate && len(o.policies) > 0:
		return exit.UsageError("pictx replay --ablate", "--ablate chooses the policies: it excludes --policy")
	}
	return nil
}

// replayLosses are what a replay could not read: whole sessions, and lines of sessions.
type replayLosses struct {
	problems []replay.Problem
	damage   []replayDamage
}

// replayDamage is a line of a session that was skipped.
type replayDamage struct {
	file  string
	issue history.Problem
}

// add adds the losses of a session.
func (l *replayLosses) add(of replayLosses) {
	l.problems, l.damage = append(l.problems, of.problems...), append(l.damage, of.damage...)
}

// verdict prints the losses, and returns the exit code as an error.
func (l *replayLosses) verdict(w io.Writer, files int) error {
	bad := len(l.problems) > 0
	for _, p := range l.problems {
		fmt.Fprintf(w, "pictx: error: %s\n", text.Printable(p.Cause))
	}
	for _, d := range l.damage {
		kind := "warning"
		if !d.issue.Torn { // a torn last line may still be being written
			kind, bad = "error", true
		}
		fmt.Fprintf(w, "pictx: %s: %s: %s\n", kind, text.Printable(d.file), text.Printable(d.issue.String()))
	}
	switch {
	case len(l.problems) == files:
		return exit.Silent(exit.Failed)
	case bad:
		return exit.Silent(exit.Partly)
	}
	return nil
}
