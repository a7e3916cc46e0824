package likeness

import (
	"fmt"
	"slices"
	"testing"
)

// The class of a pair is useful only with a reason.
func TestEveryVerdictOnAPairHasAReadableReason(t *testing.T) {
	for _, p := range []struct{ a, b, why string }{
		{"REST for communication between services", "Services talk to each other over gRPC", "rest and grpc do the same job"},
		{"Access tokens live 15 minutes", "Access tokens are valid for one hour", "the numbers differ: 15 minutes and one hour"},
		{"Doc comments are required", "Doc comments are not needed", "one leaves open what the other asks for"},
		{"Never commit generated code", "Generated code is committed", "one denies what the other says"},
		{"Prefer tabs over spaces", "Prefer spaces over tabs", "one decides against spaces, which the other takes"},
		{"Node version > 18", "Node version < 18", "the signs differ: > and <"},
		{"Use optimistic locking for orders", "Orders are locked with pessimistic locks", "optimistic and pessimistic are opposites"},
		{"Show a skeleton while data loads", "Show the skeleton while data loads", "both say show, skeleton, while, data"},
	} {
		if l, ok := compareTexts(p.a, p.b); !ok || l.Why != p.why {
			t.Errorf("related %v, %q, want %q:\n  %s\n  %s", ok, l.Why, p.why, p.a, p.b)
		}
	}
}

// A reason may name anything, and a text that gives one says no more than the same text without it.
func TestReasonsOfADecisionDoNotChangeWhatItIsLike(t *testing.T) {
	for _, p := range [][2]string{
		{"Use UUIDs for primary keys to avoid enumeration", "Primary keys are UUIDs"},
		{"We use pnpm because nobody wants to wait 10 minutes for npm", "Use pnpm for packages"},
		{"Because Redis is fast, cache sessions for one hour", "Sessions are cached for 60 minutes"},
	} {
		if l, ok := compareTexts(p[0], p[1]); !ok || l.Class == Conflict {
			t.Errorf("related %v, %+v: %q and %q", ok, l, p[0], p[1])
		}
	}
}

// A statement about one thing does not contradict a statement about another.
func TestTheSameOfAnotherSubjectIsNoContradiction(t *testing.T) {
	for _, p := range [][2]string{
		{"The billing service is written in Go", "The recommendation service is written in Python"},
		{"Timeouts for HTTP clients are 5 seconds", "Timeouts for CI jobs are 30 minutes"},
		{"React for the customer portal", "Vue for the internal admin tool"},
		{"Dashboards are reviewed once a quarter", "Access rights are reviewed once a quarter"},
	} {
		if l, ok := compareTexts(p[0], p[1]); ok {
			t.Errorf("%+v: %q and %q", l, p[0], p[1])
		}
	}
}

func TestTimesOfDayAreCompared(t *testing.T) {
	for _, p := range []struct {
		b    string
		want Class
	}{{"Batch jobs run at 2 am", Duplicate}, {"Batch jobs run at 14:00", Conflict}, {"Batch jobs run at 2pm", Conflict}} {
		if l, ok := compareTexts("Run the batch jobs at 02:00", p.b); !ok || l.Class != p.want {
			t.Errorf("related %v, %+v: %q", ok, l, p.b)
		}
	}
}

func TestASharedPhraseAloneDoesNotRelateTexts(t *testing.T) {
	for _, p := range []struct {
		a, b    string
		related bool
	}{
		{"Production alerts must link to a runbook", "Each alert that pages someone has a runbook attached", true},
		{"Invoices are archived by the billing worker", "The billing service puts each invoice of a customer into the archive", true},
		{"Feature flags must have an owner named in the registry", "Feature flags disappear with the experiment behind them", false},
		{"Store all timestamps in UTC", "Store all uploaded images in S3", false},
	} {
		if l, ok := compareTexts(p.a, p.b); ok != p.related {
			t.Errorf("related %v, %+v:\n  %s\n  %s", ok, l, p.a, p.b)
		}
	}
}

func TestSchedulesDenialsAndContrastsTellHowTextsStandToEachOther(t *testing.T) {
	for _, p := range []struct {
		a, b string
		want Class
	}{
		{"Rotate the signing keys every two weeks", "Signing keys are rotated monthly", Conflict},
		{"Rotate the signing keys weekly", "Signing keys are rotated every seven days", Duplicate},
		{"Every migration needs a rollback script", "Migrations without a rollback are not accepted", Duplicate},
		{"Keep server state in SWR, not in Redux", "Server state is kept in SWR rather than the Redux store", Duplicate},
		{"Uploads larger than 20 MB are rejected", "The server refuses uploads of more than 20 MB", Duplicate},
		{"Uploads larger than 20 MB are rejected", "Uploads larger than 20 MB are allowed", Conflict},
		{"Ask for camera permission only when the scanner is opened", "Request camera permission when a user opens the scanner, not at launch", Duplicate},
	} {
		if l, ok := compareTexts(p.a, p.b); !ok || l.Class != p.want {
			t.Errorf("related %v, %+v, want %s:\n  %s\n  %s", ok, l, p.want, p.a, p.b)
		}
	}
}

// A rule and its opposite often differ in one sign, one number or one word.
func TestADifferenceInOneSignIsAContradiction(t *testing.T) {
	for _, p := range [][2]string{
		{"Use C++", "Use C#"},
		{"Offset is -1", "Offset is 1"},
		{"Cost limit $5", "Cost limit €5"},
		{"use >= 3", "use <= 3"},
		{"Fail when a != b", "Fail when a == b"},
		{"A -> B", "A <- B"},
		{"Set the flag !strict", "Set the flag strict"},
		{"Import *.ts", "Import .ts"},
		{"Keep logs for 2 weeks", "Keep logs for 15 days"},
		{"Prefer tabs over spaces", "Prefer spaces over tabs"},
		{"Failed calls get up to 3 retries", "Failed calls are never retried"},
		{"Client state is kept in Zustand", "Use Redux for client state"},
		{"One approval is enough to merge", "Every pull request needs two approvals before it is merged"},
		{"Keep all services in one repository", "Each service has its own repository"},
		{"Images are built for amd64 only", "Build images for both amd64 and arm64"},
		{"Rotate API keys every 90 days", "API keys are rotated once a year"},
		{"Use a monorepo", "Split the code into one repository per team"},
		{"Each service owns its database", "All services share a database"},
	} {
		if r, ok := compareTexts(p[0], p[1]); !ok || r.Class != Conflict {
			t.Errorf("%q and %q: %v %s", p[0], p[1], ok, r.Class)
		}
	}
	for _, p := range [][2]string{
		{"Keep logs for 2 weeks", "Keep logs for 14 days"},
		{"Log in before paying", "Paying comes after the login"},
		{"Cache pages for 60 seconds", "Cache pages for one minute"},
		{"Avoid raw SQL outside the store", "Raw SQL is only allowed in the store"},
		{"Every pull request needs two approvals before it is merged", "Don't merge a PR until two people have approved it"},
		{"We use pnpm as the package manager", "Dependencies are installed with pnpm"},
		{"Queries are killed after 30 seconds", "Kill queries after half a minute"},
		{"Jobs run as a non-root user", "No job may run as root user"},
		{"Tokens must never be written to disk", "Write tokens to memory only"},
	} {
		if r, ok := compareTexts(p[0], p[1]); !ok || r.Class != Duplicate {
			t.Errorf("%q and %q: %v %s", p[0], p[1], ok, r.Class)
		}
	}
}

func TestPairsOfManyAreThoseThatComparingFinds(t *testing.T) {
	var texts []string
	for _, p := range pairs(t, "compare-dev") {
		if !slices.Contains(texts, p.a) {
			texts = append(texts, p.a)
		}
	}
	want := 0
	x := newLexicon()
	for i := range texts {
		for j := range i {
			if _, ok := x.features(texts[j]).compare(x.features(texts[i])); ok {
				want++
			}
		}
	}
	if got := Pairs(texts, func(int) bool { return true }); len(got) < want*9/10 || len(got) > want {
		t.Errorf("%d pairs, %d by comparing each with each", len(got), want)
	}
	last := len(texts) - 1
	for _, p := range Pairs(append(texts, texts[0]), func(i int) bool { return i == last+1 }) {
		if p.B != last+1 {
			t.Errorf("neither of %+v is new", p)
		}
	}
}

func TestRelationIsSymmetric(t *testing.T) {
	for _, p := range pairs(t, "pairs", "compare-dev", "compare-heldout") {
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
	} {
		if got := Normal(c.a) == Normal(c.b); got != c.equal {
			t.Errorf("%q and %q: equal %v: %q, %q", c.a, c.b, got, Normal(c.a), Normal(c.b))
		}
	}
}

// BenchmarkRelated measures how well related decisions are found: the share of each kind
// that is listed and, of those, the share with the right class. It reports held-out pairs
// and the others separately.
func BenchmarkRelated(b *testing.B) {
	all := pairs(b, "pairs", "compare-dev", "compare-heldout")
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
	all := pairs(t, "pairs", "compare-dev")
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
