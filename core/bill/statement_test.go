package bill

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// Holds history 76.
func TestTheFooterSaysWhatIsKnown(t *testing.T) {
	saves := Bill{Plain: 9, Billed: 3}
	declared := Bill{Plain: 3, Billed: 4.5}
	declared.Parts[Declarations] = Item{Tokens: 5_000_000, Cost: 1.5}
	left := Bill{Plain: 3, Billed: 3.06} // what was pruned is on another branch
	left.Parts[Markers] = Item{Tokens: 72, Cost: 100}
	asked := Bill{Requests: 3, Plain: 0.12, Billed: 0.12} // pruned just now: no request was smaller yet
	summed := Bill{Requests: 3, Plain: 0.12, Billed: 0.12 - 1e-12}
	for _, c := range []struct {
		bill   Bill
		pruned token.Count
		want   string
	}{
		{Bill{}, 0, ""},
		{saves, 45_200, "saved $6.00 · 45.2K pruned"},
		{declared, 0, "$1.50 more expensive"},
		{left, 0, "$0.06 more expensive"},
		{asked, 45_200, "45.2K pruned"},
		{summed, 45_200, "45.2K pruned"},
	} {
		must.Equal(t, Footer(Total{Dollars: c.bill}, c.pruned), c.want, "got")
	}
}

func TestAStatementListsEveryPartThatWasPaidFor(t *testing.T) {
	b := Bill{Requests: 9, Plain: 6, Billed: 3}
	b.Parts[Requests] = Item{Tokens: 9_000_000, Cost: 2.7}
	b.Parts[Declarations] = Item{Tokens: 1_000_000, Cost: 0.3}
	text := strings.Join(Statement(Total{Dollars: b, Tokens: Bill{Requests: 2}}), "\n")
	for _, want := range []string{"$3.00 with pictx, $6.00 with plain pi (-50.0%)", "requests     9.0M tokens sent, $2.70", "declarations 1.0M tokens sent, $0.30", "2 requests to models without a price"} {
		must.Contain(t, text, want, "it does not")
	}
	must.Lack(t, text, "fetches", "it lists what was not paid for")
}

func TestAStatementNamesNoDifferenceWhereThereIsNone(t *testing.T) {
	for billed, want := range map[float64]string{
		3:      "This session: $3.00 with pictx, $3.00 with plain pi.",
		3.0012: "This session: $3.00 with pictx, $3.00 with plain pi.",
		3.003:  "This session: $3.00 with pictx, $3.00 with plain pi (+0.1%).",
	} {
		must.Equal(t, Statement(Total{Dollars: Bill{Requests: 1, Plain: 3, Billed: billed}})[0], want, "got")
	}
}

func TestAStatementWithoutAPriceIsInTokens(t *testing.T) {
	text := strings.Join(Statement(Total{Tokens: Bill{Requests: 3, Plain: 2000, Billed: 1000}}), "\n")
	must.Not(t, !strings.Contains(text, "1.0K tokens of plain input with pictx") || strings.Contains(text, "$"), "%v", text)
}
