package bill

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Rate converts costs into money.
type Rate struct {
	// PerMillion is the price of a million uncached input tokens, in dollars.
	PerMillion float64 `json:"per_million"`
	// From is the origin of the price: FromSession, FromSettings, or TableDate.
	From string `json:"from"`
}

// The origins of a price other than the table.
const (
	FromSession  = "session"
	FromSettings = "settings"
)

// Known reports whether there is a price.
func (r Rate) Known() bool { return r.PerMillion > 0 }

// Dollars converts a cost in units of one uncached input token.
func (r Rate) Dollars(cost float64) float64 { return cost * r.PerMillion / 1_000_000 }

// ModelPrice is the price of uncached input of some models.
type ModelPrice struct {
	// Model is a prefix of their ids.
	Model string
	// Input is in dollars per million tokens.
	Input float64
}

// ParseModelPrice parses a price in the form of the settings: a prefix of model ids, an
// equals sign, and dollars per million tokens, such as "claude-opus-4=5".
func ParseModelPrice(text string) (ModelPrice, bool) {
	name, price, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	input, err := strconv.ParseFloat(strings.TrimSpace(price), 64)
	if !ok || name == "" || err != nil || !(input > 0) || math.IsInf(input, 0) {
		return ModelPrice{}, false
	}
	return ModelPrice{name, input}, true
}

// ModelPrices parses a list of prices and skips invalid ones.
func ModelPrices(list []string) []ModelPrice {
	var out []ModelPrice
	for _, text := range list {
		if p, ok := ParseModelPrice(text); ok {
			out = append(out, p)
		}
	}
	return out
}

// TableDate is the day on which DefaultPrices was copied from pi's list of models.
const TableDate = "2026-11-22"

// DefaultPrices are the prices of models for sessions that record none. A variant whose
// price differs from that of a shorter prefix has its own entry.
func DefaultPrices() []ModelPrice {
	return []ModelPrice{
		{"claude-fable-5", 10},
		{"claude-fable-5-2", 8},
		{"claude-haiku-4-5", 1},
		{"claude-haiku-5-5", 0.1},
		{"claude-opus-4", 5},
		{"claude-opus-4-1", 15},
		{"claude-opus-5", 5},
		{"claude-opus-5-5", 4},
		{"claude-sonnet-4", 3},
		{"claude-sonnet-5", 2},
		{"gpt-4.1", 2},
		{"gpt-4.1-mini", 0.4},
		{"gpt-4.1-nano", 0.1},
		{"gpt-4o", 2.5},
		{"gpt-4o-2024-05-13", 5},
		{"gpt-4o-mini", 0.15},
		{"gpt-5", 1.25},
		{"gpt-5-mini", 0.25},
		{"gpt-5-nano", 0.05},
		{"gpt-5-pro", 15},
		{"gpt-5.2", 1.75},
		{"gpt-5.2-pro", 21},
		{"gpt-5.3", 1.75},
		{"gpt-5.4", 2.5},
		{"gpt-5.4-mini", 0.75},
		{"gpt-5.4-nano", 0.2},
		{"gpt-5.4-pro", 30},
		{"gpt-5.5", 5},
		{"gpt-5.5-pro", 30},
		{"gpt-5.6-cyber", 12.5},
		{"gpt-5.6-luna", 0.2},
		{"gpt-5.6-sol", 4},
		{"gpt-5.6-terra", 2},
		{"gpt-6-astra", 10},
		{"gpt-6-luna", 0.1},
		{"gpt-6-sol", 2},
		{"gpt-6.1-sol", 2},
		{"gpt-6.1-terra", 1},
		{"o1", 15},
		{"o1-pro", 150},
		{"o3", 2},
		{"o3-mini", 1.1},
		{"o3-pro", 20},
		{"o4-mini", 1.1},
		{"gemini-2.5-computer-use", 1.25},
		{"gemini-2.5-flash", 0.3},
		{"gemini-2.5-flash-lite", 0.1},
		{"gemini-2.5-pro", 1.25},
		{"gemini-3-flash", 0.5},
		{"gemini-3.1-flash-lite", 0.25},
		{"gemini-3.1-pro", 2},
		{"gemini-3.5-flash", 1.5},
		{"gemini-3.5-flash-lite", 0.3},
		{"gemini-3.6-flash", 0.75},
		{"gemini-3.7-flash", 0.75},
		{"gemini-3.8-flash", 0.75},
		{"gemini-4-argon", 2},
		{"deepseek-flash", 0.3},
		{"deepseek-v4-pro", 1.32},
		{"glm-4.7", 0.6},
		{"glm-5", 1.4},
		{"glm-5-turbo", 1.2},
		{"glm-5.3-flash", 0.15},
		{"kimi-k2", 0.95},
		{"kimi-k2.7-code-highspeed", 1.9},
		{"kimi-k3", 3},
		{"kimi-k3.1-pro", 2},
		{"kimi-k3.1-pro-highspeed", 4},
		{"grok-4.3", 1.25},
		{"grok-4.5", 2},
		{"grok-4.6", 2},
		{"grok-4.7", 2},
	}
}

// RateOf returns the price of a model: the entry of own with the longest matching prefix,
// else that of DefaultPrices. It is the zero Rate when neither has one.
func RateOf(model string, own []ModelPrice) Rate {
	if p := longest(model, own); p > 0 {
		return Rate{p, FromSettings}
	}
	if p := longest(model, DefaultPrices()); p > 0 {
		return Rate{p, TableDate}
	}
	return Rate{}
}

// longest returns the price of the entry with the longest prefix of the model's id, 0
// without one. Some providers put their name and a slash before the id.
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

// CacheTime returns how long a provider caches a prompt. promptCache is what pi says of its
// model: JSON with seconds for the short and the long retention. It is 0 without a usable
// time.
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
