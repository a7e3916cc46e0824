package scan

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// maxBound is how many names a name may be bound to.
const maxBound = 8

// initial records what the variable at token i, whose declaration ends before token end, is initialized
// with: an object or a name. in is the namespace it is in.
func (p *parser) initial(i, end int, in string) {
	for j := i + 1; j < end; j = p.Next(j) {
		if p.Op(j) == '=' {
			if in == "" {
				p.object(p.Word(i), j+1)
			}
			p.bindTo(strings.TrimPrefix(in+"."+p.Word(i), "."), j+1, end)
			return
		}
	}
}

// bindTo records that a variable, a type or a member "a.b" is the name at token i and nothing else.
func (p *parser) bindTo(name string, i, end int) {
	if to := p.plain(i, end); p.bound != nil && to != "" && to != name && len(p.bound[name]) < maxBound && !slices.Contains(p.bound[name], to) {
		p.bound[name] = append(p.bound[name], to)
	}
}

// plain returns the name, or the path of names, that is the whole of the value at token i, as in "b", "a.b",
// "(b as T)", "<T>b" and "b<T>!"; "" for any other value.
func (p *parser) plain(i, end int) string {
	for i = p.Angles(i, end); p.Op(i) == '('; i = p.Angles(i+1, end) {
		closing := p.Pair(i, i)
		if !p.endsName(closing+1, end) {
			return ""
		}
		end = closing
	}
	name := p.Word(i)
	for i++; p.Op(i) == '.' && p.IsWord(i+1); i += 2 {
		name += "." + p.Word(i+1)
	}
	if i = p.Angles(i, end); i < end && p.Op(i) == '!' {
		i++
	}
	if !p.endsName(i, end) {
		return ""
	}
	return name
}

// endsName reports whether a value that is a name ends before token i.
func (p *parser) endsName(i, end int) bool {
	return i >= end || p.Op(i) == ';' || p.Op(i) == ',' || p.Op(i) == '}' || p.Is(i, "as") || p.Is(i, "satisfies") || p.Breaks(i, end)
}

// assignment records a name that is assigned to a variable or a member of the file, whose last name is
// token i, in a statement of its own: "a = b", "a.b = c".
func (p *parser) assignment(i int) {
	start := i
	if p.Op(i-1) == '.' {
		start = i - 2
	}
	before := p.Op(start - 1)
	if owner := p.Word(start); !p.top[owner] || start > 0 && before != ';' && before != '{' && before != '}' && !p.Breaks(start, len(p.Toks)) {
		return
	}
	name := p.Word(i)
	if start < i {
		name = p.Word(start) + "." + name
	}
	p.bindTo(name, i+2, min(i+reach, len(p.Toks)))
}

// means lists what a name is bound to, directly or through others.
func (p *parser) means(name string) []string {
	out := slices.Clone(p.bound[name])
	for k := 0; k < len(out) && k < maxBound; k++ {
		for _, to := range p.bound[out[k]] {
			if to != name && !slices.Contains(out, to) {
				out = append(out, to)
			}
		}
	}
	return slices.DeleteFunc(out, func(to string) bool {
		first, _, _ := strings.Cut(to, ".")
		return !p.top[first]
	})
}

// bindings exports what the exported names of the file, and their members, are bound to: "export const
// a = b" exports b as a, too.
func (p *parser) bindings() {
	members := make(map[string][]string) // by owner, its members that are bound
	for name := range p.bound {
		if owner, _, ok := strings.Cut(name, "."); ok {
			members[owner] = append(members[owner], name)
		}
	}
	for _, e := range p.out.Exports {
		if e.From >= 0 {
			continue
		}
		for _, to := range p.means(e.Local) {
			p.out.Exports = append(p.out.Exports, lang.Export{Name: e.Name, Local: to, From: -1, TypeOnly: e.TypeOnly, Line: e.Line})
		}
		slices.Sort(members[e.Local])
		for _, name := range members[e.Local] {
			for _, to := range p.means(name) {
				p.out.Exports = append(p.out.Exports, lang.Export{Name: name, Local: to, From: -1, Line: e.Line})
			}
		}
	}
}
