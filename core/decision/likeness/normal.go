package likeness

import (
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Normal is a text as far as it counts for whether two say the same: letters and
// digits in lower case and full width folded, single blanks, no punctuation but
// where it is part of a name or a number. C++ is not C#, 1.2 not 12, and a text of
// nothing but signs is itself.
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

// trimWord trims the punctuation around a word. Signs that end a name, as in C++ and
// C#, and those that begin a number or a flag stay.
func trimWord(w string) string {
	w = strings.TrimLeft(w, `([{<"'`+"`*_,;:!?…—–|/\\•")
	w = strings.TrimRight(w, `)]}>"'`+"`*_,.;:!?…—–|/\\")
	if strings.Trim(w, "-—–=>") == "" {
		return ""
	}
	return w
}
