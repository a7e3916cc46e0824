package likeness

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// pair is two decisions and how they relate to each other.
type pair struct {
	held        bool
	label, a, b string
}

func pairs(t testing.TB) []pair {
	t.Helper()
	b, err := os.ReadFile("testdata/pairs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []pair
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) == 4 {
			out = append(out, pair{f[0] == "held", f[1], f[2], f[3]})
		}
	}
	if len(out) < 60 {
		t.Fatalf("%d pairs", len(out))
	}
	return out
}

// compareTexts reports whether two texts are related, and how.
func compareTexts(a, b string) (Likeness, bool) {
	x := newLexicon()
	return x.features(a).compare(x.features(b))
}

// tally counts what is listed and how.
type tally struct{ n, listed, right int }

func count(all []pair, held bool) map[string]*tally {
	out := map[string]*tally{"duplicate": {}, "conflict": {}, "unrelated": {}}
	for _, p := range all {
		if p.held != held {
			continue
		}
		c := out[p.label]
		c.n++
		if r, ok := compareTexts(p.a, p.b); ok {
			c.listed++
			if string(r.Class) == p.label {
				c.right++
			}
		}
	}
	return out
}

func (c tally) share() float64 { return float64(c.listed) / float64(c.n) }

// Holds decisions 65.
func TestRelatedDecisionsAreFound(t *testing.T) {
	all := pairs(t)
	for _, held := range []bool{false, true} {
		c := count(all, held)
		d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
		if d.share() < 0.9 || k.share() < 0.8 || u.share() > 0.1 {
			t.Errorf("held out %v: listed %d of %d duplicates, %d of %d conflicts, %d of %d unrelated", held, d.listed, d.n, k.listed, k.n, u.listed, u.n)
		}
	}
	if testing.Verbose() {
		for _, p := range all {
			r, ok := compareTexts(p.a, p.b)
			if ok != (p.label != "unrelated") || ok && string(r.Class) != p.label {
				t.Logf("held %v, %s: %v %.2f %s\n  %s\n  %s", p.held, p.label, ok, r.Score, r.Class, p.a, p.b)
			}
		}
	}
}

func TestRelationIsSymmetric(t *testing.T) {
	for _, p := range pairs(t) {
		x, one := compareTexts(p.a, p.b)
		y, two := compareTexts(p.b, p.a)
		if one != two || x.Class != y.Class || fmt.Sprintf("%.6f", x.Score) != fmt.Sprintf("%.6f", y.Score) {
			t.Errorf("%v %v and %v %v: %q, %q", one, x, two, y, p.a, p.b)
		}
	}
}

// Holds decisions 64.
func TestSimilarTextsAreNotEqual(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		equal bool
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
		{"a > b", "a < b", true}, // signs between words are not part of a rule
		{"Use tabs.", "  use\ttabs!! ", true},
		{"Ｕｓｅ ｔａｂｓ", "use tabs", true},
		{"Don’t use tabs", "don't use tabs", true},
		{"Use tabs", "Don't use tabs", false},
	} {
		if got := Normal(c.a) == Normal(c.b); got != c.equal {
			t.Errorf("%q and %q: equal %v: %q, %q", c.a, c.b, got, Normal(c.a), Normal(c.b))
		}
	}
}

// BenchmarkRelated says how well related decisions are found: of each kind the
// share that is listed, of those listed the share that is of the right class, on
// pairs that were held out and on those that were not.
func BenchmarkRelated(b *testing.B) {
	all := pairs(b)
	for _, held := range []bool{true, false} {
		name := map[bool]string{true: "held", false: "tuned"}[held]
		b.Run(name, func(b *testing.B) {
			var c map[string]*tally
			for b.Loop() {
				c = count(all, held)
			}
			d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
			b.ReportMetric(d.share(), "duplicates-listed")
			b.ReportMetric(k.share(), "conflicts-listed")
			b.ReportMetric(u.share(), "unrelated-listed")
			b.ReportMetric(float64(d.listed+k.listed)/float64(max(1, d.listed+k.listed+u.listed)), "precision")
			b.ReportMetric(float64(d.right)/float64(max(1, d.listed)), "duplicates-right")
			b.ReportMetric(float64(k.right)/float64(max(1, k.listed)), "conflicts-right")
		})
	}
}

func TestPrefilterKeepsRelatedTexts(t *testing.T) {
	x := newLexicon()
	all := pairs(t)
	for _, p := range all {
		f := x.features(p.a)
		probe := f.probe()
		for _, q := range all {
			if _, ok := f.compare(x.features(q.b)); ok && probe.score(q.b) == 0 {
				t.Errorf("%q and %q are related", p.a, q.b)
			}
			if Normal(p.a) == Normal(q.b) && fingerprint(p.a) != fingerprint(q.b) {
				t.Errorf("%q and %q have different fingerprints", p.a, q.b)
			}
		}
	}
}
