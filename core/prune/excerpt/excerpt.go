package excerpt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Excerpt is a shortened text.
type Excerpt struct {
	// Text are the lines that stay, with a line in place of each gap.
	Text string
	// Lines is the number of lines of the whole, Left how many of them are not in Text.
	Lines, Left int
	// Unchanged is how many of those are unchanged lines of a diff: no line says where they were.
	Unchanged int
}

// Sizes are in bytes.
const (
	// least is the size from which on a text is shortened: about 1,000 tokens.
	least = 4000
	// begins and ends are how much of the beginning and the end stays in any case.
	begins, ends = 800, 1200
	// share of a text stays, but no less and no more than these.
	share          = 0.36
	fewest, utmost = 3200, 12_000
	// worth is the share of a text that may stay at most: else it is not worth the marker.
	worth = 0.75
)

// Of shortens the output of a command or a search. It reports false when the text is short,
// or hardly anything of it can go.
func Of(text string) (Excerpt, bool) {
	if len(text) < least {
		return Excerpt{}, false
	}
	p := newPage(text)
	switch {
	case p.isDiff():
		p.keepDiff()
	case p.isListing():
		p.keepListing()
	default:
		p.keepSignals()
	}
	e := p.excerpt()
	return e, float64(len(e.Text)) <= worth*float64(len(text))
}

// page is a text of which lines are chosen.
type page struct {
	lines []string
	keep  []bool
	// room is how much may stay besides what is kept in any case.
	room      int
	kept      int              // bytes
	unchanged []bool           // lines of a diff whose absence is not shown, nil for none
	middle    [2]int           // the lines that are not looked at, from one to before another
	shapes    []string         // of the lines, where signals are kept
	files     []string         // that the lines of a listing name
	hits      []bool           // which of those are hits of a search
	where     func(int) string // what a left out line belongs to, "" for nothing; may be nil
}

// newPage splits a text into lines as a terminal shows them.
func newPage(text string) *page {
	p := &page{lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
	p.keep = make([]bool, len(p.lines))
	var codes *regexp.Regexp // by which programs colour their output
	if strings.Contains(text, "\x1b") {
		codes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")
	}
	for i, line := range p.lines {
		if codes != nil {
			line = codes.ReplaceAllString(line, "")
		}
		line = strings.TrimSuffix(line, "\r")
		p.lines[i] = abridged(line[strings.LastIndexByte(line, '\r')+1:])
	}
	p.hide()
	p.room = min(max(int(share*float64(len(text))), fewest), utmost)
	return p
}

// keepEnds keeps the beginning and the end.
func (p *page) keepEnds() {
	for i, left := 0, begins; i < len(p.lines) && left > 0; i++ {
		left -= p.take(i)
	}
	for i, left := len(p.lines)-1, ends; i >= 0 && left > 0; i-- {
		left -= p.take(i)
	}
}

// examined is how much of the beginning and of the end of a long text is looked at.
const examined = 100_000

// hide leaves out the middle of a long text, whatever it says: somebody waits.
func (p *page) hide() {
	size := 0
	for p.middle[0] < len(p.lines) && size < examined {
		size += len(p.lines[p.middle[0]]) + 1
		p.middle[0]++
	}
	p.middle[1], size = len(p.lines), 0
	for p.middle[1] > p.middle[0] && size < examined {
		p.middle[1]--
		size += len(p.lines[p.middle[1]]) + 1
	}
}

// hidden reports whether a line stands in the middle of a long text.
func (p *page) hidden(i int) bool { return p.middle[0] <= i && i < p.middle[1] }

// take keeps a line and returns its size, 0 when it was kept before.
func (p *page) take(i int) int {
	if p.keep[i] || p.hidden(i) {
		return 0
	}
	p.keep[i] = true
	p.kept += len(p.lines[i]) + 1
	p.room -= len(p.lines[i]) + 1
	return len(p.lines[i]) + 1
}

// shortGap is how many bytes a gap must have, or it is not one.
const shortGap = 60

// excerpt writes what is kept.
func (p *page) excerpt() Excerpt {
	e := Excerpt{Lines: len(p.lines)}
	var out []string
	for i := 0; i < len(p.lines); {
		end, size := i, 0
		unchanged := p.unchanged != nil && p.unchanged[i]
		for end < len(p.lines) && !p.keep[end] && unchanged == (p.unchanged != nil && p.unchanged[end]) {
			size += len(p.lines[end]) + 1
			end++
		}
		switch {
		case end == i:
			out = append(out, p.lines[i])
			end++
		case unchanged:
			e.Left, e.Unchanged = e.Left+end-i, e.Unchanged+end-i
		case size < shortGap:
			out = append(out, p.lines[i:end]...)
		default:
			e.Left += end - i
			out = append(out, p.gap(i, end))
		}
		i = end
	}
	e.Text = strings.Join(out, "\n")
	return e
}

// gap is the line in place of those from one to before another.
func (p *page) gap(from, end int) string {
	lines := fmt.Sprintf("lines %d-%d", from+1, end)
	if end == from+1 {
		lines = fmt.Sprintf("line %d", end)
	}
	return "[" + lines + " left out" + p.counts(from, end) + "]"
}

// mostCounts bounds the counts in a gap.
const mostCounts = 4

// counts says what the lines of a gap belong to.
func (p *page) counts(from, end int) string {
	if p.where == nil {
		return ""
	}
	var names []string
	n := make(map[string]int)
	for i := from; i < end; i++ {
		if name := p.where(i); name != "" {
			if n[name]++; n[name] == 1 {
				names = append(names, name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return n[b] - n[a] })
	var parts []string
	for _, name := range names[:min(len(names), mostCounts)] {
		parts = append(parts, fmt.Sprintf("%d in %s", n[name], name))
	}
	if more := len(names) - mostCounts; more > 0 {
		parts = append(parts, fmt.Sprintf("more in %d others", more))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// A line of more than longLine bytes, such as of minified text, keeps its beginning, its end,
// and what stands around the first errors.
const (
	longLine              = 600
	aroundError, mostSeen = 100, 4
)

// abridged shortens a long line.
func abridged(line string) string {
	if len(line) <= longLine {
		return line
	}
	begins, ends := max(longLine/2, len(line)/6), len(line)-max(longLine/5, len(line)/24)
	spans := [][2]int{{0, begins}}
	add := func(from, end int) {
		if last := &spans[len(spans)-1]; from <= last[1] {
			last[1] = max(last[1], end)
		} else {
			spans = append(spans, [2]int{from, end})
		}
	}
	failure := regexp.MustCompile(`[eE]rror|ERROR|fail|FAIL|Exception|fatal`)
	for _, at := range failure.FindAllStringIndex(line[begins:ends], mostSeen) {
		add(begins+at[0]-aroundError, begins+at[0]+aroundError)
	}
	add(ends, len(line))
	var b strings.Builder
	for i, s := range spans {
		if i > 0 {
			fmt.Fprintf(&b, "[... %d characters ...]", s[0]-spans[i-1][1])
		}
		b.WriteString(strings.ToValidUTF8(line[s[0]:s[1]], ""))
	}
	return b.String()
}
