package words

import (
	"math"
	"path"
	"slices"
	"strings"
)

// Found is where the words of a question are in one file.
type Found struct {
	Path  string
	lines int32
	marks []mark
	path  []float64 // by term
}

// maxMarks bounds what is noted of one file.
const maxMarks = 4096

// Look looks for the words of a question in a file. It reports nothing when there
// is none of them.
func (q *Query) Look(file string, text []byte) (Found, bool) {
	f := Found{Path: file}
	at := newPlaces(text)
	lineFrom := 0 // the first mark of the line
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

// baseWeight and dirWeight are the weights of the parts of a path: its last one,
// and the directory around it; the one above that has half of it.
const baseWeight, dirWeight = 1, 0.5

// inPath weighs the words that a path has.
func (q *Query) inPath(file string) []float64 {
	out := make([]float64, len(q.terms))
	base, _, _ := strings.Cut(path.Base(file), ".")
	parts := append(strings.Split(path.Dir(file), "/"), base)
	if n := len(parts); n > 1 && (base == "index" || base == "mod" || base == "main") {
		parts = parts[:n-1] // it is what its directory is about
	}
	weight := float64(baseWeight)
	for i := len(parts) - 1; i >= max(0, len(parts)-3); i-- {
		note := func(_ int, s *stem, w float64) { out[s.term] = max(out[s.term], w*weight) }
		q.scan([]byte(parts[i]), note)
		if strings.ContainsAny(parts[i], "-_") { // two words written as one
			q.scan([]byte(strings.ReplaceAll(strings.ReplaceAll(parts[i], "-", ""), "_", "")), note)
		}
		weight /= 2
	}
	return out
}

// Products are rounded before they are added, here and below, so that every machine
// gets the same scores.

// Scale is how much each word of a question tells, in one set of files.
type Scale struct {
	weights []float64
	total   float64
	lines   float64 // of a file, on average
}

// NewScale weighs words by how many of the files have them.
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

// How much the places of a word count, next to each other.
const (
	nameGain, pathGain                    = 3, 2.5
	commentGain, codeGain, importGain     = 1, 0.8, 0.2
	saturation                            = 1.2
	windowShare, nameShare                = 1.0, 0.8
	windowLines                       int = 8
	shortFile                             = 0.4 // of the weight of a long file's words that does not depend on its length
)

// Rough weighs a file by its path and text alone.
func (q *Query) Rough(f *Found, s Scale) float64 {
	bag := q.bag(f, s, nil)
	best, _ := q.window(f, s, nil)
	return bag + float64(windowShare*best)
}

// bag adds up what each word counts for, wherever it stands. names are the weights
// of the words in the names that the file declares.
func (q *Query) bag(f *Found, s Scale, names []float64) float64 {
	body := make([]float64, len(q.terms))
	for _, m := range f.marks {
		body[m.term] += float64(float64(m.weight) * [...]float64{inCode: codeGain, inComment: commentGain, inImport: importGain}[m.place])
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

// window finds the few lines that have most of the question, and says where they
// begin. named are the lines on which something is declared.
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
