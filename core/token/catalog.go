package token

import (
	_ "embed"
	"strconv"
	"strings"
	"time"
)

// catalog is the table, a line for each model: see scripts/models.mjs.
//
//go:embed catalog.tsv
var catalog string

// CatalogSource names the version of pi-ai that the table is from.
func CatalogSource() string { return field(firstLine(), "pi-ai ") }

// CatalogDate is the day of the table, as in 2026-11-20.
func CatalogDate() string { return field(firstLine(), CatalogSource()+", ") }

// firstLine is the comment that the table begins with.
func firstLine() string {
	line, _, _ := strings.Cut(catalog, "\n")
	return line
}

// field returns what follows a word in a line, up to the next punctuation.
func field(line, after string) string {
	_, rest, _ := strings.Cut(line, after)
	end := strings.IndexAny(rest, ",;")
	return rest[:max(0, end)]
}

// FindModel returns a model of the table by the names that pi gives to its provider and itself. A
// provider may call a model by an id that ends in the day of its release.
func FindModel(provider, id string) (Model, bool) {
	if provider == "" || id == "" || strings.ContainsAny(provider+id, "\t\n") {
		return Model{}, false
	}
	if m, ok := find(provider, id); ok {
		return m, true
	}
	if at := len(id) - len("-20060102"); at > 0 && id[at] == '-' {
		if _, err := strconv.Atoi(id[at+1:]); err == nil {
			return find(provider, id[:at])
		}
	}
	return Model{}, false
}

// Sells reports whether the table has a price for any model of a provider. One of its models
// that the table lacks is not free because an agent recorded no cost.
func Sells(provider string) bool {
	for line := range strings.Lines(catalog) {
		if !strings.HasPrefix(line, provider+"\t") {
			continue
		}
		if m, ok := parse(strings.TrimSuffix(line, "\n")); ok && !m.Free() {
			return true
		}
	}
	return false
}

// find returns the model of the line that begins with these names.
func find(provider, id string) (Model, bool) {
	start := "\n" + provider + "\t" + id + "\t"
	at := strings.Index(catalog, start)
	if at < 0 {
		return Model{}, false
	}
	line, _, _ := strings.Cut(catalog[at+1:], "\n")
	return parse(line)
}

// parse reads a line. It reports false for a comment.
func parse(line string) (Model, bool) {
	f := strings.Split(line, "\t")
	const columns = 8
	if len(f) != columns || strings.HasPrefix(line, "#") {
		return Model{}, false
	}
	m := Model{Provider: f[0], ID: f[1], API: f[2], Window: Count(numbers(f[3])[0]), Cost: costOf(f[4])}
	for tier := range strings.SplitSeq(f[5], ",") {
		if above, cost, ok := strings.Cut(tier, ":"); ok {
			m.Tiers = append(m.Tiers, CostTier{Above: Count(numbers(above)[0]), Cost: costOf(cost)})
		}
	}
	if short, long, ok := strings.Cut(f[6], "/"); ok {
		m.CacheShort, m.CacheLong = seconds(short), seconds(long)
	}
	m.Thinks, m.Effort = strings.Contains(f[7], "thinks"), strings.Contains(f[7], "effort")
	return m, true
}

// costOf reads a price.
func costOf(text string) Cost {
	n := append(numbers(text), 0, 0, 0, 0)
	return Cost{Input: n[0], Output: n[1], CacheRead: n[2], CacheWrite: n[3]}
}

func seconds(text string) time.Duration {
	return time.Duration(numbers(text)[0]) * time.Second
}

// numbers reads numbers between slashes; what is not one is 0, and a test finds it in the table.
func numbers(text string) []float64 {
	var list []float64
	for part := range strings.SplitSeq(text, "/") {
		n, _ := strconv.ParseFloat(part, 64)
		list = append(list, n)
	}
	return list
}
