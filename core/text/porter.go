package text

import "github.com/blevesearch/go-porterstemmer"

// Porter returns the stem of a folded English word by the algorithm of M. F. Porter (1980), with
// which SQLite's full-text index makes them, too: all forms of a word have the same. A word of
// one or two letters, or in another alphabet, is its own stem.
func Porter(word string) string {
	const short = 2
	if len(word) <= short || !IsASCII(word) {
		return word
	}
	return string(porterstemmer.StemWithoutLowerCasing([]rune(word)))
}
