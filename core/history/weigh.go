package history

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// How the words of a text are weighed. saturation and lengthShare are those of BM25; the
// others were fitted to the questions of testdata/recall.
//
// A text has two parts, prose and what a machine reads or prints, each weighed by its own
// length: a remark is not worth less for a long call after it.
const (
	saturation  = 1.2  // the higher, the more repetitions of a word count
	lengthShare = 0.75 // how much the length of a part counts against it

	// Lengths in words that count neither for nor against a part.
	typicalProse   = 100
	typicalMachine = 150

	// longRemark is how many words an entry of the assistant that is not read yet is at most
	// taken for.
	longRemark = 150

	formWeight    = 0.9 // for another form of a word
	partWeight    = 0.8 // for a word that is part of a name
	machineWeight = 0.4 // for a word in a call or in tool output
	proseBonus    = 0.5 // for a text with prose
	fullProse     = 40  // words of prose that earn the full bonus
	pairBonus     = 0.3 // for two adjacent words that are adjacent in the query too
	errorBonus    = 0.2 // for a tool that failed
)

// maxTerms bounds the terms of a query. Of a pasted page only the first words count.
const maxTerms = 24

// form is how a word of a text counts for a query.
type form struct {
	term   int
	weight float32
}

// weigher counts the terms of a query in texts. It is read-only, so it may be used
// concurrently.
type weigher struct {
	terms []Phrase
	forms map[string]form
}

// weight is what a text contains of a query.
type weight struct {
	prose, machine part
	held           uint64 // a bit for each term that occurs in the text
	pairs          uint64 // a bit for each term that directly follows its predecessor in the query
}

// part is the prose of a text, or the rest of it.
type part struct {
	counts []float32 // occurrences of each term, weighed
	words  int
}

// newWeight returns the weight of a text in which none of the terms occurs.
func newWeight(terms int) *weight {
	counts := make([]float32, 2*terms)
	return &weight{prose: part{counts: counts[:terms:terms]}, machine: part{counts: counts[terms:]}}
}

// has reports whether a term occurs.
func (w *weight) has(term int) bool { return w.prose.counts[term] > 0 || w.machine.counts[term] > 0 }

// newWeigher makes the terms of a query: its words without their endings and, for what is
// written as one, such as a file name, a phrase as well.
func newWeigher(content []Phrase) *weigher {
	w := &weigher{forms: make(map[string]form)}
	var compounds []Phrase
	for _, p := range content {
		if len(p.Words) > 1 {
			compounds = append(compounds, p)
		}
		for _, word := range p.Words {
			w.add(word)
		}
	}
	for _, p := range compounds {
		if len(w.terms) < maxTerms {
			w.terms = append(w.terms, p)
		}
	}
	return w
}

// add adds a word as a term, unless it is a form of one.
func (w *weigher) add(word string) {
	if _, known := w.forms[word]; known || len(w.terms) >= maxTerms {
		return
	}
	at := len(w.terms)
	stem := text.StemPrefix(word)
	w.terms = append(w.terms, Phrase{Words: []string{stem}, Prefix: true, part: word, written: word})
	put := func(f string, weight float32) {
		if _, known := w.forms[f]; !known {
			w.forms[f] = form{at, weight}
		}
	}
	put(word, 1)
	for _, f := range text.Forms(stem) {
		put(f, formWeight)
	}
	for _, end := range [...]string{"er", "ers", "or", "ment", "ly", "able", "ance", "ure", stem[len(stem)-1:] + "ed", stem[len(stem)-1:] + "ing"} {
		put(stem+end, formWeight)
	}
	for _, f := range text.Inflections(word) {
		put(f, formWeight)
		if !strings.HasPrefix(f, stem) {
			w.terms[at].Also = append(w.terms[at].Also, f)
		}
	}
}

// split separates the prose of a text from calls and tool output.
func split(e *message.Entry, body string) (prose, rest string) {
	const call = "[tool: "
	switch e.Message.Role {
	case message.RoleToolResult, message.RoleBashExecution:
		return "", body
	case message.RoleAssistant:
		if strings.HasPrefix(body, call) {
			return "", body
		}
		if i := strings.Index(body, "\n"+call); i >= 0 {
			return body[:i], body[i:]
		}
	}
	return body, ""
}

// weigh counts the terms in a text. It returns nil when there are none.
func (w *weigher) weigh(prose, rest string) *weight {
	out := newWeight(len(w.terms))
	w.count(out, &out.prose, prose)
	w.count(out, &out.machine, rest)
	for i, p := range w.terms {
		if len(p.Words) > 1 && w.mayHold(out, p) {
			if p.find(prose) >= 0 {
				out.prose.counts[i] = 1
			} else if p.find(rest) >= 0 {
				out.machine.counts[i] = 1
			}
		}
		if out.has(i) {
			out.held |= 1 << i
		}
	}
	if out.held == 0 {
		return nil
	}
	return out
}

// mayHold reports whether a text contains all words of a phrase.
func (w *weigher) mayHold(have *weight, p Phrase) bool {
	for _, word := range p.Words {
		if f, ok := w.forms[word]; ok && !have.has(f.term) {
			return false
		}
	}
	return true
}

// count counts the words of a part of a text, and the single-word terms among them.
func (w *weigher) count(out *weight, to *part, body string) {
	last := -2 // the term of the preceding word
	for at := 0; ; to.words++ {
		start, end, ok := nextWord(body, at)
		if !ok {
			return
		}
		at = end
		word := body[start:end]
		f, found := w.form(word)
		if !found {
			w.countParts(to.counts, word)
			last = -2
			continue
		}
		to.counts[f.term] += f.weight
		if f.term == last+1 {
			out.pairs |= 1 << f.term
		}
		last = f.term
	}
}

// form returns what a word of a text counts as.
func (w *weigher) form(word string) (form, bool) {
	var small [64]byte
	if len(word) > len(small) {
		return form{}, false
	}
	for i := range len(word) {
		c := word[i]
		if c >= 0x80 {
			f, ok := w.forms[text.FoldLetters(word)]
			return f, ok
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		small[i] = c
	}
	f, ok := w.forms[string(small[:len(word)])]
	return f, ok
}

// countParts counts the parts of a name that are terms.
func (w *weigher) countParts(counts []float32, word string) {
	var cuts [maxParts + 1]int
	n := 0
	if len(word) <= maxPartedWord {
		n = splitHumps(word, cuts[:])
	}
	if n < 2 || n > maxParts {
		return
	}
	from := 0
	for _, to := range cuts[:n] {
		if f, ok := w.form(word[from:to]); ok && to-from >= minPart {
			counts[f.term] += f.weight * partWeight
		}
		from = to
	}
}

// weighMatcher matches the texts that contain any term.
type weighMatcher struct {
	Expr
	weigher *weigher
}

func (m weighMatcher) held(body string) uint64 {
	if w := m.weigher.weigh(body, ""); w != nil {
		return w.held
	}
	return 0
}

// place implements matcher. When no term occurs as a word it returns a name that has one as
// a part.
func (m weighMatcher) place(body string, reach int) (start, end int) {
	if start, end = m.Expr.place(body, reach); end > 0 {
		return start, end
	}
	for at := 0; ; at = end {
		var ok bool
		if start, end, ok = nextWord(body, at); !ok {
			return 0, 0
		}
		counts := make([]float32, len(m.weigher.terms))
		m.weigher.countParts(counts, body[start:end])
		if slices.ContainsFunc(counts, func(n float32) bool { return n > 0 }) {
			return start, end
		}
	}
}

// weights are the inverse document frequencies of the terms of a query.
type weights []float64

// weightsOf returns the weights of terms. having is how many of the texts contain each.
func weightsOf(having []int, texts int) weights {
	out := make(weights, len(having))
	for i, n := range having {
		n := float64(min(n, texts))
		out[i] = math.Log1p((float64(texts) - n + 0.5) / (n + 0.5))
	}
	return out
}

// score returns how well a text answers a query.
func (ws weights) score(w *weight, failed bool) (sum float64) {
	prose, machine := 1/lengthFactor(w.prose.words, typicalProse), machineWeight/lengthFactor(w.machine.words, typicalMachine)
	for h := w.held; h != 0; h &= h - 1 {
		i := bits.TrailingZeros64(h)
		n := float64(w.prose.counts[i])*prose + float64(w.machine.counts[i])*machine
		sum += ws[i] * n * (saturation + 1) / (n + saturation)
		if w.pairs&(1<<i) != 0 {
			sum += pairBonus * min(ws[i], ws[i-1])
		}
	}
	sum *= 1 + proseBonus*min(1, float64(w.prose.words)/fullProse)
	if failed {
		sum *= 1 + errorBonus
	}
	return sum
}

// lengthFactor is by how much the length of a part divides the weight of its words.
func lengthFactor(words, typical int) float64 {
	return 1 - lengthShare + lengthShare*float64(words)/float64(typical)
}

// promise estimates the score of a text from what the index knows, as if every term
// occurred once.
func (ws weights) promise(c Candidate) float64 {
	w := newWeight(len(ws))
	w.held = c.Held
	part := &w.prose
	if c.Role == message.RoleToolResult || c.Role == message.RoleBashExecution {
		part = &w.machine
	}
	part.words = c.Words
	if c.Role == message.RoleAssistant {
		// The index knows how long a remark and its call are together, and their words weigh by
		// the length of each.
		part.words = min(part.words, longRemark)
	}
	for i := range part.counts {
		part.counts[i] = 1
	}
	return ws.score(w, false)
}
