package prune

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/report"
)

// The widths of charts on a terminal, in characters.
const (
	chartWidth = 84
	barWidth   = 60
)

// replayText prints a comparison as text.
type replayText struct {
	*cli.Out
	c *replay.Comparison
}

// print prints the whole comparison.
func (t replayText) print(o replayOptions) {
	shown := t.c.Shown()
	t.say("%s, %s, priced as %s (%s)", text.Count(t.c.Sessions, "session"), text.Count(t.c.Calls, "request"),
		text.TerminalLine(shown.Name), report.Terms(shown))
	t.Printf("\n")
	if t.c.Sessions == 0 {
		return
	}
	t.costs()
	t.missing()
	t.agents()
	if len(t.c.Prices) > 1 {
		t.prices()
	}
	if o.perSession {
		t.sessions()
	}
	if t.c.Sessions == 1 {
		report.ContextChart(t, &t.c.PerSession[0], report.Terminal{Width: chartWidth, Screen: t.Width, Color: t.Color})
	} else {
		report.CostBars(t, t.c, report.Terminal{Width: barWidth, Screen: t.Width, Color: t.Color})
	}
	t.converted(o.recorded)
	if !t.c.Priced() {
		t.aside("No model of these sessions has a price: costs are in tokens, at the price of plain input.")
	}
	t.aside(footnote)
}

// footnote explains what the figures contain.
const footnote = `Costs are the whole bill: requests, declared tools, markers, each lost text fetched once more ` +
	`(an estimate), and compaction on both sides as each sends it; compactions that ` +
	`pruning avoids are not credited. "alone" is pruning by itself. Edits and tool calls whose text is gone are ` +
	`proxies: they are not solve rates.`

// say prints a paragraph, wrapped at the width of the terminal or a usual width.
func (t replayText) say(format string, args ...any) {
	const usual = 100
	width := usual
	if t.Width > 0 {
		width = min(t.Width, usual)
	}
	t.Printf("%s\n", ansi.Wordwrap(fmt.Sprintf(format, args...), width, ""))
}

// aside prints a remark below the figures.
func (t replayText) aside(remark string) {
	if t.Color {
		remark = t.Style(cli.StyleDim, remark)
	}
	t.say("%s", remark)
}

// cost formats a cost: in dollars if the sessions' models have prices, else in tokens.
func (t replayText) cost(tokens, dollars float64) string {
	if t.c.Priced() {
		return text.Dollars(dollars)
	}
	return text.TokensShort(tokens)
}

// piFloor is about the number of tokens that pi sends before a conversation: its system
// prompt and tools. Converted sessions of another agent are priced as if pi had continued
// them.
const piFloor = 6000

// converted explains how sessions of another agent are priced.
func (t replayText) converted(recorded bool) {
	if t.c.Converted == 0 {
		return
	}
	were := "were"
	if t.c.Converted == 1 {
		were = "was"
	}
	then := fmt.Sprintf("They are priced with %s, which is about what pi sends; --recorded leaves them as they were.", text.Thousands(piFloor))
	if recorded {
		then = "No policy can prune that, and pi does not send it."
	}
	t.aside(fmt.Sprintf("%s %s recorded by another agent, with up to %s tokens of its own system prompt and tools before each prompt. %s",
		text.Count(t.c.Converted, "session"), were, text.TokensShort(float64(t.c.ConvertedFloor)), then))
}

// heading prints the title of a section.
func heading(w *cli.Out, title string) { w.Printf("%s\n", w.Style(cli.StyleBold, title)) }

// perPolicy returns the rows of a table: the head, and one for each policy for which row
// returns cells.
func (t replayText) perPolicy(head []string, row func(p *replay.PolicyTotal) []string) [][]string {
	rows := [][]string{append([]string{"policy"}, head...)}
	for i := range t.c.Policies {
		p := &t.c.Policies[i]
		if cells := row(p); cells != nil {
			rows = append(rows, append([]string{p.Name}, cells...))
		}
	}
	return rows
}

// figures prints a table whose columns but the first are right-aligned.
func (t replayText) figures(rows [][]string) {
	right := make([]int, len(rows[0])-1)
	for i := range right {
		right[i] = i + 1
	}
	t.FittedTable(rows, right...)
}

// costs prints what each policy costs under the shown profile, and its parts. A narrow
// terminal cuts the columns on the right.
func (t replayText) costs() {
	several := t.c.Sessions > 1 // figures that compare sessions need more than one
	head := []string{"cost", "saved", "vs none"}
	if several {
		head = append(head, "better", "worse", "worst")
	}
	t.figures(t.perPolicy(append(head, "alone", "tokens sent", "peak"), func(p *replay.PolicyTotal) []string {
		b := p.Prices[t.c.Profile]
		none := t.c.Policies[0].Prices[t.c.Profile]
		row := []string{t.cost(b.Bill, b.Dollars), t.cost(none.Bill-b.Bill, b.DollarsSaved), report.Change(b.BillVsNone)}
		if several {
			row = append(row, text.Thousands(b.Better), text.Thousands(b.Worse), report.Change(b.WorstVsNone))
		}
		return append(row, report.Change(b.PruningVsNone), text.TokensShort(float64(p.TokensSent)), text.TokensShort(float64(p.PeakContext)))
	}))
	t.Printf("\n")
	t.figures(report.Parts(t.c))
	if from := report.MoneyFrom(t.c); from != "" {
		t.aside(from)
	}
	t.Printf("\n")
}

// missing prints how often each policy invalidated the cache, and how often pruned text was
// needed later.
func (t replayText) missing() {
	head := []string{"pruned", "tokens", "warm rewrites", "edits without their text", "tool calls"}
	rows := t.perPolicy(head, func(p *replay.PolicyTotal) []string {
		if p.Name == "none" {
			return nil
		}
		return []string{
			text.Thousands(p.PrunedResults), text.TokensShort(float64(p.PrunedTokens)), text.Thousands(p.WarmRewrites),
			fmt.Sprintf("%s of %s (%s)", text.Thousands(p.EditsMissing), text.Thousands(p.Edits), report.Share(p.EditsMissing, p.Edits)),
			text.Thousands(p.CallsMissing),
		}
	})
	if len(rows) > 1 {
		t.figures(rows)
		t.Printf("\n")
	}
}

// agents prints what the simulated agents deactivated.
func (t replayText) agents() {
	rows := t.perPolicy([]string{"deactivated", "tool calls that missed one"}, func(p *replay.PolicyTotal) []string {
		if !hasAgent(p.Name) {
			return nil
		}
		return []string{text.Thousands(p.Deactivated), text.Thousands(p.DeactivatedMissing)}
	})
	if len(rows) > 1 {
		t.figures(rows)
		t.aside("No agent deactivated this in these sessions; a rule did in its place. A model may act differently.\n")
	}
}

// prices prints the cost of each policy under every profile.
func (t replayText) prices() {
	heading(t.Out, "Whole bill against none, by prices")
	var head []string
	for _, p := range t.c.Prices {
		head = append(head, text.TerminalLine(p.Name))
	}
	t.figures(t.perPolicy(head, func(p *replay.PolicyTotal) (row []string) {
		for _, prices := range t.c.Prices {
			if p.Name != "none" {
				row = append(row, report.Change(p.Prices[prices.Name].BillVsNone))
			}
		}
		return row
	}))
	t.Printf("\n")
}

// sessions prints the cost of each session under every policy.
func (t replayText) sessions() {
	heading(t.Out, "Whole bill against none, by session")
	head, right := []string{"session", "started", "requests", "cost"}, []int{2, 3}
	for i := range t.c.Policies[1:] {
		head, right = append(head, t.c.Policies[i+1].Name), append(right, len(head))
	}
	rows := [][]string{head}
	ids := report.CutIDs(len(t.c.PerSession), func(i int) string { return t.c.PerSession[i].Session })
	for i := range t.c.PerSession {
		s := &t.c.PerSession[i]
		started := "-"
		if len(s.Started) >= len("2006-01-02") {
			started = s.Started[:len("2006-01-02")]
		}
		row := []string{ids[i], started, text.Thousands(s.Calls), t.sessionCost(s)}
		for j := range s.Policies[1:] {
			row = append(row, report.Change(s.Policies[j+1].Prices[t.c.Profile].BillVsNone))
		}
		rows = append(rows, row)
	}
	t.FittedTable(rows, right...)
	t.Printf("\n")
}

// sessionCost formats what a session cost with nothing pruned, "–" if it has no price but
// others do.
func (t replayText) sessionCost(s *replay.SessionResult) string {
	b := s.Policies[0].Prices[t.c.Profile]
	if t.c.Priced() && !s.Rate.Known() {
		return "–"
	}
	return t.cost(b.Bill, b.Dollars)
}
