package token

import (
	"slices"
	"testing"
	"time"
)

// The rule is that of pi-ai 1.6.0: at the prices of Claude Opus 5.5 a refresh between runs is
// worth it from 96K tokens on.
func TestPiRefreshesTheCacheWhereItSavesFiveCents(t *testing.T) {
	opus, fable := world("today"), world("fable")
	for name, c := range map[string]struct {
		p       Prices
		prompt  Count
		idle    time.Duration
		running bool
		want    int
	}{
		"too small":                 {opus.Prices, 95_000, time.Hour, false, 0},
		"large enough":              {opus.Prices, 97_000, time.Hour, false, 6},
		"back before the first":     {opus.Prices, 97_000, 4 * time.Minute, false, 0},
		"one":                       {opus.Prices, 97_000, 5 * time.Minute, false, 1},
		"while the agent works":     {opus.Prices, 20_000, 2 * time.Hour, true, 13},
		"a cheaper cache":           {fable.Prices, 40_000, 10 * time.Minute, false, 2},
		"a cache that nobody warms": {Prices{Input: 4, Priced: true, Read: 0.05, Write: 1.25, TTL: 5 * time.Minute}, 500_000, time.Hour, false, 0},
	} {
		if n, every := c.p.Refreshes(c.prompt, c.idle, c.running); n != c.want || every != 270*time.Second {
			t.Errorf("%s: %d, every %v, want %d", name, n, every, c.want)
		}
	}
}

func TestARequestAboveATierCostsMoreAsAWhole(t *testing.T) {
	w := world("haiku-5.5")
	below, above := NewCache(w.Prices), NewCache(w.Prices)
	a, b := below.Call(Prompt{Floor: 1000, Tokens: 99_000}), above.Call(Prompt{Floor: 1000, Tokens: 99_001})
	if a.Cost != 1.25*100_000 || b.Cost != 5*1.25*100_001 {
		t.Errorf("%v, %v", a.Cost, b.Cost)
	}
}

func TestEveryWorldHasANameADateAndPrices(t *testing.T) {
	for _, w := range Worlds() {
		found := world(w.Name)
		if _, err := time.Parse(time.DateOnly, w.Date); err != nil || w.Name == "" || found.About != w.About || !w.Priced || !w.Caches() || w.TTL == 0 {
			t.Errorf("%+v", w)
		}
	}
}

func TestWhatIsAboutToExpireIsNotReliedOn(t *testing.T) {
	p, _ := Profile("anthropic-5m")
	c := NewCache(p)
	call(c, 0, 500, 0, 10)
	for after, safe := range map[time.Duration]Count{4 * time.Minute: 1500, 4*time.Minute + 20*time.Second: 0, 6 * time.Minute: 0} {
		next := Prompt{Time: after.Milliseconds(), Floor: 1000, Tokens: 600, Same: 500, Blocks: 12}
		if got := c.PeekSafely(next).Read; got != safe {
			t.Errorf("after %v: %v read, want %v", after, got, safe)
		}
	}
}

// world returns the price world of that name.
func world(name string) World {
	all := Worlds()
	return all[slices.IndexFunc(all, func(w World) bool { return w.Name == name })]
}
