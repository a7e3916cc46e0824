package likeness

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/text"
)

// tables are the word lists, indexed by stem.
type tables struct {
	kinds    map[string][]string        // the kinds that a stem is an alternative of, such as database
	everyday map[string]bool            // stems that belong to a kind only where they are written as names
	compound map[string]bool            // multi-word names in the form that phrases gives them
	plain    map[string]map[string]bool // by kind, stems that mean just "one of this kind"
	same     map[string]string          // the representative synonym of a word or root
	facing   map[string]map[string]bool // the opposites of a stem
	phrase   map[string][]phrase        // by their first word
	near     map[string][]int           // the groups of near words that have a stem
}

// phrase is a sequence of words and the words that replace it.
type phrase struct{ words, means []string }

func newTables() *tables {
	x := &tables{
		kinds: make(map[string][]string), everyday: make(map[string]bool), compound: make(map[string]bool), plain: make(map[string]map[string]bool),
		same: make(map[string]string), facing: make(map[string]map[string]bool), phrase: make(map[string][]phrase), near: make(map[string][]int),
	}
	for _, of := range phraseTable {
		for _, p := range of.all {
			x.phrase[of.first] = append(x.phrase[of.first], phrase{strings.Fields(p[0]), strings.Fields(p[1])})
		}
	}
	x.readSynonyms()
	for _, kind := range kinds {
		x.readKind(kind)
	}
	for i, group := range near {
		for _, w := range strings.Fields(group) {
			x.near[x.stem(w)] = append(x.near[x.stem(w)], i)
		}
	}
	for _, pair := range opposites {
		for _, a := range strings.Fields(pair[0]) {
			for _, b := range strings.Fields(pair[1]) {
				x.face(x.stem(a), x.stem(b))
				x.face(x.stem(b), x.stem(a))
			}
		}
	}
	return x
}

func (x *tables) readSynonyms() {
	for _, group := range synonyms {
		words := strings.Fields(group)
		for _, w := range words {
			x.same[w] = words[0]
			x.compoundOf(strings.Split(w, "-"), w)
		}
		for _, w := range words {
			if _, ok := x.same[root(w)]; !ok {
				x.same[root(w)] = words[0]
			}
		}
	}
}

func (x *tables) readKind(kind []string) {
	name, plain, _ := strings.Cut(kind[0], ": ")
	x.plain[name] = make(map[string]bool)
	for _, word := range strings.Fields(plain) {
		x.plain[name][x.stem(word)] = true
	}
	for _, member := range kind[1:] {
		word := strings.ToLower(member)
		if parts := strings.Fields(word); len(parts) > 1 {
			word = strings.Join(parts, "-")
			x.compound[word] = true
			x.compoundOf(parts, word)
		}
		s := x.stem(word)
		x.kinds[s] = append(x.kinds[s], name)
		if unicode.IsUpper(rune(member[0])) {
			x.everyday[s] = true
		}
	}
}

// compoundOf joins a multi-word name, unless phraseTable defines its meaning.
func (x *tables) compoundOf(parts []string, word string) {
	if len(parts) > 1 {
		x.phrase[parts[0]] = append(x.phrase[parts[0]], phrase{parts, []string{word}})
	}
}

func (x *tables) face(a, b string) {
	if x.facing[a] == nil {
		x.facing[a] = make(map[string]bool)
	}
	x.facing[a][b] = true
}

// stem returns the stem of a word or of its synonym.
func (x *tables) stem(word string) string {
	if rep, ok := x.same[word]; ok {
		return root(rep)
	}
	if rep, ok := x.same[root(word)]; ok {
		return root(rep)
	}
	return root(word)
}

// endings derive words from words. They are removed after grammatical endings.
var endings = [...]string{"ment", "ance", "ence", "able", "ible", "abl", "ibl", "ion", "ity", "ness", "ive", "ism", "ure", "ally", "ly", "al", "er", "or", "y", "e"}

// root returns the common part of derived forms: deploy for deployments and deployed.
func root(word string) string {
	const least = 4
	if !text.IsASCII(word) || strings.ContainsAny(word, "+#._0123456789") {
		return word
	}
	s := text.Stem(word)
	if rest, ok := strings.CutSuffix(s, "at"); ok && len(rest) >= least && !strings.HasSuffix(word, "at") {
		return rest // validate and validation
	}
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

// opposite reports whether two stems contradict each other: they are a listed pair, or one
// is the other with a negating prefix.
func (x *tables) opposite(a, b string) bool {
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

// kindsOf returns the kinds that a stem belongs to in this text.
func (f *features) kindsOf(stem string) []string {
	if f.lexicon.everyday[stem] && !f.names[stem] {
		return nil
	}
	return f.lexicon.kinds[stem]
}

// alternatives reports whether two stems do the same job in their texts.
func (f *features) alternatives(g *features, a, b string) bool {
	other := g.kindsOf(b)
	return slices.ContainsFunc(f.kindsOf(a), func(kind string) bool { return slices.Contains(other, kind) })
}

// nearby reports whether two stems may mean the same.
func (x *tables) nearby(a, b string) bool {
	return slices.ContainsFunc(x.near[a], func(group int) bool { return slices.Contains(x.near[b], group) })
}

// isKind reports whether a stem of f merely names the kind of a name in g.
func (f *features) isKind(stem string, g *features, name string) bool {
	return slices.ContainsFunc(g.kindsOf(name), func(kind string) bool { return f.lexicon.plain[kind][stem] })
}

// word returns a word that a stem was read from, safe to print.
func (f *features) word(stem string) string {
	return text.TerminalLine(cmp.Or(f.written[stem], stem))
}
