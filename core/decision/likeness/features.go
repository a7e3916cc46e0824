package likeness

import (
	"slices"
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/text"
)

// lexicon caches properties of words while texts are compared.
type lexicon struct {
	topics map[string]string          // the kind, such as database, by the stem of a word
	plain  map[string]map[string]bool // by kind, stems that say no more than its members do
	stems  map[string]string          // by word
	same   map[string]string          // the synonym that stands for a word or a root
	facing map[string]map[string]bool // the opposites of a stem
}

func newLexicon() *lexicon {
	x := &lexicon{topics: make(map[string]string), plain: make(map[string]map[string]bool), stems: make(map[string]string), facing: make(map[string]map[string]bool), same: make(map[string]string)}
	for _, group := range synonyms {
		words := strings.Fields(group)
		for _, w := range words {
			x.same[w] = words[0]
		}
		for _, w := range words {
			if _, ok := x.same[root(w)]; !ok {
				x.same[root(w)] = words[0]
			}
		}
	}
	for _, kind := range kinds {
		name, plain, _ := strings.Cut(kind[0], ": ")
		x.plain[name] = make(map[string]bool)
		for _, word := range strings.Fields(plain) {
			x.plain[name][x.stem(word)] = true
		}
		for _, word := range kind[1:] {
			x.topics[x.stem(word)] = name
		}
	}
	face := func(a, b string) {
		if x.facing[a] == nil {
			x.facing[a] = make(map[string]bool)
		}
		x.facing[a][b] = true
	}
	for _, pair := range opposites {
		for _, a := range strings.Fields(pair[0]) {
			for _, b := range strings.Fields(pair[1]) {
				face(x.stem(a), x.stem(b))
				face(x.stem(b), x.stem(a))
			}
		}
	}
	return x
}

// stem is the stem of a word, or of the word that it is a synonym of.
func (x *lexicon) stem(word string) string {
	s, ok := x.stems[word]
	if !ok {
		s = word
		if rep, ok := x.same[word]; ok {
			s = rep
		} else if rep, ok := x.same[root(word)]; ok {
			s = rep
		}
		s = root(s)
		x.stems[word] = s
	}
	return s
}

// endings make other words of one: they are taken off after the endings of grammar.
var endings = [...]string{"ment", "ance", "ence", "able", "ible", "ion", "ity", "ness", "ive", "ism", "ure", "ly", "al", "er", "or", "y", "e"}

// root is what the forms of a word have in common: deploy for deployments and deployed.
func root(word string) string {
	const least = 4
	if !text.IsASCII(word) || strings.ContainsAny(word, "+#._0123456789") {
		return word
	}
	s := text.Stem(word)
	if rest, ok := strings.CutSuffix(s, "s"); ok && len(rest) == least-1 && !strings.ContainsAny(rest[least-2:], "aiosu") {
		s = rest // jobs, keys and runs
	}
	for _, end := range endings {
		if rest, ok := strings.CutSuffix(s, end); ok && len(rest) >= least {
			return strings.TrimSuffix(rest, "at")
		}
	}
	return s
}

// opposite reports whether two stems contradict each other: as a pair of opposites, or
// because one is the other with a prefix that negates.
func (x *lexicon) opposite(a, b string) bool {
	if x.facing[a][b] {
		return true
	}
	for _, prefix := range []string{"un", "in", "im", "non", "dis", "de", "ir", "a"} {
		for _, pair := range [2][2]string{{a, b}, {b, a}} {
			if rest, ok := strings.CutPrefix(pair[0], prefix); ok && len(rest) > 3 && (rest == pair[1] || prefix != "a" && kindred(rest, pair[1])) {
				return true
			}
		}
	}
	return false
}

// features are the properties by which texts are compared.
type features struct {
	lexicon *lexicon
	normal  string
	words   []string        // in their order
	order   []string        // the stems of those that carry meaning, in their order
	stems   map[string]bool // the same as a set
	// rejected are the stems of what stands after "instead of" and its like, kept the others.
	rejected, kept map[string]bool
	names          map[string]bool // the stems of what looks like a name
	counts         map[string]bool // of stems that are counted: whether there is one alone
	topics         map[string]string
	numbers        []quantity
	operators      []string
	denies         bool // on the whole: a denial takes another one back
	denials        int
	only, both     bool // such words are there
	trigrams       map[string]bool
}

func (x *lexicon) features(body string) *features {
	f := &features{
		lexicon: x, normal: Normal(body), stems: make(map[string]bool), topics: make(map[string]string),
		rejected: make(map[string]bool), kept: make(map[string]bool), names: make(map[string]bool), counts: make(map[string]bool),
	}
	r := reader{f: f, names: namesIn(body), prefers: strings.Contains(f.normal, "prefer") || strings.Contains(f.normal, "favo")}
	r.words = phrases(splitWords(f.normal), contrasts(body))
	for i := 0; i < len(r.words); {
		i += r.read(i)
	}
	f.denials, f.denies = r.denials, r.denials%2 == 1
	slices.Sort(f.operators)
	return f
}

// implied reports whether a stem only names the kind of what the text names: a package manager
// where it names pnpm.
func (f *features) implied(stem string) bool {
	for topic := range f.topics {
		if f.lexicon.plain[topic][stem] {
			return true
		}
	}
	return false
}

// reader reads the words of a text into features.
type reader struct {
	f       *features
	words   []string
	names   map[string]bool
	prefers bool
	rejects bool // what is read now is what the text decides against
	denials int
}

// contrast is the word that stands for "instead of" and its like.
const contrast = "¬"

// read reads the words at a position, and returns how many they are.
func (r *reader) read(i int) int {
	w, next := r.words[i], ""
	if i+1 < len(r.words) {
		next = r.words[i+1]
	}
	f := r.f
	f.words = append(f.words, w)
	switch {
	case w == contrast || w == "over" && r.prefers:
		r.rejects = true
		return 1
	case isOperator(w):
		f.operators = append(f.operators, w)
		return 1
	}
	if bare := strings.TrimLeft(w, "<>=!~^"); bare != w && bare != "" {
		f.operators = append(f.operators, w[:len(w)-len(bare)])
		r.words[i], w = bare, bare
	}
	if n := r.count(w, next); n > 0 {
		return n
	}
	if u, ok := units[schedules[w]]; ok {
		f.numbers = append(f.numbers, quantity{dimension: u.dimension, value: u.factor})
	}
	if preposition(w) && !(i > 0 && r.words[i-1] == contrast) { // not after "not", as in: on start, not at login
		r.rejects = false
	}
	switch {
	case w == "only":
		f.only = true
	case w == "both":
		f.both = true
	case w == "until" || w == "till": // not before is after
		r.denials -= r.denials % 2
	case excepts(w):
		if r.denials == 0 || w != "without" {
			r.denials++
		}
	case denial(w):
		r.denials++
	case !filler(w) || r.names[w]:
		s := f.lexicon.stem(w)
		if r.names[w] {
			f.names[s] = true
		}
		r.add(s)
	}
	return 1
}

// count reads how many there are of what, and returns how many words that are, 0 where they are to
// be read as words, too.
func (r *reader) count(w, next string) int {
	f := r.f
	if one, counted := counts(w); counted && next != "" {
		f.counts[f.lexicon.stem(next)] = one && !slices.Contains(r.words, "per")
	}
	q, n := readQuantity(w, next)
	switch {
	case n == 0:
		return 0
	case q.dimension != "":
		r.add("§" + q.dimension)
	case next != "":
		f.counts[f.lexicon.stem(next)] = q.value == 1
	}
	f.numbers = append(f.numbers, q)
	return n
}

// add adds a stem that carries meaning.
func (r *reader) add(s string) {
	f := r.f
	f.stems[s] = true
	f.order = append(f.order, s)
	if r.rejects {
		f.rejected[s] = true
		return
	}
	f.kept[s] = true
	if t := f.lexicon.topics[s]; t != "" {
		f.topics[t] = s
	}
}

// namesIn are the words of a text that look like names, as splitWords writes them.
func namesIn(body string) map[string]bool {
	out := make(map[string]bool)
	for i, w := range strings.Fields(body) {
		for j, part := range strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("-/,;:()[]{}=\"`", r) }) {
			part = strings.Trim(part, ".,;:!?'*_")
			if isName(part, i == 0 && j == 0) {
				out[strings.ToLower(part)] = true
			}
		}
	}
	return out
}

// contrasts reports whether a text says ", not": then "not" does not deny the whole.
func contrasts(body string) bool {
	return strings.Contains(strings.ToLower(body), ", not ") || strings.Contains(strings.ToLower(body), " and not ")
}

// phrases puts one word in the place of several that stand for it.
func phrases(words []string, contrasting bool) []string {
	out := make([]string, 0, len(words))
	for i := 0; i < len(words); {
		n, with := 0, ""
		for _, p := range phraseTable[words[i]] {
			if parts := strings.Fields(p[0]); len(parts) > n && i+len(parts) <= len(words) && slices.Equal(words[i:i+len(parts)], parts) {
				n, with = len(parts), p[1]
			}
		}
		switch {
		case n > 0:
			out = append(out, strings.Fields(with)...)
			i += n
			continue
		case contrasting && i > 0 && words[i] == "not" && i+1 < len(words) && words[i+1] != "only":
			out = append(out, contrast)
		default:
			out = append(out, words[i])
		}
		i++
	}
	return out
}

// splitWords splits a normal text into words. Hyphens and slashes separate words, signs
// inside names do not. In scripts without blanks every two characters are a word.
func splitWords(normal string) []string {
	var out []string
	for _, field := range strings.Fields(normal) {
		if isOperator(field) || len(field) > 1 && field[0] == '-' && startsWithDigit(field[1:]) {
			out = append(out, field)
			continue
		}
		for _, w := range strings.FieldsFunc(field, func(r rune) bool { return strings.ContainsRune("-/,;:()[]{}\"`", r) }) {
			if w = trimWord(w); w == "" {
				continue
			}
			if runes := []rune(w); unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) && len(runes) > 2 {
				for i := range len(runes) - 1 {
					out = append(out, string(runes[i:i+2]))
				}
				continue
			}
			out = append(out, w)
		}
	}
	return out
}

// weight is how much a stem counts: common words distinguish less, long words more.
func weight(stem string) float64 {
	switch {
	case light(stem):
		return 0.3
	case common(stem):
		return 0.5
	case len(stem) > 6:
		return 1.25
	}
	return 1
}
