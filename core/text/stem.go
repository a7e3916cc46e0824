package text

import "strings"

// minStem is the minimum length of a stem, in bytes.
const minStem = 4

// prefixEndings are what StemPrefix takes off a word, the longest first.
var prefixEndings = [...]string{"ations", "ation", "ions", "ings", "ion", "ing", "ies", "ed", "es", "s", "y", "e"}

// StemPrefix takes the ending off an English word, so that the stem is a prefix of
// the word and of its other forms: "decide" and "decided" begin with "decid". It is
// for searches by prefix, and crude: a word in another alphabet is its own stem.
func StemPrefix(word string) string {
	if !IsASCII(word) {
		return word
	}
	for _, end := range prefixEndings {
		if s, ok := strings.CutSuffix(word, end); ok && len(s) >= minStem {
			return s
		}
	}
	return word
}

// Forms returns the words that a stem of StemPrefix may come from: itself, and
// itself with each of the endings.
func Forms(stem string) []string {
	out := []string{stem}
	for _, end := range prefixEndings {
		out = append(out, stem+end)
	}
	return out
}

// Stem takes the ending off an English word so that its forms become alike: "stopped"
// and "stops" are "stop", "policies" is "policy". It is for comparing two texts; two
// words that it makes alike need not mean the same.
func Stem(word string) string {
	for _, end := range [...]string{"ations", "ation", "ings", "ing", "ies", "ed", "es", "s"} {
		rest, ok := strings.CutSuffix(word, end)
		if ok && len(rest) >= minStem && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") {
			if end == "ies" {
				return rest + "y"
			}
			if n := len(rest); n > minStem && rest[n-1] == rest[n-2] && (end == "ed" || end == "ing") {
				rest = rest[:n-1]
			}
			return strings.TrimSuffix(rest, "e")
		}
	}
	return strings.TrimSuffix(word, "e")
}
