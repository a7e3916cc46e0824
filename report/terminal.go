package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/coctostan/pictx/core/replay"
	walk "github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Terminal describes the terminal that a text chart is drawn for.
type Terminal struct {
	Width  int // of the chart without its labels, in characters
	Screen int // maximum width of chart and labels together, 0 for no limit
	Color  bool
}

// The text styles, as SGR parameters.
const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
)

// paint applies a style to a text.
func (t Terminal) paint(style, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// CostBars draws the cost of each policy in the first world of the comparison.
func CostBars(w io.Writer, c *replay.Comparison, t Terminal) {
	highest, name := 0.0, 0
	for i := range c.Policies {
		highest = max(highest, c.Policies[i].First().Bill().Billed)
		name = max(name, len(c.Policies[i].Name))
	}
	fmt.Fprintln(w, t.paint(bold, "Cost by policy"))
	const between, amount = 3, 9 // spaces, and the width of an amount
	t.Width = t.fitted(name + between + amount)
	for i := range c.Policies {
		p := &c.Policies[i]
		b := p.First()
		fmt.Fprintf(w, "%-*s  %s %s\n", name, p.Name, t.paint(costStyle(b.BillVsNone), block(b.Bill().Billed, highest, t.Width)), Amount(b.Bill().Billed, b.Priced()))
	}
	fmt.Fprintln(w)
}

// fitted returns the width left for a chart next to labels.
func (t Terminal) fitted(labels int) int {
	if t.Screen <= 0 {
		return t.Width
	}
	return max(8, min(t.Width, t.Screen-labels))
}

// costStyle returns the style of a cost.
func costStyle(ratio float64) string {
	switch replay.TrendOf(ratio) {
	case replay.CostsLess:
		return green
	case replay.CostsMore:
		return red
	}
	return dim
}

// block draws a value as a bar of up to length characters, in steps of an eighth.
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

// chartHeight is the height of a chart in characters. Each braille character has two by
// four dots.
const chartHeight = 8

// ContextChart draws the context size of a session per request: a line for the first
// policy, an area for the last one, and a row of events below. A session without requests
// has no chart.
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
	fmt.Fprintf(w, "Requests 1 to %d. c compaction, b another branch,\nw pruned while warm, p pruned for free\n\n", s.Requests)
}

// braille is a grid of dots, one row of characters after another.
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
	// The bits of a braille character from bottom to top, left column first.
	bits := [2][4]byte{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}
	row := chartHeight - 1 - y/4
	if row >= 0 && row < chartHeight && x/2 < len(b[row]) {
		b[row][x/2] |= bits[x%2][y%4]
	}
}

// draw draws a course below top as a line, and fills the area under it when filled.
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

// overlay combines a row of the line with a row of the area. With colour the area is green;
// without colour their dots merge.
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

// eventLetters returns a row of letters for the events of the requests above.
func eventLetters(points []replay.Point, width int) string {
	const byImportance = " pwbc"
	line := []byte(strings.Repeat(" ", width))
	for i, p := range points {
		letter := byte(' ')
		switch {
		case p.Start == walk.AfterCompaction:
			letter = 'c'
		case p.Start == walk.OnBranch:
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
