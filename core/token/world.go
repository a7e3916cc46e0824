package token

import "time"

// World is a set of prices under which sessions can be compared, whatever models answered in
// them.
type World struct {
	Prices
	// Date is since when there are such prices; About says whose they are.
	Date, About string
}

// Worlds returns the price worlds.
func Worlds() []World {
	const (
		short    = 5 * time.Minute
		openai   = 272_000
		haiku    = 100_000
		claude55 = "2026-11-09"
		gpt62    = "2026-11-20"
	)
	world := func(name, date, about string, p Prices) World {
		p.Name, p.Priced = name, true
		return World{p, date, about}
	}
	opus := Prices{Input: 4, Read: 0.05, Write: 1.25, Output: 5, TTL: short, Binds: true}
	warm := opus
	warm.Warm = true
	gpt := Prices{Input: 2, Read: 0.05, Write: 1.25, Output: 5, TTL: short, Prefix: true, Binds: true, Tiers: []Tier{{openai, 2}}}
	long := gpt
	long.TTL = 30 * time.Minute
	return []World{
		world("today", claude55, "Claude Opus 5.5, kept warm by pi", warm),
		world("today-cold", claude55, "Claude Opus 5.5, never kept warm", opus),
		world("2026-03", "2026-03-01", "Claude Opus 4.6, never kept warm",
			Prices{Input: 5, Read: 0.1, Write: 1.25, Output: 5, TTL: short}),
		world("fable", claude55, "Claude Fable 5.2, kept warm by pi",
			Prices{Input: 8, Read: 0.025, Write: 1.25, Output: 5, TTL: short, Warm: true, Binds: true}),
		world("openai-6", gpt62, "GPT-6.2 Sol, if its cache lives 5 minutes", gpt),
		world("openai-6-30m", gpt62, "GPT-6.2 Sol, if its cache lives 30 minutes", long),
		world("haiku-5.5", claude55, "Claude Haiku 5.5, five times the price above 100K tokens of input",
			Prices{Input: 0.1, Read: 0.1, Write: 1.25, Output: 5, TTL: short, Warm: true, Binds: true, Tiers: []Tier{{haiku, 5}}}),
		world("deepseek", gpt62, "DeepSeek Flash, whose cache lives an hour",
			Prices{Input: 0.3, Read: 0.02, Write: 1, Output: 4, TTL: time.Hour, Prefix: true}),
	}
}

// Profiles returns prices by the names that tests use.
func Profiles() []Prices {
	return []Prices{
		{Name: "anthropic-5m", Read: 0.1, Write: 1.25, TTL: 5 * time.Minute, Output: 5},
		{Name: "anthropic-1h", Read: 0.1, Write: 2, TTL: time.Hour, Output: 5},
		{Name: "openai", Read: 0.1, Write: 1, TTL: 5 * time.Minute, Prefix: true, Output: 8},
		{Name: "deepseek", Read: 0.02, Write: 1, TTL: time.Hour, Prefix: true, Output: 3},
		{Name: "none", Read: 1, Write: 1},
	}
}

// Profile returns the prices of that name.
func Profile(name string) (Prices, bool) {
	for _, p := range Profiles() {
		if p.Name == name {
			return p, true
		}
	}
	return Prices{}, false
}
