package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// toy is a rule that a newcomer could add: what a listing returned goes at once.
var toy = rule{
	name: "listing", code: "listed", marker: ", only a listing", report: "it was only a listing",
	judge: func(AutoSettings) judge {
		return func(r *Result, _ bool) (bool, Reason) {
			if r.Call == nil || r.Call.Name != "ls" || r.age < 1 {
				return false, Reason{}
			}
			return true, Reason{"listed", "a listing is not worth keeping"}
		}
	},
}

func TestARuleIsAddedInOnePlace(t *testing.T) {
	with := slices.Concat(rules{toy}, autoRules)
	var c talk
	at := c.user().run("ls", `{"path":"src"}`, 500)
	c.say(1)

	p := with.planner(DefaultAuto()).at(c.later(), c.parse())
	i := slices.IndexFunc(p.Edits, func(e Edit) bool { return e.Index == at })
	must.Stop(t, i < 0, "the plan leaves it: %s", p.Outcome)
	if e := p.Edits[i]; e.Source != "listing" || e.Reason.Code != "listed" || e.Reason.Text != "a listing is not worth keeping" {
		t.Errorf("explained as %s: %+v", e.Source, e.Reason)
	}
	if m := p.Edits[i].Marker; !strings.Contains(m, "), only a listing; ") {
		t.Errorf("marker %q", m)
	}
	must.Equal(t, with.of("listed").report, "it was only a listing", "report words")

	s := DefaultAuto()
	s.Without = []string{"listing"}
	wantCodes(t, with.planner(s).at(c.later(), c.parse()), map[int]string{at: CodeYoung})
}

func TestEveryRuleHasItsOwnCodeAndOneWayToJudge(t *testing.T) {
	codes := map[string]bool{}
	for _, r := range allRules() {
		must.Not(t, r.code == "" || codes[r.code], "%q has the code %q, which is empty or another rule's", r.name, r.code)
		codes[r.code] = true
	}
	for _, r := range autoRules {
		must.Not(t, r.name == "" || (r.judge == nil) == (r.propose == nil), "%q judges in no way, or in two", r.name)
	}
}
