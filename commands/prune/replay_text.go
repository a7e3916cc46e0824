package prune

import (
	"fmt"

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

// replayText prints a comparison for a person.
type replayText struct {
	*cli.Out
	c *replay.Comparison
}

// print prints all of it.
func (t replayText) print(o replayOptions) {
	shown := t.c.Shown()
	t.Printf("%s, %s, priced as %s (%s)\n\n", text.Count(t.c.Sessions, "session"), text.Count(t.c.Calls, "call"),
		text.TerminalLine(shown.Name), report.Terms(shown))
	if t.c.Sessions == 0 {
		return
	}
	t.costs()
	t.parts()
	t.missing()
	t.agents()
	if len(t.c.Prices) > 1 {
		t.prices()
	}
	if o.perSession {
		t.sessions()
	}
	if t.c.Sessions == 1 {
		report.ContextChart(t, &t.c.PerSession[0], report.Terminal{Width: chartWidth, Color: t.Color})
	} else {
		report.CostBars(t, t.c, report.Terminal{Width: barWidth, Color: t.Color})
	}
	t.converted(o.recorded)
	t.Printf("%s\n", t.Style(cli.StyleDim, footnote))
}

// footnote says what every figure means.
const footnote = `Costs are in plain input tokens and hold the whole bill: requests, declared tools, markers, each
lost text fetched once more (a model: nothing says that an agent would), and compaction on both
sides as each sends it; compactions that pruning avoids are not credited. "alone" is pruning by
itself. Edits and calls whose text is gone are proxies: they are not solve rates.`

// piFloor is about what pi sends before a conversation: its system prompt and its
// tools. Sessions that another agent recorded, and that were converted, are priced
// as if they had gone on in pi.
const piFloor = 6000

// converted says when sessions are not of pi, and how they are priced.
func (t replayText) converted(recorded bool) {
	if t.c.Converted == 0 {
		return
	}
	were := "were"
	if t.c.Converted == 1 {
		were = "was"
	}
	t.Printf("%s %s recorded by another agent, with up to %s tokens of its own system prompt and tools\n",
		text.Count(t.c.Converted, "session"), were, text.TokensShort(float64(t.c.ConvertedFloor)))
	if recorded {
		t.Printf("before each prompt, which no policy can prune and pi does not send.\n")
		return
	}
	t.Printf("before each prompt. They are priced with %s, which is about what pi sends; --recorded leaves them as they were.\n",
		text.Thousands(piFloor))
}

// heading prints the title of a part.
func heading(w *cli.Out, title string) { w.Printf("%s\n", w.Style(cli.StyleBold, title)) }

// perPolicy are the rows of a table: the head, and one for each policy that row has
// cells for.
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

// figures prints a table whose columns but the first are figures.
func (t replayText) figures(rows [][]string) {
	right := make([]int, len(rows[0])-1)
	for i := range right {
		right[i] = i + 1
	}
	cli.Table(t, rows, right...)
}

// costs prints what each policy costs under the shown profile.
func (t replayText) costs() {
	several := t.c.Sessions > 1 // otherwise figures about many make no sense
	money := t.c.Priced()
	head := []string{"tokens sent", "peak", "bill", "vs none", "alone"}
	if money {
		head = append(head, "saved")
	}
	if several {
		head = append(head, "better", "worse", "worst")
	}
	t.figures(t.perPolicy(head, func(p *replay.PolicyTotal) []string {
		b := p.Prices[t.c.Profile]
		row := []string{
			text.TokensShort(float64(p.TokensSent)), text.TokensShort(float64(p.PeakContext)),
			text.TokensShort(b.Bill), report.Change(b.BillVsNone), report.Change(b.PruningVsNone),
		}
		if money {
			row = append(row, text.Dollars(b.DollarsSaved))
		}
		if several {
			row = append(row, text.Thousands(b.Better), text.Thousands(b.Worse), report.Change(b.WorstVsNone))
		}
		return row
	}))
	t.Printf("\n")
}

// parts prints what the bills are made of, and where prices in dollars are from.
func (t replayText) parts() {
	t.figures(report.Parts(t.c))
	if from := report.MoneyFrom(t.c); from != "" {
		t.Printf("%s\n", t.Style(cli.StyleDim, from))
	}
	t.Printf("\n")
}

// missing prints what the policies did to the cache, and what text they removed that
// was needed later.
func (t replayText) missing() {
	head := []string{"results pruned", "their tokens", "warm rewrites", "edits without their text", "calls"}
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

// agents prints what the rules that stand for an agent deactivated.
func (t replayText) agents() {
	rows := t.perPolicy([]string{"deactivated", "calls that missed one of them"}, func(p *replay.PolicyTotal) []string {
		if !hasAgent(p.Name) {
			return nil
		}
		return []string{text.Thousands(p.Deactivated), text.Thousands(p.DeactivatedMissing)}
	})
	if len(rows) > 1 {
		t.figures(rows)
		t.Printf("%s\n\n", t.Style(cli.StyleDim, "No agent of these sessions deactivated that: a rule stands for one. What a model does may differ."))
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
	head, right := []string{"session", "started", "calls", "cost"}, []int{2, 3}
	for i := range t.c.Policies[1:] {
		head, right = append(head, t.c.Policies[i+1].Name), append(right, len(head))
	}
	rows := [][]string{head}
	ids := cutIDs(len(t.c.PerSession), func(i int) string { return t.c.PerSession[i].Session })
	for i := range t.c.PerSession {
		s := &t.c.PerSession[i]
		started := "-"
		if len(s.Started) >= len("2006-01-02") {
			started = s.Started[:len("2006-01-02")]
		}
		row := []string{ids[i], started, text.Thousands(s.Calls), text.TokensShort(s.Policies[0].Prices[t.c.Profile].Bill)}
		for j := range s.Policies[1:] {
			row = append(row, report.Change(s.Policies[j+1].Prices[t.c.Profile].BillVsNone))
		}
		rows = append(rows, row)
	}
	cli.Table(t, rows, right...)
	t.Printf("\n")
}

// cutIDs returns n ids, cut where no two look the same.
func cutIDs(n int, id func(i int) string) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = id(i)
	}
	length := idLength(ids)
	for i := range ids {
		ids[i] = text.TerminalLine(ids[i])
		ids[i] = ids[i][:min(length, len(ids[i]))]
	}
	return ids
}

// idLength is how much of ids is shown so that no two look the same: at least
// eight characters.
func idLength(ids []string) int {
	n := 8
	for again := true; again; n++ {
		again = false
		seen := make(map[string]string)
		for _, id := range ids {
			short := id[:min(n, len(id))]
			if other, ok := seen[short]; ok && other != id {
				again = true
			}
			seen[short] = id
		}
		if !again {
			return n
		}
	}
	return n
}
