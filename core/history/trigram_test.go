package history_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
)

func TestNeedOfRegexFindsWhatEveryMatchHolds(t *testing.T) {
	for pattern, want := range map[string]history.Need{
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
		must.Match(t, history.NeedOfRegex(pattern), want, "%s", pattern)
	}
}
