package likeness

import (
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/text"
)

// Normal is a text as far as it counts for whether two say the same: letters and
// digits in lower case and full width folded, single blanks, no punctuation but
// where it is part of a name, a number or an operator. C++ is not C#, 1.2 not 12,
// a < b not a > b, and a text of nothing but signs is itself.
func Normal(body string) string {
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

// trimWord trims the punctuation around a word, and drops one that is nothing but a dash
// or a bullet. Signs that end a name, as in C++ and C#, those that begin a number, a flag, a
// pattern or a negation, and operators stay.
func trimWord(w string) string {
	if isOperator(w) {
		return w
	}
	for _, pair := range [][2]string{{"<", ">"}, {"*", "*"}} { // a tag, emphasis
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

// isOperator reports whether a word is an operator between two others, such as <= or ->.
func isOperator(w string) bool {
	return strings.Trim(w, "<>=!&|+^~%-") == "" && strings.Trim(w, "-=") != "" && strings.Trim(w, "!") != "" && strings.Trim(w, "|") != "" || w == "==" || w == "||"
}

// isName reports whether a word looks like the name of something: it has a capital where
// no sentence begins, or capitals, digits and signs inside.
func isName(w string, first bool) bool {
	upper, other := 0, 0
	for i, r := range w {
		switch {
		case unicode.IsUpper(r) && (i > 0 || !first):
			upper++
		case unicode.IsDigit(r) || strings.ContainsRune("+#_.", r):
			other++
		}
	}
	letter := strings.ContainsFunc(w, unicode.IsLetter)
	return letter && upper+other > 0
}
