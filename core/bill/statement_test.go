package bill

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/token"
)

// Holds history 76.
func TestTheFooterSaysWhatIsKnown(t *testing.T) {
	saves := Bill{Plain: 3_000_000, Billed: 1_000_000}
	declared := Bill{Plain: 1_000_000, Billed: 1_500_000}
	declared.Parts[Declarations] = Item{Tokens: 5_000_000, Cost: 500_000}
	priced := Rate{PerMillion: 3, From: FromSession}
	left := Bill{Plain: 1_000_000, Billed: 1_020_000} // what was pruned is on another branch
	left.Parts[Markers] = Item{Tokens: 72, Cost: 100}
	asked := Bill{Requests: 3, Plain: 40_000, Billed: 40_000} // pruned just now: no request was smaller yet
	summed := Bill{Requests: 3, Plain: 40_000, Billed: 40_000 - 1e-9}
	for _, c := range []struct {
		bill   Bill
		rate   Rate
		pruned token.Count
		want   string
	}{
		{Bill{}, priced, 0, ""},
		{saves, priced, 45_200, "saved $6.00 · 45.2K pruned"},
		{saves, Rate{}, 45_200, "45.2K pruned"},
		{declared, priced, 0, "$1.50 more expensive"},
		{left, priced, 0, "$0.06 more expensive"},
		{asked, priced, 45_200, "45.2K pruned"},
		{summed, priced, 45_200, "45.2K pruned"},
	} {
		if got := Footer(c.bill, c.rate, c.pruned); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestAStatementListsEveryPartThatWasPaidFor(t *testing.T) {
	b := Bill{Plain: 2_000_000, Billed: 1_000_000}
	b.Parts[Requests] = Item{Tokens: 9_000_000, Cost: 900_000}
	b.Parts[Declarations] = Item{Tokens: 1_000_000, Cost: 100_000}
	text := strings.Join(Statement(b, Rate{PerMillion: 3, From: TableDate}), "\n")
	for _, want := range []string{"$3.00 with pictx, $6.00 with plain pi (-50.0%)", "requests     9.0M tokens sent, $2.70", "declarations 1.0M tokens sent, $0.30", TableDate} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "fetches") {
		t.Errorf("it lists what was not paid for:\n%s", text)
	}
}

func TestAStatementNamesNoDifferenceWhereThereIsNone(t *testing.T) {
	for billed, want := range map[float64]string{
		1_000_000: "This session: $3.00 with pictx, $3.00 with plain pi.",
		1_000_400: "This session: $3.00 with pictx, $3.00 with plain pi.",
		1_001_000: "This session: $3.00 with pictx, $3.00 with plain pi (+0.1%).",
	} {
		if got := Statement(Bill{Plain: 1_000_000, Billed: billed}, Rate{PerMillion: 3})[0]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
