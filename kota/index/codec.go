package index

import (
	"encoding/binary"
	"errors"

	"github.com/coctostan/pictx/kota/lang"
)

// errDamaged is what reading gives when bytes are not what was written.
var errDamaged = errors.New("the index is damaged")

// encoder writes numbers and strings, small ones in few bytes.
type encoder struct{ b []byte }

func (e *encoder) num(n int)      { e.b = binary.AppendUvarint(e.b, uint64(n)) }
func (e *encoder) long(n int64)   { e.b = binary.AppendVarint(e.b, n) }
func (e *encoder) str(s string)   { e.num(len(s)); e.b = append(e.b, s...) }
func (e *encoder) flag(f ...bool) { e.num(bits(f...)) }

// bits is a bit for each flag, the first the lowest.
func bits(f ...bool) int {
	n := 0
	for i, set := range f {
		if set {
			n |= 1 << i
		}
	}
	return n
}

// decoder reads what an encoder wrote. After the first thing that cannot be it
// gives nothing but zeros. What it reads from is a string, so that the strings it
// gives are parts of that.
type decoder struct {
	b   string
	bad bool
}

// fail ends reading.
func (d *decoder) fail() { d.b, d.bad = "", true }

// uvarint reads a number as binary.AppendUvarint writes it.
func (d *decoder) uvarint() (n uint64, ok bool) {
	for i := 0; i < len(d.b) && i < binary.MaxVarintLen64; i++ {
		c := d.b[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.b = d.b[i+1:]
			return n, true
		}
	}
	return 0, false
}

func (d *decoder) num() int {
	n, ok := d.uvarint()
	if !ok || n > 1<<40 {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) long() int64 {
	n, ok := d.uvarint()
	if !ok {
		d.fail()
		return 0
	}
	return int64(n>>1) ^ -int64(n&1)
}

// count reads how many things of at least one byte follow.
func (d *decoder) count() int {
	n := d.num()
	if n > len(d.b) {
		d.fail()
		return 0
	}
	return n
}

func (d *decoder) str() string {
	n := d.count()
	s := d.b[:n]
	d.b = d.b[n:]
	return s
}

// encodeFacts writes what a file says: a header, and parts that can be passed over.
func encodeFacts(f *lang.Facts) string {
	e := &encoder{}
	e.flag(f.Partial, f.ImportsOnly, isBarrel(f), f.RunsTests)
	e.num(f.Lines)
	for _, write := range []func(*encoder){
		func(part *encoder) { part.links(f) },
		func(part *encoder) { part.decls(f.Decls) },
		func(part *encoder) { part.uses(f.Uses) },
	} {
		part := &encoder{}
		write(part)
		e.str(string(part.b))
	}
	return string(e.b)
}

// links writes imports and exports.
func (e *encoder) links(f *lang.Facts) {
	e.num(len(f.Imports))
	for _, im := range f.Imports {
		e.num(int(im.Kind)<<1 | bits(im.TypeOnly))
		e.num(im.Line)
		e.str(im.Spec)
		e.num(len(im.Names))
		for _, n := range im.Names {
			e.pair(n.TypeOnly, n.Imported, n.Local)
		}
	}
	e.num(len(f.Exports))
	for _, x := range f.Exports {
		e.pair(x.TypeOnly, x.Name, x.Local)
		e.num(x.From + 1)
		e.num(x.Line)
	}
}

// pair writes a flag and two names that may be the same.
func (e *encoder) pair(typeOnly bool, a, b string) {
	e.flag(typeOnly, a != b)
	e.str(a)
	if a != b {
		e.str(b)
	}
}

func (e *encoder) uses(uses []lang.Use) {
	e.num(len(uses))
	for _, u := range uses {
		e.str(u.Name)
		e.lines(u.Lines)
	}
}

// lines writes ascending numbers as what lies between them.
func (e *encoder) lines(lines []int) {
	e.num(len(lines))
	last := 0
	for _, l := range lines {
		e.num(l - last)
		last = l
	}
}

func (e *encoder) decls(decls []lang.Decl) {
	e.num(len(decls))
	in, line := "", 0
	for _, d := range decls {
		e.num(int(d.Class)<<2 | bits(d.Exported, d.In != in))
		e.str(d.Name)
		if d.In != in {
			e.str(d.In)
			in = d.In
		}
		e.num(d.Line - line)
		e.num(d.End - d.Line)
		line = d.Line
	}
}

// decodeFacts reads what encodeFacts wrote. want tells which parts are needed.
func decodeFacts(b string, want parts) (lang.Facts, error) {
	d := &decoder{b: b}
	var f lang.Facts
	flags := d.num()
	f.Partial, f.ImportsOnly, f.RunsTests = flags&1 != 0, flags&2 != 0, flags&8 != 0
	f.Lines = d.num()
	bad := false
	for _, read := range []struct {
		part parts
		into func(*decoder)
	}{
		{withImports, func(d *decoder) { d.imports(&f); d.exports(&f) }},
		{withDecls, func(d *decoder) { f.Decls = d.decls() }},
		{withUses, func(d *decoder) { d.uses(&f) }},
	} {
		part := &decoder{b: d.str()}
		if want&read.part != 0 {
			read.into(part)
		}
		bad = bad || part.bad
	}
	if d.bad || bad {
		return lang.Facts{}, errDamaged
	}
	return f, nil
}

// usesOf lists the lines on which a file uses a name, without decoding the others.
func usesOf(facts, name string) []int {
	d := &decoder{b: facts}
	d.num()
	d.num()
	d.str()
	d.str()
	d = &decoder{b: d.str()}
	for range d.count() {
		if d.str() == name {
			return d.lines()
		}
		for range d.count() {
			d.num()
		}
	}
	return nil
}

// eachDecl calls fn with the declarations of a file, in the order of their lines,
// without decoding anything else.
func eachDecl(facts string, fn func(*lang.Decl)) {
	d := &decoder{b: facts}
	d.num()
	d.num()
	d.str()
	d = &decoder{b: d.str()}
	d.eachDecl(d.count(), fn)
}

// isBarrel reports whether a file does nothing but pass on what others export.
func isBarrel(f *lang.Facts) bool {
	for _, e := range f.Exports {
		if e.From < 0 {
			return false
		}
	}
	return len(f.Exports) > 0 && len(f.Decls) == 0
}

// header is what is known of a file without reading all its facts.
type header struct {
	partial, importsOnly, barrel bool
	lines                        int
}

func (f *file) header() header {
	if f.facts == "" {
		return header{}
	}
	d := &decoder{b: f.facts}
	n := d.num()
	return header{n&1 != 0, n&2 != 0, n&4 != 0, d.num()}
}

// parts says which of a file's facts are decoded.
type parts int

// The parts.
const (
	withImports parts = 1 << iota // and exports
	withDecls
	withUses
)

func (d *decoder) imports(f *lang.Facts) {
	f.Imports = make([]lang.Import, d.count())
	for i := range f.Imports {
		im := &f.Imports[i]
		n := d.num()
		im.Kind, im.TypeOnly = lang.Kind(n>>1), n&1 != 0
		im.Line, im.Spec = d.num(), d.str()
		im.Names = make([]lang.Name, d.count())
		for j := range im.Names {
			im.Names[j].TypeOnly, im.Names[j].Imported, im.Names[j].Local = d.pair()
		}
	}
}

// pair reads what encoder.pair wrote.
func (d *decoder) pair() (typeOnly bool, a, b string) {
	flags := d.num()
	a = d.str()
	if b = a; flags&2 != 0 {
		b = d.str()
	}
	return flags&1 != 0, a, b
}

func (d *decoder) exports(f *lang.Facts) {
	f.Exports = make([]lang.Export, d.count())
	for i := range f.Exports {
		x := &f.Exports[i]
		x.TypeOnly, x.Name, x.Local = d.pair()
		x.From, x.Line = d.num()-1, d.num()
		if x.From >= len(f.Imports) {
			d.bad, x.From = true, -1
		}
	}
}

func (d *decoder) decls() []lang.Decl {
	n := d.count()
	out := make([]lang.Decl, 0, n)
	d.eachDecl(n, func(x *lang.Decl) { out = append(out, *x) })
	return out
}

// eachDecl reads n declarations one after the other.
func (d *decoder) eachDecl(n int, fn func(*lang.Decl)) {
	var x lang.Decl
	for range n {
		n := d.num()
		x.Class, x.Exported, x.Name = lang.Class(n>>2), n&1 != 0, d.str()
		if n&2 != 0 {
			x.In = d.str()
		}
		x.Line += d.num()
		x.End = x.Line + d.num()
		fn(&x)
	}
}

func (d *decoder) uses(f *lang.Facts) {
	f.Uses = make([]lang.Use, d.count())
	for i := range f.Uses {
		u := &f.Uses[i]
		u.Name, u.Lines = d.str(), d.lines()
	}
}

// lines reads ascending numbers.
func (d *decoder) lines() []int {
	out := make([]int, d.count())
	last := 0
	for i := range out {
		last += d.num()
		out[i] = last
	}
	return out
}
