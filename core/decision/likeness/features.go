package likeness

import (
	"slices"
	"strings"
	"unicode"
)

// lexicon is the word tables with a cache of stems.
type lexicon struct {
	*tables
	stems map[string]string // by word
}

func newLexicon() *lexicon {
	return &lexicon{tables: newTables(), stems: make(map[string]string)}
}

// stem returns the stem of a word or of its synonym.
func (x *lexicon) stem(word string) string {
	s, ok := x.stems[word]
	if !ok {
		s = x.tables.stem(word)
		x.stems[word] = s
	}
	return s
}

// features are the properties of a text that are compared.
type features struct {
	lexicon *lexicon
	normal  string
	words   []string        // in order
	order   []string        // stems of content words, in order
	stems   map[string]bool // order as a set
	// rejected are the stems after "instead of" and the like, kept the others.
	rejected, kept map[string]bool
	names          map[string]bool // stems of words that look like names
	counts         map[string]bool // by counted stem, whether there is only one
	topics         map[string]string
	numbers        []quantity
	operators      []string
	denies         bool // the text as a whole: an odd number of denials
	denials        int
	only, both     bool              // whether these words occur
	optional       bool              // "optional" or a phrase that means it occurs
	subject        []string          // stems before "is" and the like
	scope          []string          // stems after "for"
	written        map[string]string // by stem, the first word that it was read from
	trigrams       map[string]bool
}

func (x *lexicon) features(body string) *features {
	f := &features{
		lexicon: x, normal: Normal(body), stems: make(map[string]bool), topics: make(map[string]string),
		rejected: make(map[string]bool), kept: make(map[string]bool), names: make(map[string]bool), counts: make(map[string]bool),
		written: make(map[string]string),
	}
	body = statement(body)
	r := reader{f: f, names: namesIn(body)}
	r.words = x.phrases(splitWords(Normal(clauses(body))), contrasts(body))
	r.prefers = slices.ContainsFunc(r.words, prefers)
	for i := 0; i < len(r.words); {
		r.at = i
		i += r.read(i)
	}
	if r.lacks != "" && r.denials == 1 { // "without X" rejects only X
		r.denials, f.rejected[r.lacks] = 0, true
		delete(f.kept, r.lacks)
	}
	f.denials, f.denies = r.denials, r.denials%2 == 1
	slices.Sort(f.operators)
	return f
}

// implied reports whether a stem merely names the kind of something in the text: "package
// manager" in a text that names pnpm.
func (f *features) implied(stem string) bool {
	for topic := range f.topics {
		if f.lexicon.plain[topic][stem] {
			return true
		}
	}
	return false
}

// reader parses the words of a text into features.
type reader struct {
	f       *features
	words   []string
	names   map[string]bool
	prefers bool
	rejects bool // inside a part that the text decides against
	denials int
	at      int    // index of the current word
	later   bool   // past the first clause
	lacks   string // stem of the word after "without"
	scoped  bool   // inside a phrase with "for"
}

// contrast replaces "instead of" and the like.
const contrast = "¬"

// read processes the words at index i and returns how many it consumed.
func (r *reader) read(i int) int {
	w, next := r.words[i], ""
	if i+1 < len(r.words) {
		next = r.words[i+1]
	}
	f := r.f
	if w == clause {
		r.rejects, r.later, r.scoped = false, true, false
		return 1
	}
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
	if u, ok := scheduled(w); ok {
		f.numbers = append(f.numbers, quantity{dimension: u.dimension, value: u.factor, written: w})
	}
	r.part(w, i)
	if !r.polarity(w, next) && (!filler(w) || r.names[w]) {
		s := f.lexicon.stem(w)
		if r.names[w] || f.lexicon.compound[w] {
			f.names[s] = true
		}
		r.add(w, s)
	}
	return 1
}

// part tracks which part of the sentence the current word belongs to.
func (r *reader) part(w string, i int) {
	if preposition(w) && !(i > 0 && r.words[i-1] == contrast) { // but not right after "not": on start, not at login
		r.rejects = false
	}
	if verbal(w) && r.f.subject == nil && !r.later {
		r.f.subject = slices.Clone(r.f.order)
	}
	r.scoped = w == "for" || r.scoped && !preposition(w) && !verbal(w)
}

// polarity processes a word that denies, limits or leaves open what the text says. It
// reports false for any other word.
func (r *reader) polarity(w, next string) bool {
	f := r.f
	switch {
	case w == "only":
		f.only = f.only || !r.later
	case w == "both":
		f.both = true
	case w == "optional":
		f.optional = true
		return false // also counts as a content word
	case w == "until" || w == "till": // "not until" means "after": it denies nothing
		r.denials -= r.denials % 2
	case w == "without":
		if r.denials == 0 {
			r.lacks = f.lexicon.stem(next)
			r.denials++
		}
	case excepts(w), denial(w):
		r.denials++
	default:
		return false
	}
	return true
}

// count reads a quantity or a counting word such as "several". It returns the number of
// words consumed, 0 when they also have to be read as ordinary words.
func (r *reader) count(w, next string) int {
	f := r.f
	if one, counted := counts(w); counted && next != "" {
		f.counts[f.lexicon.stem(next)] = one && !slices.Contains(r.words, "per")
	}
	q, n := readQuantity(w, next)
	if r.at > 0 && len(f.order) > 0 && r.names[r.words[r.at-1]] {
		q.named = f.order[len(f.order)-1]
	}
	q.written = strings.Join(r.words[min(len(r.words), r.at):min(len(r.words), r.at+n)], " ")
	switch {
	case n == 0:
		return 0
	case q.dimension != "":
		r.add(q.written, "§"+q.dimension)
	case next != "":
		f.counts[f.lexicon.stem(next)] = q.value == 1
		if !filler(next) && next != "times" && !denial(next) {
			q.counted = f.lexicon.stem(next)
		}
	}
	f.numbers = append(f.numbers, q)
	return n
}

// add adds the stem of a content word.
func (r *reader) add(word, s string) {
	f := r.f
	f.stems[s] = true
	if f.written[s] == "" {
		f.written[s] = word
	}
	f.order = append(f.order, s)
	if r.rejects {
		f.rejected[s] = true
		return
	}
	f.kept[s] = true
	if r.scoped {
		f.scope = append(f.scope, s)
	}
	for _, kind := range f.kindsOf(s) {
		f.topics[kind] = s
	}
}

// namesIn returns the words of a text that look like names, in the form that splitWords
// gives them.
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

// contrasts reports whether a text has ", not" or "and not", which does not deny the text
// as a whole.
func contrasts(body string) bool {
	return strings.Contains(strings.ToLower(body), ", not ") || strings.Contains(strings.ToLower(body), " and not ")
}

// phrases replaces phrases by the words that they mean, and contrasting denials by
// contrast.
func (x *tables) phrases(words []string, contrasting bool) []string {
	out := make([]string, 0, len(words))
	for i := 0; i < len(words); {
		var best phrase
		for _, p := range x.phrase[words[i]] {
			n := len(p.words)
			if n <= len(best.words) || i+n > len(words) || !slices.Equal(words[i:i+n], p.words) {
				continue
			}
			if p.words[n-1] == "in" && i+n < len(words) && len(x.kinds[x.stem(words[i+n])]) > 0 {
				continue // "log in JSON" is not "log in"
			}
			best = p
		}
		switch {
		case len(best.words) > 0:
			out = append(out, best.means...)
			i += len(best.words)
			continue
		case contrasting && i > 0 && words[i] == "not" && i+1 < len(words) && words[i+1] != "only":
			out = append(out, contrast)
		case denial(words[i]) && adds(words[:i]):
			out = append(out, contrast)
		default:
			out = append(out, words[i])
		}
		i++
	}
	return out
}

// clause marks the end of a clause.
const clause = "¦"

// clauses inserts clause at the clause boundaries of a text.
func clauses(body string) string {
	return strings.NewReplacer(", ", " "+clause+" ", "; ", " "+clause+" ", ". ", " "+clause+" ", " – ", " "+clause+" ", " — ", " "+clause+" ", " but ", " "+clause+" ",
		" and never ", " "+clause+" never ", " and no ", " "+clause+" no ", " and not ", " "+clause+" not ", " and must not ", " "+clause+" not ").Replace(body)
}

// adds reports whether a denial merely restates the words before it, as in "keep it in
// memory, never on disk". After a condition or another denial it is a statement of its own.
func adds(before []string) bool {
	at := len(before) - 1
	for at > 0 && before[at] != clause && filler(before[at]) && len(before)-at < 3 {
		at--
	}
	if at < 2 || before[at] != clause {
		return false
	}
	switch before[0] {
	case "if", "when", "while", "before", "after", "for", "in", "on", "at", "during", "until", "as", "once", "where":
		return false
	}
	return !slices.ContainsFunc(before, denial)
}

// splitWords splits a normal text into words. Hyphens and slashes separate words; other
// signs inside names do not. In scripts without spaces, every two characters form a word.
func splitWords(normal string) []string {
	var out []string
	for _, field := range strings.Fields(normal) {
		if isOperator(field) || len(field) > 1 && field[0] == '-' && startsWithDigit(field[1:]) {
			out = append(out, field)
			continue
		}
		if isClock(strings.TrimRight(field, ".,;")) {
			out = append(out, strings.TrimRight(field, ".,;"))
			continue
		}
		for _, w := range strings.FieldsFunc(field, func(r rune) bool { return strings.ContainsRune("-/,;:()[]{}\"`", r) }) {
			if w = strings.TrimSuffix(trimWord(w), "'s"); w == "" {
				continue
			}
			if runes := []rune(w); unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) && len(runes) > 2 {
				for i := range len(runes) - 1 {
					out = append(out, string(runes[i:i+2]))
				}
				continue
			}
			if name, number := versioned(w); number != "" {
				out = append(out, name, number)
				continue
			}
			out = append(out, w)
		}
	}
	return out
}

// versioned splits a version off a name: uuid and v7 from uuidv7.
func versioned(w string) (name, version string) {
	const least = 3 // minimum length of a name
	rest := strings.TrimRight(w, "0123456789")
	if name, ok := strings.CutSuffix(rest, "v"); ok && len(name) >= least && rest != w {
		return name, w[len(name):]
	}
	return w, ""
}

// statement returns what a text decides, without its reasons, whose words would distort the
// comparison.
func statement(body string) string {
	lower := strings.ToLower(body)
	if len(lower) != len(body) {
		return body
	}
	for _, first := range []string{"because ", "since ", "as "} {
		if at := strings.Index(lower, ", "); strings.HasPrefix(lower, first) && at > 0 {
			return body[at+2:]
		}
	}
	end := len(body)
	for _, reason := range []string{" because ", ", since ", " so that ", " due to ", ", as it ", ", as they ", ", as we ", " in order to ", " to avoid ", " to prevent ", " to make sure ", "(e.g", ", e.g"} {
		if at := strings.Index(lower, reason); at > 0 && len(strings.Fields(body[:at])) > 2 {
			end = min(end, at)
		}
	}
	rest := ""
	if next := strings.Index(body[end:], ". "); next >= 0 {
		rest = body[end+next:]
	}
	return body[:end] + rest
}

// weight returns how much a stem counts: common words distinguish less, long words more.
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
