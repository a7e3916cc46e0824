// Package words ranks files by the words of a question: BM25 over the path of a file, the names that
// it declares, and its text. A word is found in every form, also as a part of a name.
// It also says which known names are nearest to an unknown one, and how paths relate.
//
// The package must not know how files are read, nor what a question is for. Start reading at Parse.
package words

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// Weights of BM25.
const (
	pathWeight  = 6.0
	nameWeight  = 3.0
	saturation  = 1.2
	lengthShare = 0.75 // how far the length of a text reduces what a word in it counts
	besideShare = 0.5  // what remains of the score of a file that stands beside the program
	maxTerms    = 40
	maxLines    = 2000 // lines of a file on which words are noted
	maxBest     = 3    // lines and declarations that explain a score
)

// Query is a question as the stems of its words.
type Query struct {
	words, stems []string
	starts       [alphabet * alphabet]bool // whether a stem begins with these two letters
}

const alphabet = 26

// Parse reads a question. Words that any question has are left out.
func Parse(question string) *Query {
	q := &Query{}
	text := []byte(question)
	for from, to := nextWord(text, 0); from < len(text); from, to = nextWord(text, to) {
		w := strings.ToLower(string(text[from:to]))
		s := stem(w)
		if len(w) < 2 || isEmpty(w) || slices.Contains(q.stems, s) || len(q.stems) == maxTerms {
			continue
		}
		q.words, q.stems = append(q.words, w), append(q.stems, s)
		q.starts[start(w)] = true
	}
	return q
}

// isEmpty reports whether a word says nothing of what is asked for.
func isEmpty(w string) bool {
	switch w {
	case "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "have", "how", "if", "in", "into", "is", "it", "its", "let", "no", "not", "of",
		"on", "or", "so", "than", "that", "the", "their", "them", "then", "there", "they", "this", "to", "was", "what", "we", "when", "where", "which", "who", "why", "will", "with",
		"you":
		return true
	}
	return false
}

// stem removes the ending of an English word in lower case, so that its forms become equal.
func stem(w string) string {
	for _, end := range [...]string{"ments", "ment", "able", "ions", "ings", "ion", "ing", "ers", "ors", "er", "or", "ed", "es", "s"} {
		rest, found := strings.CutSuffix(w, end)
		if n := len(rest); found && n > 2 && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") {
			if w = rest; n > 3 && rest[n-1] == rest[n-2] { // dropp-ed
				w = rest[:n-1]
			}
			break
		}
	}
	if n := len(w) - 1; n > 2 && strings.IndexByte("eyi", w[n]) >= 0 { // pars-e, retr-y, retri-ed
		w = w[:n]
	}
	return w
}

// Found is what a file has of a question, by term.
type Found struct {
	path, texts []float64
	size        int // bytes
	lines       []line
}

// line is a line with terms of a question, a bit for each.
type line struct {
	number int
	terms  uint64
}

// Look searches a file. It reports false when it has none of the words.
func (q *Query) Look(path string, data []byte) (Found, bool) {
	f := Found{path: make([]float64, len(q.stems)), texts: make([]float64, len(q.stems)), size: len(data)}
	q.scan([]byte(path), func(t, _ int) { f.path[t] = 1 })
	number, last := 1, 0
	q.scan(data, func(t, at int) {
		f.texts[t]++
		number += bytes.Count(data[last:at], []byte("\n"))
		last = at
		if n := len(f.lines); n > 0 && f.lines[n-1].number == number {
			f.lines[n-1].terms |= 1 << t
		} else if n < maxLines {
			f.lines = append(f.lines, line{number, 1 << t})
		}
	})
	return f, len(f.lines) > 0 || slices.Max(append(f.path, 0)) > 0
}

// scan calls found with each term in a text, and where its word begins.
func (q *Query) scan(data []byte, found func(term, at int)) {
	for from, to := nextWord(data, 0); from < len(data); from, to = nextWord(data, to) {
		if to-from < 2 || !q.starts[start(data[from:to])] {
			continue
		}
		if t := slices.Index(q.stems, stem(strings.ToLower(string(data[from:to])))); t >= 0 {
			found(t, from)
		}
	}
}

// start returns a number for the first two letters of a word.
func start[T string | []byte](w T) int {
	return int(w[0]|0x20-'a')*alphabet + int(w[1]|0x20-'a')
}

// nextWord returns where the next word at or behind an offset begins and ends, len(b) when there is
// none. The parts of a name are words: retryDelay, XMLHttp and MAX_RETRIES have two each.
func nextWord(b []byte, at int) (from, to int) {
	for from = at; from < len(b) && !isLower(b[from]|0x20); from++ {
	}
	for to = from; to < len(b) && isUpper(b[to]); to++ {
	}
	if to-from > 1 {
		if to < len(b) && isLower(b[to]) {
			to-- // this capital letter begins the next word
		}
		return from, to
	}
	for to < len(b) && isLower(b[to]) {
		to++
	}
	return from, to
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// Scale says how rare the words of a question are, and how long files are.
type Scale struct {
	weights []float64 // by term
	total   float64
	size    float64 // the average in bytes
}

// NewScale weighs the words of a question by what was found in some of the files searched.
func (q *Query) NewScale(found []Found, searched int) Scale {
	s := Scale{weights: make([]float64, len(q.stems))}
	for _, f := range found {
		s.size += float64(f.size) / float64(len(found))
		for t := range s.weights {
			s.weights[t] += min(f.texts[t]+f.path[t], 1)
		}
	}
	for t, n := range s.weights {
		if n == 0 { // no file has it, so it tells none apart
			continue
		}
		s.weights[t] = math.Log1p((float64(searched) - n + 0.5) / (n + 0.5))
		s.total += s.weights[t]
	}
	return s
}

// Ranked is a file with its score, and what explains it.
type Ranked struct {
	File     int     // number of the file, as passed to Rank
	Score    float64 // from 0 to 1
	Declares []lang.Decl
	Lines    []int // those with most words
	InPath   bool  // the path has words of the question
	Named    bool  // the question names the file
	Words    []string
}

// Rank scores a file. beside is set when it stands beside the program: tests, examples, what was
// generated.
func (q *Query) Rank(file int, f Found, s Scale, decls []lang.Decl, beside bool) Ranked {
	r := Ranked{File: file, InPath: slices.Max(append(f.path, 0)) > 0}
	names := make([]float64, len(q.stems))
	weights := make(map[string]float64) // of names
	for _, d := range decls {
		sum := 0.0
		q.scan([]byte(d.Name), func(t, _ int) {
			names[t]++
			sum += s.weights[t]
		})
		if weights[d.Name] = sum; sum > 0 {
			r.Declares = append(r.Declares, d)
		}
	}
	slices.SortStableFunc(r.Declares, func(a, b lang.Decl) int { return cmp.Compare(weights[b.Name], weights[a.Name]) })
	r.Declares = slices.Clip(r.Declares[:min(maxBest, len(r.Declares))])
	norm := 1 - lengthShare + float64(lengthShare*float64(f.size)/max(s.size, 1))
	for t, weight := range s.weights {
		tf := float64(pathWeight*f.path[t]) + float64(nameWeight*names[t]) + f.texts[t]
		r.Score += float64(weight * tf / (tf + float64(saturation*norm)))
		if f.texts[t] > 0 && len(r.Words) < maxBest {
			r.Words = append(r.Words, q.words[t])
		}
	}
	if r.Score /= max(s.total, 0.01); beside {
		r.Score *= besideShare
	}
	r.Lines = f.best(s)
	return r
}

// best returns the lines whose words weigh most.
func (f *Found) best(s Scale) (out []int) {
	weigh := func(l line) (sum float64) {
		for t, w := range s.weights {
			if l.terms>>t&1 == 1 {
				sum += w
			}
		}
		return sum
	}
	lines := slices.Clone(f.lines)
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(weigh(b), weigh(a)) })
	for _, l := range lines[:min(maxBest, len(lines))] {
		out = append(out, l.number)
	}
	return out
}

// Why says why a file is listed: the question names it, or it has words of the question in a
// declaration, in its path or, failing these, in its text.
func (r *Ranked) Why() string {
	var out []string
	if r.Named {
		out = append(out, "named")
	}
	if len(r.Declares) > 0 {
		out = append(out, "declares "+r.Declares[0].Name)
	}
	if r.InPath {
		out = append(out, "path")
	}
	if len(out) == 0 {
		out = append(out, "text: "+strings.Join(r.Words, ", "))
	}
	return strings.Join(out, ", ")
}

// Covers returns the fraction of the words of a question that the name of a declaration has, and a
// score to rank declarations by.
func (q *Query) Covers(d lang.Decl) (part, score float64) {
	var own, all uint64
	q.scan([]byte(d.Name), func(t, _ int) { own |= 1 << t })
	q.scan([]byte(d.In), func(t, _ int) { all |= 1 << t })
	if own == 0 {
		return 0, 0
	}
	for t := range q.stems {
		part += float64((own | all) >> t & 1)
	}
	part /= float64(len(q.stems))
	if d.In != "" {
		return part, part * 0.8 // a member is behind what is declared by itself
	}
	return part, part
}
