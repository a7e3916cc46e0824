package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// The commands of Prune, named as pi-context-pruning names them.
const (
	commandPrune       = "prune"
	commandPruneToggle = "prune-toggle"
	commandPruneStats  = "prune-stats"
	commandPruneConfig = "prune-config"
)

func pruneCommands() []CommandSpec {
	return []CommandSpec{
		{Name: commandPrune, Description: "Prune old tool output now, however little it is"},
		{Name: commandPruneToggle, Description: "Switch pruning off for this session, or on again"},
		{Name: commandPruneStats, Description: "Show what is pruned in this session, and what that saves"},
		{Name: commandPruneConfig, Description: "Show the settings of pruning and where they come from"},
		{Name: commandPictx, Description: "What the footer says, what pictx does here; pin, unpin, pins, objects", Complete: true},
	}
}

// command runs a command of Prune.
func (s Prune) command(ctx context.Context, c *Call) error {
	var p Command
	if err := c.Read(&p); err != nil {
		return err
	}
	if args := strings.TrimSpace(p.Args); args != "" && p.Name != commandPictx {
		c.Say("Nothing was done: /"+p.Name+" does not take "+text.LogLine(args)+". Type /"+p.Name+" alone.", "error")
		return nil
	}
	switch p.Name {
	case commandPrune:
		return s.pruneNow(ctx, c)
	case commandPruneToggle:
		return s.toggle(ctx, c)
	case commandPruneStats:
		return s.stats(ctx, c)
	case commandPictx:
		return s.pictx(ctx, c, p.Args)
	}
	c.Result().Text = pruneSettings(c.Project.Config(), pruningOff(s, c))
	return nil
}

// pruneNow runs /prune: it prunes without waiting for the minimum.
func (s Prune) pruneNow(ctx context.Context, c *Call) error {
	c.Reply.Next = nil
	if disabled(c) {
		c.Say("Nothing was pruned: "+pruningOff(s, c)+".", "warning")
		return nil
	}
	running := busy(ctx, c)
	if running && c.binds() {
		wait(c, askData{Prune: true})
		c.Say("Pruning waits for your next prompt: a turn is running, and changing what came before it would invalidate its thinking.", "info")
		return nil
	}
	m := s.moment(c)
	m.Boundary, m.Prompt = true, !running
	d, err := s.decide(ctx, c, m, true)
	if err != nil {
		return err
	}
	if d.New == 0 {
		c.Say("Nothing was pruned: "+strings.TrimPrefix(d.Outcome, "nothing: ")+"."+keptText(d.Kept), "info")
		return nil
	}
	c.Reply.Effects = withoutNotices(c.Reply.Effects) // the text below says the same
	c.Say(fmt.Sprintf("Pruned %s, %s tokens. Further requests are %s tokens smaller%s.",
		describeNew(&d), text.Tokens(d.PrunedTokens), text.Tokens(d.BeforeTokens-d.AfterTokens), priceOfPruning(d.Figures, s.prices(c)))+keptText(d.Kept), "info")
	return nil
}

// priceOfPruning describes the cost of rewriting a warm cache, the savings that follow, and
// after how many requests they cover it. It is "" when the rewrite is free or the price
// unknown.
func priceOfPruning(f *policy.Figures, p token.Prices) string {
	if f == nil || f.Calls == 0 || p.Input <= 0 {
		return ""
	}
	less := f.Gain / float64(f.Calls)
	n, known := bill.Recovered(f.Cost, less)
	if !known {
		return ""
	}
	return fmt.Sprintf(" and cost %s less each; writing the cache again costs %s once, and the savings of %s cover that",
		text.Dollars(p.Dollars(less)), text.Dollars(p.Dollars(f.Cost)), text.CountPlain(n, "request"))
}

// keptText lists why results were kept although the user asked to prune: reasons with
// counts, the most frequent first.
func keptText(kept []policy.Kept) string {
	count := make(map[string]int)
	for _, k := range kept {
		if k.Reason.Code != policy.CodeMarked {
			count[k.Reason.Text]++
		}
	}
	if len(count) == 0 {
		return ""
	}
	out := []string{"\nKept:"}
	for _, r := range byCount(count) {
		out = append(out, fmt.Sprintf("  %4d  %s", count[r], r))
	}
	return lines(out...)
}

func withoutNotices(effects []Effect) []Effect {
	return slices.DeleteFunc(effects, func(e Effect) bool { return e.Type == "notify" })
}

// toggleEntry is the custom type of entries that record the user's switching pruning off or
// on for the session.
const toggleEntry = "pictx.toggle"

// toggleData is the data of a toggleEntry.
type toggleData struct {
	Off bool `json:"off"`
}

// toggledOff reports whether the user has switched pruning off for this session.
func toggledOff(ctx context.Context, c *Call) bool {
	off := false
	_ = EachCustom(ctx, c, toggleEntry, func(d toggleData, _ *message.Node) { off = d.Off }) // the last one counts
	return off
}

// pruningOff says why nothing is pruned automatically, "" when something may be. Every text about
// that asks it, as deciding does.
func pruningOff(s Prune, c *Call) string {
	if c.switchedOff {
		return "pruning is switched off for this session; /prune-toggle switches it on"
	}
	if o := s.choice(c, false); o.Planner == nil {
		return strings.TrimPrefix(o.Why, "nothing: ")
	}
	return ""
}

// toggle switches pruning off or on for the session.
func (s Prune) toggle(ctx context.Context, c *Call) error {
	if set := c.Project.Config().Config.Prune; !set.Enabled || set.Mode == config.ModeOff {
		c.Say("Pruning stays off: a setting switches it off for every session. To switch it on, in a shell: pictx config set prune.enabled true", "warning")
		return nil
	}
	c.switchedOff = !c.switchedOff
	c.Result().Entries = append(c.Result().Entries, CustomEntry(toggleEntry, toggleData{Off: c.switchedOff}))
	if c.switchedOff {
		c.Add(Status(statusPrune, s.footer(ctx, c, nil, 0)))
		c.Say("Pruning is switched off for this session; what is pruned stays pruned. /prune-toggle switches it on again.", "info")
		return nil
	}
	c.Say("Pruning is switched on again for this session.", "info")
	return s.show(ctx, c)
}

// stats shows what is pruned on the branch, what that saves, and what would be pruned next.
func (s Prune) stats(ctx context.Context, c *Call) error {
	d, next, err := s.upcoming(ctx, c)
	if err != nil {
		return err
	}
	b := d.Branch
	tools := make(map[string]int)
	for _, p := range b.Pruned() {
		if p.ToolName != "" {
			tools[p.ToolName]++
		}
	}
	out := []string{
		"Pruned from all further requests: " + describeBranch(b) + ".",
		fmt.Sprintf("Pruned on this branch, compactions included: %s tokens.", text.Tokens(b.LeftOut())),
		"Still sent: " + text.CountPlain(b.Totals().Kept, "tool output") + ".",
	}
	var by []string
	for _, name := range byCount(tools) {
		by = append(by, fmt.Sprintf("%s %d", text.LogLine(name), tools[name]))
	}
	if len(by) > 0 {
		out = append(out, "By tool: "+strings.Join(by, ", ")+".")
	}
	if t := s.bill(ctx, c, nil); t.Requests() > 0 {
		out = append(out, bill.Statement(t)...)
	}
	if says := describeDropped(d.Dropped); says != "" {
		out = append(out, says)
	}
	now, err := s.planned(ctx, c, true)
	if err != nil {
		return err
	}
	what := "/prune would prune nothing now."
	if n := len(now.Edits); n > 0 {
		what = fmt.Sprintf("/prune would prune %s, %s tokens now.", describePruned(n-now.Trimmed(), now.Trimmed()), text.Tokens(now.PrunedTokens))
		if price := priceOfPruning(now.Figures, s.prices(c)); price != "" {
			what += " Requests would then be smaller" + price + "."
		}
	}
	c.Result().Text = lines(append(out, next, what)...)
	return nil
}

// planned returns the decision that would be made now, without making it. asked is set for
// pruning that the user asks for.
func (s Prune) planned(ctx context.Context, c *Call, asked bool) (prune.Decision, error) {
	m := s.moment(c)
	m.Dry, m.Forced, m.Boundary, m.Prompt = true, asked, true, true
	return s.evaluate(ctx, c, m, s.choice(c, asked))
}

// upcoming returns and describes the next automatic decision.
func (s Prune) upcoming(ctx context.Context, c *Call) (prune.Decision, string, error) {
	d, err := s.planned(ctx, c, false)
	why := strings.TrimPrefix(strings.TrimPrefix(d.Outcome, "nothing: "), "pruned: ") + "."
	off := pruningOff(s, c)
	switch {
	case off != "":
		return d, "Nothing is pruned automatically: " + off + ".", err
	case d.Acted:
		return d, "pictx will prune before the next request: " + why, err
	}
	return d, "Nothing more is pruned automatically yet: " + why, err
}

// pruneSettings lists the settings of pruning that are in force with their sources, below why
// nothing is pruned automatically, "" when something may be.
func pruneSettings(set *config.Resolved, off string) string {
	var out []string
	if off != "" {
		out = []string{"Now " + off + "."}
	}
	for _, v := range set.Values() {
		seeds := strings.HasPrefix(v.Key, "prune.seed.") && set.Config.Prune.Policy != config.PolicySeed
		if strings.HasPrefix(v.Key, "prune.") && !seeds {
			out = append(out, fmt.Sprintf("%s = %s  (%s)", v.Key, text.LogLine(v.Text), text.LogLine(v.Origin.String())))
		}
	}
	return lines(append(out, "To change one, in a shell: pictx config set KEY VALUE; all of them: pictx config list")...)
}
