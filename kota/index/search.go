package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// maxText is the maximum length of the text of a hit, in characters.
const maxText = 200

// Search finds a text, or the symbols that have it in their names. A query without capital
// letters ignores case. A query of several words, or one that matches nothing literally, is
// answered by ranking files by its words.
func (e *Engine) Search(ctx context.Context, q kota.SearchQuery) (kota.Hits, error) {
	if q.Text == "" {
		return kota.Hits{}, &kota.QueryError{Cause: "search: the query is empty"}
	}
	for _, g := range slices.Concat(q.Globs, q.Exclude) {
		if _, err := glob.Compile(g); err != nil {
			return kota.Hits{}, &kota.QueryError{Cause: "search: the pattern " + text.ShellWord(g) + " cannot be used: " + err.Error()}
		}
	}
	if !q.Ranked && (q.Regex || q.Symbols || !isQuestion(q.Text)) {
		h, err := e.exact(ctx, q)
		if err != nil || h.Total > 0 || q.Regex {
			return h, err
		}
	}
	if q.Symbols {
		return e.rankSymbols(q), ctx.Err()
	}
	return e.rank(ctx, q), ctx.Err()
}

// codeSigns are characters that occur in code and not in plain words.
const codeSigns = "(){}[]=<>;:\"'`,./*+%$@!&|\\#^~?"

// isQuestion reports whether a query is several plain words, rather than a piece of code.
func isQuestion(text string) bool {
	return len(strings.Fields(text)) > 1 && !strings.ContainsAny(strings.TrimRight(text, "?. "), codeSigns)
}

// exact finds the query literally.
func (e *Engine) exact(ctx context.Context, q kota.SearchQuery) (kota.Hits, error) {
	h := kota.Hits{Query: q.Text, List: []kota.Hit{}}
	match, err := matcher(q)
	if err != nil {
		return h, err
	}
	hits := make([]fileHits, len(e.tree.files))
	buffers := make([][]byte, workers())
	share(len(e.tree.files), func(w, i int) {
		f := &e.tree.files[i]
		if ctx.Err() != nil || f.kind != Code || f.facts == "" || !e.files.Wanted(f.path, q) {
			return
		}
		if q.Symbols {
			hits[i].list = e.symbolHits(i, match)
		} else if hits[i].list = e.textHits(f, q, match, &buffers[w]); len(hits[i].list) > 0 {
			hits[i].sort(f, match, e.files.declares(f.path))
		}
	})
	for i := range hits {
		h.Total += len(hits[i].list)
	}
	order := e.filesInOrder(hits)
	h.Files, h.List = len(order), make([]kota.Hit, 0, h.Total)
	for _, i := range order {
		h.List = append(h.List, hits[i].first()...)
	}
	for _, i := range order { // the hits after the first ones of each file
		h.List = append(h.List, hits[i].rest()...)
	}
	if q.Symbols {
		e.sortSymbols(h.List, q.Text)
	}
	return h, ctx.Err()
}

// perFile is how many hits of a file come before those of the next.
const perFile = 3

// fileHits are the hits in a file.
type fileHits struct {
	list []kota.Hit
	best matchKind // the best kind among them
	own  matchKind // the best kind of the declarations that can be nowhere else
}

// matchKind is what a hit is: a lower one is more relevant.
type matchKind int

// The kinds of matches.
const (
	defines matchKind = iota // the name of a declaration is the text
	names                    // the name of a declaration contains it
	uses
	comments
)

// sort moves the most relevant hits to the front. Those that are shown first stay in file order.
func (f *fileHits) sort(in *file, match func([]byte) (int, int), typesOnly bool) {
	declared := f.declared(in, match, typesOnly)
	of := func(h kota.Hit) matchKind {
		if s, ok := declared[h.Line]; ok {
			return s
		}
		if words.IsComment(h.Text) {
			return comments
		}
		return uses
	}
	f.best = comments
	for _, h := range f.list {
		f.best = min(f.best, of(h))
	}
	if len(f.list) <= perFile {
		return
	}
	slices.SortStableFunc(f.list, func(a, b kota.Hit) int { return int(of(a) - of(b)) })
	byLine := func(a, b kota.Hit) int { return a.Line - b.Line }
	slices.SortStableFunc(f.first(), byLine)
	slices.SortStableFunc(f.rest(), byLine)
}

// declared returns, by line, the kind of hits on which a declaration has the text in its
// name. It sets own: of what a file that declares types alone has, values and members are elsewhere,
// too.
func (f *fileHits) declared(in *file, match func([]byte) (int, int), typesOnly bool) map[int]matchKind {
	var out map[int]matchKind
	next := 0
	f.own = comments
	codec.EachDecl(in.facts, func(d *lang.Decl) {
		for next < len(f.list) && f.list[next].Line < d.Line {
			next++
		}
		if next == len(f.list) || f.list[next].Line != d.Line {
			return
		}
		from, to := match([]byte(d.Name))
		if from < 0 {
			return
		}
		if out == nil {
			out = make(map[int]matchKind)
		}
		is := names
		if from == 0 && to == len(d.Name) {
			is = defines
		}
		if was, again := out[d.Line]; !again || is < was {
			out[d.Line] = is
		}
		if !typesOnly || d.In == "" && (d.Class == lang.Interface || d.Class == lang.TypeAlias) {
			f.own = min(f.own, is)
		}
	})
	return out
}

func (f *fileHits) first() []kota.Hit { return f.list[:min(perFile, len(f.list))] }
func (f *fileHits) rest() []kota.Hit  { return f.list[min(perFile, len(f.list)):] }

// sortSymbols sorts symbols: exact matches first, top-level ones before members, the program before
// what repeats it, and that before tests.
func (e *Engine) sortSymbols(list []kota.Hit, text string) {
	distance := func(h kota.Hit) int {
		switch {
		case h.Text == text:
			return 0
		case strings.EqualFold(h.Text, text):
			return 1
		case strings.HasSuffix(h.Text, "."+text):
			return 2
		}
		return 3
	}
	part := func(h kota.Hit) bool { return strings.Contains(h.Text, ".") }
	remote := e.remotes(list)
	slices.SortStableFunc(list, func(a, b kota.Hit) int {
		return cmp.Or(distance(a)-distance(b), falseFirst(part(a), part(b)), int(remote[a.File]-remote[b.File]))
	})
}

// matcher returns a function that finds the query in a line or a name. It returns the offsets
// where the match begins and ends; the first is -1 when there is none.
func matcher(q kota.SearchQuery) (func(b []byte) (int, int), error) {
	sensitive := strings.IndexFunc(q.Text, unicode.IsUpper) >= 0
	pattern := regexp.QuoteMeta(q.Text)
	if q.Regex {
		pattern = q.Text
	} else if sensitive || !hasLetter(q.Text) {
		text := []byte(q.Text)
		return func(b []byte) (int, int) {
			i := bytes.Index(b, text)
			return i, i + len(text)
		}, nil
	}
	if body := []byte(q.Text); !q.Regex && text.IsASCIIBytes(body) {
		return func(b []byte) (int, int) {
			i := words.IndexFold(b, body)
			return i, i + len(body)
		}, nil
	}
	if !sensitive {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		if _, own := regexp.Compile(q.Text); own != nil {
			err = own // without the flags that were added
		}
		return nil, fmt.Errorf("parse regex: %w", err)
	}
	return func(b []byte) (int, int) {
		loc := re.FindIndex(b)
		if loc == nil {
			return -1, -1
		}
		return loc[0], loc[1]
	}, nil
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// symbolHits lists the declarations of a file whose names match.
func (e *Engine) symbolHits(i int, match func([]byte) (int, int)) []kota.Hit {
	var out []kota.Hit
	for _, d := range e.all(i, codec.WithDecls).Decls {
		if at, _ := match([]byte(d.Name)); at < 0 {
			continue
		}
		out = append(out, e.symbolHit(i, d))
	}
	return out
}

// symbolHit returns a declaration as a hit.
func (e *Engine) symbolHit(i int, d lang.Decl) kota.Hit {
	name := d.Name
	if d.In != "" {
		name = d.In + "." + name
	}
	return kota.Hit{File: e.name(i), Line: d.Line, End: d.End, Text: fence.OneLine(name, maxText), Kind: d.Class.String(), Label: e.label(i)}
}

// textHits lists the lines of a file that match.
func (e *Engine) textHits(f *file, q kota.SearchQuery, match func([]byte) (int, int), buf *[]byte) []kota.Hit {
	data, err := readInto(e.files.at(f.path), *buf)
	if err != nil {
		return nil
	}
	*buf = data
	var out []kota.Hit
	var source lang.Text
	line, from, label := 1, 0, f.label()
	for from <= len(data) {
		at, end := match(data[from:])
		if at < 0 {
			break
		}
		at, end = at+from, end+from
		line += bytes.Count(data[from:at], []byte{'\n'})
		start := bytes.LastIndexByte(data[:at], '\n') + 1
		stop := len(data)
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			stop = at + n
		}
		hit := kota.Hit{File: f.path, Line: line, Text: excerpt(data[start:stop], at-start), Label: label}
		if q.Context > 0 {
			if source.Data == nil {
				source = lang.NewText(data)
			}
			hit.Before, hit.After = around(source, line, q.Context)
		}
		out = append(out, hit)
		from = max(stop, end) + 1 // a line is reported once
		line++
		if end > stop {
			line += bytes.Count(data[stop+1:min(end+1, len(data))], []byte{'\n'})
		}
	}
	return out
}

// excerpt shortens a long line to maxText characters around byte at.
func excerpt(line []byte, at int) string {
	if len(line) > maxText && at > maxText/2 && utf8.RuneCount(line) > maxText {
		line = line[fence.CutBefore(string(line), at-maxText/2):]
	}
	return fence.OneLine(string(line), maxText)
}

// around returns the n lines before and after a line.
func around(source lang.Text, line, n int) (before, after []string) {
	for j := max(1, line-n); j < line; j++ {
		before = append(before, fence.OneLine(source.Line(j), maxText))
	}
	for j := line + 1; j <= line+n && source.Span(j, j) != nil; j++ {
		after = append(after, fence.OneLine(source.Line(j), maxText))
	}
	return before, after
}

// filesInOrder lists the files with hits: production before tests, the program before what repeats
// it, unless that alone declares what was searched for; then by best kind, then most imported
// first, then by path.
func (e *Engine) filesInOrder(hits []fileHits) []int {
	var out []int
	far, best := make(map[int]remote), comments
	for i := range hits {
		if len(hits[i].list) == 0 {
			continue
		}
		out = append(out, i)
		if far[i] = e.remote(i); far[i] == program {
			best = min(best, hits[i].best)
		}
	}
	for i := range far {
		if far[i] < tests && hits[i].own < best {
			far[i] = program
		}
	}
	slices.SortFunc(out, func(a, b int) int {
		return cmp.Or(int(far[a]-far[b]), int(hits[a].best-hits[b].best), len(e.graph.In(b))-len(e.graph.In(a)), a-b)
	})
	return out
}
