package decision

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/text"
)

// TextKey returns the stems, numbers and signs of a text in order. Texts with the same key say
// the same: they differ in case, punctuation, spacing and endings of words at most.
func TextKey(body string) string {
	words := strings.Fields(normal(body))
	for i, w := range words {
		words[i] = stem(w)
	}
	return strings.Join(words, " ")
}

// matcher returns a function that reports whether a text has the same key as body. It is
// for many texts: most of them differ in their first letters already.
func matcher(body string) func(other string) bool {
	key, begins := TextKey(body), beginning(body)
	return func(other string) bool { return beginning(other) == begins && TextKey(other) == key }
}

// minStem is the number of letters that stem leaves of a word at least.
const minStem = 3

// beginning returns the first letters and digits of a text in lower case, as many as stem
// keeps of every word. Texts with the same key have the same beginning. It is "" for a
// text with other characters than ASCII.
func beginning(body string) string {
	if !text.IsASCII(body) {
		body = TextKey(body)
	}
	var out [minStem]byte
	n := 0
	for i := 0; i < len(body) && n < len(out); i++ {
		c := body[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			out[n] = c
			n++
		}
	}
	return string(out[:n])
}

// stem removes the ending of an English word, so that "stopped" and "stops" yield "stop".
// Other words and names with digits or signs stay as they are.
func stem(word string) string {
	for _, end := range [...]string{"ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y", "e"} {
		rest, ok := strings.CutSuffix(word, end)
		if !ok || len(rest) < minStem || strings.HasSuffix(word, "ss") || strings.HasSuffix(word, "us") || strings.ContainsFunc(word, notLetter) {
			continue
		}
		if n := len(rest); n > minStem && rest[n-1] == rest[n-2] && (end == "ed" || end == "ing") {
			rest = rest[:n-1]
		}
		if len(rest) > minStem {
			rest = strings.TrimSuffix(rest, "e")
		}
		return rest
	}
	return word
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// maxTerms is the part of a text that closest compares, in bytes. The log of a clone may
// hold long ones.
const maxTerms = 4096

// trigramWeight is the weight of three letters of a word, which also relate "authenticate"
// to "authentication"; a stem has weight 1.
const trigramWeight = 0.5

// closest returns the positions of up to n texts that have most in common with body,
// closest first. A term that few texts have counts more (by its inverse document
// frequency), and a long text does not count more than a short one.
func closest(body string, texts []string, n int) []int {
	terms := make(map[string]int) // the terms of body, numbered
	var weights []float64
	eachTerm(body, func(term string, weight float64) {
		if _, known := terms[term]; !known {
			terms[term] = len(weights)
			weights = append(weights, weight)
		}
	})
	shared := make([][]int, len(texts)) // the terms that a text has in common with body
	latest := make([]int, len(weights)) // the number of the last text with a term, from 1
	length := make([]float64, len(texts))
	having := make([]float64, len(weights)) // the number of texts with a term
	for i, t := range texts {
		eachTerm(t, func(term string, weight float64) {
			length[i] += weight * weight
			if at, ok := terms[term]; ok && latest[at] != i+1 {
				latest[at] = i + 1
				shared[i] = append(shared[i], at)
				having[at]++
			}
		})
	}
	scores := make([]float64, len(texts))
	var out []int
	for i, list := range shared {
		for _, at := range list {
			idf := math.Log((float64(len(texts)) + 1) / (having[at] + 0.5))
			scores[i] += weights[at] * weights[at] * idf * idf / math.Sqrt(length[i])
		}
		if len(list) > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return out[:min(n, len(out))]
}

// eachTerm calls f with the stems of a text and the trigrams of its words.
func eachTerm(body string, f func(term string, weight float64)) {
	for _, w := range strings.FieldsFunc(normal(text.CutBytes(body, maxTerms)), separates) {
		f(stem(w), 1)
		w = "~" + w + "~"
		var starts [3]int // of the last three characters
		n := 0
		for i := range w + "~" {
			if n >= len(starts) {
				f(w[starts[n%len(starts)]:i], trigramWeight)
			}
			starts[n%len(starts)] = i
			n++
		}
	}
}

// separates reports whether a character is not part of a name or a word.
func separates(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '+' && r != '#'
}
