package words

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// Features are what an index knows of a file besides its text.
type Features struct {
	Decls  []lang.Decl
	Test   bool // it is a test or test support
	Barrel bool // it only re-exports
	Made   bool // it is generated or minified
	Types  bool // it declares the types of code that is elsewhere
}

// Ranked is a file and its score.
type Ranked struct {
	File  int // number of the file, as passed to Rank
	Score float64
	Lines []int // most relevant lines, best first
	// Declares are the declarations with words of the question in their names, best first.
	Declares []lang.Decl
	InPath   bool     // its path contains words of the question
	Named    bool     // the question names the file
	Like     string   // the word of the question of which the first of Declares has only a synonym, else ""
	Words    []string // words of the question in its text, the rarest first
}

// Factors and limits of a score. A share reduces the score of a file that is seldom wanted.
const (
	testShare    = 0.45
	barrelShare  = 0.5
	madeShare    = 0.5
	asideShare   = 0.6 // examples, fixtures, benchmarks, documentation, build output
	typesShare   = 0.5 // it declares types alone
	copyShare    = 0.5 // it repeats what the program declares
	passageShare = 1.0 // the best passage
	nameShare    = 0.2 // the best declared name, besides its part in the bag
	pathShare    = 0.6 // the path, besides its part in the bag
	spreadShare  = 0.6 // the files that import it
	spreadFew    = 1   // so many importers without a score are added to those of each file
	ownTestShare = 0.1 // the best test that is named after it
	// A file that declares more than typicalNames has a word of any question in one of them: they
	// count less by manyNames, as far as their number's logarithm is above that of typicalNames.
	manyNames    = 0.7
	typicalNames = 10.0
	maxDeclares  = 3
	maxBestLines = 3
)

// isAside reports whether directories of that name are not part of the program itself.
func isAside(name string) bool {
	switch name {
	case "fixture", "fixtures", "__fixtures__", "benchmark", "benchmarks", "bench", "docs", "doc", "website", "scripts", "template", "templates",
		"dist", "build", "vendor", "codemod", "codemods", "integration", "flow-typed":
		return true
	}
	return isShow(name[strings.LastIndexByte(name, '-')+1:])
}

// isShow reports whether directories of that name, or whose names end in it after a hyphen, show the
// program at work.
func isShow(name string) bool {
	switch name {
	case "example", "examples", "sample", "samples", "demo", "demos", "playground", "playgrounds", "sandbox", "sandboxes", "stories", "storybook":
		return true
	}
	return false
}

// isStory reports whether a file shows a component at work, by its name.
func isStory(base string) bool {
	return strings.Contains(base, ".stories.") || strings.Contains(base, ".story.")
}

// IsAside reports whether a file is not part of the program itself: it is a story, or in a directory of
// examples, fixtures, benchmarks, documentation, build output, or a hidden one.
func IsAside(path string) bool { return new(Query).aside(path) }

// Covers returns the fraction of a question that the name of a declaration covers, from 0 to 1,
// and a score to rank declarations by.
func (q *Query) Covers(d lang.Decl) (part, score float64) {
	own, total := make([]float64, len(q.terms)), 0.0
	note := func(_ int, s *stem, w float64) { own[s.term] = max(own[s.term], w) }
	q.scan([]byte(d.Name), note)
	if slices.Max(append(own, 0)) == 0 {
		return 0, 0
	}
	q.scan([]byte(d.In), note)
	for t := range own {
		if q.terms[t].word != "" {
			total += q.terms[t].weight
			part += float64(own[t] * q.terms[t].weight)
		}
		score += float64(own[t] * q.terms[t].weight)
	}
	return part / max(total, 0.01), score * worth(d)
}

// Rank scores a file by everything that is known of it.
func (q *Query) Rank(file int, f *Found, s Scale, known Features) Ranked {
	r := Ranked{File: file}
	names, named := make([]float64, len(q.terms)), make(map[int32]bool)
	declares, best := q.declares(known.Decls, s, names, named)
	r.Declares, r.Words = declares, q.foundIn(f, s)
	if len(declares) > 0 {
		r.Like = q.like(declares[0])
	}
	near, at := q.window(f, s, named)
	r.Lines = q.bestLines(f, s, named, at)
	path := 0.0
	for t, w := range f.path {
		r.InPath = r.InPath || w >= dirWeight
		path += float64(s.weights[t] * w)
	}
	crowd := 1 - manyNames + float64(manyNames*math.Log1p(float64(len(known.Decls))/typicalNames)/math.Ln2)
	for t := range names {
		names[t] /= crowd
	}
	sum := q.bag(f, s, names) + float64(windowShare*near) + float64(passageShare*q.passage(f, s, known.Decls))
	r.Score = (sum + float64(nameShare*best) + float64(pathShare*path)) / max(s.total, 0.01)
	r.Score *= q.share(f.Path, known)
	return r
}

// Repeats reduces the score of a file that stands beside the program when the declaration it is
// found by is one of those in declared, which are the program's own.
func (r *Ranked) Repeats(beside bool, declared map[string]bool) {
	if beside && len(r.Declares) > 0 && declared[beforeSuffix(r.Declares[0].Name)] {
		r.Score *= copyShare
	}
}

// beforeSuffix returns a name without the "$1" that a bundler adds to tell names of several files
// apart.
func beforeSuffix(name string) string {
	if short := strings.TrimRight(name, "0123456789"); len(short) > 1 && short[len(short)-1] == '$' {
		return short[:len(short)-1]
	}
	return name
}

// Spread adds to the score of each file a part of the average score of the files that import it,
// and of the score in tests, which is that of its own test, and sorts the list. What does the work that a question names is often in a file with few of its
// words, next to those that call it; a file that the whole program imports gains little.
func Spread(list []Ranked, importers func(file int) []int, tests map[int]float64) {
	own := make(map[int]float64, len(list))
	for _, r := range list {
		own[r.File] = r.Score
	}
	for k := range list {
		in, sum := importers(list[k].File), 0.0
		for _, i := range in {
			sum += own[i]
		}
		list[k].Score += float64(spreadShare*sum/float64(spreadFew+len(in))) + float64(ownTestShare*tests[list[k].File])
	}
	slices.SortFunc(list, func(a, b Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), a.File-b.File) })
}

// share returns the factor that reduces a file's score.
func (q *Query) share(file string, known Features) float64 {
	share := 1.0
	if known.Test && !q.tests {
		share *= testShare
	}
	if known.Barrel {
		share *= barrelShare
	}
	if known.Made {
		share *= madeShare
	}
	if q.aside(file) {
		share *= asideShare
	}
	if !q.types && (known.Types || onlyTypes(known.Decls)) {
		share *= typesShare
	}
	return share
}

// onlyTypes reports whether a file declares types and nothing that runs.
func onlyTypes(list []lang.Decl) bool {
	for _, d := range list {
		if d.In == "" && d.Class != lang.Interface && d.Class != lang.TypeAlias {
			return false
		}
	}
	return len(list) > 0
}

// aside reports whether a file is not part of the program itself, in a directory that the
// question does not name.
func (q *Query) aside(file string) bool {
	from := 0
	for i := range len(file) {
		if file[i] != '/' {
			continue
		}
		part := strings.ToLower(file[from:i])
		from = i + 1
		if len(part) > 1 && part[0] == '.' || isAside(part) && !q.names(part) {
			return true
		}
	}
	return isStory(file[from:]) && !q.names("story")
}

// names reports whether the question has the name of a directory, or the last word of it, in the
// singular or the plural.
func (q *Query) names(dir string) bool {
	last := dir[strings.LastIndexByte(dir, '-')+1:]
	return slices.ContainsFunc(q.terms, func(t term) bool {
		return t.word != "" && (isNumberOf(t.word, dir) || isNumberOf(t.word, last))
	})
}

// isNumberOf reports whether two words are the same, or one is the plural of the other.
func isNumberOf(a, b string) bool {
	return a == b || a+"s" == b || a == b+"s" || a == "stories" && b == "story" || a == "story" && b == "stories"
}

// worth returns how much the name of a declaration counts: functions and classes more than
// members and types, exported ones more than others.
func worth(d lang.Decl) float64 {
	switch {
	case d.Class == lang.Property || d.Class == lang.EnumMember:
		return 0.5
	case d.Class == lang.Method:
		return 0.8
	case d.Class == lang.Interface || d.Class == lang.TypeAlias:
		return 0.85
	case !d.Exported:
		return 0.9
	}
	return 1
}

// declares lists the declarations whose names contain words of the question. It sets the weight
// of each word in names, and the lines of these declarations in named.
func (q *Query) declares(list []lang.Decl, s Scale, names []float64, named map[int32]bool) (out []lang.Decl, best float64) {
	type scored struct {
		lang.Decl
		score float64
	}
	var all []scored
	own := make([]float64, len(q.terms))
	for _, n := range list {
		clear(own)
		q.scan([]byte(n.Name), func(_ int, st *stem, w float64) { own[st.term] = max(own[st.term], w) })
		if slices.Max(append(own, 0)) == 0 {
			continue
		}
		if n.In != "" {
			q.scan([]byte(n.In), func(_ int, st *stem, w float64) { own[st.term] = max(own[st.term], w/2) })
		}
		share := worth(n)
		score := 0.0
		for t, w := range own {
			score += float64(s.weights[t] * w * share)
			names[t] = max(names[t], w*share)
		}
		named[int32(n.Line)] = true
		best = max(best, score)
		all = append(all, scored{n, score})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, n := range all[:min(maxDeclares, len(all))] {
		if n.score >= best/2 {
			out = append(out, n.Decl)
		}
	}
	return out, best
}

// bestLines lists the lines with most words of the question, first the best line of the window.
func (q *Query) bestLines(f *Found, s Scale, named map[int32]bool, window int) []int {
	type scored struct {
		line  int
		score float64
	}
	var all []scored
	for _, m := range f.marks {
		n := len(all)
		if n == 0 || all[n-1].line != int(m.line) {
			all = append(all, scored{line: int(m.line)})
			n++
		}
		w := float64(m.weight) * s.weights[m.term]
		switch {
		case m.place == inImport:
			w *= importGain
		case named[m.line]:
			w *= 1.5
		case int(m.line) >= window && int(m.line) < window+windowLines:
			w *= 1.2
		}
		all[n-1].score += float64(w)
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []int
	for _, l := range all[:min(maxBestLines, len(all))] {
		out = append(out, l.line)
	}
	return out
}
