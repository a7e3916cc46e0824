package kota

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
)

// Limits on the size of an answer in bytes.
const (
	// DefaultBytes is the default limit.
	DefaultBytes = 5000
	// MinBytes is the smallest limit: enough for a verdict and how to get the rest.
	MinBytes = 200
)

// leastItem is the minimum size, in bytes, of an item that is still informative.
const leastItem = 40

// Text is the layout of an answer: a verdict, blocks of lines and a footer.
type Text struct {
	Verdict string
	Blocks  []Block
	Footer  string
}

// Block is a list with its title, and the command that shows what was left out.
type Block struct {
	Title string
	Items []Item
	// Offset is the number of items before these, on earlier pages.
	Offset int
	// Left is the number of items after these.
	Left int
	// More returns the command that shows the items from an offset on.
	More func(offset int) string
	// Near is the number of items that help most: an answer of limited size ends there. 0 means all.
	Near int
	// Grouped is set when left-out items are counted by directory.
	Grouped bool
}

// Item is one entry of a list.
type Item struct {
	Text string // without a trailing line break
	File string // the path by which it is grouped
}

// Fit formats an answer in at most limit bytes, including the final line break; 0 means no limit.
// It cuts between items and says what is left out.
func (t Text) Fit(limit int) string { return Fit(limit, []Text{t}, nil) }

// Keep stores a whole answer of which only a part is shown, and returns how to get it.
type Keep func(whole string) string

// printAll says how to get the whole of an answer that is not stored.
const printAll = "--max-bytes 0 prints all"

// Fit formats the first of several layouts that takes at most limit bytes. If none does, it cuts
// the last one. The result says how to get the whole of the first: by keep, if that is not nil.
// The footer of each layout but the first must say what it shows instead.
func Fit(limit int, ways []Text, keep Keep) string {
	if limit <= 0 {
		return ways[0].whole()
	}
	for i := range ways {
		ways[i].Blocks = nearest(ways[i].Blocks)
	}
	whole := ways[0].whole()
	if len(whole) <= limit {
		return whole
	}
	all := printAll
	if keep != nil {
		all = keep(whole)
	}
	for _, t := range ways[1:] {
		t.Footer += " · " + all
		if s := t.whole(); len(s) <= limit {
			return s
		}
	}
	return ways[len(ways)-1].cut(limit, all)
}

// nearest returns blocks that end where their lists stop to help.
func nearest(blocks []Block) []Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		if b := &blocks[i]; b.Near > 0 && b.Near < len(b.Items) {
			b.Left += len(b.Items) - b.Near
			b.Items = b.Items[:b.Near]
		}
	}
	return blocks
}

// cut formats an answer that is too long in at most limit bytes. all says how to get the whole.
func (t Text) cut(limit int, all string) string {
	verdict := clip(t.Verdict, limit*3/5) + "\n"
	how, room := fmt.Sprintf("cut at %d bytes: %s", limit, all), limit*2/5-2
	footer := t.Footer + " · " + how
	if len(footer) > room {
		footer = clip(how, room)
	}
	footer += "\n"
	rest := limit - len(verdict) - len(footer)
	var b strings.Builder
	b.WriteString(verdict)
	for i, blk := range t.Blocks {
		share := rest
		if left := len(t.Blocks) - i; left > 1 {
			share = rest
			for _, later := range t.Blocks[i+1:] {
				share -= len(later.whole())
			}
			share = max(rest*3/5, share)
		}
		s := blk.fit(share)
		rest -= len(s)
		b.WriteString(s)
	}
	b.WriteString(footer)
	return b.String()
}

func (t Text) whole() string {
	var b strings.Builder
	b.WriteString(t.Verdict + "\n")
	for _, blk := range t.Blocks {
		b.WriteString(blk.whole())
	}
	b.WriteString(t.Footer + "\n")
	return b.String()
}

func (b Block) whole() string {
	var s strings.Builder
	size := len(b.Title) + 1
	for _, it := range b.Items {
		size += len(it.Text) + 1
	}
	s.Grow(size)
	if b.Title != "" {
		s.WriteString(b.Title + "\n")
	}
	for _, it := range b.Items {
		s.WriteString(it.Text + "\n")
	}
	if b.Left > 0 {
		s.WriteString(b.more(len(b.Items)))
	}
	return s.String()
}

// more says how many items follow the first n, and how to ask for them.
func (b Block) more(n int) string {
	return fmt.Sprintf("  %d more: %s\n", len(b.Items)+b.Left-n, b.More(b.Offset+n))
}

// fit formats a block in at most limit bytes: as many items as fit, then counts of the rest by
// directory, which take at most a third. It returns "" when there is no room for the title and
// something below it.
func (b Block) fit(limit int) string {
	if s := b.whole(); len(s) <= limit {
		return s
	}
	head := ""
	if b.Title != "" {
		head = b.Title + "\n"
	}
	room := limit - len(head) - len(b.more(0)) - 8 // its numbers may get longer
	target := room
	if b.Grouped {
		target -= len(counts(b.Items, room/3))
	}
	if len(b.Items) == 0 || target <= leastItem && len(b.Items[0].Text) >= target {
		return ""
	}
	var s strings.Builder
	s.WriteString(head)
	n, used := 0, 0
	for n < len(b.Items) && used+len(b.Items[n].Text)+1 <= target {
		used += len(b.Items[n].Text) + 1
		s.WriteString(b.Items[n].Text + "\n")
		n++
	}
	if n == 0 { // even one item is too long; clip it, so that paging reaches the next one
		text := clip(strings.ReplaceAll(b.Items[0].Text, "\n", " "), target-1)
		s.WriteString(text + "\n")
		n, used = 1, len(text)+1
	}
	if b.Grouped && n < len(b.Items) {
		s.WriteString(counts(b.Items[n:], room-used))
	}
	if n < len(b.Items) || b.Left > 0 {
		s.WriteString(b.more(n))
	}
	return s.String()
}

// counts counts items by directory on one line of at most limit bytes. It returns "" when that is
// too short.
func counts(items []Item, limit int) string {
	dirs := byDir(items)
	line := "  by directory:"
	for i, d := range dirs {
		add := fmt.Sprintf(" %s %d", d.Name, d.N)
		if i > 0 {
			add = " ·" + add
		}
		rest := " · " + text.CountPlain(len(dirs)-i, "more directory") + "\n"
		if len(line)+len(add)+len(rest) > limit {
			if i == 0 {
				return ""
			}
			return line + rest
		}
		line += add
	}
	return line + "\n"
}

// byDir counts items by the first two directories of their paths, most first.
func byDir(items []Item) []Count {
	n := make(map[string]int)
	for _, it := range items {
		n[topDir(it.File)]++
	}
	return countsOf(n)
}

// topDir returns the first two directories of a path.
func topDir(p string) string {
	end := strings.IndexByte(p, '/') + 1
	if next := strings.IndexByte(p[end:], '/'); end > 0 && next >= 0 {
		end += next + 1
	}
	if end == 0 {
		return "/"
	}
	return p[:end]
}

// clip shortens a line to limit bytes. It cuts in the middle, at a character boundary, because
// the end of a path is informative.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	if limit < 2*len(mark) {
		return s[:fence.CutBefore(s, max(limit, 0))]
	}
	half := (limit - len(mark)) / 2
	tail := s[len(s)-half:]
	if at := fence.CutAfter(s, len(s)-half); at <= len(s) {
		tail = s[at:]
	}
	return s[:fence.CutBefore(s, half)] + mark + tail
}
