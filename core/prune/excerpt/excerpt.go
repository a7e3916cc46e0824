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
	kept      int      // bytes
	unchanged []bool   // lines of a diff whose absence is not shown, nil for none
	middle    [2]int   // the lines that are not looked at, from one to before another
	shapes    []string // of the lines, once they were asked for
	signs     []sign   // likewise, plus 1
	listed    listed
	where     func(int) string // what a left out line belongs to, "" for nothing; may be nil
}

// newPage splits a text into lines as a terminal shows them.
func newPage(text string) *page {
	p := &page{listed: newListed(), lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
	p.keep, p.shapes, p.signs = make([]bool, len(p.lines)), make([]string, len(p.lines)), make([]sign, len(p.lines))
	coloured := strings.Contains(text, "\x1b")
	var codes *regexp.Regexp // by which programs colour their output
	if coloured {
		codes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")
	}
	for i, line := range p.lines {
		if coloured {
			line = codes.ReplaceAllString(line, "")
		}
		line = strings.TrimSuffix(line, "\r")
		p.lines[i] = abridged(line[strings.LastIndexByte(line, '\r')+1:])
	}
	p.hide()
	p.room = min(max(int(share*float64(len(text))), fewest), utmost)
	return p
}

// shape returns the shape of a line.
func (p *page) shape(i int) string {
	if p.shapes[i] == "" && !p.hidden(i) {
		p.shapes[i] = shape(p.lines[i])
	}
	return p.shapes[i]
}

// sign returns the sign of a line.
func (p *page) sign(i int) sign {
	if p.hidden(i) {
		return silent
	}
	if p.signs[i] == 0 {
		p.signs[i] = 1 + signOf(p.lines[i])
	}
	return p.signs[i] - 1
}

// keepEnds keeps the beginning and the end.
func (p *page) keepEnds() {
	left := begins
	for i := 0; i < len(p.lines) && left > 0; i++ {
		left -= p.take(i)
	}
	left = ends
	for i := len(p.lines) - 1; i >= 0 && left > 0; i-- {
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
		name := p.where(i)
		if name == "" {
			continue
		}
		if n[name]++; n[name] == 1 {
			names = append(names, name)
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
// and what stands around errors.
const (
	longLine              = 600
	aroundError, mostSeen = 100, 4
)

// abridged shortens a long line.
func abridged(line string) string {
	if len(line) <= longLine {
		return line
	}
	lineBegins, lineEnds := max(longLine/2, len(line)/6), max(longLine/5, len(line)/24)
	spans := [][2]int{{0, lineBegins}}
	for _, at := range errors(line[lineBegins : len(line)-lineEnds]) {
		from, end := max(0, lineBegins+at-aroundError), min(len(line), lineBegins+at+aroundError)
		if last := &spans[len(spans)-1]; from <= last[1] {
			last[1] = max(last[1], end)
		} else {
			spans = append(spans, [2]int{from, end})
		}
	}
	if last := &spans[len(spans)-1]; len(line)-lineEnds <= last[1] {
		last[1] = len(line)
	} else {
		spans = append(spans, [2]int{len(line) - lineEnds, len(line)})
	}
	var b strings.Builder
	for i, s := range spans {
		if i > 0 {
			fmt.Fprintf(&b, "[... %d characters ...]", s[0]-spans[i-1][1])
		}
		b.WriteString(strings.ToValidUTF8(line[s[0]:s[1]], ""))
	}
	return b.String()
}

// errors returns where the first errors in a text stand.
func errors(text string) (at []int) {
	for _, name := range [...]string{"error", "Error", "ERROR", "fail", "FAIL", "Exception", "fatal"} {
		for from := 0; len(at) < mostSeen; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				break
			}
			at = append(at, from+i)
			from += i + len(name)
		}
	}
	slices.Sort(at)
	return at
}
