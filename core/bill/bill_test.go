package bill_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

func prices(t *testing.T) token.Prices {
	t.Helper()
	p, ok := token.Profile("anthropic-5m")
	must.Stop(t, !ok, "there is no such profile")
	return p
}

func prompt(at int64, floor, tokens, same token.Count, blocks int) token.Prompt {
	return token.Prompt{Time: at, Floor: floor, Tokens: tokens, Same: same, Blocks: blocks}
}

func TestPartsAddUpToTheWholeBill(t *testing.T) {
	b := bill.NewBook(prices(t))
	declared := bill.Declared{Tokens: 250}
	b.Request(prompt(1000, 3000, 9000, 0, 4), prompt(1000, 3250, 2000, 0, 4), bill.Added{Declared: declared, Markers: 80, Messages: 30})
	b.Fetch(prompt(2000, 3250, 2400, 2000, 6), 60)
	b.Request(prompt(3000, 3000, 9500, 9000, 6), prompt(3000, 3250, 2900, 2400, 8), bill.Added{Declared: declared, Markers: 80, Fetched: 400})
	b.Refresh(4000)
	b.Compact(bill.Compaction{Requests: 1, Input: 5000, Output: 800}, bill.Compaction{Requests: 4, Input: 20000, Output: 1200})
	sum := 0.0
	for _, p := range bill.Parts() {
		item := b.Tokens.Parts[p]
		must.Not(t, item.Cost <= 0 || item.Tokens <= 0, "%v: %+v: every part was used", p, item)
		sum += item.Cost
	}
	if math.Abs(sum-b.Tokens.Billed) > 1e-6 || b.Tokens.Requests != 2 {
		t.Errorf("the parts come to %v of %v, %d requests", sum, b.Tokens.Billed, b.Tokens.Requests)
	}
	if got, want := b.Tokens.Parts[bill.Summaries].Cost, 20000+5*1200.0; got != want {
		t.Errorf("compaction costs %v, want %v", got, want)
	}
	if got, want := b.Tokens.PlainSummaries, 5000+5*800.0; got != want {
		t.Errorf("plain pi's compaction costs %v, want %v", got, want)
	}
}

func TestWithoutPictxBothSidesCostTheSame(t *testing.T) {
	b := bill.NewBook(prices(t))
	for i := range token.Count(5) {
		p := prompt(int64(i)*1000, 3000, 1000*(i+1), 1000*i, int(i))
		b.Request(p, p, bill.Added{})
	}
	must.Not(t, b.Tokens.Saved() != 0 || b.Tokens.Ratio() != 1 || b.Tokens.Parts[bill.Requests].Cost != b.Tokens.Billed, "%+v", b.Tokens)
}

func TestDeclaringToolsInAWarmCacheWritesThePromptAgain(t *testing.T) {
	cost := func(second bill.Declared) float64 {
		b := bill.NewBook(prices(t))
		p := prompt(1000, 3000, 50_000, 0, 4)
		b.Request(p, p, bill.Added{})
		before := b.Tokens.Billed
		q := prompt(2000, 3000, 50_000, 50_000, 4)
		sent := q
		sent.Floor += second.Tokens
		b.Request(q, sent, bill.Added{Declared: second})
		return b.Tokens.Billed - before
	}
	if warm, declared := cost(bill.Declared{}), cost(bill.Declared{Tokens: 300}); declared < 10*warm {
		t.Errorf("a request costs %v, with new tools before it %v", warm, declared)
	}
}

func TestDeclaredToolsCountFromTheMomentTheyAreSent(t *testing.T) {
	list := []bill.Declared{{Since: 100, Tokens: 10}, {Since: 200, Tokens: 20}}
	for at, want := range map[int64]token.Count{50: 0, 100: 10, 199: 10, 200: 20, 900: 20} {
		must.Equal(t, bill.DeclaredAt(list, at).Tokens, want, "at %d", at)
	}
}

func TestBillsOfSessionsAddUp(t *testing.T) {
	one := bill.Bill{Requests: 2, Plain: 100, Billed: 80, PlainSummaries: 10}
	one.Parts[bill.Markers] = bill.Item{Tokens: 5, Cost: 1}
	got := one.Plus(one)
	must.Not(t, got.Requests != 4 || got.Saved() != 40 || got.Ratio() != 0.8 || got.PlainSummaries != 20 || got.Parts[bill.Markers].Tokens != 10, "%+v", got)
	must.Not(t, (bill.Bill{}).Ratio() != 1, "a session without a request costs the same")
}

func TestABillNamesItsPartsInJSON(t *testing.T) {
	raw := must.Get(json.Marshal(bill.Bill{}))(t)
	var got struct {
		Parts map[string]bill.Item `json:"parts"`
	}
	must.Do(t, json.Unmarshal(raw, &got))
	for _, p := range bill.Parts() {
		if _, ok := got.Parts[p.String()]; !ok {
			t.Errorf("%s is missing in %s", p, raw)
		}
	}
}

func TestPricesAreReadFromSettings(t *testing.T) {
	for text, want := range map[string]bill.ModelPrice{
		"claude-opus-4=5":    {"claude-opus-4", 5},
		" my-model = 0.25 ":  {"my-model", 0.25},
		"my-model":           {},
		"=3":                 {},
		"my-model=0":         {},
		"my-model=-1":        {},
		"my-model=NaN":       {},
		"my-model=+Inf":      {},
		"my-model=3 dollars": {},
	} {
		got, ok := bill.ParseModelPrice(text)
		must.Not(t, got != want || ok != (want.Model != ""), "%q: %+v, %v", text, got, ok)
	}
	if own := bill.ModelPrices([]string{"claude-opus-4=7", "nonsense"}); len(own) != 1 {
		t.Errorf("%+v", own)
	}
}
