package likeness

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// pair is two decisions with their relation.
type pair struct {
	held        bool
	label, a, b string
}

// pairs reads labelled pairs: those that the comparison was developed with, and held-out
// ones, some of which have been looked at since.
func pairs(t testing.TB, names ...string) []pair {
	t.Helper()
	out := labelled(t, names...)
	if len(out) < 60 {
		t.Fatalf("%d pairs", len(out))
	}
	return out
}

// labelled reads the labelled pairs of files.
func labelled(t testing.TB, names ...string) []pair {
	t.Helper()
	var out []pair
	for _, name := range names {
		b, err := os.ReadFile("testdata/" + name + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			switch len(f) {
			case 4:
				out = append(out, pair{f[0] == "held", f[1], f[2], f[3]})
			case 3:
				out = append(out, pair{strings.HasSuffix(name, "heldout"), f[0], f[1], f[2]})
			}
		}
	}
	return out
}

// compareTexts reports whether two texts are related, and how.
func compareTexts(a, b string) (Likeness, bool) {
	f := New(a)
	return f.Compare(b)
}

// tally counts the pairs, those listed, and those listed with the right class.
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
	all := pairs(t, "pairs")
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

// Holds decisions 65.
func TestPairsWrittenWithoutTheComparisonAreTold(t *testing.T) {
	c := map[string]*tally{"duplicate": {}, "conflict": {}, "unrelated": {}}
	for _, held := range []bool{false, true} {
		for label, n := range count(pairs(t, "compare-dev", "compare-heldout", "compare-teams", "compare-blind"), held) {
			c[label].n, c[label].listed, c[label].right = c[label].n+n.n, c[label].listed+n.listed, c[label].right+n.right
		}
	}
	d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
	if d.share() < 0.9 || k.share() < 0.85 || u.share() > 0.05 {
		t.Errorf("listed %d of %d duplicates, %d of %d conflicts, %d of %d unrelated", d.listed, d.n, k.listed, k.n, u.listed, u.n)
	}
	if d.right < d.listed*8/10 || k.right < k.listed*8/10 {
		t.Errorf("of those listed, the class is right for %d of %d duplicates and %d of %d conflicts", d.right, d.listed, k.right, k.listed)
	}
}

// At their first measurement, 9 of 10 duplicates, 7 of 10 conflicts and 2 of 10 unrelated
// pairs were listed, with the right class for 6 duplicates and 7 conflicts. Expect these
// figures for other texts: three causes were fixed since. The pairs that are missed share
// too few words.
func TestPairsThatNothingWasChosenByAreToldAsWellAsWhenTheyWereWritten(t *testing.T) {
	c := count(labelled(t, "fresh"), false)
	d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
	if d.n != 10 || k.n != 10 || u.n != 10 {
		t.Fatalf("%d duplicates, %d conflicts, %d unrelated", d.n, k.n, u.n)
	}
	if d.listed < 9 || k.listed < 7 || u.listed > 1 || d.right < 8 || k.right < 7 {
		t.Errorf("listed %d of %d duplicates, %d of %d conflicts, %d of %d unrelated; %d and %d of the right class", d.listed, d.n, k.listed, k.n, u.listed, u.n, d.right, k.right)
	}
}

// At their first measurement, 10 of 20 duplicates, 13 of 20 conflicts and none of 20
// unrelated pairs were listed. The causes of the misses on every other line were studied
// since. Of the lines that were left alone, 7 of 10 duplicates were listed at first and 9
// now; conflicts stayed at 6 of 10. The missed pairs say the same in entirely different
// words.
func TestImaginedPairsOfTeamsAreToldAsWellAsBefore(t *testing.T) {
	c := count(labelled(t, "imagined"), false)
	d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
	if d.n != 20 || k.n != 20 || u.n != 20 {
		t.Fatalf("%d duplicates, %d conflicts, %d unrelated", d.n, k.n, u.n)
	}
	if d.listed < 17 || k.listed < 14 || u.listed > 0 || d.right < 15 || k.right < 13 {
		t.Errorf("listed %d of %d duplicates, %d of %d conflicts, %d of %d unrelated; %d and %d of the right class", d.listed, d.n, k.listed, k.n, u.listed, u.n, d.right, k.right)
	}
}

// These pairs were written, in two lots, after the comparison was finished, and led to no
// change. Expect these figures for other texts: 18 of 20 duplicates, 14 of 20 conflicts and
// no unrelated pair. Missed conflicts name two things of one kind in words that the tables
// do not connect, such as a disk and a service.
func TestTheLastPairsAreToldAsWellAsWhenTheyWereMeasured(t *testing.T) {
	for lot, duplicates := range map[string]int{"last": 8, "later": 10} {
		c := count(labelled(t, lot), false)
		d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
		if d.n != 10 || k.n != 10 || u.n != 10 {
			t.Fatalf("%s: %d duplicates, %d conflicts, %d unrelated", lot, d.n, k.n, u.n)
		}
		if d.listed < duplicates || k.listed < 7 || u.listed > 0 {
			t.Errorf("%s: listed %d of %d duplicates, %d of %d conflicts, %d of %d unrelated", lot, d.listed, d.n, k.listed, k.n, u.listed, u.n)
		}
	}
}

// At their first measurement, before any change was based on them, 20 of 20 duplicates, 16
// of 20 conflicts and 1 of 20 unrelated pairs were listed of the half to learn from, and
// 16, 17 and 3 of the other half.
func TestPairsInManyVoicesAreToldAsWellAsWhenTheyWereWritten(t *testing.T) {
	for _, half := range []struct {
		name                             string
		from                             int
		duplicates, conflicts, unrelated int
	}{{"to learn from", 0, 20, 20, 0}, {"to report", 1, 16, 17, 1}} {
		c := count(everyOther(labelled(t, "voices"), half.from), false)
		d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
		if d.n != 20 || k.n != 20 || u.n != 20 {
			t.Fatalf("%s: %d duplicates, %d conflicts, %d unrelated", half.name, d.n, k.n, u.n)
		}
		if d.listed < half.duplicates || k.listed < half.conflicts || u.listed > half.unrelated {
			t.Errorf("%s: listed %d of %d duplicates, %d of %d conflicts, %d of %d unrelated", half.name, d.listed, d.n, k.listed, k.n, u.listed, u.n)
		}
	}
}

// These pairs were measured once. Expect their figures for other texts: 15 of 15
// duplicates, 9 of 15 conflicts and no unrelated pair. Missed conflicts share one common
// word, or name two ways that the tables do not connect to one job.
func TestTheNewestPairsAreToldAsWellAsWhenTheyWereMeasured(t *testing.T) {
	c := count(labelled(t, "newest"), false)
	d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
	if d.n != 15 || k.n != 15 || u.n != 10 {
		t.Fatalf("%d duplicates, %d conflicts, %d unrelated", d.n, k.n, u.n)
	}
	if d.listed < 15 || k.listed < 9 || u.listed > 0 {
		t.Errorf("listed %d of %d duplicates, %d of %d conflicts, %d of %d unrelated", d.listed, d.n, k.listed, k.n, u.listed, u.n)
	}
}

// These pairs influenced nothing, so their figures are to be expected for other texts. Those
// of trades and final were written without knowledge of the comparison. Missed conflicts express the exclusion
// in words that have nothing in common. Frames such as "kept in", "read from" and "called"
// were tried: they listed 12 more conflicts of the first set, half of which they were
// derived from, and none of the second.
//
// Fitted weights were tried too: a logistic regression and boosted trees over 60 properties
// of the alignment, fitted to all sets but the one that is measured. Where they listed 5 %
// of all unrelated pairs, they listed 61 and 59 % of the conflicts of trades, final and
// newest; the thresholds here list 51 % with 2 % of all unrelated pairs, and 59 % with 4 %
// when all are lowered by a tenth. What is missing is the meaning of words.
//
// Vectors of words did not supply it. GloVe (6B tokens, 100 dimensions) was put to the same
// texts: the best match of each word in the other text, by cosine, and the weighted mean of
// the words, both for all words and for those that the alignment leaves over. A logistic
// regression, fitted to all sets but the one that is measured, with a threshold that listed
// 5 % of the unrelated pairs of the others, listed 59 % of the conflicts and 4 % of the
// unrelated pairs of trades, final, newest and unseen from the properties of the alignment;
// with those of the vectors 63 and 5 %, and at most 53 % from the vectors alone where they
// listed 5 %. The area under the curve of conflicts against unrelated pairs stayed at 0.89,
// and 90 % of resampled sets put the gain between -5 and 12 points. Boosted trees and
// random forests did no better. Such vectors bring together what occurs in the same
// company: what excludes each other, and just as well two aspects of one subject.
func TestPairsThatNothingWasChosenByAreToldAsWellAsWhenTheyWereMeasured(t *testing.T) {
	for set, want := range map[string]struct{ duplicates, ofDuplicates, conflicts, ofConflicts, unrelated, ofUnrelated int }{
		"trades": {14, 18, 21, 40, 0, 34},
		"final":  {8, 10, 6, 15, 1, 15},
		"unseen": {15, 20, 13, 20, 2, 20},
	} {
		c := count(labelled(t, set), false)
		d, k, u := c["duplicate"], c["conflict"], c["unrelated"]
		if d.n != want.ofDuplicates || k.n != want.ofConflicts || u.n != want.ofUnrelated {
			t.Fatalf("%s: %d duplicates, %d conflicts, %d unrelated", set, d.n, k.n, u.n)
		}
		if d.listed < want.duplicates || k.listed < want.conflicts || u.listed > want.unrelated {
			t.Errorf("%s: listed %d of %d duplicates, %d of %d conflicts, %d of %d unrelated", set, d.listed, d.n, k.listed, k.n, u.listed, u.n)
		}
	}
}

// A new decision is compared with every one that is recorded. What is listed here names one
// subject, since the sets have many in common, or shares a common word.
func TestAtMostOneOfTwoHundredOtherDecisionsIsListed(t *testing.T) {
	others := labelled(t, "pairs", "voices", "imagined", "practice", "compare-dev", "compare-blind")
	n, listed := 0, 0
	for i, p := range labelled(t, "trades", "final", "newest", "unseen") {
		one := New(p.a)
		for k := i % 4; k < len(others); k += 8 {
			n++
			if _, ok := one.Compare(others[k].a); ok {
				listed++
			}
		}
	}
	if n < 10_000 || 200*listed > n {
		t.Errorf("%d of %d are listed", listed, n)
	} else {
		t.Logf("%d of %d are listed", listed, n)
	}
}

// A model judges what is closest better than Compare, which has only the words. Nothing was
// chosen by these pairs.
func TestAContradictionIsAmongTheFiveClosestOfAHundredTexts(t *testing.T) {
	others := labelled(t, "pairs", "voices", "imagined", "practice", "compare-dev", "compare-blind")
	found := amongClosest(t, func(i int) []string {
		var log []string
		for n := 0; len(log) < 100; n++ {
			if b := others[(i*37+n*7)%len(others)].b; !slices.Contains(log, b) {
				log = append(log, b)
			}
		}
		return log
	})
	if found["duplicate"] < 0.9 || found["conflict"] < 0.9 {
		t.Errorf("found of duplicates and conflicts: %v", found)
	}
}

// In a log of hundreds of decisions, many share common words with a new one, and rare words
// tell more.
func TestAContradictionIsAmongTheFiveClosestOfSixHundredTexts(t *testing.T) {
	var log []string
	for _, p := range labelled(t, "pairs", "voices", "imagined", "practice", "compare-dev", "compare-blind") {
		log = append(log, p.b)
	}
	slices.Sort(log)
	log = slices.Compact(log)
	found := amongClosest(t, func(int) []string { return log })
	if len(log) < 600 || found["duplicate"] < 0.95 || found["conflict"] < 0.85 {
		t.Errorf("%d texts; found of duplicates and conflicts: %v", len(log), found)
	}
}

// amongClosest returns the shares of duplicates and conflicts of which one text is among the
// five texts closest to the other, next to the texts of a log.
func amongClosest(t *testing.T, log func(i int) []string) map[string]float64 {
	t.Helper()
	found, all := map[string]float64{}, map[string]float64{}
	for i, p := range labelled(t, "trades", "final", "newest", "unseen") {
		texts := log(i)
		for _, sides := range [][2]string{{p.a, p.b}, {p.b, p.a}} {
			if p.label == "unrelated" {
				continue
			}
			all[p.label]++
			if slices.Contains(New(sides[0]).Closest(slices.All(append(slices.Clip(texts), sides[1])), 5), len(texts)) {
				found[p.label]++
			}
		}
	}
	for label, n := range found {
		t.Logf("%s: %.0f of %.0f are found", label, n, all[label])
		found[label] = n / all[label]
	}
	return found
}

// everyOther returns every other pair.
func everyOther(all []pair, from int) []pair {
	var out []pair
	for i := from; i < len(all); i += 2 {
		out = append(out, all[i])
	}
	return out
}
