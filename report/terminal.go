package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Terminal is how a chart of text is drawn.
type Terminal struct {
	Width  int // of the chart without its labels, in characters
	Screen int // what the chart and its labels must fit in, 0 for anything
	Color  bool
}

// The styles of text on a terminal, as parameters of SGR.
const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
)

// paint gives a text a style.
func (t Terminal) paint(style, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// CostBars draws what each policy costs under the profile of the comparison.
func CostBars(w io.Writer, c *replay.Comparison, t Terminal) {
	highest, name := 0.0, 0
	for i := range c.Policies {
		highest = max(highest, c.Policies[i].Prices[c.Profile].Bill)
		name = max(name, len(c.Policies[i].Name))
	}
	fmt.Fprintln(w, t.paint(bold, "Cost by policy"))
	const between, amount = 3, 9 // spaces, and the longest figure
	t.Width = t.fitted(name + between + amount)
	for i := range c.Policies {
		p := &c.Policies[i]
		b := p.Prices[c.Profile]
		fmt.Fprintf(w, "%-*s  %s %s\n", name, p.Name, t.paint(costStyle(b.BillVsNone), block(b.Bill, highest, t.Width)), barCost(c, b))
	}
	fmt.Fprintln(w)
}

// fitted is the width of a chart beside labels.
func (t Terminal) fitted(labels int) int {
	if t.Screen <= 0 {
		return t.Width
	}
	return max(8, min(t.Width, t.Screen-labels))
}

// barCost is a bill in dollars, or in tokens where there are no prices.
func barCost(c *replay.Comparison, b replay.TotalBill) string {
	if c.Priced() {
		return text.Dollars(b.Dollars)
	}
	return text.TokensShort(b.Bill)
}

// costStyle is the colour of a cost.
func costStyle(ratio float64) string {
	switch replay.TrendOf(ratio) {
	case replay.CostsLess:
		return green
	case replay.CostsMore:
		return red
	}
	return dim
}

// block draws a value as a bar of at most length characters, to an eighth of one.
func block(value, highest float64, length int) string {
	if highest <= 0 {
		return ""
	}
	eighths := int(value/highest*float64(length)*8 + 0.5)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// chartHeight is the height of a chart in characters; each holds two by four dots of
// braille.
const chartHeight = 8

// ContextChart draws the size of the context of a session, request by request: under its
// first policy as a line, under its last one as an area, and below what happened. A
// session without requests has no chart.
func ContextChart(w io.Writer, s *replay.SessionResult, t Terminal) {
	none, last := s.Policies[0].Series, &s.Policies[len(s.Policies)-1]
	if len(none) == 0 {
		return
	}
	highest := token.Count(1)
	for _, points := range [][]replay.Point{none, last.Series} {
		for _, p := range points {
			highest = max(highest, p.Tokens)
		}
	}
	title := "Context by request"
	if last.Name != policyNone {
		title += ": none a line, " + last.Name + " an area"
	}
	fmt.Fprintln(w, t.paint(bold, title))
	t.Width = min(t.fitted(8), max(8, (len(none)+1)/2))
	line, area := newBraille(t.Width), newBraille(t.Width)
	line.draw(none, highest, false)
	area.draw(last.Series, highest, true)
	for y := range chartHeight {
		label := ""
		switch y {
		case 0:
			label = text.TokensShort(float64(highest))
		case chartHeight - 1:
			label = "0"
		}
		fmt.Fprintf(w, "%6s │%s\n", label, t.overlay(line[y], area[y]))
	}
	fmt.Fprintf(w, "%6s └%s\n", "", strings.Repeat("─", t.Width))
	fmt.Fprintf(w, "%6s  %s\n", "", t.paint(dim, eventLetters(last.Series, t.Width)))
	fmt.Fprintf(w, "Requests 1 to %d. c compaction, b another branch,\nw pruned while warm, p pruned for free\n\n", s.Calls)
}

// braille is a grid of dots, a row of characters at a time.
type braille [chartHeight][]byte

func newBraille(width int) *braille {
	var b braille
	for y := range b {
		b[y] = make([]byte, width)
	}
	return &b
}

// dot sets a dot; y counts from the bottom.
func (b *braille) dot(x, y int) {
	// The bits of a braille character, from the bottom up: left, then right.
	bits := [2][4]byte{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}
	row := chartHeight - 1 - y/4
	if row >= 0 && row < chartHeight && x/2 < len(b[row]) {
		b[row][x/2] |= bits[x%2][y%4]
	}
}

// draw draws a course below top: its line, and the area under it when it
// is filled.
func (b *braille) draw(points []replay.Point, top token.Count, filled bool) {
	columns := 2 * len(b[0])
	before := -1
	for x := range columns {
		if len(points) == 0 {
			return
		}
		p := points[min(x*len(points)/columns, len(points)-1)]
		y := int(p.Tokens) * (4*chartHeight - 1) / int(top)
		from := y
		if filled {
			from = 0
		} else if before >= 0 {
			from = min(y, before)
		}
		for ; from <= y || !filled && from <= before; from++ {
			b.dot(x, from)
		}
		before = y
	}
}

// overlay puts a row of a line over a row of an area. With colour the area is green;
// without, what both have is one dot.
func (t Terminal) overlay(line, area []byte) string {
	var b strings.Builder
	for i := range line {
		cell := string(rune(0x2800 + int(line[i]|area[i])))
		switch {
		case area[i] != 0 && line[i]&^area[i] == 0:
			cell = t.paint(green, cell)
		case line[i]|area[i] == 0:
			cell = " "
		}
		b.WriteString(cell)
	}
	return strings.TrimRight(b.String(), " ")
}

// eventLetters is a line of letters that say what happened in the requests above.
func eventLetters(points []replay.Point, width int) string {
	const byImportance = " pwbc"
	line := []byte(strings.Repeat(" ", width))
	for i, p := range points {
		letter := byte(' ')
		switch {
		case p.Start == replay.AfterCompaction:
			letter = 'c'
		case p.Start == replay.OnBranch:
			letter = 'b'
		case p.Change == replay.ChangedWarm:
			letter = 'w'
		case p.Change == replay.ChangedCold:
			letter = 'p'
		}
		at := i * width / len(points)
		if strings.IndexByte(byImportance, letter) > strings.IndexByte(byImportance, line[at]) {
			line[at] = letter
		}
	}
	return strings.TrimRight(string(line), " ")
}
