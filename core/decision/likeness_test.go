package decision

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// pair is two decisions with their relation: duplicate, conflict or unrelated.
type pair struct{ label, a, b string }

// labelled reads the labelled pairs of files.
func labelled(t *testing.T, names ...string) []pair {
	t.Helper()
	var out []pair
	for _, name := range names {
		b, err := os.ReadFile("testdata/" + name + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) > 2 { // not a comment
				out = append(out, pair{f[len(f)-3], f[len(f)-2], f[len(f)-1]})
			}
		}
	}
	return out
}

// untuned are the sets that influenced nothing. The others were looked at while earlier
// comparisons were made.
func untuned() []string {
	return []string{"fresh", "last", "later", "newest", "trades", "final", "unseen"}
}

func looked() []string {
	return []string{"pairs", "practice", "voices", "imagined", "compare-dev", "compare-heldout", "compare-teams", "compare-blind"}
}

// Who reads the five closest decisions sees the contradiction or the duplicate among them.
//
// Holds decisions 65.
func TestContradictionsAndDuplicatesAreAmongTheFiveClosest(t *testing.T) {
	for _, c := range []struct {
		size                 int
		conflicts, duplicate float64
	}{{100, 0.95, 0.95}, {600, 0.75, 0.88}} {
		found, all := map[string]float64{}, map[string]float64{}
		for _, set := range untuned() {
			others := secondTexts(t, set)
			for i, p := range labelled(t, set) {
				var log []string
				for n := 0; len(log) < c.size; n++ {
					log = append(log, others[(i*37+n*7)%len(others)])
				}
				for _, sides := range [][2]string{{p.a, p.b}, {p.b, p.a}} {
					all[p.label]++
					if slices.Contains(closest(sides[0], append(slices.Clip(log), sides[1]), 5), len(log)) {
						found[p.label]++
					}
				}
			}
		}
		t.Logf("log of %d: found %.0f of %.0f conflicts, %.0f of %.0f duplicates", c.size, found["conflict"], all["conflict"], found["duplicate"], all["duplicate"])
		if all["conflict"] < 200 || found["conflict"] < c.conflicts*all["conflict"] || found["duplicate"] < c.duplicate*all["duplicate"] {
			t.Errorf("log of %d: found %v of %v", c.size, found, all)
		}
	}
}

// secondTexts returns the second text of each pair of all sets but one, each once.
func secondTexts(t *testing.T, without string) []string {
	t.Helper()
	var out []string
	for _, name := range append(looked(), untuned()...) {
		if name != without {
			for _, p := range labelled(t, name) {
				out = append(out, p.b)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestNoContradictionIsTakenForADuplicate(t *testing.T) {
	for _, p := range labelled(t, append(looked(), untuned()...)...) {
		if p.label != "duplicate" && TextKey(p.a) == TextKey(p.b) {
			t.Errorf("%s: %q and %q", p.label, p.a, p.b)
		}
	}
}

// Holds decisions 64.
func TestTextsWithTheSameStemsNumbersAndSignsAreTheSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Use C++", "Use C#", false},
		{"Use C++", "Use C", false},
		{"API v1", "API v2", false},
		{"Cache for 5 minutes", "Cache for 50 minutes", false},
		{"Version 1.2", "Version 12", false},
		{"🎉", "🚀", false},
		{"🎉", "🎉", true},
		{"使用数据库", "使用缓存", false},
		{"使用数据库", "使用数据库", true},
		{"-1", "1", false},
		{"a > b", "a < b", false},
		{"use >= 3", "use <= 3", false},
		{"Node version > 18", "Node version < 18", false},
		{"Fail when a != b", "Fail when a == b", false},
		{"A -> B", "A <- B", false},
		{"flag !strict", "flag strict", false},
		{"Import *.ts", "Import .ts", false},
		{"a && b", "a || b", false},
		{"Cost limit $5", "Cost limit €5", false},
		{"Use *tabs*", "Use tabs", true},
		{"- Use tabs", "Use tabs", true},
		{"Use tabs — always", "Use tabs always", true},
		{"Use tabs.", "  use\ttabs!! ", true},
		{"Ｕｓｅ ｔａｂｓ", "use tabs", true},
		{"Don’t use tabs", "don't use tabs", true},
		{"Use tabs", "Don't use tabs", false},
		{"Use tabs for indenting", "Use tab for indents", true},
		{"Services log as JSON", "Service logs as JSON", true},
		{"Prefer tabs over spaces", "Prefer spaces over tabs", false},
		{"Keep sessions in Redis", "Keep one session in Redis", false},
	} {
		if got := TextKey(c.a) == TextKey(c.b); got != c.same {
			t.Errorf("%q and %q: same %v: %q, %q", c.a, c.b, got, TextKey(c.a), TextKey(c.b))
		}
	}
}

// The log of a clone may contain any text.
func FuzzTextsAreComparedWithThemselvesAndOthers(f *testing.F) {
	f.Add("Use Redis, not Memcached, without TLS", "Never deploy at 10:00 or 25:99 am")
	f.Add("uuidv7 v v1 §time ¬ ¦ ¦ no", "<a> *b* ADR-7: 使用")
	f.Add("don't need\x1b[31m", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		if key := TextKey(a); TextKey(key) == "" && key != "" {
			t.Errorf("the key %q has no key", key)
		}
		if got := closest(a, []string{b, a, b}, 2); len(got) > 2 || slices.Contains(got, -1) {
			t.Errorf("closest: %v", got)
		}
	})
}
