package decision

import (
	"strings"

	"github.com/coctostan/pictx/core/text"
)

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
