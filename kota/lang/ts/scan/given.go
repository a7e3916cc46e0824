package scan

import (
	"bytes"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// begin initializes the maps that record to which names modules are assigned.
func (p *parser) begin() {
	p.taken, p.imported, p.top, p.passed = make(map[int]bool), make(map[string]int), make(map[string]bool), make(map[int]bool)
	p.assigned = make(map[string]bool)
	for _, im := range p.out.Imports {
		for _, n := range im.Names {
			p.top[n.Local] = true
		}
	}
	for _, d := range p.out.Decls {
		if d.In == "" {
			p.top[d.Name] = true
		}
	}
}

// target returns the token to which the value after the = at token i is assigned: a name, or the
// { of a pattern; -1 when it is neither.
func (p *parser) target(i int) int {
	switch {
	case p.IsWord(i - 1):
		return i - 1
	case p.Op(i-1) == '}':
		return int(p.Toks[i-1].Pair)
	}
	return -1
}

// given lists the names that a module is assigned to, when the target at token k is a name or a
// pattern: "m" for the module itself, "{ a, b: c }" for its exports.
func (p *parser) given(k int) []lang.Name {
	var names []lang.Name
	switch w := p.Word(k); {
	case w != "":
		names = []lang.Name{{Imported: lang.Namespace, Local: w}}
	case p.Op(k) == '{':
		names = p.pattern(k)
	default:
		return nil
	}
	var out []lang.Name
	for _, n := range names {
		if n.Imported != "" { // it is not part of an export
			out = append(out, n)
		}
	}
	p.taken[k] = true
	if w := p.Word(k); w != "" && !p.declaredAt(k) {
		p.assigned[w] = true
	}
	return out
}

// declaredAt reports whether the name or pattern at token k is a declaration, not an assignment.
func (p *parser) declaredAt(k int) bool {
	switch p.Word(k - 1) {
	case "const", "let", "var", "using":
		return true
	}
	switch p.Op(k - 1) {
	case ',', '(', '[':
		return true
	}
	return p.Op(k+1) == lex.Arrow
}

// blockAround returns the { of the block in which token i stands, -1 when it is more than reach
// tokens away.
func (p *parser) blockAround(i int) int {
	for j := i - 1; j >= 0 && i-j < reach; j-- {
		if pair := int(p.Toks[j].Pair); pair >= 0 && pair < j {
			j = pair
		} else if p.Op(j) == '{' {
			return j
		}
	}
	return -1
}

// source is what an imported name stands for: something of the k-th import.
type source struct {
	k    int
	name string // as in lang.Name.Imported
}

// sources returns what the file imports, by local name, and whether it imports a module as a whole.
func (p *parser) sources() (out map[string]source, whole bool) {
	out = make(map[string]source)
	for k, im := range p.out.Imports {
		for _, n := range im.Names {
			if n.Local != "" {
				out[n.Local] = source{k, n.Imported}
				whole = whole || n.Imported == lang.Namespace
			}
		}
	}
	return out, whole
}

// aliases finds further names of an imported module, of its exports and of their members:
// "const m = ns", "const { a } = ns", "import a = ns.a", "const m = { ...ns }", "m: typeof ns",
// "const { a } = object".
func (p *parser) aliases() {
	known, whole := p.sources()
	if !whole && !bytes.Contains(p.Src, []byte("} =")) && !bytes.Contains(p.Src, []byte("}=")) {
		return
	}
	for i := range p.Toks {
		if p.Toks[i].Kind != lex.Word {
			continue
		}
		before := p.Op(i - 1)
		if before != '=' && before != lex.Spread && !p.Is(i-1, "typeof") {
			continue
		}
		of, isImported := known[p.Word(i)]
		if isImported && (of.name == lang.Namespace || before == '=' && p.Op(i-2) == '}') {
			for _, n := range p.aliased(i) {
				n.Imported = memberOf(of.name, n.Imported)
				if n.Local != p.Word(i) {
					p.out.Imports[of.k].Names = append(p.out.Imports[of.k].Names, n)
				}
				if n.Imported == lang.Namespace {
					known[n.Local] = source{of.k, n.Imported}
				}
			}
		}
	}
}

// memberOf returns how a member of an imported name is imported: "a" of a module, "name.a" of another.
func memberOf(name, member string) string {
	switch {
	case name == lang.Namespace:
		return member
	case member == lang.Namespace:
		return name
	}
	return name + "." + member
}

// aliased lists the names to which the module that token i names is assigned.
func (p *parser) aliased(i int) []lang.Name {
	switch {
	case p.Is(i-1, "typeof"): // the type of a variable or parameter: "m: typeof ns"
		if p.Op(i-2) != ':' || !p.IsWord(i-3) || p.Op(i+1) == '.' || !p.declaredAt(i-3) {
			return nil
		}
		return p.given(i - 3)
	case p.Op(i-1) == lex.Spread: // a spread: "const m = { ...ns }"
		open := p.blockAround(i)
		if p.Op(i+1) != ',' && p.Op(i+1) != '}' || p.Op(open-1) != '=' || !p.Is(open-3, "const") {
			return nil
		}
		return p.given(open - 2)
	}
	if p.Is(i-3, "import") && p.Op(i+1) == '.' && p.Op(i+3) != '.' {
		return []lang.Name{{Imported: p.Word(i + 2), Local: p.Word(i - 2)}}
	}
	k := p.target(i - 1)
	switch p.Word(k - 1) {
	case "const", "let", "var", "import":
	default:
		return nil
	}
	if op := p.Op(i + 1); i+1 < len(p.Toks) && op != ';' && op != ',' && op != '}' && !p.Breaks(i+1, len(p.Toks)) {
		return nil
	}
	return p.given(k)
}
