package prune

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

type pruneOptions struct {
	apply   bool
	output  string
	diff    bool
	explain bool
	yes     bool
	idle    time.Duration
	profile string
	undo    bool
}

// profileNames lists the names of the built-in price profiles.
func profileNames() []string {
	var names []string
	for _, p := range token.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// PruneCommand returns the command pictx prune.
func PruneCommand(a *cli.Run) *cobra.Command {
	var o pruneOptions
	cmd := cli.Command("prune [SESSION]", "Show what would be pruned, and why", "3 5", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		return runPrune(a, ctx, o, strings.Join(args, ""))
	})
	cmd.ValidArgsFunction = a.SessionWords
	f := cmd.Flags()
	f.BoolVar(&o.apply, "apply", false, "write the pruned session")
	cli.NewFileFlag(f, &o.output, "output", "with --apply: write this `file`")
	f.BoolVarP(&o.diff, "patch", "p", false, "show each output before and after")
	f.BoolVar(&o.explain, "explain", false, "say why each tool result was kept or pruned")
	f.DurationVar(&o.idle, "idle", 0, "assume that the next request comes this long after the last, such as `5m`")
	cli.WordFlag(cmd, &o.profile, "profile", "whose `prices` and cache (default: those of the model that answered last)", profileNames()...)
	f.BoolVar(&o.undo, "undo", false, "bring back everything that was pruned, in the file of a session that no pi has open")
	f.BoolVar(&o.yes, "yes", false, "with --undo, do not ask")
	cli.Hide(f, "profile")
	cmd.MarkFlagsMutuallyExclusive("apply", "patch", "undo")
	return a.JSONFlag(cmd)
}

// check rejects flags that exclude or require each other.
func (o pruneOptions) check(asJSON bool) error {
	switch {
	case asJSON && (o.apply || o.diff):
		return exit.UsageError("pictx prune --apply SESSION", "--apply and --patch exclude --json")
	case o.output != "" && !o.apply:
		return exit.UsageError("pictx prune --apply -o FILE SESSION", "-o goes with --apply")
	}
	return nil
}

// planView is what prune prints as JSON.
type planView struct {
	Session  string `json:"session,omitempty"`
	Leaf     string `json:"leaf,omitempty"`
	Policy   string `json:"policy"`
	Messages int    `json:"messages"`
	policy.Plan

	model prune.Model
}

func runPrune(a *cli.Run, ctx context.Context, o pruneOptions, name string) error {
	if err := o.check(a.JSON); err != nil {
		return err
	}
	if o.undo {
		return runUndo(a, ctx, o, name)
	}
	set, _, err := a.Resolved()
	if err != nil {
		return err
	}
	doc, err := openSession(a, ctx, name)
	if err != nil {
		return err
	}
	defer doc.Close()
	m, err := answering(a, doc, set.Config, o.profile)
	if err != nil {
		return err
	}
	choice := workspace.Choice(set.Config, true)
	plan := planView{Policy: string(set.Config.Prune.Policy), model: m}
	plan.Session, plan.Leaf = doc.ID, doc.Tree.Leaf()
	if plan.Plan, plan.Messages, err = doc.Plan(ctx, choice, o.idle, m); err != nil {
		return fmt.Errorf("read context: %w", err)
	}
	switch {
	case o.apply:
		return applyPlan(a, o, doc, plan)
	case o.diff:
		return diffPlan(a, doc, plan)
	}
	return a.Out.Emit(plan, func(w *cli.Out) { plan.Text(w, o.explain) })
}

// answering returns the model whose prices count: that of a profile, or the one that answered
// last.
func answering(a *cli.Run, doc *workspace.Session, set config.Config, profile string) (prune.Model, error) {
	if profile == "" {
		m, err := doc.Model(sessionPrices(a, set))
		if err != nil || m.ID != "" {
			return m, err
		}
		profile = "anthropic-5m"
	}
	p, _ := token.Profile(profile)
	return prune.Model{Prices: p, KnownPrices: true}, nil
}

// sessionPrices are those of a session's own models today.
func sessionPrices(a *cli.Run, set config.Config) *bill.Prices {
	return &bill.Prices{Own: bill.ModelPrices(set.Prices), Today: true, Long: a.Env.Getenv("PI_CACHE_RETENTION") == "long"}
}

// Text prints the plan as text.
func (p *planView) Text(w *cli.Out, explain bool) {
	if p.Session != "" {
		w.Printf("session %s at %s\n", text.TerminalLine(p.Session), text.TerminalLine(p.Leaf))
	}
	w.Printf("policy %s: %s\n", p.Policy, p.Outcome)
	if explain && p.Figures != nil {
		p.figures(w)
	}
	before, after := p.BeforeTokens, p.AfterTokens
	if f := p.Figures; f != nil { // as the provider counts, as the outcome does
		before, after = f.ContextTokens, f.PlannedTokens
	}
	if before > 0 {
		w.Printf("context %s tokens, %s with the plan\n", text.Thousands(int64(before)), text.Thousands(int64(after)))
	}
	if f, prices := p.Figures, &p.model.Prices; f != nil && f.Calls > 0 && prices.Priced {
		w.Printf("rewriting costs %s once, and each request after it %s less (%s, %s)\n", text.Dollars(prices.Dollars(f.Cost)),
			text.Dollars(prices.Dollars(f.Gain/float64(f.Calls))), text.TerminalLine(p.model.ID), token.CatalogDate())
	}
	at := make(map[int][][]string) // the lines of a message
	add := func(mark, entry string, index int, tool string, tokens token.Count, body string) {
		at[index] = append(at[index], []string{"  " + mark, text.TerminalLine(entry), text.TerminalLine(tool), text.Thousands(int64(tokens)), text.TerminalLine(body)})
	}
	for _, e := range p.Edits {
		body := e.Marker
		if e.ToolName == "" { // of a response its other content is left
			body = e.Reason.Text
		}
		add("-", e.EntryID, e.Index, e.ToolName, e.Tokens, body)
	}
	if explain {
		for _, k := range p.Kept {
			add("=", k.EntryID, k.Index, k.ToolName, k.Tokens, k.Reason.Text)
		}
	}
	var rows [][]string
	for _, index := range slices.Sorted(maps.Keys(at)) {
		rows = append(rows, at[index]...)
	}
	w.FittedTable(rows, 3)
}

// figures prints what the plan would cost and save, in the order in which a person weighs it.
func (p *planView) figures(w *cli.Out) {
	f := p.Figures
	n := func(v float64) string { return text.Thousands(int64(v)) }
	rows := [][]string{
		{"  cache", "warm: the provider still has the prompt, and reading it there is cheap"},
		{"  prunable", fmt.Sprintf("%s, %s of %s tokens", text.Count(f.Results, "message"), n(float64(f.RemovableTokens)), n(float64(f.ContextTokens)))},
	}
	if f.Cold != "" { // the whole prompt is billed anyway
		rows[0][1] = "pruning costs nothing now: " + policy.WhyCold(f.Cold)
		cli.Table(w, rows)
		return
	}
	saves := fmt.Sprintf("%s in the next %s, as far as they can be expected", n(f.Gain), text.Count(f.Calls, "request"))
	if requests, known := bill.Recovered(f.Cost, f.Gain/float64(max(1, f.Calls))); known {
		saves += "; covers its cost after " + text.Count(requests, "request")
	}
	rows = append(
		rows,
		[]string{"  costs", fmt.Sprintf("%s once: %s tokens must be written to the cache again", n(f.Cost), n(float64(f.RebilledTokens)))},
		[]string{"  saves", saves},
	)
	if f.Margin > 0 {
		rows = append(rows, []string{"  must save", fmt.Sprintf("%.1f times what it costs, since the session may end sooner", f.Margin)})
	}
	cli.Table(w, append(rows, [][]string{
		{"  so far", fmt.Sprintf("%s paid; plain pi would have paid %s", n(f.Billed), n(f.Billed+f.Saved))},
		{"  unit", "one token of input that no cache holds"},
	}...))
}

// applyPlan writes the pruned session.
func applyPlan(a *cli.Run, o pruneOptions, doc *workspace.Session, plan planView) error {
	var pruned bytes.Buffer
	if err := doc.Apply(&pruned, plan.Edits); err != nil {
		return fmt.Errorf("prune context: %w", err)
	}
	if err := a.Deliver(o.output, pruned.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(a.Env.Err, "pictx: %s\n", text.TerminalLine(plan.Outcome))
	return nil
}

// diffPlan shows every changed output line by line.
func diffPlan(a *cli.Run, doc *workspace.Session, plan planView) error {
	if len(plan.Edits) == 0 {
		a.Out.Printf("%s\n", text.TerminalLine(plan.Outcome))
		return nil
	}
	for _, e := range plan.Edits {
		before, err := doc.Text(e.Index)
		if err != nil {
			return err
		}
		a.Out.Printf("%s\n", a.Out.Style(cli.StyleBold, fmt.Sprintf("--- %s %s (%s tokens)", text.TerminalLine(e.EntryID), text.TerminalLine(e.ToolName), text.Thousands(int64(e.Tokens)))))
		cli.PrintDiff(a.Out, before, e.Marker+"\n")
	}
	return nil
}

// openSession opens the session with an id or a file name. It warns of lines that cannot be read.
func openSession(a *cli.Run, ctx context.Context, name string) (*workspace.Session, error) {
	doc, err := a.OpenSession(ctx, name)
	if err != nil {
		return nil, err
	}
	if doc.File == "" {
		doc.Close()
		return nil, exit.WithHint(exit.NotFound, "pictx sessions --json", fmt.Errorf("open session %s: its file is gone", text.Printable(name)))
	}
	for _, i := range doc.Problems() {
		fmt.Fprintf(a.Env.Err, "pictx: warning: %s: line %d is passed over: %s\n", doc.File, i.Line, text.TerminalLine(i.Cause))
	}
	return doc, nil
}

// undoView is what prune --undo prints as JSON.
type undoView struct {
	Session  string `json:"session"`
	Messages int    `json:"messages"`
}

// runUndo appends to a session's file what brings back everything that pictx pruned.
func runUndo(a *cli.Run, ctx context.Context, o pruneOptions, name string) error {
	path, err := a.SessionPath(ctx, name)
	if err != nil {
		return err
	}
	pl, err := a.Here()
	if err != nil {
		return err
	}
	doc, err := workspace.OpenAtEnd(a.Sources(), path)
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	defer doc.Close()
	lines, n, err := doc.Undo(a.Env.Now())
	if err != nil {
		return fmt.Errorf("undo pruning: %w", err)
	}
	v := undoView{Session: doc.ID, Messages: n}
	if n > 0 {
		if err := a.Confirm(ctx, o.yes, fmt.Sprintf("Append %s to %s?", text.Count(n, "edit"), text.Printable(path)), "Requests of this session then have everything that was pruned, and none of its earlier thinking."); err != nil {
			return err
		}
		done, err := pl.ChangeSession(path, func() error { return doc.Append(lines) })
		if err != nil {
			return fmt.Errorf("undo pruning: %w", err)
		}
		if !done {
			return exit.WithHint(exit.Refused, "/pictx restore all, in that pi", fmt.Errorf("undo pruning: a pi has this session open"))
		}
	}
	return a.Out.Emit(v, func(w *cli.Out) {
		if n == 0 {
			w.Printf("nothing is pruned in session %s\n", text.TerminalLine(v.Session))
			return
		}
		w.Printf("session %s: %s restored\n", text.TerminalLine(v.Session), text.Count(n, "message"))
	})
}
