package replay

import (
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/policy"
)

// The settings switch the rule off, which is why there is a row that has it.
func TestARuleThatIsSwitchedOffCanBePricedWithTheOthers(t *testing.T) {
	set := policy.AutoSettings{Without: policy.OptionalNames()}
	for _, rule := range policy.OptionalNames() {
		asked := func(p Policy) bool {
			return slices.ContainsFunc(p.Planner.Sources, func(s policy.Source) bool { return s.Name() == rule })
		}
		if asked(Auto(set)) || !asked(With(set, rule)) {
			t.Errorf("%s: asked %v without it, %v with it", rule, asked(Auto(set)), asked(With(set, rule)))
		}
	}
}

// billed is a run whose bill has fetches that plain pi's lacks.
func billed(plain, fetches float64) (r, none *Run) {
	r, none = &Run{Calls: 9, Bill: plain}, &Run{Calls: 9, Bill: plain}
	r.Whole = bill.Bill{Plain: plain, Billed: plain + fetches}
	r.Whole.Parts[bill.Fetches].Cost = fetches
	none.Whole = bill.Bill{Plain: plain, Billed: plain}
	return r, none
}

func TestTheWorstLossSaysWhatItIsFor(t *testing.T) {
	var s Sum
	for name, fetches := range map[string]float64{"saves": -100, "some": 20, "most": 50, "none": 0} {
		r, none := billed(1000, fetches)
		s.Add(name, r, none)
	}
	if len(s.Losses) != 2 || s.Losses[0].Session != "most" || s.Losses[1].Session != "some" {
		t.Fatalf("%+v", s.Losses)
	}
	if l := s.Losses[0]; l.Whole != 1.05 || l.Alone != 1 || l.Requests != 9 || l.Share(bill.Fetches) != 0.05 {
		t.Errorf("%+v", l)
	}
}

func TestOnlyWhatASummaryCostsBeyondPlainPisIsALoss(t *testing.T) {
	l := Loss{Bill: bill.Bill{Plain: 1000, PlainSummaries: 30}}
	l.Bill.Parts[bill.Summaries].Cost = 50
	if got := l.Share(bill.Summaries); got != 0.02 {
		t.Errorf("%v, want 0.02", got)
	}
}
