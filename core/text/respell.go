package text

import "strings"

// respellings are beginnings of words in British and American spelling. The first that fits
// counts: "centered" stands before "center".
var respellings = [...][2]string{
	{"analys", "analyz"},
	{"artefact", "artifact"},
	{"behaviour", "behavior"},
	{"catalogue", "catalog"},
	{"centred", "centered"},
	{"centring", "centering"},
	{"centre", "center"},
	{"colour", "color"},
	{"defence", "defense"},
	{"dialogue", "dialog"},
	{"favour", "favor"},
	{"flavour", "flavor"},
	{"grey", "gray"},
	{"honour", "honor"},
	{"licence", "license"},
	{"neighbour", "neighbor"},
}

// verbEndings are the endings of verbs in ise and ize, and of their nouns, behind the
// letter that differs.
var verbEndings = [...]string{"e", "ed", "es", "ing", "er", "ers", "able", "ation", "ations"}

// otherSpelling returns the American spelling of a British word and the British one of an
// American word: "color" for "colour", "normalise" for "normalize". It returns "" if the two
// are not known to differ. A result need not be a word, which is harmless in a search.
func otherSpelling(word string) string {
	for _, pair := range respellings {
		for i, from := range pair {
			to := pair[1-i]
			rest, ok := strings.CutPrefix(word, from)
			if longer := strings.HasPrefix(to, from) && strings.HasPrefix(word, to); ok && !longer {
				return to + rest
			}
		}
	}
	for _, end := range verbEndings {
		rest, ok := strings.CutSuffix(word, end)
		n := len(rest) - 1
		if !ok || n < minStem || rest[n-1] != 'i' {
			continue
		}
		switch rest[n] {
		case 's':
			return rest[:n] + "z" + end
		case 'z':
			return rest[:n] + "s" + end
		}
	}
	return ""
}
