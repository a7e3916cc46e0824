package excerpt

import (
	"slices"
	"strings"
)

// sameWrong is how many lines that say what went wrong stay if they differ in numbers and quoted
// names alone, sameHelp how many of lines that help.
const sameWrong, sameHelp = 8, 4

// keepSignals keeps the lines that name what failed and say what went wrong, those that differ
// from many others of their kind, and as much else as there is room for: what helps to
// understand them, and then the outline of the text.
func (p *page) keepSignals() {
	p.shapes = make([]string, len(p.lines))
	signs := make([]sign, len(p.lines))
	for i, line := range p.lines {
		if !p.hidden(i) {
			p.shapes[i], signs[i] = shape(line), signOf(line)
		}
	}
	p.keepEnds()
	p.room += p.room / 2 // nothing else may take the place of errors
	p.each(signs, failed, len(p.lines))
	p.each(signs, wrong, sameWrong)
	p.keepOdd()
	p.room -= p.room / 3
	p.each(signs, helps, sameHelp)
	p.keepOutline()
}

// each keeps the lines of a sign, at most some of each shape, as long as there is room.
func (p *page) each(signs []sign, s sign, most int) {
	seen := make(map[string]int)
	for i := 0; i < len(p.lines) && p.room > 0; i++ {
		if signs[i] != s {
			continue
		}
		if seen[p.shapes[i]]++; seen[p.shapes[i]] <= most {
			p.take(i)
		}
	}
}

// keepOutline keeps the first line of each shape, those that are indented least first, and then
// the text from its beginning, as long as there is room.
func (p *page) keepOutline() {
	seen := make(map[string]bool)
	byDepth := make(map[int][]int)
	var depths []int
	for i, line := range p.lines {
		if s := p.shapes[i]; !seen[s] && s != "" {
			seen[s] = true
			depth := len(line) - len(strings.TrimLeft(line, " \t│├└─┬|`-+"))
			if byDepth[depth] == nil {
				depths = append(depths, depth)
			}
			byDepth[depth] = append(byDepth[depth], i)
		}
	}
	slices.Sort(depths)
	for _, depth := range depths {
		for _, i := range byDepth[depth] {
			if p.room > 0 {
				p.take(i)
			}
		}
	}
	for i := 0; i < len(p.lines) && p.room > 0 && p.kept < fewest; i++ {
		p.take(i)
	}
}
