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
func Footer(t Total, pruned token.Count) string {
	var parts []string
	b := t.Dollars
	if noticeable(b.Saved()) && (pruned > 0 || b.Parts[Markers].Tokens > 0 || b.Parts[Declarations].Cost > 0 || b.Parts[Summaries].Cost != b.PlainSummaries) {
		parts = append(parts, saved(b.Saved()))
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
func Statement(t Total) []string {
	b, amount := t.Dollars, text.Dollars
	if !t.Priced() {
		b, amount = t.Tokens, inTokens
	}
	out := []string{fmt.Sprintf("This session: %s with pictx, %s with plain pi%s.", amount(b.Billed), amount(b.Plain), difference(b))}
	for _, p := range Parts() {
		if item := b.Parts[p]; item.Tokens > 0 {
			out = append(out, fmt.Sprintf("  %-12s %s tokens sent, %s", p, text.Tokens(item.Tokens), amount(item.Cost)))
		}
	}
	note := "Costs are input as a prompt cache bills it that works as its provider promises; what the model wrote is not in them."
	if b.PlainSummaries > 0 {
		note += fmt.Sprintf(" Requests for summaries are in them; those of plain pi are estimated at %s.", amount(b.PlainSummaries))
	}
	if n := t.Tokens.Requests; n > 0 && t.Priced() {
		note += fmt.Sprintf(" %s to models without a price are left out.", text.CountPlain(n, "request"))
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

// inTokens formats a cost without a price.
func inTokens(cost float64) string { return text.Tokens(int(cost)) + " tokens of plain input" }
