package kota

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
)

const (
	// RankedBytes is the default size limit, in bytes, of a ranked answer.
	RankedBytes = 2000
	// rankedText is how many bytes of a line it shows.
	rankedText = 90
	// titleText is how many characters of a question it repeats: a whole bug report would leave no
	// room for the answer.
	titleText = 160
	// poorScore is the score below which even the best file has few of the words of the question.
	poorScore = 0.25
)

// titleOf formats a question as the title of its answer.
func titleOf(question string) string { return fence.OneLine(question, titleText) }

// ranked lays out ranked files, best first, with as many of their lines as RankedBytes allow.
func (h Hits) ranked(output string, context int, w Window, more More) []Text {
	t := Text{Footer: h.footer(), Verdict: fmt.Sprintf("%s: %s by its words, the likeliest first", titleOf(h.Query), number(h.Files, "file"))}
	if strings.Contains(h.Query, " ") && regexp.QuoteMeta(h.Query) == h.Query {
		t.Footer += " · the text as it is written: "
		if w.Tool { // its parameters have no literal search
			t.Footer += "pictx kota search "
		}
		t.Footer += "--regex"
	}
	if len(h.List) > 0 && h.List[0].Score > 0 && h.List[0].Score < poorScore { // other engines do not score
		t.Verdict += "; none fits well, so try other words"
	}
	if h.Files == 0 {
		t.Verdict = fmt.Sprintf("%s: 0 matches in 0 files", titleOf(h.Query))
	}
	way := func(line func(k int, x Hit) Item) Text {
		k := -1
		t.Blocks = []Block{block("", h.List, w, more, false, func(x Hit) Item {
			k++
			return line(k, x)
		})}
		return t
	}
	// The best files show their lines, and the very best of these further ones.
	best := func(lines, further int) Text {
		return way(func(k int, x Hit) Item {
			switch {
			case k < further:
				return x.line(maxAlso)
			case k < lines:
				return x.line(0)
			}
			return Item{Text: "  " + safe(x.File), File: x.File}
		})
	}
	paths := best(0, 0)
	switch {
	case output == OutputPaths:
		return []Text{paths}
	case output == OutputSnippet && context > 0:
		return []Text{way(func(_ int, x Hit) Item { return x.snippet(context) }), best(len(h.List), 0), paths}
	}
	lines, further := len(h.List), 0
	short := best(lines, 0)
	for lines > 0 && len(short.whole()) > RankedBytes-footerRoom {
		lines--
		short = best(lines, 0)
	}
	for further < lines && len(best(lines, further+1).whole()) <= RankedBytes {
		further++
	}
	return []Text{best(len(h.List), further), short, paths}
}

// footerRoom is how many bytes Fit may add to a footer to say how to get the whole answer.
const footerRoom = 60

// maxAlso is how many further lines of a file are shown.
const maxAlso = 2

// line formats a file with its first line and at most also further ones.
func (h Hit) line(also int) Item {
	var b strings.Builder
	b.WriteString("  " + safe(h.File))
	if h.Line > 0 {
		fmt.Fprintf(&b, ":%d: %s", h.Line, text.CutBytes(h.Text, rankedText))
	}
	for _, p := range h.Also[:min(also, len(h.Also))] {
		fmt.Fprintf(&b, "\n    %d: %s", p.Line, text.CutBytes(p.Text, rankedText))
	}
	return Item{Text: b.String(), File: h.File}
}
