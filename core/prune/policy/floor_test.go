package policy

import (
	"testing"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
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
		"used just now":           {last, Terms{Now: 101 * minute, Prices: p}, false},
		"a pause":                 {last, Terms{Now: 110 * minute, Prices: p}, true},
		"a pause, kept in use":    {last, Terms{Now: 110 * minute, Prices: p, Warmed: []int64{104 * minute, 108 * minute}}, false},
		"kept in use too late":    {last, Terms{Now: 110 * minute, Prices: p, Warmed: []int64{108 * minute}}, true},
		"a pause, prices unknown": {last, Terms{Now: 110 * minute, Prices: token.Unknown()}, false},
		"another model":           {last, Terms{Now: 101 * minute, Prices: p, Switched: true}, true},
		"no cache":                {last, Terms{Now: 101 * minute, Prices: none}, true},
		"nothing is known":        {nil, Terms{Now: 110 * minute, Prices: p}, false},
	} {
		must.Equal(t, c.t.Writes(c.last), c.want, "%s", name)
	}
}
