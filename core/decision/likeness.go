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
		words[i] = text.Porter(w)
	}
	return strings.Join(words, " ")
}

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
		f(text.Porter(w), 1)
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

// normal returns a text as it counts for equality: letters and digits in lower case with
// full width folded, single spaces, and no punctuation except in names, numbers and
// operators. C++ is not C#, 1.2 is not 12, a < b is not a > b. A text that consists of
// signs only is returned as it is.
func normal(body string) string {
	words := strings.Fields(strings.Map(text.FoldSign, strings.ToLower(body)))
	out := words[:0]
	for _, w := range words {
		if t := trimWord(w); t != "" {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return text.Line(body)
	}
	return strings.Join(out, " ")
}

// trimWord trims the punctuation around a word and drops lone dashes and bullets. It keeps
// operators, signs that end a name (C++, C#) and signs that begin a number, a flag, a
// pattern or a negation.
func trimWord(w string) string {
	if isOperator(w) {
		return w
	}
	for _, pair := range [][2]string{{"<", ">"}, {"*", "*"}} { // tags and emphasis
		if strings.HasPrefix(w, pair[0]) && len(w) > 2 && strings.Contains(w[1:], pair[1]) {
			w = strings.Trim(w, "<>*")
		}
	}
	w = strings.TrimLeft(w, `([{"'`+"`_,;:?…—–|/\\•")
	w = strings.TrimRight(w, `)]}"'`+"`_,.;:!?…—–|/\\")
	if strings.Trim(w, "-—–=*") == "" {
		return ""
	}
	return w
}

// isOperator reports whether a word is an operator such as <= or ->.
func isOperator(w string) bool {
	return strings.Trim(w, "<>=!&|+^~%-") == "" && strings.Trim(w, "-=") != "" && strings.Trim(w, "!") != "" && strings.Trim(w, "|") != "" || w == "==" || w == "||"
}
