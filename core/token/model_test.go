package token

import (
	"testing"
	"time"
)

func TestAModelsCostSaysWhatItsCacheCosts(t *testing.T) {
	for name, c := range map[string]struct {
		api  string
		cost ModelCost
		long bool
		want Prices
		ok   bool
	}{
		"anthropic":            {"anthropic-messages", ModelCost{3, 0.3, 3.75, 15}, false, Prices{Read: 0.1, Write: 1.25, TTL: 5 * time.Minute, Output: 5}, true},
		"anthropic, one hour":  {"anthropic-messages", ModelCost{3, 0.3, 3.75, 15}, true, Prices{Read: 0.1, Write: 2, TTL: time.Hour, Output: 5}, true},
		"no price for writing": {"openai-responses", ModelCost{2, 0.5, 0, 16}, false, Prices{Read: 0.25, Write: 1, TTL: 5 * time.Minute, Prefix: true, Output: 8}, true},
		"nothing known":        {"openai-completions", ModelCost{}, false, Prices{Write: 1, TTL: 5 * time.Minute, Prefix: true}, false},
		"reading costs more":   {"openai-completions", ModelCost{1, 2, 0, 0}, false, Prices{Write: 1, TTL: 5 * time.Minute, Prefix: true}, false},
	} {
		got, ok := PricesOf(c.api, c.cost, c.long)
		got.Name = ""
		if diff := got.Read - c.want.Read; diff > 1e-9 || diff < -1e-9 || ok != c.ok {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
		got.Read = c.want.Read
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
