package words

import (
	"strings"
	"unicode"
)

// Query is a parsed question.
type Query struct {
	terms  []term
	stems  []stem
	starts [alphabet * alphabet][]int32 // by first two letters, indexes into stems
	tests  bool                         // the question is about tests
	types  bool                         // the question is about types
}

// term is one concept of the question, whatever words express it.
type term struct {
	word   string
	weight float64
}

// stem is one spelling of a term.
type stem struct {
	text   string // in lower case, without its ending
	term   int
	weight float64
	shy    bool // it lost its y: any word has an ending of isShyEnding after it, as in retr-y, retr-ies
}

const (
	alphabet = 26
	// minPrefix is the minimum length of a stem that matches as a prefix of a longer word.
	minPrefix = 4
	// maxTerms bounds the work for a long question. It leaves room for a whole bug report, of which
	// the first words are often a greeting and a form.
	maxTerms = 96
)

// Weights of partial matches. An exact match has weight 1.
const (
	alikeWeight  = 0.45 // a synonym
	prefixWeight = 0.3  // a longer word that begins with the stem
	vagueWeight  = 0.3  // a word that occurs in many questions
	pairWeight   = 0.7  // two words of the question as one word
)

// Parse parses a question.
func Parse(question string) *Query {
	q := &Query{}
	groups := groupsByStem()
	last, small := "", "" // the previous word, and the one empty word after it
	for _, w := range Split(question) {
		if empty.has(w) || len(w) < 2 {
			if small != "" {
				last = ""
			}
			small = w
			continue
		}
		if strings.HasPrefix(w, "test") || strings.HasPrefix(w, "spec") {
			q.tests = true
		}
		if strings.HasPrefix(w, "type") || strings.HasPrefix(w, "interface") {
			q.types = true
		}
		if len(q.terms) >= maxTerms {
			break
		}
		if last != "" {
			q.addPair(last, small, w)
		}
		q.add(w, groups)
		last, small = w, ""
	}
	q.addPhrases(question)
	q.addInitials(question)
	q.sort()
	return q
}

// addInitials adds acronyms of three or four neighboring words: otp for "one time password", ttl
// for "time to live". The first and last of them must not be empty words.
func (q *Query) addInitials(question string) {
	list := Split(question)
	for i := range list {
		for n := 3; n <= 4 && i+n <= len(list) && len(q.terms) < maxTerms; n++ {
			if empty.has(list[i]) || empty.has(list[i+n-1]) {
				continue
			}
			short := ""
			for _, w := range list[i : i+n] {
				short += w[:1]
			}
			if !empty.has(short) && !vague.has(short) {
				q.terms = append(q.terms, term{weight: pairWeight})
				q.stems = append(q.stems, stem{text: short, term: len(q.terms) - 1, weight: 1})
			}
		}
	}
}

// Words lists the words that are searched for, as written in the question.
func (q *Query) Words() []string {
	var out []string
	for _, t := range q.terms {
		if t.word != "" {
			out = append(out, t.word)
		}
	}
	return out
}

// add adds a word, the base of an irregular form, and its synonyms.
func (q *Query) add(w string, groups map[string][]group) {
	for _, t := range q.terms {
		if t.word == w {
			return
		}
	}
	t := term{word: w, weight: 1}
	if vague.has(w) {
		t.weight = vagueWeight
	}
	q.terms = append(q.terms, t)
	own := newStem(w, len(q.terms)-1, 1)
	q.stems = append(q.stems, own)
	if base := regular(w); base != "" && !vague.has(w) && !vague.has(base) {
		own = newStem(base, len(q.terms)-1, 1)
		q.stems = append(q.stems, own)
	}
	for _, group := range groups[own.text] {
		for _, other := range group {
			if s := newStem(other, len(q.terms)-1, alikeWeight); s.text != own.text {
				q.stems = append(q.stems, s)
			}
		}
	}
}

// addPair adds two neighboring words as one, optionally with the empty word between them:
// "table of contents" as tableofcontents.
func (q *Query) addPair(a, small, b string) {
	weight := pairWeight
	if vague.has(a) || vague.has(b) {
		weight = vagueWeight
	}
	q.terms = append(q.terms, term{weight: weight})
	s := newStem(b, len(q.terms)-1, 1)
	s.text = a + small + s.text
	q.stems = append(q.stems, s)
}

// newStem removes the ending of a word.
func newStem(w string, term int, weight float64) stem {
	s := stem{text: w, term: term, weight: weight}
	for _, e := range [...]string{"ations", "ation", "ings", "ing", "ions", "ion", "ers", "ors", "er", "or", "ies", "ied", "ed", "es", "s", "y", "e"} {
		rest, cut := strings.CutSuffix(w, e)
		if !cut || len(rest) < 3 || len(rest) == 3 && len(e) > 1 && e != "ing" && e != "ies" && e != "ied" || strings.HasSuffix(w, "ss") && e == "s" || strings.HasSuffix(w, "us") && e == "s" {
			continue
		}
		if n := len(rest); n > 3 && rest[n-1] == rest[n-2] && (e == "ed" || e == "ing" || e == "er") && rest[n-1] != 's' && rest[n-1] != 'l' {
			rest = rest[:n-1]
		}
		s.shy = e == "ies" || e == "ied" || e == "y"
		if e == "s" && !s.shy { // nodes, caches: remove the remaining e as well
			rest = strings.TrimSuffix(rest, "e")
		}
		s.text = rest
		return s
	}
	return s
}

// sort indexes the stems by their first two letters, for scan.
func (q *Query) sort() {
	for i, s := range q.stems {
		a, b := s.text[0]-'a', s.text[1]-'a'
		if a < alphabet && b < alphabet {
			at := int(a)*alphabet + int(b)
			q.starts[at] = append(q.starts[at], int32(i))
		}
	}
}

// Split lists the words of a text or a name in lower case: retryDelay and retry-delay have two.
// Words in other alphabets are left out.
func Split(s string) []string {
	var out []string
	r := []rune(s)
	from := 0
	cut := func(to int) {
		if w := strings.ToLower(string(r[from:to])); w != "" && w[0] >= 'a' && w[0] <= 'z' {
			out = append(out, w)
		}
	}
	for i, c := range r {
		switch {
		case c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c):
			cut(i)
			from = i + 1
		case i > from && wordBegins(r[i-1], c, after(r, i)):
			cut(i)
			from = i
		}
	}
	cut(len(r))
	return out
}

func after(r []rune, i int) rune {
	if i+1 < len(r) {
		return r[i+1]
	}
	return 0
}

// wordBegins reports whether a word begins at c inside a name.
func wordBegins(before, c, next rune) bool {
	return unicode.IsUpper(c) && (unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && unicode.IsLower(next))
}
