package message

import (
	"strings"
	"testing"
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
			if !strings.HasPrefix(string(literal), `"`) {
				t.Errorf("%s is not a string", literal)
			}
			return "!", member == "a"
		})
		if string(got) != want {
			t.Errorf("%s became %s, want %s", raw, got, want)
		}
	}
}
