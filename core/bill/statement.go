package bill

import (
	"fmt"
	"math"
	"strings"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Footer summarizes in one line what a session has saved, and how many tokens shorter its
// requests are: "saved $0.31 · 45.2K pruned". It leaves out what is unknown, and savings
// that no request has shown yet. It is "" while pictx has not pruned, declared or summarized
// anything, on any branch.
func Footer(b Bill, rate Rate, pruned token.Count) string {
	var parts []string
	if rate.Known() && noticeable(rate.Dollars(b.Saved())) && (pruned > 0 || b.Parts[Markers].Tokens > 0 || b.Parts[Declarations].Cost > 0 || b.Parts[Summaries].Cost != b.PlainSummaries) {
		parts = append(parts, saved(rate.Dollars(b.Saved())))
	}
	if pruned > 0 {
		parts = append(parts, text.Tokens(pruned)+" pruned")
	}
	return strings.Join(parts, " · ")
}

// Legend explains the words of Footer, and that pruning is off, in lines of at most 58
// columns.
func Legend() []string {
	return []string{
		"  saved $0.31              less than in plain pi so far",
		"  $0.31 more expensive     than in plain pi so far",
		"  45.2K pruned             tokens pruned on this branch",
		"  pruning off              /prune-toggle switches it on",
	}
}

// noticeable reports whether an amount is more than the noise of adding up the same bill in
// two orders, as when something was pruned and no request has been made since.
func noticeable(dollars float64) bool { return math.Abs(dollars) >= smallestAmount }

// smallestAmount is the smallest amount of dollars that text.Dollars writes out.
const smallestAmount = 0.0001

func saved(dollars float64) string {
	if dollars < 0 {
		return text.Dollars(-dollars) + " more expensive"
	}
	return "saved " + text.Dollars(dollars)
}

// Statement formats the bill of a session: the total beside plain pi's, then its parts.
func Statement(b Bill, rate Rate) []string {
	out := []string{fmt.Sprintf("This session: %s with pictx, %s with plain pi%s.", amount(b.Billed, rate), amount(b.Plain, rate), difference(b))}
	for _, p := range Parts() {
		if item := b.Parts[p]; item.Tokens > 0 {
			out = append(out, fmt.Sprintf("  %-12s %s tokens sent, %s", p, text.Tokens(item.Tokens), amount(item.Cost, rate)))
		}
	}
	note := "Costs are input as the prompt cache bills it."
	if b.PlainSummaries > 0 {
		note += fmt.Sprintf(" Requests for summaries are in them; those of plain pi are estimated at %s.", amount(b.PlainSummaries, rate))
	}
	if b.Unbilled > 0 {
		note += fmt.Sprintf(" Requests on %s that were left are not in them: there are too many.", text.CountPlain(b.Unbilled, "older branch"))
	}
	switch {
	case rate.Known() && rate.From == TableDate:
		note += " Prices are those of " + TableDate + ": pi knows none for this model."
	case rate.Known() && rate.From == FromSettings:
		note += " Prices are those of the setting prices: pi knows none for this model."
	}
	return append(out, note)
}

// difference returns by how many percent the bill differs from plain pi's, "" when that
// rounds to zero.
func difference(b Bill) string {
	percent := fmt.Sprintf("%+.1f%%", 100*(b.Ratio()-1))
	if strings.Trim(percent, "+-0.%") == "" {
		return ""
	}
	return " (" + percent + ")"
}

// amount formats a cost as money, or in tokens without a price.
func amount(cost float64, rate Rate) string {
	if rate.Known() {
		return text.Dollars(rate.Dollars(cost))
	}
	return text.Tokens(int(cost)) + " tokens of plain input"
}
