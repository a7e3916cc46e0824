package codec

import "github.com/coctostan/pictx/kota/lang"

// EncodeFacts encodes facts as a header and parts that can be skipped.
func EncodeFacts(f *lang.Facts) string {
	e := &Encoder{}
	e.Flag(f.Partial, f.ImportsOnly, isBarrel(f), f.RunsTests, f.Generated, f.Unit != "", f.Outside != "") // as Marks
	e.Num(f.Lines)
	for _, s := range []string{f.Unit, f.Outside} {
		if s != "" {
			e.Str(s)
		}
	}
	for _, write := range []func(*Encoder){
		func(part *Encoder) { part.links(f) },
		func(part *Encoder) { part.decls(f.Decls) },
		func(part *Encoder) { part.uses(f.Uses) },
	} {
		part := &Encoder{}
		write(part)
		e.Str(string(part.B))
	}
	return string(e.B)
}

// links writes imports and exports.
func (e *Encoder) links(f *lang.Facts) {
	e.Num(len(f.Imports))
	for _, im := range f.Imports {
		e.Num(int(im.Kind)<<1 | Bits(im.TypeOnly))
		e.Num(im.Line)
		e.Str(im.Spec)
		e.Num(len(im.Names))
		for _, n := range im.Names {
			e.pair(n.TypeOnly, n.Imported, n.Local)
		}
	}
	e.Num(len(f.Exports))
	for _, x := range f.Exports {
		e.pair(x.TypeOnly, x.Name, x.Local)
		e.Num((x.From+1)<<1 | Bits(x.Whole))
		e.Num(x.Line)
	}
}

// pair writes a flag and two names, which are often equal.
func (e *Encoder) pair(typeOnly bool, a, b string) {
	e.Flag(typeOnly, a != b)
	e.Str(a)
	if a != b {
		e.Str(b)
	}
}

func (e *Encoder) uses(uses []lang.Use) {
	e.Num(len(uses))
	for _, u := range uses {
		e.Str(u.Name)
		e.lines(u.Lines)
	}
}

// lines writes ascending numbers as differences.
func (e *Encoder) lines(lines []int) {
	e.Num(len(lines))
	last := 0
	for _, l := range lines {
		e.Num(l - last)
		last = l
	}
}

func (e *Encoder) decls(decls []lang.Decl) {
	e.Num(len(decls))
	in, line := "", 0
	for _, d := range decls {
		e.Num(int(d.Class)<<2 | Bits(d.Exported, d.In != in))
		e.Str(d.Name)
		if d.In != in {
			e.Str(d.In)
			in = d.In
		}
		e.Num(d.Line - line)
		e.Num(d.End - d.Line)
		line = d.Line
	}
}

// DecodeFacts decodes the wanted parts of what EncodeFacts wrote. Anything else has no facts.
func DecodeFacts(b string, want Parts) lang.Facts {
	d := Decoder{B: b}
	h := d.header()
	f := lang.Facts{
		Partial: h.Any(Partial), ImportsOnly: h.Any(ImportsOnly), RunsTests: h.Any(RunsTests), Generated: h.Any(Generated),
		Lines: h.Lines, Unit: h.Unit, Outside: h.Outside,
	}
	imports, decls, uses := Decoder{B: d.Str()}, Decoder{B: d.Str()}, Decoder{B: d.Str()}
	if want&WithImports != 0 {
		imports.imports(&f)
		imports.exports(&f)
	}
	if want&WithDecls != 0 {
		n := decls.Count()
		f.Decls = make([]lang.Decl, 0, n)
		decls.eachDecl(n, func(x *lang.Decl) { f.Decls = append(f.Decls, *x) })
	}
	if want&WithUses != 0 {
		uses.uses(&f)
	}
	if d.Bad || imports.Bad || decls.Bad || uses.Bad {
		return lang.Facts{}
	}
	return f
}

// UsesOf lists the lines on which a file uses a name, without decoding the uses of other names.
func UsesOf(facts, name string) []int {
	d := partOf(facts, 2)
	for range d.Count() {
		if d.Str() == name {
			return d.lines()
		}
		for range d.Count() {
			d.Num()
		}
	}
	return nil
}

// EachDecl calls fn with the declarations of a file in line order, without decoding anything
// else. fn must not keep the pointer.
func EachDecl(facts string, fn func(*lang.Decl)) {
	d := partOf(facts, 1)
	d.eachDecl(d.Count(), fn)
}

// CountDecls returns the number of a file's declarations, without decoding them.
func CountDecls(facts string) int { return partOf(facts, 1).Count() }

// partOf returns a part of facts: 1 are the declarations, 2 the uses.
func partOf(facts string, n int) *Decoder {
	d := &Decoder{B: facts}
	d.header()
	for range n {
		d.Str()
	}
	return &Decoder{B: d.Str()}
}

// isBarrel reports whether a file only re-exports.
func isBarrel(f *lang.Facts) bool {
	for _, e := range f.Exports {
		if e.From < 0 {
			return false
		}
	}
	return len(f.Exports) > 0 && len(f.Decls) == 0
}

// Header is the part of a file's facts that can be read without the rest, as in lang.Facts.
type Header struct {
	Marks
	Lines         int
	Unit, Outside string
}

// Marks are the flags at the start of a header.
type Marks uint8

// The marks, in the order in which EncodeFacts writes them.
const (
	Partial Marks = 1 << iota
	ImportsOnly
	Barrel // it only re-exports
	RunsTests
	Generated
	hasUnit
	Outside
)

// Any reports whether one of the marks in other is set.
func (m Marks) Any(other Marks) bool { return m&other != 0 }

// HeaderOf decodes the header of facts. Without facts it is empty.
func HeaderOf(facts string) Header {
	if facts == "" {
		return Header{}
	}
	return (&Decoder{B: facts}).header()
}

func (d *Decoder) header() Header {
	h := Header{Marks: Marks(d.Num()), Lines: d.Num()}
	if h.Any(hasUnit) {
		h.Unit = d.Str()
	}
	if h.Any(Outside) {
		h.Outside = d.Str()
	}
	return h
}

// Parts selects which of a file's facts are decoded. The header always is.
type Parts int

// The parts.
const (
	WithImports Parts = 1 << iota // imports and exports
	WithDecls
	WithUses
)

func (d *Decoder) imports(f *lang.Facts) {
	f.Imports = make([]lang.Import, d.Count())
	var block []lang.Name // for the names of several imports
	for i := range f.Imports {
		im := &f.Imports[i]
		n := d.Num()
		im.Kind, im.TypeOnly = lang.Kind(n>>1), n&1 != 0
		im.Line, im.Spec = d.Num(), d.Str()
		names := d.Count()
		if names > len(block) {
			block = make([]lang.Name, max(names, len(f.Imports)-i))
		}
		im.Names, block = block[:names:names], block[names:]
		for j := range im.Names {
			im.Names[j].TypeOnly, im.Names[j].Imported, im.Names[j].Local = d.pair()
		}
	}
}

// pair reads the output of Encoder.pair.
func (d *Decoder) pair() (typeOnly bool, a, b string) {
	flags := d.Num()
	a = d.Str()
	if b = a; flags&2 != 0 {
		b = d.Str()
	}
	return flags&1 != 0, a, b
}

func (d *Decoder) exports(f *lang.Facts) {
	f.Exports = make([]lang.Export, d.Count())
	for i := range f.Exports {
		x := &f.Exports[i]
		x.TypeOnly, x.Name, x.Local = d.pair()
		from := d.Num()
		x.From, x.Whole, x.Line = from>>1-1, from&1 != 0, d.Num()
		if x.From >= len(f.Imports) {
			d.Bad, x.From = true, -1
		}
	}
}

// eachDecl reads n declarations.
func (d *Decoder) eachDecl(n int, fn func(*lang.Decl)) {
	var x lang.Decl
	for range n {
		n := d.Num()
		x.Class, x.Exported, x.Name = lang.Class(n>>2), n&1 != 0, d.Str()
		if n&2 != 0 {
			x.In = d.Str()
		}
		x.Line += d.Num()
		x.End = x.Line + d.Num()
		fn(&x)
	}
}

func (d *Decoder) uses(f *lang.Facts) {
	f.Uses = make([]lang.Use, d.Count())
	for i := range f.Uses {
		u := &f.Uses[i]
		u.Name, u.Lines = d.Str(), d.lines()
	}
}

// lines reads the output of Encoder.lines.
func (d *Decoder) lines() []int {
	out := make([]int, d.Count())
	last := 0
	for i := range out {
		last += d.Num()
		out[i] = last
	}
	return out
}
