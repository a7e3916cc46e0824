package excerpt

import "strings"

// isDiff reports whether a text is one or several diffs in the unified form.
func (p *page) isDiff() bool {
	hunks, changes := 0, 0
	for _, line := range p.lines {
		switch {
		case strings.HasPrefix(line, "@@ -"):
			hunks++
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, "-"):
			changes++
		}
	}
	return hunks > 0 && changes*4 > len(p.lines)
}

// runs are how many lines stay of each run of added or removed ones, at its beginning and its
// end: the first that leave enough out are taken.
var runs = [...][2]int{{12, 4}, {6, 2}, {3, 1}, {1, 1}}

// keepDiff keeps which files change, where, and the changed lines, of long runs the first and
// the last. The lines around them go.
func (p *page) keepDiff() {
	room := p.room
	p.unchanged = make([]bool, len(p.lines))
	for _, run := range runs {
		clear(p.keep)
		p.room = room
		p.keepChanges(run[0], run[1])
		if p.room >= -room/2 {
			return
		}
	}
}

// keepChanges keeps the first and last lines of each run of changed ones, and all lines that
// belong to no hunk.
func (p *page) keepChanges(first, last int) {
	hunk := false
	for i := 0; i < len(p.lines); {
		line := p.lines[i]
		kind := kindOf(line)
		switch {
		case strings.HasPrefix(line, "@@ "):
			hunk = true
		case strings.HasPrefix(line, "diff "):
			hunk = false
		}
		end := i + 1
		switch {
		case hunk && kind != 0:
			for end < len(p.lines) && kindOf(p.lines[end]) == kind {
				end++
			}
			for n := i; n < end; n++ {
				if n-i < first || end-n <= last {
					p.take(n)
				}
			}
		case hunk && (line == "" || line[0] == ' '):
			p.unchanged[i] = true
		case !hunk && !strings.HasPrefix(line, "index "), strings.HasPrefix(line, "@@ "), line != "" && line[0] != ' ':
			p.take(i)
		}
		i = end
	}
}

// kindOf returns + for an added line, - for a removed one, and 0 for any other.
func kindOf(line string) byte {
	if line != "" && (line[0] == '+' || line[0] == '-') {
		return line[0]
	}
	return 0
}
