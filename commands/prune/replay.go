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

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
)

// replayOptions are the flags of the command replay.
type replayOptions struct {
	all      bool
	policies []string
	world    string
	details  bool
	html     string
}

// ReplayCommand returns the command pictx replay.
func ReplayCommand(a *cli.Run) *cobra.Command {
	var o replayOptions
	cmd := cli.Command("replay [SESSION|DIR]...", "Show what pictx would save in recorded sessions", "3 4 130", cli.SomeArgs(0, -1), func(ctx context.Context, args []string) error {
		return runReplay(a, ctx, o, args)
	})
	cmd.ValidArgsFunction = a.SessionWords
	o.flags(cmd)
	a.CompleteWords(cmd, "policy", policyNames())
	return a.JSONFlag(cmd)
}

// flags declares the flags of replay.
func (o *replayOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "replay the sessions of every project")
	f.BoolVar(&o.details, "details", false, "show how it adds up, and every session on a line")
	cli.NewFileFlag(f, &o.html, "html", "write a page to this `file`")
	f.StringSliceVar(&o.policies, "policy", nil, "compare these `policies`: "+strings.Join(policyNames(), ", "))
	cli.WordFlag(cmd, &o.world, "world", "use the prices of this `world`; all compares them", append(worldNames(), allWorlds)...)
	f.BoolFunc("worlds", "the same as --world all", func(string) error {
		o.world = allWorlds
		return nil
	})
	cli.Hide(f, "worlds")
}

// allWorlds is the value of --world that compares all price worlds.
const allWorlds = "all"

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
	w, pl, err := newReplayWork(a, o)
	if err != nil {
		return err
	}
	files, err := a.ReplayFiles(ctx, pl, o.all, args)
	if err != nil {
		return err
	}
	w.series = o.html != ""
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
func newReplayWork(a *cli.Run, o replayOptions) (*replayWork, workspace.Project, error) {
	set, pl, err := a.Resolved()
	if err != nil {
		return nil, pl, err
	}
	w := &replayWork{app: a, workers: runtime.GOMAXPROCS(0)}
	w.worlds = []replay.World{replay.Own(&bill.Prices{Own: bill.ModelPrices(set.Config.Prices), Today: true})}
	switch o.world {
	case "":
	case allWorlds:
		w.worlds = append(w.worlds, replay.Worlds()...)
	default:
		at := slices.Index(worldNames(), o.world)
		w.worlds = replay.Worlds()[at : at+1]
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
		var p *policy.Planner
		switch auto := workspace.AutoSettings(all); name {
		case "none":
			continue
		case "seed":
			p = policy.NewSeed(policy.SeedSettings(all.Prune.Seed))
		case "kota":
			p = policy.NewKota(workspace.KotaSettings(all.Prune.Kota))
		case "cold", "auto":
			auto.ColdOnly = name == "cold"
			p = policy.NewAuto(auto)
		default:
			return nil, exit.UsageError("pictx replay --policy auto", "unknown policy %q: want %s", name, strings.Join(policyNames(), ", "))
		}
		if !slices.ContainsFunc(policies, func(known replay.Policy) bool { return known.Name == name }) {
			policies = append(policies, replay.Policy{Name: name, Planner: p})
		}
	}
	return policies, nil
}

// replayLosses are the sessions that could not be replayed, and damaged lines of others.
type replayLosses struct {
	problems []replay.Problem
	damage   []string // what is said of each line
	partly   bool     // a line was lost that was not still being written
}

// verdict reports the losses and returns the exit code: partly done when a session or a
// line of one was lost, failed when nothing could be replayed.
func (l *replayLosses) verdict(w io.Writer, files int) error {
	for _, p := range l.problems {
		fmt.Fprintf(w, "pictx: error: %s\n", text.Printable(p.Cause))
	}
	for _, said := range l.damage {
		fmt.Fprintf(w, "pictx: %s\n", text.Printable(said))
	}
	switch {
	case len(l.problems) == files:
		return exit.Silent(exit.Failed)
	case l.partly || len(l.problems) > 0:
		return exit.Silent(exit.Partly)
	}
	return nil
}
