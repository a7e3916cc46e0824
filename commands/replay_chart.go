package commands

import (
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
)

// The size of a chart in characters; each holds two by four dots of braille.
const (
	chartWidth  = 84
	chartHeight = 8
)

// chart draws the size of the context of the one session, call by call: without
// pruning as a line, with the last policy as an area, and below what happened.
func (r *replayResult) chart(w *out) {
	s := &r.PerSession[0]
	none := s.Policies[0].Series
	if len(none) == 0 {
		return
	}
	last := &s.Policies[len(s.Policies)-1]
	most := int64(1)
	for _, p := range none {
		most = max(most, int64(p.Tokens))
	}
	for _, p := range last.Series {
		most = max(most, int64(p.Tokens))
	}
	title := "Context by call"
	if last.Name != "none" {
		title += ": none as a line, " + last.Name + " as an area"
	}
	heading(w, title)
	width := min(chartWidth, max(8, (len(none)+1)/2))
	line, area := newBraille(width), newBraille(width)
	line.draw(none, most, false)
	area.draw(last.Series, most, true)
	for y := range chartHeight {
		label := ""
		switch y {
		case 0:
			label = text.TokensShort(float64(most))
		case chartHeight - 1:
			label = "0"
		}
		w.printf("%6s │%s\n", label, overlay(w, line[y], area[y]))
	}
	w.printf("%6s └%s\n", "", strings.Repeat("─", width))
	w.printf("%6s  %s\n", "", w.style(styleDim, happenings(last.Series, width)))
	w.printf("%6s  %s\n\n", "", fmt.Sprintf("call 1 to %d; c a compaction, b another branch, w pruned while warm, p pruned for free", s.Calls))
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

// draw draws a course, most being the top: its line, with what is below it when
// it is filled.
func (b *braille) draw(points []replay.Point, most int64, filled bool) {
	columns := 2 * len(b[0])
	before := -1
	for x := range columns {
		if len(points) == 0 {
			return
		}
		p := points[min(x*len(points)/columns, len(points)-1)]
		y := int(int64(p.Tokens) * (4*chartHeight - 1) / most)
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

// overlay puts a row of a line over a row of an area. With colour the area is
// green; without, what both have is one dot.
func overlay(w *out, line, area []byte) string {
	var b strings.Builder
	for i := range line {
		cell := string(rune(0x2800 + int(line[i]|area[i])))
		switch {
		case area[i] != 0 && line[i]&^area[i] == 0:
			cell = w.style(styleGreen, cell)
		case line[i]|area[i] == 0:
			cell = " "
		}
		b.WriteString(cell)
	}
	return strings.TrimRight(b.String(), " ")
}

// happenings is a line of letters that say what happened in the calls above.
func happenings(points []replay.Point, width int) string {
	line := []byte(strings.Repeat(" ", width))
	rank := map[byte]int{' ': 0, 'p': 1, 'w': 2, 'b': 3, 'c': 4}
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
		if rank[letter] > rank[line[at]] {
			line[at] = letter
		}
	}
	return strings.TrimRight(string(line), " ")
}
