package prune

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/pruning"
)

// replayOptions are the flags of the command replay.
type replayOptions struct {
	all        bool
	policies   []string
	world      string
	worlds     bool
	details    bool
	perSession bool
	html       string
	floor      int
}

// ReplayCommand returns the command pictx replay.
func ReplayCommand(a *cli.Run) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:               "replay [SESSION|DIR]...",
		GroupID:           cli.GroupContext,
		Short:             "Show what pictx would save in recorded sessions",
		Annotations:       cli.Exits("3 4 130"),
		Args:              cli.SomeArgs(0, -1),
		ValidArgsFunction: a.SessionWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return runReplay(a, cmd.Context(), o, args) },
	}
	o.flags(cmd.Flags())
	a.CompleteWords(cmd, "policy", policyNames())
	a.CompleteWords(cmd, "world", worldNames())
	a.JSONFlag(cmd)
	return cmd
}

// flags declares the flags of replay.
func (o *replayOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.all, "all", false, "replay the sessions of every project")
	f.BoolVar(&o.details, "details", false, "show tables: costs by policy and part, and what pruning may have cost")
	f.BoolVar(&o.perSession, "per-session", false, "show every session on a line")
	f.StringVar(&o.world, "world", "", "price all requests as in the price world of this `name`, instead of by their own models")
	f.BoolVar(&o.worlds, "worlds", false, "compare all price worlds")
	f.StringSliceVar(&o.policies, "policy", nil, "compare these `policies`, separated by commas (default auto)")
	cli.NewFileFlag(f, &o.html, "html", "write a report to read in a browser to this `file`")
	f.IntVar(&o.floor, "floor", 0, "assume this many `tokens` of system prompt and tools instead of the recorded ones")
}

// policyNames lists the policies.
func policyNames() []string { return []string{"none", "auto", "cold", "seed", "kota"} }

// worldNames lists the price worlds.
func worldNames() (names []string) {
	for _, w := range replay.Worlds() {
		names = append(names, w.Name)
	}
	return names
}

// runReplay runs the command replay.
func runReplay(a *cli.Run, ctx context.Context, o replayOptions, args []string) error {
	if o.floor < 0 {
		return exit.UsageError("pictx replay --floor 4000", "--floor is %d: want a number of tokens", o.floor)
	}
	w, pl, err := newReplayWork(a, o)
	if err != nil {
		return err
	}
	files, err := a.ReplayFiles(ctx, pl, o.all, args)
	if err != nil {
		return err
	}
	w.series = o.html != "" || o.details && len(files) == 1 && !a.JSON
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

// newReplayWork returns the policies and worlds to replay sessions under.
func newReplayWork(a *cli.Run, o replayOptions) (*replayWork, workspace.Place, error) {
	set, pl, err := a.Resolved()
	if err != nil {
		return nil, pl, err
	}
	w := &replayWork{app: a, options: o, workers: runtime.GOMAXPROCS(0)}
	own := replay.Own(&bill.Prices{Own: bill.ModelPrices(set.Config.Prices), Today: true})
	switch worlds := replay.Worlds(); {
	case o.worlds:
		w.worlds = worlds
		if o.world == "" {
			w.worlds = append([]replay.World{own}, worlds...)
		}
	case o.world == "":
		w.worlds = []replay.World{own}
	}
	if o.world != "" && o.world != replay.OwnModels {
		at := slices.Index(worldNames(), o.world)
		if at < 0 {
			return nil, pl, exit.UsageError("pictx replay --world today", "unknown price world %q: want %s", o.world, strings.Join(worldNames(), ", "))
		}
		chosen := replay.Worlds()[at]
		w.worlds = append([]replay.World{chosen}, slices.DeleteFunc(w.worlds, func(other replay.World) bool { return other.Name == chosen.Name })...)
	}
	w.policies, err = choosePolicies(set.Config, o.policies)
	return w, pl, err
}

// choosePolicies returns the policies of that name, "none" first.
func choosePolicies(all config.Config, names []string) ([]replay.Policy, error) {
	if len(names) == 0 {
		names = []string{"auto"}
	}
	policies := []replay.Policy{replay.None()}
	for _, name := range names {
		auto, c := pruning.AutoSettings(all), all.Prune
		var p replay.Policy
		switch name {
		case "none":
			continue
		case "seed":
			p = replay.Seed(pruning.SeedSettings(c.Seed))
		case "kota":
			p = replay.Kota(pruning.KotaSettings(c.Kota))
		case "cold":
			p = replay.Cold(auto)
		case "auto":
			p = replay.Auto(auto)
		default:
			return nil, exit.UsageError("pictx replay --policy auto", "unknown policy %q: want %s", name, strings.Join(policyNames(), ", "))
		}
		if !slices.ContainsFunc(policies, func(known replay.Policy) bool { return known.Name == name }) {
			policies = append(policies, p)
		}
	}
	return policies, nil
}

// replayLosses are the sessions that could not be replayed, and damaged lines of others.
type replayLosses struct {
	problems []replay.Problem
	damage   []replayDamage
}

// replayDamage is a damaged line of a session.
type replayDamage struct {
	file  string
	issue history.Problem
}

func (l *replayLosses) add(of replayLosses) {
	l.problems, l.damage = append(l.problems, of.problems...), append(l.damage, of.damage...)
}

// verdict reports the losses and returns the exit code: partly done when a session or a
// line of one was lost, failed when nothing could be replayed.
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
