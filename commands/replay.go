package commands

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

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
}

func (a *app) replayCommand() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:     "replay [SESSION|DIR]...",
		GroupID: groupContext,
		Short:   "Price recorded sessions under every policy of pruning",
		Long: `Goes through the model calls of recorded sessions, lets each policy prune before
each call as it would have in pi, and bills what would have been sent by the
prices and the prompt cache of a provider. Nothing is changed, nothing is sent.

A SESSION is a file, or the id of a session; a DIR stands for the session files
in it. Without arguments it is this project's sessions, with --all those of every
project. A fork counts with the history it was made from.

The policies are none, seed (pi-context-pruning), kota (pi-kota), cold (prunes when
the cache is cold) and auto; --policy also takes inline and pools, the two layouts of
versioned objects (objects.layout) with their window, and a source of auto by its
name, which is then asked alone. Costs are in plain input tokens, and ratios are to
"none": 0.8 is a fifth less. "net" is what it costs if each text that a later call
needed and that was gone is fetched again, once.

Hardly any agent of a recorded session deactivated anything. A rule may stand for one
that does, behind a plus: auto+idle, inline+idle and pools+idle deactivate, in an answer
that calls tools anyway, every tool result of 500 tokens or more that is still seen in
full and was not referred to in the last 8 answers: none named the path its call was
about, and none used a text that only such results hold. idle:20 waits for 20
answers. Each costs its call, with 8 input tokens for one of output, and its result, and
the definitions of the tools come before every prompt; a rewrite of the cache costs what
it does for any policy. Calls that then missed a text are counted. inline+ideal
leaves what a later call of the session needs, which no agent knows: no such rule says
what a model would do.

--ablate shows what each rule of auto is worth: the policies are then auto, and auto
without one rule at a time. The rules are its sources, those that make it act (cold,
warm, tail, pressure), and the ledger, which spends what was saved.

Sessions that cannot be read are reported and left out. Edits and calls whose text
is gone are proxies: they are not solve rates.`,
		Example: `  # this project's sessions: what would pruning have saved?
  pictx replay
  # one session, call by call
  pictx replay ~/.pi/agent/sessions/*/2026-11-21*.jsonl
  # one hour of caching, every session on a line
  pictx replay --all --profile anthropic-1h --per-session
  # a report to read in a browser
  pictx replay --html report.html
  # prices of your own: [[profile]] name = "mine", read = 0.25, write = 1.0, ttl = 300
  pictx replay --prices prices.toml --profile mine
  # what is each rule of auto worth?
  pictx replay --ablate
  # what would self-context-manager's layout cost?
  pictx replay --policy auto,inline,pools
  # and if the agent deactivated what it does not refer to any more?
  pictx replay --policy inline,inline+idle,inline+idle:20
  # does the model of the cache agree with what was recorded?
  pictx replay --check session.jsonl`,
		Annotations:       exits("3 4 130"),
		Args:              someArgs(0, -1),
		ValidArgsFunction: a.sessionWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runReplay(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "replay the sessions of every project")
	f.StringSliceVar(&o.policies, "policy", nil, "only these `policies`, separated by commas")
	f.StringVar(&o.prices, "prices", "", "add the price profiles of this TOML `file`")
	f.StringVar(&o.profile, "profile", "", "the price profile to show, by its `name` (default anthropic-5m)")
	f.BoolVar(&o.perSession, "per-session", false, "show every session on a line")
	f.StringVar(&o.html, "html", "", "write a report to read in a browser to this `file`")
	f.BoolVar(&o.check, "check", false, "compare the model of the cache with recorded usage, and price nothing")
	f.BoolVar(&o.ablate, "ablate", false, "replay auto, and auto without one of its rules at a time")
	f.BoolVar(&o.recorded, "recorded", false, "price sessions of other agents with their own system prompts, not with one of pi's size")
	f.IntVar(&o.floor, "floor", 0, "take system prompt and tools to be so many `tokens`, not what was recorded")
	a.completeWords(cmd, "policy", append(policyNames(), agentNames()...))
	a.completeWords(cmd, "profile", priceNames(token.Profiles()))
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runReplay(ctx context.Context, o replayOptions, args []string) error {
	if err := o.conflict(); err != nil {
		return err
	}
	pl, err := a.place()
	if err != nil {
		return err
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return err
	}
	a.warn(set)
	w := &replayWork{app: a, options: o, workers: runtime.GOMAXPROCS(0)}
	if w.policies, err = choosePolicies(set.Config, o); err != nil {
		return err
	}
	if w.prices, w.shown, err = a.choosePrices(o); err != nil {
		return err
	}
	files, err := a.replayFiles(ctx, pl, o, args)
	if err != nil {
		return err
	}
	w.detail = o.html != "" || len(files) == 1 && !a.json
	if o.check {
		return a.checkCache(ctx, w, files)
	}
	res, err := w.run(ctx, files)
	if err != nil {
		return err
	}
	if err := a.emitReplay(o, res); err != nil {
		return err
	}
	err = a.replayVerdict(res.Problems, res.Damage, len(files))
	if res.Interrupted {
		fmt.Fprintf(a.env.Err, "pictx: interrupted: %d of %s were replayed\n", res.Sessions, text.Count(len(files), "session"))
		err = ctx.Err()
	}
	return err
}

// conflict refuses flags that say nothing together.
func (o replayOptions) conflict() error {
	switch {
	case o.floor < 0:
		return usageError("pictx replay --floor 4000", "--floor is %d: want a number of tokens", o.floor)
	case o.check && (o.html != "" || o.perSession || o.ablate || len(o.policies) > 0):
		return usageError("pictx replay --check", "--check prices nothing: it excludes --html, --per-session, --ablate and --policy")
	case o.ablate && len(o.policies) > 0:
		return usageError("pictx replay --ablate", "--ablate chooses the policies: it excludes --policy")
	}
	return nil
}

// emitReplay prints the result, and writes the report.
func (a *app) emitReplay(o replayOptions, res *replayResult) error {
	if o.html != "" {
		if err := a.writeReport(o.html, res); err != nil {
			return err
		}
	}
	return a.out.emit(res, func(w *out) { res.text(w, o) })
}

// replayVerdict reports what could not be read, and says with which code to end.
func (a *app) replayVerdict(problems []replayProblem, damage []replayDamage, files int) error {
	bad := len(problems) > 0
	for _, p := range problems {
		fmt.Fprintf(a.env.Err, "pictx: error: %s\n", text.Printable(p.Cause))
	}
	for _, d := range damage {
		kind := "warning"
		if !d.Issue.Torn { // not just a line that is being written
			kind, bad = "error", true
		}
		fmt.Fprintf(a.env.Err, "pictx: %s: %s: %s\n", kind, text.Printable(d.File), text.Printable(d.Issue.String()))
	}
	switch {
	case len(problems) == files:
		return silent(exitFailed)
	case bad:
		return silent(exitPartly)
	}
	return nil
}

// policyNames are the names of all policies, those replayed by default first.
func policyNames() []string {
	return append([]string{"none", "seed", "kota", "cold", "auto", "inline", "pools"}, prune.SourceNames()...)
}

// usualPolicies is how many of policyNames are replayed by default.
const usualPolicies = 5

// choosePolicies returns the policies to replay, "none" first: everything is
// compared with it.
func choosePolicies(c config.Config, o replayOptions) ([]replay.Policy, error) {
	policies := []replay.Policy{replay.None()}
	if o.ablate {
		auto := autoSettings(c)
		policies = append(policies, replay.Auto(auto))
		for _, rule := range append(prune.SourceNames(), prune.DecisionNames()...) {
			policies = append(policies, replay.Without(auto, rule))
		}
		return policies, nil
	}
	names := o.policies
	if len(names) == 0 {
		names = policyNames()[:usualPolicies]
		if c.Objects.Enabled && c.Objects.Layout == config.LayoutPools {
			names = append(names, "pools")
		}
	}
	seen := map[string]bool{"none": true}
	for _, name := range names {
		p, ok := policyOf(c, name)
		if !ok {
			return nil, usageError("pictx replay --policy auto", "unknown policy %q: want %s, or %s", name,
				strings.Join(policyNames(), ", "), strings.Join(agentNames(), ", "))
		}
		if !seen[name] {
			policies = append(policies, p)
		}
		seen[name] = true
	}
	return policies, nil
}

// policyOf returns the policy of a name, with the settings in force.
func policyOf(all config.Config, name string) (replay.Policy, bool) {
	if hasAgent(name) {
		return agentPolicy(all, name)
	}
	auto, c := autoSettings(all), all.Prune
	switch name {
	case "none":
		return replay.None(), true
	case "seed":
		return replay.Seed(prune.SeedSettings{
			Minimum: c.Seed.Minimum, Protect: c.Seed.Protect, ProtectedTurns: c.Seed.ProtectedTurns,
			ProtectedTools: c.Seed.ProtectedTools, PrunableTools: c.Seed.PrunableTools,
		}), true
	case "kota":
		return replay.Kota(prune.KotaSettings{
			KeepRecentTurns: c.Kota.KeepRecentTurns, MaxToolChars: c.Kota.MaxToolChars,
			Adaptive: c.Kota.Adaptive, AdaptiveTokens: token.Count(c.Kota.AdaptiveTokens), PinImpact: c.Kota.PinImpact,
		}), true
	case "cold":
		return replay.Cold(auto), true
	case "auto":
		return replay.Auto(auto), true
	case "inline":
		return replay.Inline(auto), true
	case "pools":
		return replay.Pools(objectWindow(all.Objects)), true
	}
	return replay.Source(auto, name), slices.Contains(prune.SourceNames(), name)
}

// errNoSessions is returned when there is nothing to replay.
func errNoSessions(all bool) error {
	if all {
		return withHint(exitNotFound, "pictx replay FILE", errors.New("no sessions of pi were found"))
	}
	return withHint(exitNotFound, "pictx replay FILE, or pictx replay --all", errors.New("no sessions of this project were found"))
}
