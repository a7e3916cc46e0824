package browse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/coctostan/pictx/core/text"
)

// folded is the number of visible lines of a folded block.
const folded = 4

// page is a conversation on the screen.
type page struct {
	blocks   []block
	match    string // the text to highlight, "" for none
	unfolded map[int]bool
	long     map[int]bool // blocks with more lines than a folded one shows
	selected int
	lines    []line // the blocks, wrapped to a width
	top      int    // the first line on the screen
}

// line is a line of a page. The first line of a block is its head.
type line struct {
	block int
	head  bool
	text  string
}

// newPage opens a conversation at the entry of a search result, or at its end.
func newPage(blocks []block, r row, width int) *page {
	p := &page{blocks: blocks, unfolded: make(map[int]bool), selected: max(0, len(blocks)-1)}
	if r.Entry == "" {
		p.layOut(width)
		return p
	}
	p.match = strings.ToLower(text.Printable(r.Match))
	p.selected = p.find(r)
	p.unfolded[p.selected] = true
	p.layOut(width)
	return p
}

// find returns the block of an entry. If there are several, it is the first one that
// contains the match.
func (p *page) find(r row) int {
	of := func(b block) bool { return b.ID == r.Entry || b.Call == r.Entry }
	match := text.Printable(r.Match)
	if i := slices.IndexFunc(p.blocks, func(b block) bool { return of(b) && strings.Contains(b.Text, match) }); i >= 0 {
		return i
	}
	return max(0, slices.IndexFunc(p.blocks, of))
}

// layOut wraps the blocks into lines of a width.
func (p *page) layOut(width int) {
	const indent = "  "
	p.lines, p.long = p.lines[:0], make(map[int]bool)
	for i, b := range p.blocks {
		if i > 0 {
			p.lines = append(p.lines, line{block: i})
		}
		p.lines = append(p.lines, line{i, true, ansi.Truncate(b.Head, width, text.Ellipsis)})
		if b.Text == "" {
			continue
		}
		wrap := func(s string, n int) string { return ansi.Wrap(s, n, "") }
		if b.Folds {
			wrap = func(s string, n int) string { return ansi.Hardwrap(s, n, true) } // output, whose spaces count
		}
		all := strings.Split(wrap(b.Text, max(1, width-len(indent))), "\n")
		shown := all
		p.long[i] = b.Folds && len(all) > folded+1
		if p.long[i] && !p.unfolded[i] {
			shown = all[:folded]
		}
		for _, l := range shown {
			p.lines = append(p.lines, line{block: i, text: indent + l})
		}
		if left := len(all) - len(shown); left > 0 {
			p.lines = append(p.lines, line{block: i, text: fmt.Sprintf("%s%s %s: press e", indent, text.Ellipsis, text.Count(left, "more line"))})
		}
	}
}

// head returns the line at which a block begins.
func (p *page) head(block int) int {
	return max(0, slices.IndexFunc(p.lines, func(l line) bool { return l.block == block && l.head }))
}

// show scrolls to the match in the selected block, or to its beginning.
func (p *page) show(height int) {
	at := p.head(p.selected)
	for i := at; i < len(p.lines) && p.lines[i].block == p.selected; i++ {
		if start, _ := p.found(p.lines[i]); start >= 0 {
			if i-at >= height {
				at = i - height/2
			}
			break
		}
	}
	p.top = at
	p.scroll(0, height)
}

// scroll moves by lines, and selects a visible block.
func (p *page) scroll(by, height int) {
	p.top = max(0, min(p.top+by, len(p.lines)-height))
	if len(p.lines) == 0 {
		return
	}
	first, last := p.lines[p.top].block, p.lines[min(len(p.lines), p.top+height)-1].block
	p.selected = min(max(p.selected, first), last)
}

// step selects the next or the previous block.
func (p *page) step(by, height int) {
	p.selected = min(max(p.selected+by, 0), max(0, len(p.blocks)-1))
	if at := p.head(p.selected); at < p.top || at >= p.top+height {
		p.top = at
		p.scroll(0, height)
	}
}

// unfold unfolds or folds the selected block. If that has nothing to unfold, it selects the
// next folded block on the screen, or the previous one.
func (p *page) unfold(width, height int) {
	if at := p.selected; !p.long[at] {
		for _, l := range p.lines[p.top:min(len(p.lines), p.top+height)] {
			if p.long[l.block] && !p.unfolded[l.block] && (l.block < at || p.selected <= at) {
				p.selected = l.block
			}
		}
	}
	p.unfolded[p.selected] = !p.unfolded[p.selected]
	p.layOut(width)
	p.top = min(p.top, p.head(p.selected))
	p.scroll(0, height)
}

// found returns the offsets of the match in a line, -1 if it has none. It finds nothing
// where letters change their length with their case.
func (p *page) found(l line) (start, end int) {
	lower := strings.ToLower(l.text)
	if p.match == "" || l.head || len(lower) != len(l.text) {
		return -1, -1
	}
	start = strings.Index(lower, p.match)
	return start, start + len(p.match)
}
