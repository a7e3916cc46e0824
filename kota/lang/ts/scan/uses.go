package scan

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// binder collects the lines on which imported and declared names are used.
type binder struct {
	at      map[string]int // index in the facts' uses
	mask    [256]uint64    // by first byte, the lengths modulo 64 of the names that begin with it
	members map[string]bool
	key     []byte // scratch
	out     *lang.Facts
}

// bind returns a binder for the names that the facts import and declare.
func bind(out *lang.Facts) *binder {
	b := &binder{at: make(map[string]int), members: make(map[string]bool), out: out}
	for _, im := range out.Imports {
		for _, n := range im.Names {
			if b.name(n.Local) {
				b.members[n.Local] = true
			}
		}
	}
	for _, d := range out.Decls {
		if d.In == "" {
			b.name(d.Name)
			if d.Class == lang.Enum || d.Class == lang.NamespaceDecl || d.Class == lang.ClassDecl {
				b.members[d.Name] = true
			}
		}
	}
	for _, e := range out.Exports {
		if e.From < 0 {
			b.name(e.Local)
		}
	}
	b.membersOf(out.Exports)
	return b
}

// name adds a name to look for. It reports false when s is not a name.
func (b *binder) name(s string) bool {
	if s == "" || s == lang.Default || s == lang.Namespace {
		return false
	}
	if _, known := b.at[s]; !known {
		b.at[s] = -1
		b.mask[s[0]] |= 1 << (len(s) & 63)
	}
	return true
}

// use records that a line uses a name, or a member "name.member".
func (b *binder) use(name string, line int) {
	i, known := b.at[name]
	if !known || i < 0 {
		i = len(b.out.Uses)
		b.at[name] = i
		b.out.Uses = append(b.out.Uses, lang.Use{Name: name})
	}
	u := &b.out.Uses[i]
	if n := len(u.Lines); n == 0 || u.Lines[n-1] != line {
		u.Lines = append(u.Lines, line)
	}
}

// looksFor returns a word as a string, and whether it is one of the names.
func (b *binder) looksFor(w []byte) (string, bool) {
	if b.mask[w[0]]&(1<<(len(w)&63)) == 0 {
		return "", false
	}
	if _, known := b.at[string(w)]; !known {
		return "", false
	}
	return string(w), true
}

// uses records every use among the tokens where the name is not shadowed.
func (p *parser) uses(b *binder) {
	clause := p.clauses
	hidden, inner := p.shadowed(b), innerTypes(p.out.Decls)
	aliases := make(map[string][]string)
	for name := range p.bound {
		aliases[name] = p.means(name)
	}
	for i := 0; i < len(p.Toks); i++ {
		if len(clause) > 0 && i >= clause[0] {
			i = max(clause[1], i+1) - 1
			clause = clause[2:]
			continue
		}
		t := p.Toks[i]
		if name := p.own[i]; name != "" {
			b.use(name, int(t.Line))
		}
		if t.Kind != lex.Word || p.Op(i-1) == '.' || p.Op(i-1) == lex.Chain {
			continue
		}
		name, ok := b.looksFor(p.Src[t.Start:t.End])
		if !ok && len(inner) == 0 || p.isKey(i) || inner.use(b, p.Src[t.Start:t.End], int(t.Line)) || !ok || among(hidden[name], i) {
			continue
		}
		b.use(name, int(t.Line))
		for _, to := range aliases[name] {
			b.use(to, int(t.Line))
		}
		dot := i + 1
		if p.Op(dot) == '!' {
			dot++
		}
		if w := p.Word(dot + 1); w != "" && b.members[name] && (p.Op(dot) == '.' || p.Op(dot) == lex.Chain) {
			b.use(name+"."+w, int(p.Toks[dot+1].Line))
		}
	}
}

// inside are the types and namespaces that namespaces declare, by name. In a namespace they are used
// without its name.
type inside map[string][]opened

// opened is a body of a namespace, in lines.
type opened struct {
	namespace string
	from, to  int
}

// innerTypes lists the types and namespaces in namespaces, the innermost last. Variables and functions are
// left out: parameters and variables with their names are too common.
func innerTypes(list []lang.Decl) inside {
	var blocks []opened
	for _, d := range list {
		if d.Class == lang.NamespaceDecl {
			blocks = append(blocks, opened{strings.TrimPrefix(d.In+"."+d.Name, "."), d.Line, d.End})
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	out := make(inside)
	for _, d := range list {
		if d.Class != lang.Interface && d.Class != lang.TypeAlias && d.Class != lang.ClassDecl && d.Class != lang.Enum && d.Class != lang.NamespaceDecl {
			continue
		}
		for _, s := range blocks {
			if s.namespace == d.In && !slices.Contains(out[d.Name], s) {
				out[d.Name] = append(out[d.Name], s)
			}
		}
	}
	for _, of := range out {
		slices.SortStableFunc(of, func(a, b opened) int { return a.from - b.from })
	}
	return out
}

// use records a word that stands for a type or a namespace of the namespace it is in, and reports
// whether it does.
func (in inside) use(b *binder, w []byte, line int) bool {
	for _, s := range slices.Backward(in[string(w)]) {
		if s.from <= line && line <= s.to {
			b.use(s.namespace+"."+string(w), line)
			return true
		}
	}
	return false
}

// isKey reports whether the word at token i is the key of an object literal or the name of a
// member in a type.
func (p *parser) isKey(i int) bool {
	n := i + 1
	if p.Op(n) == '?' && p.Op(n+1) == ':' {
		n++
	}
	if p.Op(n) != ':' {
		return false
	}
	switch p.Op(i - 1) {
	case '{', ',', ';':
		return true
	}
	return i > 0 && p.Toks[i].First && p.Ender(i-1)
}

// markup records the uses in the markup of a component file. A tag may write a component's name
// in kebab-case.
func (b *binder) markup(s []byte, line int) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\n' || c == '\r' && (i+1 >= len(s) || s[i+1] != '\n'):
			line++
			i++
		case lex.IsPart(c):
			j := i
			tag := i > 0 && (s[i-1] == '<' || s[i-1] == '/')
			for j < len(s) && (lex.IsPart(s[j]) || s[j] == '-' && tag) {
				j++
			}
			b.mention(s[i:j], tag, line)
			i = j
		default:
			i++
		}
	}
}

// mention records a word of markup. The tag <my-button> uses the component MyButton.
func (b *binder) mention(w []byte, tag bool, line int) {
	if name, ok := b.looksFor(w); ok {
		b.use(name, line)
		return
	}
	if !tag {
		return
	}
	b.key = b.key[:0]
	up := true
	for _, c := range w {
		switch {
		case c == '-':
			up = true
			continue
		case up && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}
		up = false
		b.key = append(b.key, c)
	}
	if len(b.key) == 0 {
		return
	}
	if name, ok := b.looksFor(b.key); ok {
		b.use(name, line)
	}
}

// uniqueLines sorts lines and removes duplicates.
func uniqueLines(lines []int) []int {
	slices.Sort(lines)
	return slices.Compact(lines)
}
