package bill_test

import (
	"testing"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

func TestAModelsCostSaysWhatItsCacheCosts(t *testing.T) {
	cost := func(input, read, write, output float64) token.Cost {
		return token.Cost{Input: input, CacheRead: read, CacheWrite: write, Output: output}
	}
	for name, c := range map[string]struct {
		m                   token.Model
		long                bool
		input, read, write  float64
		ttl                 time.Duration
		prefix, warm, binds bool
	}{
		"anthropic":            {token.Model{API: "anthropic-messages", Cost: cost(3, 0.3, 3.75, 15)}, false, 3, 0.1, 1.25, 5 * time.Minute, false, false, false},
		"anthropic, one hour":  {token.Model{API: "anthropic-messages", Cost: cost(3, 0.3, 3.75, 15)}, true, 3, 0.1, 2, time.Hour, false, false, false},
		"no price for writing": {token.Model{API: "openai-responses", Cost: cost(2, 0.5, 0, 16)}, false, 2, 0.25, 1, 5 * time.Minute, true, false, false},
		"nothing known":        {token.Model{API: "openai-completions"}, false, 0, 0.1, 1.25, time.Hour, false, false, false},
		"reading costs more":   {token.Model{API: "openai-completions", Cost: cost(1, 2, 0, 0)}, false, 1, 0.1, 1.25, time.Hour, false, false, false},
		"a life that pi names": {token.Model{API: "anthropic-messages", Cost: cost(4, 0.2, 5, 20), CacheShort: 10 * time.Minute}, false, 4, 0.05, 1.25, 10 * time.Minute, false, true, false},
	} {
		got := bill.PricesOf(&c.m, true, c.long)
		near := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
		if !near(got.Input, c.input) || !near(got.Read, c.read) || !near(got.Write, c.write) || got.TTL != c.ttl || got.Prefix != c.prefix || got.Warm != c.warm || got.Binds != c.binds {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTheCacheLivesAsLongAsPiSays(t *testing.T) {
	for text, want := range map[string][2]time.Duration{
		`{"short":300,"long":3600}`: {5 * time.Minute, time.Hour},
		`{"short":300}`:             {5 * time.Minute, 0},
		`{"short":-1}`:              {},
		`{"short":1e9}`:             {},
		`{"short":"300"}`:           {},
		"":                          {},
	} {
		if short, long := bill.CacheTime([]byte(text)); short != want[0] || long != want[1] {
			t.Errorf("%s: %v, %v", text, short, long)
		}
	}
}

// paid is what one request of a million tokens of input recorded.
func paid(total float64) *bill.Paid {
	var p bill.Paid
	p.Add(&message.Head{Usage: message.Usage{Input: 1e6}, HasUsage: true, Paid: &message.Cost{Input: total, Total: total}})
	return &p
}

func TestARecordedPriceOfZeroIsAPrice(t *testing.T) {
	for name, c := range map[string]struct {
		provider, model string
		paid            *bill.Paid
		today           bool
		own             []bill.ModelPrice
		priced          bool
		input           float64
	}{
		"a local model with a name that is sold elsewhere": {"llamacpp", "glm-4.7", paid(0), false, nil, true, 0},
		"a free variant": {"ollama", "kimi-k2:1t", paid(0), false, nil, true, 0},
		"converted, zeros for a model that is sold":     {"anthropic", "claude-opus-4-6", paid(0), false, nil, true, 5},
		"converted, zeros for one that the table lacks": {"anthropic", "claude-1", paid(0), false, nil, false, 0},
		"recorded":               {"anthropic", "claude-opus-4-6", paid(7), false, nil, true, 7},
		"at the prices of today": {"anthropic", "claude-opus-4-6", paid(7), true, nil, true, 5},
		"no record":              {"llamacpp", "glm-4.7", &bill.Paid{}, false, nil, false, 0},
		"the user's own price":   {"llamacpp", "glm-4.7", paid(0), false, []bill.ModelPrice{{Model: "glm", Input: 2}}, true, 2},
	} {
		prices := bill.Prices{Own: c.own, Today: c.today}
		if got := prices.Of(c.provider, c.model, "openai-completions", c.paid); got.Priced != c.priced || got.Input != c.input {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestEveryRequestHasThePriceOfTheModelThatAnswers(t *testing.T) {
	cheap, expensive, free := token.Unknown(), token.Unknown(), token.Unknown()
	cheap.Priced, cheap.Input = true, 1
	expensive.Priced, expensive.Input = true, 100
	free.Priced = true
	b := bill.NewBook(cheap)
	ask := func(p token.Prices, at int64) {
		b.Ask(p)
		q := prompt(at, 3000, 9000, 0, 4)
		q.New = at > 1
		b.Request(q, q, bill.Added{})
	}
	ask(cheap, 1)
	first := b.Dollars.Billed
	ask(expensive, 2)
	ask(free, 3)
	ask(token.Unknown(), 4)
	if want := first * 101; b.Dollars.Billed-want > 1e-9 || want-b.Dollars.Billed > 1e-9 || b.Dollars.Requests != 3 {
		t.Errorf("$%v for %d requests, want $%v", b.Dollars.Billed, b.Dollars.Requests, want)
	}
	must.Not(t, b.Tokens.Requests != 1 || b.Tokens.Billed != 1.25*12000, "a request without a price: %+v", b.Tokens)
}
