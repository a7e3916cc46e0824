package prune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/report"
)

// replayText prints a comparison as text.
type replayText struct {
	*cli.Out
	c *replay.Comparison
}

// print prints the answer in a sentence, and the tables that were asked for.
func (t replayText) print(o replayOptions) {
	if t.c.Requests == 0 {
		t.say("%s, no requests: nothing to price.", text.Count(t.c.Sessions, "session"))
		return
	}
	t.answer()
	t.Printf("\n")
	if o.details {
		t.costs()
		t.missing()
		t.sessions()
	}
	if len(t.c.Worlds) > 1 {
		t.worlds()
	}
	t.notes(o)
}

// answer says what the policy costs, in one sentence. Of several policies it is the cheapest.
func (t replayText) answer() {
	none := t.c.Policies[0].First()
	if len(t.c.Policies) == 1 {
		t.say("Without pictx, input costs %s for %s.", amount(none), text.Count(t.c.Sessions, "session"))
		return
	}
	best := slices.MinFunc(t.c.Policies[1:], func(a, b replay.PolicyTotal) int {
		return int(1e6 * (a.First().BillVsNone - b.First().BillVsNone))
	})
	b := best.First()
	with := "pictx"
	if best.Name != "auto" || len(t.c.Policies) > 2 {
		with += " (" + best.Name + ")"
	}
	sentence := fmt.Sprintf("With %s, input costs %s instead of %s (%s) for %s", with, amount(b), amount(none), report.Change(b.BillVsNone), text.Count(t.c.Sessions, "session"))
	if t.c.Sessions > 1 {
		sentence += fmt.Sprintf("; %s cheaper, %s more expensive", text.Thousands(b.Better), text.Thousands(b.Worse))
		if b.Worse > 0 {
			sentence += fmt.Sprintf(" (the worst %s)", report.Change(b.WorstVsNone))
		}
	}
	t.say("%s.", sentence)
}

// amount formats a bill in dollars, or in tokens where nothing has a price.
func amount(w *replay.WorldTotal) string {
	if w.Priced() {
		return text.Dollars(w.Dollars)
	}
	return text.Tokens(int(w.Tokens)) + " tokens"
}

// notes say what the figures are based on.
func (t replayText) notes(o replayOptions) {
	w := t.c.Worlds[0]
	note := fmt.Sprintf("%s, prices of %s (%s). Solve rate not measured.", text.Count(t.c.Requests, "request"), text.TerminalLine(w.About), w.Date)
	if t.c.SharedRequests > 0 {
		note += fmt.Sprintf(" %s that forks share with another session are counted once.", text.Count(t.c.SharedRequests, "further request"))
	}
	if unpriced := report.Unpriced(t.c); unpriced != "" {
		note += " " + unpriced
	}
	if !t.c.Priced() {
		note += " No model of these sessions has a price: costs are in tokens, at the price of plain input."
	}
	if t.c.Converted > 0 {
		note += fmt.Sprintf(" %s of another agent, with up to %s tokens of its own system prompt and tools, priced with %s instead, about what pi sends.",
			text.Count(t.c.Converted, "session"), text.TokensShort(float64(t.c.ConvertedFloor)), text.Thousands(piFloor))
	}
	if !o.details {
		note += " --details shows how this adds up."
	}
	t.say("%s", t.Style(cli.StyleDim, note))
}

// say prints a paragraph, wrapped at the width of the terminal but never wider than 100
// characters.
func (t replayText) say(format string, args ...any) {
	const usual = 100
	width := usual
	if t.Width > 0 {
		width = min(t.Width, usual)
	}
	t.Printf("%s\n", ansi.Wordwrap(fmt.Sprintf(format, args...), width, ""))
}

// perPolicy builds a table with a row per policy; row returns nil to leave one out.
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

// figures prints a table whose columns from the first-th on are numbers.
func (t replayText) figures(first int, rows [][]string) {
	var right []int
	for i := first; i < len(rows[0]); i++ {
		right = append(right, i)
	}
	t.FittedTable(rows, right...)
	t.Printf("\n")
}

// costs prints what each policy costs, and the parts of it.
func (t replayText) costs() {
	head := []string{"cost", "vs none", "median", "cheaper", "more expensive", "worst", "tokens sent", "peak"}
	t.figures(1, t.perPolicy(head, func(p *replay.PolicyTotal) []string {
		b := p.First()
		return []string{
			amount(b), report.Change(b.BillVsNone), report.Change(b.MedianVsNone), text.Thousands(b.Better), text.Thousands(b.Worse), report.Change(b.WorstVsNone),
			text.TokensShort(float64(b.TokensSent)), text.TokensShort(float64(b.PeakContext)),
		}
	}))
	t.figures(1, report.Parts(t.c))
}

// missing prints what pruning may cost besides money.
func (t replayText) missing() {
	head := []string{"pruned", "tokens", "warm rewrites", "edits without their text", "tool calls", "thinking lost"}
	rows := t.perPolicy(head, func(p *replay.PolicyTotal) []string {
		if p.Name == "none" {
			return nil
		}
		b := p.First()
		return []string{
			text.Thousands(p.PrunedResults), text.TokensShort(float64(p.PrunedTokens)), text.Thousands(b.WarmRewrites),
			fmt.Sprintf("%s of %s (%s)", text.Thousands(b.EditsMissing), text.Thousands(b.Edits), report.Share(b.EditsMissing, b.Edits)),
			text.Thousands(b.CallsMissing), text.Thousands(b.ThinkingLost),
		}
	})
	if len(rows) > 1 {
		t.figures(1, rows)
	}
}

// worlds prints the bills in all price worlds.
func (t replayText) worlds() {
	rows := [][]string{{"price world", "since"}}
	for _, p := range t.c.Policies[1:] {
		rows[0] = append(rows[0], p.Name, "worst", "more expensive")
	}
	for i, w := range t.c.Worlds {
		row := []string{w.Name, w.Date}
		for _, p := range t.c.Policies[1:] {
			b := &p.Worlds[i]
			row = append(row, report.Change(b.BillVsNone), report.Change(b.WorstVsNone), text.Thousands(b.Worse))
		}
		rows = append(rows, row)
	}
	t.figures(2, rows)
}

// sessions prints a line for every session.
func (t replayText) sessions() {
	rows := [][]string{{"session", "started", "requests", "cost"}}
	for i := range t.c.Policies[1:] {
		rows[0] = append(rows[0], t.c.Policies[i+1].Name)
	}
	ids := make([]string, len(t.c.PerSession))
	for i := range ids {
		ids[i] = t.c.PerSession[i].Session
	}
	ids = text.ShortIDs(ids)
	for i := range t.c.PerSession {
		s := &t.c.PerSession[i]
		started, _, _ := strings.Cut(s.Started, "T")
		none := &s.Policies[0].Bill
		row := []string{ids[i], started, text.Thousands(s.Requests), report.Amount(none.Shown().Billed, none.Priced())}
		for j := range s.Policies[1:] {
			row = append(row, report.Change(s.Policies[j+1].BillVsNone))
		}
		rows = append(rows, row)
	}
	t.figures(2, rows)
}
