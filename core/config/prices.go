package config

import (
	"errors"
	"fmt"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/token"
)

// pricesExample is the hint for an invalid price file.
const pricesExample = `[[profile]] name = "mine", read = 0.1, write = 1.25, ttl = 300, prefix = false`

// priceFile is a file of price profiles.
type priceFile struct {
	Profile []priceProfile `toml:"profile"`
	Model   []modelPrice   `toml:"model"`
}

// modelPrice is the price of uncached input of models whose ids begin with a name, in
// dollars per million tokens.
type modelPrice struct {
	Name  string  `toml:"name"`
	Input float64 `toml:"input"`
}

type priceProfile struct {
	Name   string   `toml:"name"`
	Read   *float64 `toml:"read"`
	Write  *float64 `toml:"write"`
	TTL    any      `toml:"ttl"` // seconds, or text such as "5m"; absent or 0 is for ever
	Prefix bool     `toml:"prefix"`
}

// ParsePrices reads the content of a file of price profiles and of the prices of models.
// path is for errors.
func ParsePrices(path string, content []byte) ([]token.Prices, []bill.ModelPrice, error) {
	var f priceFile
	meta, err := toml.Decode(string(content), &f)
	switch unknown := meta.Undecoded(); {
	case err != nil:
		return nil, nil, exit.UsageError(pricesExample, "read prices %s: %w", path, err)
	case len(unknown) > 0:
		return nil, nil, exit.UsageError(pricesExample, "read prices %s: unknown key %s", path, unknown[0])
	case len(f.Profile)+len(f.Model) == 0:
		return nil, nil, exit.UsageError(pricesExample, "read prices %s: it has no [[profile]] and no [[model]]", path)
	}
	var out []token.Prices
	for i, p := range f.Profile {
		prices, err := p.prices()
		if err != nil {
			return nil, nil, exit.UsageError(pricesExample, "read prices %s: profile %d: %w", path, i+1, err)
		}
		out = append(out, prices)
	}
	var models []bill.ModelPrice
	for i, m := range f.Model {
		if m.Name == "" || m.Input <= 0 {
			return nil, nil, exit.UsageError(pricesExample, "read prices %s: model %d: want a name and an input price in dollars", path, i+1)
		}
		models = append(models, bill.ModelPrice{Model: m.Name, Input: m.Input})
	}
	return out, models, nil
}

// prices validates a profile. Missing prices are those of uncached input.
func (p *priceProfile) prices() (token.Prices, error) {
	out := token.Prices{Name: p.Name, Read: 1, Write: 1, Prefix: p.Prefix}
	if p.Name == "" {
		return out, errors.New("it has no name")
	}
	for _, price := range []struct {
		name     string
		from, to *float64
	}{{"read", p.Read, &out.Read}, {"write", p.Write, &out.Write}} {
		if price.from == nil {
			continue
		}
		if *price.from < 0 || *price.from > 100 {
			return out, fmt.Errorf("%s is %v: want a multiple of the plain input price", price.name, *price.from)
		}
		*price.to = *price.from
	}
	ttl, err := timeToLive(p.TTL)
	out.TTL = ttl
	return out, err
}

// timeToLive parses a number of seconds, or a duration.
func timeToLive(v any) (d time.Duration, err error) {
	switch v := v.(type) {
	case nil:
	case int64:
		d = time.Duration(v) * time.Second
		if v > int64(24*time.Hour/time.Second)*365 {
			d = -1
		}
	case string:
		d, err = time.ParseDuration(v)
	default:
		d = -1
	}
	if err != nil || d < 0 {
		return 0, fmt.Errorf("ttl is %v: want seconds, or text such as \"5m\"", v)
	}
	return d, nil
}
