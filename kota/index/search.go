package index

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
)

// maxText is how long the text of a hit may be, in characters.
const maxText = 200

// Search answers where a text stands, or which symbols have it in their name. A
// query without capital letters ignores case.
func (e *Engine) Search(ctx context.Context, q kota.SearchQuery) (kota.Hits, error) {
	h := kota.Hits{Query: q.Text, List: []kota.Hit{}}
	if q.Text == "" {
		return h, &kota.QueryError{Cause: "search: the query is empty"}
	}
	for _, g := range slices.Concat(q.Globs, q.Exclude) {
		if _, err := glob.Compile(g); err != nil {
			return h, &kota.QueryError{Cause: "search: the pattern " + text.ShellWord(g) + " cannot be used: " + err.Error()}
		}
	}
	match, err := matcher(q)
	if err != nil {
		return h, err
	}
	hits := make([][]kota.Hit, len(e.tree.files))
	buffers := make([][]byte, workers())
	share(len(e.tree.files), func(w, i int) {
		f := &e.tree.files[i]
		if ctx.Err() != nil || f.kind != Code || f.facts == "" || !e.files.Wanted(f.path, q) {
			return
		}
		if q.Symbols {
			hits[i] = e.symbolHits(i, match)
		} else {
			hits[i] = e.textHits(f, q, match, &buffers[w])
		}
	})
	found := 0
	for i := range hits {
		found += len(hits[i])
	}
	h.List = make([]kota.Hit, 0, found)
	for _, i := range e.filesInOrder(hits) {
		h.Files++
		h.List = append(h.List, hits[i]...)
	}
	h.Total = kota.Number(len(h.List))
	if q.Symbols {
		exact := func(x kota.Hit) bool { return x.Text == q.Text || strings.HasSuffix(x.Text, "."+q.Text) }
		slices.SortStableFunc(h.List, func(a, b kota.Hit) int { return falseFirst(!exact(a), !exact(b)) })
	}
	return h, ctx.Err()
}

// matcher returns what finds the query in a line or a name, from a position on:
// where a match begins and ends, -1 when there is none.
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
			i := indexFold(b, body)
			return i, i + len(body)
		}, nil
	}
	if !sensitive {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return nil, err
	}
	return func(b []byte) (int, int) {
		loc := re.FindIndex(b)
		if loc == nil {
			return -1, -1
		}
		return loc[0], loc[1]
	}, nil
}

// indexFold finds a text in lower case where its letters may be of either case,
// -1 when it is nowhere. The few characters outside ASCII that fold into it are
// not found.
func indexFold(b, text []byte) int {
	low, up := text[0], text[0]
	if low >= 'a' && low <= 'z' {
		up = low - 'a' + 'A'
	}
	nextLow, nextUp := -2, -2
	for from := 0; from+len(text) <= len(b); {
		nextLow, nextUp = nextFrom(b, low, from, nextLow), nextFrom(b, up, from, nextUp)
		at := min(uint(nextLow), uint(nextUp)) // -1 is the largest
		if int(at) < 0 || int(at)+len(text) > len(b) {
			return -1
		}
		if foldsTo(b[at:int(at)+len(text)], text) {
			return int(at)
		}
		from = int(at) + 1
	}
	return -1
}

// nextFrom is the next place of c from a position on, known when it was found
// before and lies ahead.
func nextFrom(b []byte, c byte, from, known int) int {
	if known == -1 || known >= from {
		return known
	}
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return -1
}

// foldsTo reports whether b is text but for the case of its letters.
func foldsTo(b, text []byte) bool {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[i] {
			return false
		}
	}
	return true
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// symbolHits lists the declarations of a file whose names match.
func (e *Engine) symbolHits(i int, match func([]byte) (int, int)) []kota.Hit {
	var out []kota.Hit
	for _, d := range e.all(i, withDecls).Decls {
		if at, _ := match([]byte(d.Name)); at < 0 {
			continue
		}
		name := d.Name
		if d.In != "" {
			name = d.In + "." + name
		}
		out = append(out, kota.Hit{File: e.name(i), Line: d.Line, End: d.End, Text: fence.OneLine(name, maxText), Kind: d.Class.String()})
	}
	return out
}

// textHits lists the lines of a file that match.
func (e *Engine) textHits(f *file, q kota.SearchQuery, match func([]byte) (int, int), buf *[]byte) []kota.Hit {
	data, err := readInto(e.files.Root+string(filepath.Separator)+f.path, *buf)
	if err != nil {
		return nil
	}
	*buf = data
	var out []kota.Hit
	var lines []string
	line, from := 1, 0
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
		hit := kota.Hit{File: f.path, Line: line, Text: excerpt(data[start:stop], at-start)}
		if q.Context > 0 {
			if lines == nil {
				lines = strings.Split(string(data), "\n")
			}
			hit.Before, hit.After = around(lines, line-1, q.Context)
		}
		out = append(out, hit)
		from = max(stop, end) + 1 // a line is one hit
		line++
		if end > stop {
			line += bytes.Count(data[stop+1:min(end+1, len(data))], []byte{'\n'})
		}
	}
	return out
}

// excerpt is a line as one that is not too long, around byte at.
func excerpt(line []byte, at int) string {
	if len(line) > maxText && at > maxText/2 && utf8.RuneCount(line) > maxText {
		line = line[fence.CutBefore(string(line), at-maxText/2):]
	}
	return fence.OneLine(string(line), maxText)
}

// around returns the n lines before and behind line i.
func around(lines []string, i, n int) (before, after []string) {
	for j := max(0, i-n); j < i; j++ {
		before = append(before, fence.OneLine(lines[j], maxText))
	}
	for j := i + 1; j < min(len(lines), i+1+n); j++ {
		after = append(after, fence.OneLine(lines[j], maxText))
	}
	return before, after
}

// filesInOrder lists the files with hits: production before tests, then those
// that most files import, then by path.
func (e *Engine) filesInOrder(hits [][]kota.Hit) []int {
	var out []int
	for i := range hits {
		if len(hits[i]) > 0 {
			out = append(out, i)
		}
	}
	tests := make(map[int]bool, len(out))
	for _, i := range out {
		tests[i] = e.isTest(i)
	}
	slices.SortFunc(out, func(a, b int) int {
		return cmp.Or(falseFirst(tests[a], tests[b]), len(e.graph.in(b))-len(e.graph.in(a)), a-b)
	})
	return out
}
