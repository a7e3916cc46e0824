package text

import (
	"slices"
	"strings"
)

// irregular are the irregular English verbs, one per line, with each form between spaces.
const irregular = `
 become became
 begin began begun
 bind bound
 break broke broken
 bring brought
 build built
 catch caught
 choose chose chosen
 come came
 draw drew drawn
 drive drove driven
 fall fell fallen
 feed fed
 find found
 forget forgot forgotten
 freeze froze frozen
 get got gotten
 give gave given
 go went gone
 grow grew grown
 hang hung
 hide hid hidden
 hold held
 keep kept
 know knew known
 lead led
 leave left
 lose lost
 make made
 mean meant
 meet met
 overcome overcame
 override overrode overridden
 overwrite overwrote overwritten
 pay paid
 rebuild rebuilt
 rewrite rewrote rewritten
 run ran
 say said
 see saw seen
 send sent
 show shown
 shrink shrank shrunk
 speak spoke spoken
 spend spent
 stand stood
 stick stuck
 take took taken
 tell told
 think thought
 throw threw thrown
 undo undid undone
 understand understood
 win won
 write wrote written
`

// Inflections returns other forms of an English word that StemPrefix cannot reach: "drop"
// and "drops" for "dropped", "add" for "added", "lint" for "linter", "chose" for "chosen",
// "saved" for "save", "color" for "colour". Each comes once. Some are not words, which is
// harmless in a search.
func Inflections(word string) []string {
	var out []string
	add := func(forms ...string) {
		for _, f := range forms {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	for _, base := range bases(word) {
		add(base)
		if base != word {
			add(base+"s", base+"ed", base+"ing")
		}
		add(otherEndings(base)...)
		at := strings.Index(irregular, " "+base+" ")
		if at < 0 {
			at = strings.Index(irregular, " "+base+"\n")
		}
		if at >= 0 {
			from, to := strings.LastIndexByte(irregular[:at], '\n')+1, at+strings.IndexByte(irregular[at:], '\n')
			add(strings.Fields(irregular[from:to])...)
		}
	}
	if other := otherSpelling(word); other != "" {
		stem := StemPrefix(other)
		add(other, stem, stem+"e", stem+"s", stem+"es", stem+"ed", stem+"ing")
	}
	return out
}

// otherEndings returns the forms in which a word loses or changes its last letter, unless
// StemPrefix reaches them: "saving" for "save", "copied" for "copy".
func otherEndings(word string) []string {
	last := len(word) - 1
	switch {
	case last < minStem-2 || !IsASCII(word):
	case word[last] == 'e' && last < minStem:
		return []string{word + "s", word + "d", word[:last] + "ing"}
	case word[last] == 'y' && !strings.ContainsRune("aeiou", rune(word[last-1])):
		return []string{word[:last] + "ies", word[:last] + "ied", word + "ing"}
	}
	return nil
}

// bases returns a word and its possible base forms that StemPrefix misses: bases of three
// letters, before a doubled letter, bases in y, and the verb of an agent noun such as
// "linter".
func bases(word string) []string {
	out := []string{word}
	if !IsASCII(word) {
		return out
	}
	for _, end := range [...]string{"ied", "ies"} {
		if rest, ok := strings.CutSuffix(word, end); ok && len(rest) >= minStem-2 {
			out = append(out, rest+"y")
		}
	}
	for _, end := range [...]string{"ers", "er", "ing", "ed", "es", "s"} {
		rest, ok := strings.CutSuffix(word, end)
		n := len(rest)
		agent := end == "er" || end == "ers"
		switch {
		case !ok || n < minStem-2 || agent && n < minStem || end == "s" && strings.HasSuffix(rest, "s"):
			continue
		case n > minStem-1 && rest[n-1] == rest[n-2] && end != "s" && end != "es":
			return append(out, rest[:n-1], rest)
		case agent:
			return append(out, rest, rest+"e")
		case n == minStem-1:
			return append(out, rest, rest+"e")
		case n == minStem-2 && end != "s":
			return append(out, rest+"e")
		}
	}
	return out
}
