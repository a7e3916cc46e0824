package trigram_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history/trigram"
)

func TestNeedOfRegexFindsWhatEveryMatchHolds(t *testing.T) {
	for pattern, want := range map[string]trigram.Need{
		`TypeError: .* undefined`:         {{"TypeError: "}, {" undefined"}},
		`(timeout|deadline) \d+ms`:        {{"timeout", "deadline"}},
		`\w+`:                             nil,
		`a|bcd`:                           nil,
		`colou?r`:                         {{"colo"}},
		`(?:ab){2}c`:                      {{"abab"}},
		`(foo bar)+baz`:                   {{"foo bar"}, {"baz"}},
		`x*abc`:                           {{"abc"}},
		`abc+d`:                           {{"abc"}},
		`[Ee]rror`:                        {{"Error"}},
		`^func main\(`:                    {{"func main("}},
		`(abc|(def|ghi)jkl)`:              {{"abc", "def", "ghi"}},
		`a{0,3}bcd`:                       {{"bcd"}},
		strings.Repeat("wxyz|", 40) + "q": nil,
	} {
		if diff := cmp.Diff(want, trigram.NeedOfRegex(pattern)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", pattern, diff)
		}
	}
}

func TestATextHasTheTrigramsOfEveryStringInItHoweverWritten(t *testing.T) {
	var have trigram.Set
	have.Add("Die STRASSE, the Kelvin \u212a and an ordinary word")
	for _, s := range []string{"strasse", "the kelvin k", "Ordinary WORD"} {
		for _, g := range trigram.Of(s) {
			if !slices.Contains(have.Grams(), g) {
				t.Errorf("the text has no trigram %x of %q", g, s)
			}
		}
	}
	have.Reset()
	if n := len(have.Grams()); n != 0 {
		t.Errorf("%d trigrams are left after a reset", n)
	}
}
