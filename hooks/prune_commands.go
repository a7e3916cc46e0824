package hooks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune"
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
		{Name: commandPruneToggle, Description: "Switch pruning on or off"},
		{Name: commandPruneStats, Description: "Show what is pruned in this session"},
		{Name: commandPruneConfig, Description: "Show the settings of pruning and where they come from"},
		{Name: commandPictx, Description: "Pin what must stay in the context: pin, unpin, pins", Complete: true},
	}
}

// command runs one of the commands.
func (s Prune) command(ctx context.Context, c *Call) error {
	var p Command
	if err := c.Read(&p); err != nil {
		return err
	}
	switch p.Name {
	case commandPrune:
		return s.now(ctx, c)
	case commandPruneToggle:
		return s.toggle(c)
	case commandPruneStats:
		return s.stats(ctx, c)
	case commandPictx:
		return s.pictx(ctx, c, p.Args)
	}
	c.Result().Text = pruneSettings(c.Project.Config())
	return nil
}

// now prunes without the minimum. It stays pruned like everything else.
func (s Prune) now(ctx context.Context, c *Call) error {
	c.Reply.Next = nil
	set := c.Project.Config().Config.Prune
	if !set.Enabled || set.Mode == config.ModeOff {
		c.Say("Pruning is switched off. Switch it on with /prune-toggle.", "warning")
		return nil
	}
	d, err := s.decide(ctx, c, s.moment(c), true)
	if err != nil {
		return err
	}
	if d.New == 0 {
		c.Say("Nothing was pruned: "+strings.TrimPrefix(d.Outcome, "nothing: ")+keptText(d.Kept), "info")
		return nil
	}
	c.Reply.Effects = withoutNotices(c.Reply.Effects) // the text says it
	c.Say(fmt.Sprintf("Pruned %s, %s tokens. The coming requests are %s tokens smaller.",
		text.CountPlain(d.New, "tool output"), text.Tokens(d.PrunedTokens), text.Tokens(d.BeforeTokens-d.AfterTokens))+keptText(d.Kept), "info")
	return nil
}

// keptText says what was kept although the user asked, and why.
func keptText(kept []prune.Kept) string {
	count := make(map[string]int)
	for _, k := range kept {
		if k.Reason.Code != prune.CodeMarked {
			count[k.Reason.Text]++
		}
	}
	reasons := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	if len(reasons) == 0 {
		return ""
	}
	for i, r := range reasons {
		reasons[i] = fmt.Sprintf("%d: %s", count[r], r)
	}
	return "\nKept: " + strings.Join(reasons, "; ") + "."
}

func withoutNotices(effects []Effect) []Effect {
	var out []Effect
	for _, e := range effects {
		if e.Type != "notify" {
			out = append(out, e)
		}
	}
	return out
}

// toggle changes the setting, in the file that decides it.
func (s Prune) toggle(c *Call) error {
	if c.Nested {
		c.Say("An agent that an agent started does not change settings.", "warning")
		return nil
	}
	on := !c.Project.Config().Config.Prune.Enabled
	file, err := c.Project.Set("prune.enabled", strconv.FormatBool(on))
	if err != nil {
		c.Say(err.Error(), "error")
		return nil
	}
	text := "Pruning is switched off. What is pruned stays pruned"
	if on {
		text = "Pruning is switched on"
	}
	c.Say(text+". Wrote "+file+".", "info")
	return nil
}

// stats shows what is pruned on the session's branch.
func (s Prune) stats(ctx context.Context, c *Call) error {
	b, next, err := s.upcoming(ctx, c)
	if err != nil {
		return err
	}
	var before, after, total token.Count
	tools := make(map[string]int)
	pruned := b.Pruned()
	for _, p := range pruned {
		before += p.Tokens
		after += p.MarkerTokens
		tools[p.ToolName]++
	}
	for _, m := range b.Messages {
		total += token.Estimate(m.Head)
	}
	text := []string{
		fmt.Sprintf("Pruned: %s, %s tokens, now %s.", text.CountPlain(len(pruned), "tool output"), text.Tokens(before), text.Tokens(after)),
		fmt.Sprintf("Kept: %s. The context is %s tokens, without pruning it would be %s.",
			text.CountPlain(b.Results()-len(pruned), "tool output"), text.Tokens(total), text.Tokens(total+before-after)),
	}
	if len(tools) > 0 {
		text = append(text, "By tool: "+byCount(tools)+".")
	}
	text = append(text, "Estimates of the whole branch, as pi counts tokens; prices are not in them.")
	text = append(text, next+".")
	c.Result().Text = lines(text...)
	return nil
}

// upcoming returns the session as it stands and says what would be decided now.
func (s Prune) upcoming(ctx context.Context, c *Call) (*prune.Branch, string, error) {
	p, why := s.Planner(c.Project.Config().Config, false)
	if p == nil {
		b, err := s.branch(ctx, c)
		return b, strings.TrimPrefix(why, "nothing: "), err
	}
	m := s.moment(c)
	m.Dry = true
	d, err := s.ask(ctx, c, m, prune.Choice{Planner: p})
	return d.Branch, "Next: " + d.Outcome, err
}

// pruneSettings lists the settings with their origins.
func pruneSettings(set *config.Resolved) string {
	var out []string
	for _, v := range set.Values() {
		if strings.HasPrefix(v.Key, "prune.") {
			out = append(out, fmt.Sprintf("%s = %s  (%s)", v.Key, text.LogLine(v.Text), text.LogLine(v.Origin.String())))
		}
	}
	return lines(append(out, "Change them with pictx config set KEY VALUE.")...)
}
