package commands

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/sqlite"
)

type pruneOptions struct {
	apply   bool
	output  string
	diff    bool
	explain bool
	leaf    string
	yes     bool
	idle    time.Duration
	profile string
}

// profileNames are the prices that there are names for.
func profileNames() []string {
	var names []string
	for _, p := range token.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

func (a *app) pruneCommand() *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:     "prune [SESSION|-]",
		GroupID: groupContext,
		Short:   "Show what pruning takes out of a context, and why",
		Long: `Plans which old tool outputs of a context become one-line markers, and prints the
plan; nothing is changed. The input is a session file, the id of a session in the
store, or on standard input a list of messages, an event of pi, or a session file.
Of a session it is the context at its last entry, or at --leaf.

The policy is prune.policy. "auto" weighs what pruning saves against what it costs
to write a changed prompt into the provider's cache again: while that is warm it
waits until pruning pays, when it is cold it prunes whatever is old. --profile says
whose prices count, --idle how long after the last call the next one comes. "seed"
is the algorithm of pi-context-pruning, "kota" that of pi-kota.

--apply writes the pruned input, in the form it came in, to standard output or to
the file of -o. In a session file only the outputs that the plan names change. What
is pinned in the session stays.`,
		Example: `  pictx prune session.jsonl
  pictx prune --explain session.jsonl
  # the next call comes after a coffee: the cache is cold
  pictx prune --idle 10m session.jsonl
  pictx prune --diff session.jsonl | less
  pictx prune --apply -o pruned.jsonl session.jsonl
  jq -c .messages context.json | pictx prune --apply -
  pictx prune -c prune.policy=seed -c prune.seed.protect=10000 session.jsonl`,
		Annotations:       exits("3 5"),
		Args:              someArgs(0, 1),
		ValidArgsFunction: a.sessionWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runPrune(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.apply, "apply", false, "write the pruned input")
	f.StringVarP(&o.output, "output", "o", "", "with --apply: write this `file`")
	f.BoolVar(&o.diff, "diff", false, "show each output before and after")
	f.BoolVar(&o.explain, "explain", false, "say of every tool result why it goes or stays")
	f.StringVar(&o.leaf, "leaf", "", "of a session: the context at this entry `id`")
	f.DurationVar(&o.idle, "idle", 0, "how long after the last call the next one comes, as `5m`")
	f.StringVar(&o.profile, "profile", "anthropic-5m", "whose `prices` and cache: "+strings.Join(profileNames(), ", "))
	f.BoolVar(&o.yes, "yes", false, "with -o: replace a file that exists without asking")
	a.completeWords(cmd, "profile", profileNames())
	a.jsonFlag(cmd)
	return cmd
}

// check refuses flags that say nothing together.
func (o pruneOptions) check(asJSON bool) error {
	ways := 0
	for _, way := range []bool{o.apply, o.diff, asJSON} {
		if way {
			ways++
		}
	}
	switch {
	case ways > 1:
		return usageError("pictx prune --apply SESSION", "--apply, --diff and --json exclude each other")
	case o.output != "" && !o.apply:
		return usageError("pictx prune --apply -o FILE SESSION", "-o goes with --apply")
	}
	return nil
}

// planJSON is what prune prints as JSON.
type planJSON struct {
	Session  string `json:"session,omitempty"`
	Leaf     string `json:"leaf,omitempty"`
	Policy   string `json:"policy"`
	Messages int    `json:"messages"`
	prune.Plan
}

// planner returns the planner of the policy in force, or why nothing is pruned.
// asked is set when a person asks: mode "manual" then plans too.
func planner(all config.Config, asked bool) (*prune.Planner, string) {
	c := all.Prune
	switch {
	case all.Objects.Enabled && all.Objects.Layout == config.LayoutPools:
		return nil, "nothing: nothing is pruned in the layout pools (objects.layout)"
	case !c.Enabled:
		return nil, "nothing: pruning is switched off (prune.enabled)"
	case c.Mode == config.ModeOff:
		return nil, "nothing: pruning is switched off (prune.mode is off)"
	case c.Mode == config.ModeManual && !asked:
		return nil, "nothing: pruning waits to be asked (prune.mode is manual)"
	}
	p := policyPlanner(all)
	if all.Objects.Enabled {
		p = p.WithStates()
	}
	return p, ""
}

// policyPlanner is the planner of the policy in force.
func policyPlanner(all config.Config) *prune.Planner {
	c := all.Prune
	switch c.Policy {
	case config.PolicySeed:
		return seedPlanner(c.Seed)
	case config.PolicyKota:
		return prune.NewKota(prune.KotaSettings{
			KeepRecentTurns: c.Kota.KeepRecentTurns, MaxToolChars: c.Kota.MaxToolChars,
			Adaptive: c.Kota.Adaptive, AdaptiveTokens: token.Count(c.Kota.AdaptiveTokens), PinImpact: c.Kota.PinImpact,
		})
	}
	auto := autoSettings(all)
	auto.ColdOnly = c.Mode == config.ModeCold
	return prune.NewAuto(auto)
}

// deactivatedPlanner is the planner of what is deactivated while nothing else is pruned.
func deactivatedPlanner(all config.Config) *prune.Planner {
	if !all.Objects.Enabled || all.Objects.Layout == config.LayoutPools {
		return nil
	}
	return prune.NewDeactivated(autoSettings(all))
}

// objectWindow is the window of the settings; no calls are none.
func objectWindow(c config.Objects) prune.Window {
	return prune.Window{Calls: c.Window.Calls, Turns: c.Window.Turns}
}

// autoSettings are those of the policy "auto", in whatever mode.
func autoSettings(all config.Config) prune.AutoSettings {
	c := all.Prune
	window := prune.Window{}
	if all.Objects.Enabled {
		window = objectWindow(all.Objects)
	}
	return prune.AutoSettings{
		Window: window,
		Preset: prune.Preset(c.Preset), KeepTools: c.Keep.Tools, KeepPaths: c.Keep.Paths, Rerun: c.Rerun,
		PinImpact: c.Kota.PinImpact, MaxContext: token.Count(c.MaxContext),
	}
}

func seedPlanner(s config.Seed) *prune.Planner {
	return prune.NewSeed(prune.SeedSettings{
		Minimum: s.Minimum, Protect: s.Protect, ProtectedTurns: s.ProtectedTurns,
		ProtectedTools: s.ProtectedTools, PrunableTools: s.PrunableTools,
	})
}

func (a *app) runPrune(ctx context.Context, o pruneOptions, args []string) error {
	if err := o.check(a.json); err != nil {
		return err
	}
	set, _, err := a.resolved()
	if err != nil {
		return err
	}
	doc, err := a.pruneInput(ctx, o, args)
	if err != nil {
		return err
	}
	defer doc.close()
	if d, ok := doc.(*sessionDoc); ok {
		a.ready(ctx, d)
	}
	prices, ok := token.Profile(o.profile)
	if !ok {
		return usageError("pictx prune --profile anthropic-5m SESSION", "unknown --profile %q: want one of %s", o.profile, strings.Join(profileNames(), ", "))
	}
	var choice prune.Choice
	choice.Planner, choice.Why = planner(set.Config, true)
	plan := planJSON{Policy: string(set.Config.Prune.Policy)}
	plan.Session, plan.Leaf = doc.id()
	if plan.Plan, plan.Messages, err = doc.plan(ctx, choice, o.idle, prices); err != nil {
		return fmt.Errorf("read context: %w", err)
	}
	if choice.Planner == nil {
		plan.Edits, plan.Kept = []prune.Edit{}, []prune.Kept{}
	}
	switch {
	case o.apply:
		return a.applyPlan(ctx, o, doc, plan)
	case o.diff:
		return a.diffPlan(doc, plan)
	}
	return a.out.emit(plan, func(w *out) { plan.text(w, o.explain) })
}

// ready says what of a session cannot be read, and finds what was pinned in it at
// the shell.
func (a *app) ready(ctx context.Context, d *sessionDoc) {
	for _, i := range d.Issues {
		fmt.Fprintf(a.env.Err, "pictx: warning: %s: line %d is passed over: %s\n", d.Path, i.Line, text.TerminalLine(i.Err.Error()))
	}
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return // then nothing was
	}
	defer st.Close()
	d.pinned, _ = st.Pins(ctx, d.Header.ID)
}

// text prints the plan for a person.
func (p *planJSON) text(w *out, explain bool) {
	if p.Session != "" {
		w.printf("session %s at %s\n", text.TerminalLine(p.Session), text.TerminalLine(p.Leaf))
	}
	w.printf("policy %s: %s\n", p.Policy, p.Outcome)
	if explain && p.Figures != nil {
		p.figures(w)
	}
	if p.BeforeTokens > 0 {
		w.printf("context %s tokens, %s with the plan\n", text.Thousands(int64(p.BeforeTokens)), text.Thousands(int64(p.AfterTokens)))
	}
	type result struct {
		index int
		cells []string
	}
	var results []result
	add := func(mark, entry string, index int, tool string, tokens token.Count, body string) {
		cells := []string{"  " + mark, label(entry, index), text.TerminalLine(tool), text.Thousands(int64(tokens)), text.TerminalLine(body)}
		results = append(results, result{index, cells})
	}
	for _, e := range p.Edits {
		add("-", e.EntryID, e.Index, e.ToolName, e.Tokens, e.Marker)
	}
	if explain {
		for _, k := range p.Kept {
			add("=", k.EntryID, k.Index, k.ToolName, k.Tokens, k.Reason.Text)
		}
	}
	sort.Slice(results, func(i, j int) bool { return results[i].index < results[j].index })
	var rows [][]string
	for _, r := range results {
		rows = append(rows, r.cells)
	}
	w.fittedTable(rows, 3)
}

// figures prints both sides of the comparison.
func (p *planJSON) figures(w *out) {
	f := p.Figures
	n := func(v float64) string { return text.Thousands(int64(v)) }
	cache := "warm"
	if f.Cold != "" {
		cache = "cold (" + f.Cold + ")"
	}
	rows := [][]string{
		{"  cache", cache},
		{"  could go", fmt.Sprintf("%s, %s tokens less their markers, of %s", text.Count(f.Results, "result"), n(float64(f.RemovableTokens)), n(float64(f.ContextTokens)))},
	}
	if f.Cold != "" { // the prompt is written anyway
		table(w, rows)
		return
	}
	table(w, append(rows, [][]string{
		{"  it would cost", fmt.Sprintf("%s, to write %s tokens again", n(f.Cost), n(float64(f.RebilledTokens)))},
		{"  it would save", fmt.Sprintf("%s in %s to come; wanted: %.1f times the cost", n(f.Gain), text.Count(f.Calls, "call"), f.Margin)},
		{"  so far", fmt.Sprintf("%s billed, %s saved", n(f.Billed), n(f.Saved))},
		{"  unit", "a plain input token, as the provider counts"},
	}...))
}

// label names a result: by its entry, or by its place when it has none.
func label(entry string, index int) string {
	if entry != "" {
		return text.TerminalLine(entry)
	}
	return fmt.Sprintf("#%d", index)
}

// applyPlan writes the pruned input.
func (a *app) applyPlan(ctx context.Context, o pruneOptions, doc pruneDoc, plan planJSON) error {
	summary := fmt.Sprintf("pictx: %s\n", text.TerminalLine(plan.Outcome))
	if o.output == "" {
		if err := doc.apply(a.out, plan.Edits); err != nil {
			return fmt.Errorf("prune context: %w", err)
		}
		fmt.Fprint(a.env.Err, summary)
		return nil
	}
	path := a.path(o.output)
	if doc.is(path) {
		return usageError("pictx prune --apply -o pruned.jsonl SESSION", "prune context: %s is the input itself", o.output)
	}
	if _, err := os.Stat(path); err == nil {
		if err := a.confirm(ctx, o.yes, "Replace "+o.output+"?", "It exists."); err != nil {
			return err
		}
	}
	var buf bytes.Buffer
	if err := doc.apply(&buf, plan.Edits); err != nil {
		return fmt.Errorf("prune context: %w", err)
	}
	if err := writeFile(path, buf.Bytes(), 0o600); err != nil {
		return err
	}
	fmt.Fprint(a.env.Err, summary)
	return nil
}

// diffPlan shows every output that changes, line by line.
func (a *app) diffPlan(doc pruneDoc, plan planJSON) error {
	if len(plan.Edits) == 0 {
		a.out.printf("%s\n", text.TerminalLine(plan.Outcome))
		return nil
	}
	for _, e := range plan.Edits {
		before, err := doc.text(e.Index)
		if err != nil {
			return err
		}
		a.out.printf("%s\n", a.out.style(styleBold, fmt.Sprintf("--- %s %s (%s tokens)", label(e.EntryID, e.Index), text.TerminalLine(e.ToolName), text.Thousands(int64(e.Tokens)))))
		printDiff(a.out, before, e.Marker+"\n")
	}
	return nil
}

// printDiff prints the lines that two texts do not share.
func printDiff(w *out, before, after string) {
	d := diffmatchpatch.New()
	x, y, lines := d.DiffLinesToRunes(before, after)
	for _, part := range d.DiffCharsToLines(d.DiffMainRunes(x, y, false), lines) {
		mark, code := " ", ""
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			mark, code = "-", styleRed
		case diffmatchpatch.DiffInsert:
			mark, code = "+", styleGreen
		}
		for _, line := range strings.SplitAfter(part.Text, "\n") {
			if line != "" {
				w.printf("%s\n", w.style(code, mark+text.Printable(strings.TrimRight(line, "\r\n"))))
			}
		}
	}
}

// pruneInput opens what is to be planned.
func (a *app) pruneInput(ctx context.Context, o pruneOptions, args []string) (pruneDoc, error) {
	if len(args) == 0 || args[0] == "-" {
		if len(args) == 0 && a.env.InTerminal {
			return nil, usageError("pictx prune SESSION", "missing argument: name a session, or - for standard input")
		}
		return readPruneInput(bufio.NewReaderSize(a.env.In, 1<<16), "standard input", o.leaf)
	}
	path := a.path(args[0])
	if _, err := os.Stat(path); err != nil {
		if path, err = a.sessionFile(ctx, args[0]); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, withHint(exitNotFound, "pictx sessions --json", fmt.Errorf("open session: %w", err))
	}
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	defer f.Close()
	first, err := firstByte(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if first == '{' {
		if doc, err := openSessionDoc(path, o.leaf); err == nil || !errors.Is(err, errNotSession) {
			return doc, err
		}
	}
	return readPruneInput(bufio.NewReaderSize(f, 1<<16), path, o.leaf)
}

// firstByte returns the first byte of a file that is not white space, and
// rewinds it.
func firstByte(f *os.File) (byte, error) {
	buf := make([]byte, 512)
	n, err := f.Read(buf)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(buf[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) == 0 {
		return 0, nil
	}
	return text[0], nil
}
