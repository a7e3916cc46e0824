package words

import (
	"math"
	"path"
	"slices"
	"strings"
)

// Found is where the words of a question occur in one file.
type Found struct {
	Path  string
	lines int32
	marks []mark
	path  []float64 // by term, the weight of the path
}

// maxMarks is the maximum number of marks of a file.
const maxMarks = 4096

// Look searches a file for the words of a question. It reports false when the file has none of
// them.
func (q *Query) Look(file string, text []byte) (Found, bool) {
	f := Found{Path: file}
	at := newPlaces(text)
	lineFrom := 0 // index of the first mark on the line
	q.scan(text, func(i int, s *stem, w float64) {
		at.at(i)
		m := mark{line: at.line, term: uint8(s.term), place: at.place, weight: float32(w)}
		n := len(f.marks)
		if n > 0 && f.marks[n-1].line != m.line {
			lineFrom = n
		}
		for k := lineFrom; k < n; k++ {
			if f.marks[k].term == m.term {
				f.marks[k].weight = max(f.marks[k].weight, m.weight)
				return
			}
		}
		if n < maxMarks {
			f.marks = append(f.marks, m)
		}
	})
	at.at(len(text))
	f.lines = at.line
	f.path = q.inPath(file)
	return f, len(f.marks) > 0 || slices.Max(append(f.path, 0)) > 0
}

// baseWeight and dirWeight are the weights of the base name of a path and of its directory. The
// directory above that counts half as much.
const baseWeight, dirWeight = 1, 0.5

// inPath returns, by term, the weight of the words in a path.
func (q *Query) inPath(file string) []float64 {
	out := make([]float64, len(q.terms))
	base, _, _ := strings.Cut(path.Base(file), ".")
	parts := append(strings.Split(path.Dir(file), "/"), base)
	if n := len(parts); n > 1 && (base == "index" || base == "mod" || base == "main") {
		parts = parts[:n-1] // its directory names its content
	}
	weight := float64(baseWeight)
	for i := len(parts) - 1; i >= max(0, len(parts)-3); i-- {
		note := func(_ int, s *stem, w float64) { out[s.term] = max(out[s.term], w*weight) }
		q.scan([]byte(parts[i]), note)
		if strings.ContainsAny(parts[i], "-_") { // match two words as one
			q.scan([]byte(strings.ReplaceAll(strings.ReplaceAll(parts[i], "-", ""), "_", "")), note)
		}
		weight /= 2
	}
	return out
}

// Products are rounded before they are added, here and below, so that every machine computes the
// same scores.

// Scale holds the weight of each term in a set of files: rare terms weigh more.
type Scale struct {
	weights []float64
	total   float64
	lines   float64 // average lines of a file
}

// NewScale weighs terms by how many of the files contain them. files is the number of all
// searched files.
func (q *Query) NewScale(found []Found, files int) Scale {
	in := make([]int, len(q.terms))
	seen := make([]int, len(q.terms))
	s := Scale{weights: make([]float64, len(q.terms))}
	for i := range found {
		s.lines += float64(found[i].lines) / float64(len(found))
		for _, m := range found[i].marks {
			if seen[m.term] != i+1 && m.weight > alikeWeight {
				seen[m.term] = i + 1
				in[m.term]++
			}
		}
	}
	for t := range q.terms {
		s.weights[t] = float64(q.terms[t].weight * math.Log1p((float64(files-in[t])+0.5)/(float64(in[t])+0.5)))
		if q.terms[t].word != "" {
			s.total += s.weights[t]
		}
	}
	return s
}

// Relative weights of the places of a word, and other parameters of the score.
const (
	nameGain, pathGain                    = 3, 2.5
	commentGain, codeGain, importGain     = 1, 0.8, 0.2
	saturation                            = 1.2
	windowShare                           = 0.3
	windowLines                       int = 8
	shortFile                             = 0.4 // fraction of the normalization that does not depend on the length of a file
)

// gains are the relative weights of a word in code, in a comment and in an import.
var gains = [...]float64{inCode: codeGain, inComment: commentGain, inImport: importGain}

// Rough scores a file by its path and text alone.
func (q *Query) Rough(f *Found, s Scale) float64 {
	bag := q.bag(f, s, nil)
	best, _ := q.window(f, s, nil)
	return bag + float64(windowShare*best)
}

// bag sums the scores of all terms, wherever they occur. names are the weights of terms in
// declared names; it may be nil.
func (q *Query) bag(f *Found, s Scale, names []float64) float64 {
	body := make([]float64, len(q.terms))
	for _, m := range f.marks {
		body[m.term] += float64(float64(m.weight) * gains[m.place])
	}
	norm := shortFile + float64((1-shortFile)*float64(f.lines)/max(s.lines, 1))
	sum := 0.0
	for t := range body {
		x := body[t]/norm + float64(pathGain*f.path[t])
		if names != nil {
			x += float64(nameGain * names[t])
		}
		sum += float64(s.weights[t] * x / (saturation + x))
	}
	return sum
}

// window finds the few neighboring lines with most of the question, and returns their score and
// first line. named are the lines of declarations.
func (q *Query) window(f *Found, s Scale, named map[int32]bool) (best float64, line int) {
	count := make([]float64, len(q.terms))
	for from := range f.marks {
		clear(count)
		sum := 0.0
		for _, m := range f.marks[from:] {
			if m.line >= f.marks[from].line+int32(windowLines) {
				break
			}
			w := float64(m.weight)
			switch {
			case m.place == inImport:
				w *= importGain
			case !named[m.line]:
				w *= codeGain
			}
			if w > count[m.term] {
				sum += float64(s.weights[m.term] * (w - count[m.term]))
				count[m.term] = w
			}
		}
		if sum > best {
			best, line = sum, int(f.marks[from].line)
		}
	}
	return best, line
}
