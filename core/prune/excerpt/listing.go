package excerpt

import (
	"path"
	"regexp"
	"strings"
)

// listed are the forms of lines of a listing. They are compiled for a text: every start of the
// program would pay for them otherwise.
type listed struct {
	hit   *regexp.Regexp // of a search or of a compiler: a path, the line in it, and a text
	found *regexp.Regexp // nothing but a path
}

func newListed() listed {
	return listed{
		hit:   regexp.MustCompile(`^([\w.@+~-]*[A-Za-z/.][\w.@+~/-]*?)([:-])\d+[:-]`),
		found: regexp.MustCompile(`^[\w.@+~ -]*(?:/[\w.@+~ $()\[\]-]*)+$`),
	}
}

// isListing reports whether most lines of a text are hits of a search, or paths.
func (p *page) isListing() bool {
	n := 0
	for i := range p.lines {
		if p.file(i) != "" {
			n++
		}
	}
	return n*5 > (len(p.lines)-(p.middle[1]-p.middle[0]))*3
}

// file returns the file that a line of a listing names, "" for none.
func (p *page) file(i int) string {
	line := p.lines[i]
	if p.hidden(i) {
		return ""
	}
	if m := p.listed.hit.FindStringSubmatch(line); m != nil && strings.ContainsAny(m[1], "./") {
		return m[1]
	}
	if p.listed.found.MatchString(line) {
		return line
	}
	return ""
}

// directory returns the directory of that file.
func (p *page) directory(i int) string {
	if file := p.file(i); file != "" {
		return path.Dir(strings.TrimSuffix(file, "/")) + "/"
	}
	return ""
}

// keepListing keeps the first lines of each directory and file, more of each as long as there is
// room, and says how many others each directory has.
func (p *page) keepListing() {
	p.where = p.directory
	for i := range p.lines { // totals, notes of a limit, the exit status
		if p.room > 0 && p.file(i) == "" && len(p.lines[i]) > 2 || i >= len(p.lines)-3 {
			p.take(i)
		}
	}
	p.first(p.directory, 1)
	said := func(i int) string { return shape(strings.TrimPrefix(p.lines[i], p.file(i))) }
	p.first(func(i int) string { // hits before the lines around them, each text once
		if m := p.listed.hit.FindStringSubmatch(p.lines[i]); m != nil && m[2] == ":" {
			return said(i)
		}
		return ""
	}, 1)
	for n := 1; n <= len(p.lines) && p.room > 0; n *= 2 {
		p.first(p.file, n)
		p.first(p.directory, n)
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
