package kota

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The output formats of a search.
const (
	OutputPaths   = "paths"
	OutputCompact = "compact"
	OutputSnippet = "snippet"
)

// Texts returns the layouts from the requested one down to the shortest: fewer lines around a
// hit, one line per hit, a count per file, a count per directory.
func (h Hits) Texts(output string, context int, w Window, more More) []Text {
	if h.Ranked {
		return h.ranked(output, context, w, more)
	}
	var ways []Text
	verdict := fmt.Sprintf("%s: %s in %s", safe(h.Query), number(h.Total, "match"), number(h.Files, "file"))
	say := func(what string, b Block) {
		footer := h.footer()
		if len(ways) > 0 {
			footer += " · shown as " + what
			if strings.HasPrefix(what, "a count") {
				footer += fmt.Sprintf("; matches: %s --limit 5", more)
			}
		}
		ways = append(ways, Text{Verdict: verdict, Blocks: []Block{b}, Footer: footer})
	}
	if output == OutputSnippet {
		for n := context; n > 0; n = min(n-1, 1) {
			say(number(n, "line")+" around a match", block("", eachLineOnce(h.List, n), w, more, false, func(x Hit) Item { return x.snippet(n) }))
		}
	}
	if output != OutputPaths {
		say("a line for each match", block("", h.List, w, more, true, func(x Hit) Item { return x.snippet(0) }))
	}
	if output != OutputPaths && w.Offset > 0 {
		return ways // later pages show matches only
	}
	files, order := make(map[string]int), []Count(nil)
	for _, x := range h.List {
		if files[x.File]++; files[x.File] == 1 {
			order = append(order, Count{Name: x.File})
		}
	}
	for i := range order {
		order[i].N = files[order[i].Name]
	}
	byFile := more + " --show paths"
	if output == OutputPaths {
		byFile = more
	}
	paths := w
	if output != OutputPaths {
		paths = Window{} // an offset counts matches
	}
	say("a count for each file", block("", order, paths, byFile, output != OutputPaths, count))
	if output == OutputPaths {
		return ways
	}
	var items []Item
	for _, x := range h.List {
		items = append(items, Item{File: x.File})
	}
	say("a count for each directory", block("", byDir(items), Window{}, byFile, false, count))
	// If not even counts fit, cut the matches: they can be paged.
	return append(ways, ways[max(0, len(ways)-3)])
}

func count(c Count) Item { return Item{Text: fmt.Sprintf("  %s %d", safe(c.Name), c.N), File: c.Name} }

// eachLineOnce limits the context of hits to n lines on each side, and removes lines that the
// neighboring hit of the same file already shows.
func eachLineOnce(list []Hit, n int) []Hit {
	out := slices.Clone(list)
	for i := range out {
		h := &out[i]
		h.Before, h.After = h.Before[max(0, len(h.Before)-n):], h.After[:min(n, len(h.After))]
		if i == 0 || out[i-1].File != h.File || out[i-1].Line >= h.Line {
			continue
		}
		last := &out[i-1]
		last.After = last.After[:min(len(last.After), h.Line-last.Line-1)]
		h.Before = h.Before[max(0, min(len(h.Before), last.Line+len(last.After)-(h.Line-len(h.Before))+1)):]
	}
	return out
}

// snippet formats a hit with at most n lines of context on each side.
func (h Hit) snippet(n int) Item {
	kind, label := when(h.Kind != "", h.Kind+" "), when(h.Label != "", "  ("+safe(h.Label)+")")
	if n == 0 {
		return Item{Text: "  " + safe(h.File) + ":" + strconv.Itoa(h.Line) + ": " + kind + h.Text + label, File: h.File}
	}
	var b strings.Builder
	before := h.Before[max(0, len(h.Before)-n):]
	for i, l := range before {
		fmt.Fprintf(&b, "  %s-%d- %s\n", safe(h.File), h.Line-len(before)+i, l)
	}
	fmt.Fprintf(&b, "  %s:%d: %s%s%s", safe(h.File), h.Line, kind, h.Text, label)
	for i, l := range h.After[:min(n, len(h.After))] {
		fmt.Fprintf(&b, "\n  %s-%d- %s", safe(h.File), h.Line+1+i, l)
	}
	return Item{Text: b.String(), File: h.File}
}
