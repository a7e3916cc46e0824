package token

import "time"

// What pi's rule for keeping a prompt cache warm is made of (pi-ai, cache-warming): it
// refreshes the cache shortly before it expires, as long as the miss that this is expected
// to avoid costs so much more than the refresh.
const (
	warmLife        = 0.9              // share of the time to live after which it refreshes,
	warmMargin      = 10 * time.Second // but at least that long before the end
	warmIdleChance  = 0.15             // that a session goes on after a run
	warmIdleTime    = 30 * time.Minute // after the last request of a run
	warmRunningTime = time.Hour        // after a request whose run goes on
)

// WarmSavings is how many dollars a refresh must be expected to save.
const WarmSavings = 0.05

// Refreshes returns how often pi refreshes the cache of a prompt between two requests, and
// how long after the first one the first refresh comes, and each further one after the one
// before. running is set while the agent works between them.
func (p *Prices) Refreshes(prompt Count, idle time.Duration, running bool) (n int, every time.Duration) {
	every = min(time.Duration(warmLife*float64(p.TTL)), p.TTL-warmMargin)
	chance, most := warmIdleChance, warmIdleTime
	if running {
		chance, most = 1, warmRunningTime
	}
	if !p.Warm || !p.Priced || every <= 0 {
		return 0, every
	}
	size := p.TimesAt(prompt) * float64(prompt)
	refresh := p.Read*size + p.OutputPrice()
	if p.Dollars(chance*(p.Write-p.Read)*size-refresh) < WarmSavings {
		return 0, every
	}
	n = int(min(idle-1, most) / every)
	return max(0, n), every
}

// RefreshCost is what a refresh of a prompt costs, in units of one uncached input token.
func (p *Prices) RefreshCost(prompt Count) float64 {
	return p.TimesAt(prompt) * (p.Read*float64(prompt) + p.OutputPrice())
}
