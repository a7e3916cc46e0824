package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
)

// unknown replaces an unknown figure.
const unknown = "–"

// number constrains the types of figures.
type number interface {
	~int | ~float64
}

// Change formats a ratio as the difference to 1: −28.8%.
func Change(ratio float64) string {
	d := (ratio - 1) * 100
	switch {
	case math.IsNaN(d) || math.IsInf(d, 0):
		return unknown
	case math.Abs(d) < 0.05:
		return "±0%"
	case math.Abs(d) >= 999.5:
		return fmt.Sprintf("×%.1f", ratio)
	case d < 0:
		return fmt.Sprintf("−%.1f%%", -d)
	}
	return fmt.Sprintf("+%.1f%%", d)
}

// Share formats a part of a whole as a percentage: 12.5%.
func Share[N number](part, whole N) string {
	if whole <= 0 {
		return unknown
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}

// trend returns the CSS class that colours a ratio.
func trend(ratio float64) string {
	switch replay.TrendOf(ratio) {
	case replay.CostsLess:
		return "good"
	case replay.CostsMore:
		return "bad"
	}
	return "same"
}

// shown makes a name or path from a session safe for a page.
func shown(s string) string { return fence.OneLine(s, 160) }

// Unpriced says that requests have no price, "" when all have one or none has.
func Unpriced(c *replay.Comparison) string {
	if n := c.Unpriced; n > 0 && c.Priced() {
		return text.CountPlain(n, "request") + " to models without a price are left out of the dollars."
	}
	return ""
}

// policyNotes describe the built-in policies.
var policyNotes = map[string]string{
	policyNone: "nothing is pruned",
	"seed":     "the rules of pi-context-pruning",
	"kota":     "the rules of pi-kota",
	"cold":     "prunes only when the cache is cold",
	"auto":     "prunes when that saves money, with a cold cache or a warm one",
}

// policyNote describes a policy, "" when it has no description.
func policyNote(name string) string {
	return policyNotes[name]
}

// reasonWords explains why results were pruned. An unknown code, of rules that this version
// does not have, is shown as it is.
func reasonWords(code string) string {
	if words := policy.ReportWords(code); words != "" {
		return words
	}
	return shown(strings.NewReplacer("-", " ", "_", " ").Replace(code))
}
