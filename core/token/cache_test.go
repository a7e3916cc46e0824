package token

import (
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// call is a prompt of a conversation that was only added to, unless same says so.
func call(c *Cache, at time.Duration, tokens, same Count, blocks int) Bill {
	return c.Call(Prompt{Time: at.Milliseconds(), Floor: 1000, Tokens: tokens, Same: same, Blocks: blocks})
}

func TestACacheIsReadUpToTheLastBreakpointThatStillHolds(t *testing.T) {
	p, _ := Profile("anthropic-5m")
	for name, c := range map[string]struct {
		at           time.Duration
		tokens, same Count
		blocks       int
		read         Count
	}{
		"added to":                            {time.Minute, 600, 500, 12, 1500},
		"nothing new":                         {time.Minute, 500, 500, 10, 1500},
		"changed in the middle":               {time.Minute, 600, 300, 12, 1000},
		"many new blocks":                     {time.Minute, 900, 500, 31, 1000},
		"as many as are looked back over":     {time.Minute, 900, 500, 30, 1500},
		"long ago":                            {6 * time.Minute, 600, 500, 12, 0},
		"just in time":                        {5 * time.Minute, 600, 500, 12, 1500},
		"longer than what was there, changed": {time.Minute, 600, 499, 12, 1000},
	} {
		cache := NewCache(p)
		first := call(cache, 0, 500, 0, 10)
		if first.Read != 0 || first.Written != 1500 || first.Cost != 1500*1.25 {
			t.Fatalf("first call %+v", first)
		}
		got := call(cache, c.at, c.tokens, c.same, c.blocks)
		if want := c.tokens + 1000; got.Read != c.read || got.Read+got.Written != want {
			t.Errorf("%s: %+v, want %d read of %d", name, got, c.read, want)
		}
	}
}

func TestAnOlderBreakpointIsFoundBehindAChange(t *testing.T) {
	p, _ := Profile("anthropic-5m")
	c := NewCache(p)
	call(c, 0, 500, 0, 10)
	call(c, time.Minute, 800, 500, 15)
	if got := call(c, 2*time.Minute, 700, 600, 16); got.Read != 1500 {
		t.Errorf("%+v", got)
	}
}

func TestPrefixCachesReadWhatIsTheSame(t *testing.T) {
	p, _ := Profile("openai")
	c := NewCache(p)
	call(c, 0, 500, 0, 10)
	if got := call(c, time.Minute, 600, 300, 12); got.Read != 1300 || got.Written != 300 || got.Cost != 130+300 {
		t.Errorf("changed in the middle: %+v", got)
	}
	if got := call(c, 10*time.Minute, 700, 600, 14); got.Read != 0 {
		t.Errorf("after a long time: %+v", got)
	}
}

func TestAnotherModelOrFloorStartsWithAnEmptyCache(t *testing.T) {
	p, _ := Profile("anthropic-1h")
	c := NewCache(p)
	call(c, 0, 500, 0, 10)
	if got := c.Call(Prompt{Time: 1, Floor: 1000, Tokens: 500, Same: 500, Blocks: 10, New: true}); got.Read != 0 {
		t.Errorf("another model: %+v", got)
	}
	if got := c.Call(Prompt{Time: 2, Floor: 1100, Tokens: 500, Same: 500, Blocks: 10}); got.Read != 0 {
		t.Errorf("another floor: %+v", got)
	}
}

func TestATouchKeepsTheCacheInUse(t *testing.T) {
	p, _ := Profile("anthropic-5m")
	c := NewCache(p)
	call(c, 0, 500, 0, 10)
	c.Touch((4 * time.Minute).Milliseconds())
	if got := call(c, 8*time.Minute, 600, 500, 12); got.Read != 1500 {
		t.Errorf("touched in time: %+v", got)
	}
	c.Touch((20 * time.Minute).Milliseconds())
	if got := call(c, 21*time.Minute, 700, 600, 14); got.Read != 0 {
		t.Errorf("touched too late: %+v", got)
	}
}

func TestWithoutACacheEverythingCostsTheSame(t *testing.T) {
	p, _ := Profile("none")
	c := NewCache(p)
	call(c, 0, 500, 0, 10)
	if got := call(c, 10*time.Hour, 600, 100, 12); got.Cost != 1600 {
		t.Errorf("%+v", got)
	}
	if p.Caches() || p.Cold(100*time.Hour) {
		t.Error("it caches, or gets cold")
	}
}

// Holds prune 38.
func TestColdIsTheTimeToLiveAndAMargin(t *testing.T) {
	p, _ := Profile("anthropic-5m")
	for idle, want := range map[time.Duration]bool{0: false, 5 * time.Minute: false, 5*time.Minute + 40*time.Second: false, 6 * time.Minute: true} {
		must.Equal(t, p.Cold(idle), want, "%v: %v", idle, !want)
	}
	if _, ok := Profile("nobody"); ok {
		t.Error("there is a profile of nobody")
	}
}
