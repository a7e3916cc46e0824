package excerpt

import (
	"path"
	"regexp"
	"strings"
)

// isListing reports whether most lines of a text are hits of a search, or paths. It records
// the files that they name, and which are hits and no lines around one.
func (p *page) isListing() bool {
	hit := regexp.MustCompile(`^([\w.@+~-]*[A-Za-z/.][\w.@+~/-]*?)([:-])\d+[:-]`) // of a search or of a compiler: a path, the line in it, and a text
	only := regexp.MustCompile(`^[\w.@+~ -]*(?:/[\w.@+~ $()\[\]-]*)+$`)
	p.files, p.hits = make([]string, len(p.lines)), make([]bool, len(p.lines))
	n := 0
	for i, line := range p.lines {
		if p.hidden(i) {
			continue
		}
		m := hit.FindStringSubmatch(line)
		p.hits[i] = m != nil && m[2] == ":"
		switch {
		case m != nil && strings.ContainsAny(m[1], "./"):
			p.files[i] = m[1]
		case only.MatchString(line):
			p.files[i] = line
		default:
			continue
		}
		n++
	}
	return n*5 > (len(p.lines)-(p.middle[1]-p.middle[0]))*3
}

// keepListing keeps the first lines of each directory and file, more of each as long as there is
// room, and says how many others each directory has.
func (p *page) keepListing() {
	file := func(i int) string { return p.files[i] }
	p.where = func(i int) string { // the directory
		if p.files[i] == "" {
			return ""
		}
		return path.Dir(strings.TrimSuffix(p.files[i], "/")) + "/"
	}
	for i := range p.lines { // totals, notes of a limit, the exit status
		if p.room > 0 && p.files[i] == "" && len(p.lines[i]) > 2 || i >= len(p.lines)-3 {
			p.take(i)
		}
	}
	p.first(p.where, 1)
	p.first(func(i int) string { // hits before the lines around them, each text once
		if !p.hits[i] {
			return ""
		}
		return shape(strings.TrimPrefix(p.lines[i], p.files[i]))
	}, 1)
	for n := 1; n <= len(p.lines) && p.room > 0; n *= 2 {
		p.first(file, n)
		p.first(p.where, n)
	}
}

// first keeps the first n lines of each group, as long as there is room.
func (p *page) first(group func(int) string, n int) {
	seen := make(map[string]int)
	for i := range p.lines {
		if p.room <= 0 {
			return
		}
		if name := group(i); name != "" {
			if seen[name]++; seen[name] <= n {
				p.take(i)
			}
		}
	}
}
