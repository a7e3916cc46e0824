package bill

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Rate turns costs into money.
type Rate struct {
	// PerMillion is the price of a million tokens of plain input, in dollars.
	PerMillion float64 `json:"per_million"`
	// From says where the price is from: FromSession, FromSettings, or TableDate.
	From string `json:"from"`
}

// Where a price is from, if not from the table.
const (
	FromSession  = "session"
	FromSettings = "settings"
)

// Known reports whether there is a price.
func (r Rate) Known() bool { return r.PerMillion > 0 }

// Dollars returns a cost in plain input tokens as money.
func (r Rate) Dollars(cost float64) float64 { return cost * r.PerMillion / 1_000_000 }

// ModelPrice is what plain input of models costs.
type ModelPrice struct {
	// Model is how the ids of the models begin.
	Model string
	// Input is in dollars per million tokens.
	Input float64
}

// ParseModelPrice reads a price as settings have it: the start of a model's id, an equals
// sign, and dollars per million tokens of plain input, such as "claude-opus-4=5".
func ParseModelPrice(text string) (ModelPrice, bool) {
	name, price, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	input, err := strconv.ParseFloat(strings.TrimSpace(price), 64)
	if !ok || name == "" || err != nil || !(input > 0) || math.IsInf(input, 0) {
		return ModelPrice{}, false
	}
	return ModelPrice{name, input}, true
}

// ModelPrices reads a list of such prices, and leaves out what is none.
func ModelPrices(list []string) []ModelPrice {
	var out []ModelPrice
	for _, text := range list {
		if p, ok := ParseModelPrice(text); ok {
			out = append(out, p)
		}
	}
	return out
}

// TableDate is the day on which the prices of DefaultPrices were copied from pi's own
// list of models.
const TableDate = "2026-11-22"

// DefaultPrices are the prices of models for sessions that carry none of their own.
func DefaultPrices() []ModelPrice {
	return []ModelPrice{
		{"claude-opus-4-1", 15},
		{"claude-opus-4", 5},
		{"claude-opus-5-5", 4},
		{"claude-opus-5", 5},
		{"claude-sonnet-4", 3},
		{"claude-sonnet-5", 2},
		{"claude-haiku-4-5", 1},
		{"gpt-4.1", 2},
		{"gpt-5", 1.25},
		{"gpt-5-mini", 0.25},
		{"gpt-5.2", 1.75},
		{"gpt-5.3", 1.75},
		{"gpt-5.4", 2.5},
		{"gpt-5.5", 5},
		{"gpt-6-sol", 2},
		{"gemini-2.5-flash", 0.3},
		{"gemini-2.5-pro", 1.25},
		{"gemini-3.1-pro", 2},
		{"deepseek-v4-pro", 1.32},
		{"deepseek-flash", 0.3},
		{"glm-4.7", 0.6},
		{"glm-5", 1.4},
		{"kimi-k2", 0.95},
		{"kimi-k3", 3},
	}
}

// RateOf returns the price of a model: the entry of own whose name is the longest that
// the id begins with, else that of DefaultPrices. It is the zero Rate for a model that
// is in neither.
func RateOf(model string, own []ModelPrice) Rate {
	if p := longest(model, own); p > 0 {
		return Rate{p, FromSettings}
	}
	if p := longest(model, DefaultPrices()); p > 0 {
		return Rate{p, TableDate}
	}
	return Rate{}
}

// longest returns the price of the entry with the longest name that the id of a model
// begins with, 0 for none. Providers put their names before a slash.
func longest(model string, prices []ModelPrice) float64 {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	best := ModelPrice{}
	for _, p := range prices {
		if strings.HasPrefix(model, p.Model) && len(p.Model) > len(best.Model) {
			best = p
		}
	}
	return best.Input
}

// CacheTime is how long a provider keeps a prompt, by what pi says of its model: JSON with
// seconds for the short and the long retention. Without a usable time it is 0.
func CacheTime(promptCache []byte, long bool) time.Duration {
	const week = 7 * 24 * 3600
	var c struct {
		Short float64 `json:"short"`
		Long  float64 `json:"long"`
	}
	if json.Unmarshal(promptCache, &c) != nil {
		return 0
	}
	seconds := c.Short
	if long && c.Long > 0 {
		seconds = c.Long
	}
	if seconds <= 0 || seconds > week {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}
