package excerpt

import (
	"slices"
	"strings"
)

const (
	// follow is how many lines after one that says what went wrong belong to it, at most.
	follow = 6
	// sameWrong is how many of those lines stay that differ in numbers and quoted names alone,
	// sameHelp how many of lines that help.
	sameWrong, sameHelp = 8, 4
)

// keepSignals keeps the lines that name what failed and say what went wrong, those that differ
// from many others of their kind, and as much else as there is room for: what helps to
// understand them, and then the outline of the text.
func (p *page) keepSignals() {
	p.keepEnds()
	p.room += p.room / 2 // nothing else may take the place of errors
	signals := p.each(failed, len(p.lines))
	signals = append(signals, p.each(wrong, sameWrong)...)
	p.keepOdd()
	p.room -= p.room / 3
	for n := 1; n <= follow; n++ {
		p.keepFollowing(signals, n)
	}
	p.each(helps, sameHelp)
	p.keepOutline()
}

// each keeps the lines of a sign, at most some of each shape, as long as there is room, and
// returns their places.
func (p *page) each(s sign, most int) (at []int) {
	seen := make(map[string]int)
	for i := range p.lines {
		if p.room <= 0 {
			break
		}
		if p.sign(i) != s {
			continue
		}
		if name := p.shape(i); most < len(p.lines) {
			if seen[name]++; seen[name] > most {
				continue
			}
		}
		p.take(i)
		at = append(at, i)
	}
	return at
}

// keepFollowing keeps the nth line after each signal, unless what belongs to it has ended.
func (p *page) keepFollowing(signals []int, n int) {
	for _, i := range signals {
		if p.room <= 0 {
			return
		}
		if i+n >= len(p.lines) || goesWell(strings.TrimSpace(p.lines[i+n])) {
			continue
		}
		if n > 2 && slices.ContainsFunc(p.lines[i+1:i+n], func(line string) bool { return strings.TrimSpace(line) == "" }) {
			continue
		}
		p.take(i + n)
	}
}

// keepOutline keeps the first line of each shape, those that are indented least first, and then
// the text from its beginning, as long as there is room.
func (p *page) keepOutline() {
	seen := make(map[string]bool)
	byDepth := make(map[int][]int)
	var depths []int
	for i, line := range p.lines {
		if s := p.shape(i); !seen[s] && s != "" {
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
