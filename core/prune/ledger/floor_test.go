package ledger

import (
	"testing"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

func TestWhatStandsBeforeAConversationIsWrittenOnlyWithAColdCache(t *testing.T) {
	p, _ := token.Profile("anthropic-5m")
	none, _ := token.Profile("none")
	const minute = int64(time.Minute / time.Millisecond)
	last := &message.Head{Role: message.RoleAssistant, Timestamp: 100 * minute}
	for name, c := range map[string]struct {
		last *message.Head
		t    Terms
		want bool
	}{
		"used just now":           {last, Terms{Now: 101 * minute, Prices: p, KnownPrices: true}, false},
		"a pause":                 {last, Terms{Now: 110 * minute, Prices: p, KnownPrices: true}, true},
		"a pause, kept in use":    {last, Terms{Now: 110 * minute, Prices: p, KnownPrices: true, Warmed: []int64{104 * minute, 108 * minute}}, false},
		"kept in use too late":    {last, Terms{Now: 110 * minute, Prices: p, KnownPrices: true, Warmed: []int64{108 * minute}}, true},
		"a pause, prices unknown": {last, Terms{Now: 110 * minute}, false},
		"another model":           {last, Terms{Now: 101 * minute, Prices: p, KnownPrices: true, ModelSwitched: true}, true},
		"another branch":          {last, Terms{Now: 101 * minute, Prices: p, KnownPrices: true, Moved: true}, false},
		"no cache":                {last, Terms{Now: 101 * minute, Prices: none, KnownPrices: true}, true},
		"nothing is known":        {nil, Terms{Now: 110 * minute, Prices: p, KnownPrices: true}, false},
	} {
		if got := c.t.Writes(c.last); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
