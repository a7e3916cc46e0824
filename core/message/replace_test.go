package message

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestReplacingStringsLeavesEverythingElseByteForByte(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":"x","b":[ {"a":"y" , "n":1e3} ]}`: `{"a":"!","b":[ {"a":"!" , "n":1e3} ]}`,
		`{"b":"a","a":"\u00e9\ud800"}`:          `{"b":"a","a":"!"}`,
		`"a"`:                                   `"a"`,
		`{"a":`:                                 `{"a":`,
		`not JSON`:                              `not JSON`,
		``:                                      ``,
		`{"a":{"c":"z"},"a":"x"}`:               `{"a":{"c":"z"},"a":"!"}`,
	} {
		got := ReplaceStrings([]byte(raw), func(member string, literal []byte) (string, bool) {
			must.Not(t, !strings.HasPrefix(string(literal), `"`), "%s is not a string", literal)
			return "!", member == "a"
		})
		must.Not(t, string(got) != want, "%s became %s, want %s", raw, got, want)
	}
}
