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

// ranked lays out ranked files, best first. As far as RankedBytes allow, the best show several of
// their lines.
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
	way := func(line func(Hit) Item) Text {
		t.Blocks = []Block{block("", h.List, w, more, false, line)}
		return t
	}
	paths := way(func(x Hit) Item { return Item{Text: "  " + safe(x.File), File: x.File} })
	switch {
	case output == OutputPaths:
		return []Text{paths}
	case output == OutputSnippet && context > 0:
		return []Text{way(func(x Hit) Item { return x.snippet(context) }), way(func(x Hit) Item { return x.line(0) }), paths}
	}
	whole := way(func(x Hit) Item { return x.line(0) })
	room := RankedBytes - len(whole.whole())
	if room < 0 { // the best files keep their lines
		short := way(func(x Hit) Item { return x.line(0) })
		items := short.Blocks[0].Items
		for i := len(items) - 1; i >= 0 && room < footerRoom; i-- {
			bare := Item{Text: "  " + safe(items[i].File), File: items[i].File}
			room += len(items[i].Text) - len(bare.Text)
			items[i] = bare
		}
		return []Text{whole, short, paths}
	}
	items := whole.Blocks[0].Items
	page, _ := Cut(h.List, w.Offset, w.Limit, len(h.List))
	for also := 1; also <= maxAlso; also++ {
		for i := range items {
			grown := page[i].line(also)
			if room -= len(grown.Text) - len(items[i].Text); room < 0 {
				return []Text{whole, paths}
			}
			items[i] = grown
		}
	}
	return []Text{whole, paths}
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
