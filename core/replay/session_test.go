package replay_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
)

// sessions loads the sessions recorded from a real pi.
func sessions(t testing.TB) map[string]*replay.Recording {
	t.Helper()
	files, err := filepath.Glob("../../testdata/sessions/*.jsonl")
	if err != nil || len(files) < 4 {
		t.Fatalf("there are %d sessions: %v", len(files), err)
	}
	all := make(map[string]*replay.Recording)
	for _, f := range files {
		s, err := pi.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if all[filepath.Base(f)], err = replay.Load(s.Tree, s.Line); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// policies are all there are, by their settings in a new configuration.
func policies() []replay.Policy {
	auto := replay.DefaultAuto()
	list := []replay.Policy{
		replay.None(), replay.Seed(replay.DefaultSeed()), replay.Kota(replay.DefaultKota()),
		replay.Cold(auto), replay.Auto(auto), replay.Inline(auto), replay.Pools(policy.SeedWindow()),
	}
	for _, name := range policy.SourceNames() {
		list = append(list, replay.Source(auto, name))
	}
	return list
}

func runAll(t testing.TB, r *replay.Recording, p replay.Policy) []replay.Run {
	t.Helper()
	runs, err := r.Run(context.Background(), p, token.Profiles(), replay.Options{Series: true, Pruned: true})
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func TestAPolicyThatPrunesNothingIsNone(t *testing.T) {
	idle := replay.Policy{Name: "none", Priced: true, Planner: &policy.Planner{
		Sources: policy.NewSeed(replay.DefaultSeed()).Sources,
		When:    func(*policy.Input, []*policy.Candidate) policy.Verdict { return policy.Verdict{} },
		Marker:  func(*policy.Input, policy.Candidate) string { return "" },
	}}
	for name, r := range sessions(t) {
		if r.Converted {
			t.Errorf("%s was recorded by pi", name)
		}
		none := runAll(t, r, replay.None())
		for i, n := range none {
			if n.Whole.Saved() != 0 || n.Bill <= 0 || n.WarmRewrites+n.ColdRewrites+n.FirstPrune+n.Edits+n.EditsMissing+n.CallsMissing != 0 {
				t.Errorf("%s: none prunes: %+v", name, n)
			}
			if n.Calls != r.Calls() || i == 0 && len(n.Series) != n.Calls || n.TokensSent != n.Read+n.Written {
				t.Errorf("%s: the sums do not fit: %+v", name, n)
			}
		}
		for _, stateless := range []bool{false, true} {
			none := runAll(t, r, replay.None())
			idle.Stateless = stateless
			got := runAll(t, r, idle)
			for i := range got {
				if got[i].Whole.Plain != none[i].Whole.Billed {
					t.Errorf("%s: plain pi costs %v beside a policy, %v alone", name, got[i].Whole.Plain, none[i].Whole.Billed)
				}
				// A session that is compacted is another with pictx: it writes the summaries.
				got[i].Whole, none[i].Whole = bill.Bill{}, bill.Bill{}
			}
			if !reflect.DeepEqual(got, none) {
				t.Errorf("%s: %+v is not %+v", name, got, none)
			}
		}
	}
}

// Holds prune 56.
func TestEveryPolicyOnRealSessions(t *testing.T) {
	pruned := make(map[string]int) // results, under the first prices
	for name, r := range sessions(t) {
		none := runAll(t, r, replay.None())
		for _, p := range policies() {
			runs := runAll(t, r, p)
			if again := runAll(t, r, p); !reflect.DeepEqual(runs, again) {
				t.Errorf("%s: %s differs from one time to the next", name, p.Name)
			}
			for i, n := range runs {
				pruned[p.Name] += len(n.Pruned)
				if p.Name != "pools" && (n.TokensSent > none[i].TokensSent || n.Peak > none[i].Peak) {
					t.Errorf("%s: %s sends more: %+v", name, p.Name, n)
				}
				if n.Whole.Billed < n.Bill || n.EditsMissing > n.Edits || i == 0 && (n.FirstPrune > 0) != (len(n.Pruned) > 0) {
					t.Errorf("%s: %s: %+v", name, p.Name, n)
				}
				if n.TokensSent != n.Read+n.Written {
					t.Errorf("%s: %s: the sums do not fit: %+v", name, p.Name, n)
				}
			}
		}
	}
	if pruned["none"] != 0 || pruned["seed"] == 0 || pruned["auto"] == 0 {
		t.Errorf("pruned: %v", pruned)
	}
}

// Holds prune 56.
func TestASourceAloneSavesNoMoreThanAllTogether(t *testing.T) {
	for name, r := range sessions(t) {
		all := runAll(t, r, replay.Auto(replay.DefaultAuto()))
		for _, p := range policies() {
			if !p.Priced || p.Name == "auto" || p.Name == "cold" || p.Name == "inline" {
				continue
			}
			// Without a cache whatever may go does at once.
			if one := runAll(t, r, p); one[4].TokensSent < all[4].TokensSent {
				t.Errorf("%s: with %s alone %v tokens are sent, with all %v", name, p.Name, one[4].TokensSent, all[4].TokensSent)
			}
		}
	}
}

// The sessions of testdata were recorded with a provider that reports what it read
// from a cache of the longest prefix.
func TestTheModelOfTheCacheAgreesWithWhatWasRecorded(t *testing.T) {
	prices, _ := token.Profile("openai")
	var calls, agree int
	for name, r := range sessions(t) {
		c := r.Check(prices)
		calls, agree = calls+c.Calls, agree+c.Agrees
		t.Logf("%s: %d calls, read %v of %v, recorded %v of %v, %d agree", name, c.Calls, c.Read, c.Prompt, c.RecordedRead, c.RecordedPrompt, c.Agrees)
	}
	if calls == 0 || 10*agree < 8*calls {
		t.Errorf("%d of %d calls agree", agree, calls)
	}
}

func TestARunEndsWhenItIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, r := range sessions(t) {
		if runs, err := r.Run(ctx, replay.None(), token.Profiles(), replay.Options{}); !errors.Is(err, context.Canceled) || runs != nil {
			t.Errorf("%s: %v, %v", name, runs, err)
		}
	}
}

// BenchmarkReplay replays the sessions recorded from a real pi under every
// policy, and says how many model calls that is each second.
func BenchmarkReplay(b *testing.B) {
	all := sessions(b)
	calls := 0
	for b.Loop() {
		for _, r := range all {
			for _, p := range policies()[:5] {
				runAll(b, r, p)
				calls += r.Calls()
			}
		}
	}
	b.ReportMetric(float64(calls*len(token.Profiles()))/b.Elapsed().Seconds(), "calls/s")
}
