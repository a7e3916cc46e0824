package history

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// What a ranking takes the words of a text for. The first two are BM25's; the others
// were found with the questions of testdata/recall.
//
// A text has two parts, what somebody says and what a machine reads or prints, and each is
// measured by its own length: a remark is not worth less for the long call after it.
const (
	saturation  = 1.2  // the higher, the more a word counts that comes often
	lengthShare = 0.75 // how much of the length of a part counts against it

	// The words of a part whose length counts neither for it nor against it.
	typicalProse   = 100
	typicalMachine = 150

	formWeight    = 0.9 // of another form of a word
	partWeight    = 0.8 // of a word that is a part of a name
	machineWeight = 0.4 // of a word in a call or in tool output
	proseBonus    = 0.5 // for a text in which somebody says something
	fullProse     = 40  // words of prose that earn all of the bonus
	pairBonus     = 0.3 // for two words that stand side by side in the question, too
	errorBonus    = 0.2 // for a tool that failed
)

// maxTerms bounds the words of a question that are asked for. A pasted page is not a
// question: of that the longest words are taken.
const maxTerms = 24

// form is how a word of a text counts for a question.
type form struct {
	term   int
	weight float32
}

// weigher counts the words of a question in texts. It is read only, so that texts can
// be weighed in several goroutines.
type weigher struct {
	terms []Phrase
	forms map[string]form
}

// weight is what a text holds of a question.
type weight struct {
	prose, machine part
	held           uint64 // a bit for each term that occurs
	pairs          uint64 // a bit for each term that stands right after the term before it
}

// part is what somebody says in a text, or the rest of it.
type part struct {
	counts []float32 // occurrences of each term, weighed
	words  int
}

// newWeight is the weight of a text without any of so many terms.
func newWeight(terms int) *weight {
	counts := make([]float32, 2*terms)
	return &weight{prose: part{counts: counts[:terms:terms]}, machine: part{counts: counts[terms:]}}
}

// has reports whether a term occurs.
func (w *weight) has(term int) bool { return w.prose.counts[term] > 0 || w.machine.counts[term] > 0 }

// newWeigher makes the terms of a question: its words without their endings, and what is
// written as one, such as a file's name, as a phrase as well.
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

// inspect weighs the text of a line; nil when it holds no term.
func (w *weigher) inspect(raw []byte) Inspection {
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return Inspection{}
	}
	body := SearchText(&e, raw)
	seen := Inspection{Size: len(body)}
	if body == "" {
		return seen
	}
	prose, rest := split(&e, body)
	seen.weight = w.weigh(prose, rest)
	return seen
}

// split separates what somebody says in a text from calls and tool output.
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

// weigh counts the terms in a text, nil when it holds none.
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

// mayHold reports whether a text holds all words of a phrase.
func (w *weigher) mayHold(have *weight, p Phrase) bool {
	for _, word := range p.Words {
		if f, ok := w.forms[word]; ok && !have.has(f.term) {
			return false
		}
	}
	return true
}

// count adds the words of a part of a text, and the occurrences of single terms among them.
func (w *weigher) count(out *weight, to *part, body string) {
	last := -2 // the term of the word before
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

// form is what a word of a text counts as.
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

// countParts adds the parts of a name that are terms.
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

// weighMatcher matches the texts that a weigher finds something in.
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

// place is that of a part of a name when the text holds no term as a word.
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

// weights are how much the terms of a question say: what few texts hold says more.
type weights []float64

// weightsOf are those of terms that so many of some texts have.
func weightsOf(having []int, texts int) weights {
	out := make(weights, len(having))
	for i, n := range having {
		n := float64(min(n, texts))
		out[i] = math.Log1p((float64(texts) - n + 0.5) / (n + 0.5))
	}
	return out
}

// score is how well a text answers a question.
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

// lengthFactor is what the length of a part makes of its words.
func lengthFactor(words, typical int) float64 {
	return 1 - lengthShare + lengthShare*float64(words)/float64(typical)
}

// promise is how well a text may answer a question, as far as an index knows: it holds
// each of its words once.
func (ws weights) promise(c Candidate) float64 {
	w := newWeight(len(ws))
	w.held = c.Held
	part := &w.prose
	if c.Role == message.RoleToolResult || c.Role == message.RoleBashExecution {
		part = &w.machine
	}
	part.words = c.Words
	for i := range part.counts {
		part.counts[i] = 1
	}
	return ws.score(w, false)
}
