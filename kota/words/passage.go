package words

import (
	"cmp"
	"slices"

	"github.com/coctostan/pictx/kota/lang"
)

// A passage is a declaration with its body and the comment above it. A question is usually about
// one thing that a file does: the passage about it has more of the words than any few lines, and
// is not lost among the rest of a long file.
const (
	passageLines  = 30  // a passage of this length is neither favored nor reduced
	shortPassage  = 0.4 // fraction of the normalization that does not depend on its length
	longPassage   = 400 // a longer declaration says no more than its file
	commentAbove  = 8   // how many lines above a declaration its comment may have
	passagePath   = 1   // weight of a word in the path of the file
	ownerFraction = 0.5 // what a word in the name of the owner counts, compared with its own name
)

// passage returns the score of the best passage of a file.
func (q *Query) passage(f *Found, s Scale, decls []lang.Decl) (best float64) {
	body, names := make([]float64, len(q.terms)), make([]float64, len(q.terms))
	for _, d := range decls {
		if d.End-d.Line > longPassage || !f.body(d, body) {
			continue
		}
		q.inName(d, names)
		norm := shortPassage + float64((1-shortPassage)*float64(max(d.End-d.Line, 0))/passageLines)
		sum := 0.0
		for t := range body {
			x := body[t]/norm + float64(nameGain*names[t]) + float64(passagePath*f.path[t])
			sum += float64(s.weights[t] * x / (saturation + x))
		}
		best = max(best, sum)
	}
	return best
}

// body sets, by term, what the marks in a passage weigh. It reports false when there are none.
func (f *Found) body(d lang.Decl, weights []float64) bool {
	clear(weights)
	from, _ := slices.BinarySearchFunc(f.marks, d.Line-commentAbove, func(m mark, line int) int { return cmp.Compare(int(m.line), line) })
	any := false
	for _, m := range f.marks[from:] {
		if int(m.line) > max(d.Line, d.End) {
			break
		}
		if int(m.line) < d.Line && m.place != inComment {
			continue
		}
		weights[m.term] += float64(float64(m.weight) * gains[m.place])
		any = true
	}
	return any
}

// inName sets, by term, the weight of the words in the name of a declaration and of its owner.
func (q *Query) inName(d lang.Decl, weights []float64) {
	clear(weights)
	q.scan([]byte(d.Name), func(_ int, s *stem, w float64) { weights[s.term] = max(weights[s.term], w) })
	if d.In != "" {
		q.scan([]byte(d.In), func(_ int, s *stem, w float64) {
			weights[s.term] = max(weights[s.term], float64(ownerFraction*w))
		})
	}
}
