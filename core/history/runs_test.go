package history_test

import (
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
)

func TestARegularExpressionHasTheRunsThatEveryMatchHas(t *testing.T) {
	for expr, want := range map[string][]string{
		"Lease": {"lease"}, `lease-timeout\d+`: {"timeout"}, "(foo|ba-bar)-[0-9]+": {"foo", "bar"}, "(foo|ba)": nil, "[!-/]{7}": nil,
		"a(bcd)?": nil, "(lease)+": {"lease"}, "café": {"caf"}, "image": nil, "tool: read": {"read"}, "(foo)?lease": {"lease"},
	} {
		re := must.Get(history.CompileRegex(expr, false))(t)
		if got := history.RunsOf(re); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

func TestATextIsRuledOutUnlessARunMayBeInIt(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":"the lead"}`: true, `{"a":"the LEASE"}`: false, `{"a":"the le\u0061se"}`: false, "lea\u017fe": false, "\u212a": false, "caf\u00e9": true, "": true,
	} {
		must.Equal(t, (history.Runs{"lease"}).RuleOut([]byte(text)), want, "%q", text)
	}
	if history.Runs(nil).RuleOut(nil) {
		t.Error("without runs, a text is ruled out")
	}
}

// Words that most texts have are in every text of some projects: one that has only some of
// what a match has is ruled out too.
func TestATextThatLacksAnyPartOfEveryMatchIsRuledOut(t *testing.T) {
	for _, c := range []struct {
		expr, text string
		out        bool
	}{
		{"file 4711 of the-longest", `{"a":"THE-longest file of 4712"}`, true},
		{"file 4711 of the-longest", `{"a":"the-LONGEST, 4711 of a File"}`, false},
		{"file 4711 of the-longest", `{"a":"the-longest fil\u0065"}`, false},
		{"(foo|bar)-longest+ qux", `{"a":"longest qux"}`, true},
		{"(foo|bar)-longest+ qux", `{"a":"longest, bar"}`, true},
		{"(foo|bar)-longest+ qux", `{"a":"longest, bar, qux"}`, false},
		{"longest(qux)?", `{"a":"longest"}`, false},
		{`longest image\]`, `{"a":"longest"}`, false}, // a text has the label, its line does not
	} {
		re := must.Get(history.CompileRegex(c.expr, false))(t)
		must.Equal(t, history.NeedsOf(re).RuleOut([]byte(c.text)), c.out, "%s in %s", c.expr, c.text)
	}
}
