package text

import "testing"

func TestStemPrefixKeepsTheBetterPart(t *testing.T) {
	for word, want := range map[string]string{
		"discounts": "discount", "rounding": "round", "decided": "decid", "decide": "decid", "queries": "quer", "is": "is", "king": "king",
		"migrations": "migr", "über": "über", "cache": "cach",
	} {
		if got := StemPrefix(word); got != want {
			t.Errorf("StemPrefix(%q) = %q, want %q", word, got, want)
		}
	}
}
