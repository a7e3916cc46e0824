package members_test

import (
	"fmt"
	"testing"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/members"
)

// project is a project of one file: declarations and their types.
type project struct {
	decls []lang.Decl
	heads map[string]lang.Head
}

func (p project) Len() int { return 1 }
func (p project) EachDecl(_ int, fn func(*lang.Decl)) {
	for _, d := range p.decls {
		fn(&d)
	}
}

func (p project) Head(_ int, d lang.Decl) lang.Head {
	if d.Name == "many" { // only the first declaration has the owner's type
		return lang.Head{Is: names([]string{"Cart", "Order", "Order", "Order"}[d.Line-1])}
	}
	return p.heads[d.Name]
}

func names(n ...string) lang.TypeNames { return lang.TypeNames{Names: n} }
func decl(class lang.Class, name, in string) lang.Decl {
	return lang.Decl{Name: name, In: in, Class: class}
}

// shop has the types Cart, which extends Base, and Order, each with a member total.
func shop() project {
	return project{
		decls: []lang.Decl{
			decl(lang.Interface, "Base", ""), decl(lang.Property, "id", "Base"),
			decl(lang.Interface, "Cart", ""), decl(lang.Property, "total", "Cart"), decl(lang.Property, "items", "Cart"),
			decl(lang.Interface, "Order", ""), decl(lang.Property, "total", "Order"), decl(lang.Property, "paid", "Order"),
			decl(lang.Interface, "Invoice", ""), decl(lang.Property, "total", "Invoice"),
			decl(lang.Interface, "Sale", ""), decl(lang.Property, "percent", "Sale"),
			decl(lang.TypeAlias, "Any", ""), decl(lang.TypeAlias, "Wrapped", ""), decl(lang.ClassDecl, "Row", ""),
			decl(lang.Function, "load", ""), decl(lang.Function, "pay", ""), decl(lang.Function, "find", ""), decl(lang.Method, "find", "Sale"),
			decl(lang.Property, "cart", "Row"), decl(lang.Property, "order", "Row"), decl(lang.Property, "rows", "Row"),
			{Name: "many", In: "Row", Line: 1},
			{Name: "many", In: "Sale", Line: 2},
			{Name: "many", In: "Order", Line: 3},
			{Name: "many", In: "Cart", Line: 4},
		},
		heads: map[string]lang.Head{
			"Cart": {Is: names("Base")}, "Sale": {Is: names("Cart")},
			"Any": {Is: names("Order", "Cart")}, "Wrapped": {Is: lang.TypeNames{Names: []string{"Own"}, Inner: []string{"Cart"}}},
			"load": {Result: lang.TypeNames{Names: []string{"Promise"}, Inner: []string{"Any"}}}, "pay": {Takes: names("Order"), Result: names("boolean")},
			"find": {Result: lang.TypeNames{Open: true}},
			"cart": {Is: names("Cart")}, "order": {Is: names("Order")}, "rows": {Is: lang.TypeNames{Names: []string{"Array"}, Inner: []string{"Cart"}}},
		},
	}
}

func TestAMemberIsJudgedByWhatOtherFilesSayOfTypes(t *testing.T) {
	t.Parallel()
	of := func(o lang.Origin, n ...string) lang.Mention {
		return lang.Mention{Clue: lang.Clue{Says: lang.Unsaid, Origin: o, Named: names(n...)}}
	}
	typed := func(n ...string) lang.Mention {
		m := of(lang.Declared, n...)
		m.Says = lang.Disowned
		return m
	}
	shaped := func(n ...string) lang.Mention { return lang.Mention{Shape: &lang.Shape{Names: n}} }
	for _, c := range []struct {
		what string
		m    lang.Mention
		want members.Verdict
	}{
		{"an alias of both types", typed("Any"), members.Sure},
		{"a type that inherits", typed("Sale"), members.Sure},
		{"an alias that passes its argument", typed("Wrapped"), members.Sure},
		{"another type", typed("Order"), members.Against},
		{"one of two types", typed("Order", "Cart"), members.Sure},
		{"a promise of an alias", of(lang.Returned, "load"), members.Sure},
		{"a function that returns something else", of(lang.Returned, "pay"), members.Against},
		{"a function that may return anything", of(lang.Returned, "find"), members.Unknown},
		{"a function that nothing declares", of(lang.Returned, "gone"), members.Unknown},
		{"an argument of a function that takes another type", of(lang.Passed, "pay"), members.Against},
		{"a property with the type", of(lang.Held, "cart"), members.Sure},
		{"a property with another type", of(lang.Held, "order"), members.Against},
		{"a property with a list", of(lang.Held, "rows"), members.Unknown},
		{"an argument of a function of a package", of(lang.Passed, "gone"), members.Doubtful},
		{"one of many properties of that name", of(lang.Held, "many"), members.Scarce},
		{"members that only the owner has", shaped("total", "items"), members.Fitting},
		{"a member of what the owner inherits from", shaped("total", "id"), members.Fitting},
		{"a member of what inherits from the owner", shaped("total", "percent"), members.Fitting},
		{"a member that the owner has not", shaped("total", "paid"), members.Doubtful},
		{"a member that everything has", shaped("total", "toString"), members.Unknown},
	} {
		j := members.New(shop(), "Cart", "total", []lang.Mention{c.m})
		if got := j.Judge(c.m); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

func TestMembersOfWhatInheritsFromAPackageAreNotDoubted(t *testing.T) {
	t.Parallel()
	p := shop()
	p.heads["Base"] = lang.Head{Is: names("Foreign")}
	m := lang.Mention{Shape: &lang.Shape{Names: []string{"total", "paid"}}}
	if got := members.New(p, "Cart", "total", []lang.Mention{m}).Judge(m); got != members.Unknown {
		t.Errorf("%d, want %d", got, members.Unknown)
	}
}

func TestAStringThatAMemberCannotHoldIsDoubted(t *testing.T) {
	t.Parallel()
	p := shop()
	p.heads["total"] = lang.Head{Is: names("string"), Values: []string{"a", "b"}}
	for _, c := range []struct {
		m    lang.Mention
		want members.Verdict
	}{
		{lang.Mention{Value: "b"}, members.Fitting},
		{lang.Mention{Value: "c"}, members.Doubtful},
		{lang.Mention{}, members.Unknown},
		{lang.Mention{Value: "c", Clue: lang.Clue{Says: lang.Owned}}, members.Sure}, // a value of one of several types
		{lang.Mention{Value: "a", Shape: &lang.Shape{Names: []string{"paid"}}}, members.Doubtful},
	} {
		if got := members.New(p, "Cart", "total", []lang.Mention{c.m}).Judge(c.m); got != c.want {
			t.Errorf("%+v: %d, want %d", c.m, got, c.want)
		}
	}
	p.heads["total"] = lang.Head{Is: names("string")}
	if got := members.New(p, "Cart", "total", nil).Judge(lang.Mention{Value: "c"}); got != members.Unknown {
		t.Errorf("any string: %d, want %d", got, members.Unknown)
	}
}

// ring returns n types that derive from each other in a cycle; the first also derives from the
// owner.
func ring(n int) project {
	p := project{decls: []lang.Decl{decl(lang.ClassDecl, "Cart", ""), decl(lang.Property, "total", "Cart")}, heads: make(map[string]lang.Head)}
	for i := range n {
		name := fmt.Sprint("Ring", i)
		p.decls = append(p.decls, decl(lang.TypeAlias, name, ""))
		p.heads[name] = lang.Head{Is: names(fmt.Sprint("Ring", (i+1)%n))}
	}
	p.heads["Ring0"] = lang.Head{Is: names("Ring1", "Cart")}
	return p
}

func TestTypesThatAreMadeOfEachOtherAreJudgedTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3, 20} {
		for first := range n {
			j := members.New(ring(n), "Cart", "total", nil)
			for k := range n {
				name := fmt.Sprint("Ring", (first+k)%n)
				m := lang.Mention{Clue: lang.Clue{Says: lang.Disowned, Origin: lang.Declared, Named: names(name)}}
				if got := j.Judge(m); got != members.Sure {
					t.Errorf("%d types, %s after those from Ring%d on: %d, want %d", n, name, first, got, members.Sure)
				}
			}
		}
	}
}

// drawn derives a project from a text, three bytes per declaration: what it declares, in which
// type, and from what that is derived.
func drawn(text string) (project, []string) {
	called := func(b byte) string { return fmt.Sprintf("Type%d", b%8) }
	p := project{heads: make(map[string]lang.Head)}
	var all []string
	for ; len(text) >= 3; text = text[3:] {
		d := decl(lang.Class(text[0]>>3%byte(lang.EnumMember+1)), called(text[0]), "")
		if text[1]&1 != 0 {
			d.In = called(text[1] >> 1)
		}
		said := lang.TypeNames{Names: []string{called(text[2])}, Open: text[2] > 0xf0}
		if text[2]&8 != 0 {
			said.Inner = append(said.Inner, called(text[2]>>4))
		}
		h := p.heads[d.Name]
		h.Is.Names, h.Is.Inner = append(h.Is.Names, said.Names...), append(h.Is.Inner, said.Inner...)
		h.Result, h.Takes = said, h.Is
		p.heads[d.Name] = h
		p.decls, all = append(p.decls, d), append(all, d.Name)
	}
	return p, all
}

// FuzzJudge checks that a verdict does not depend on which mentions were judged before.
func FuzzJudge(f *testing.F) {
	f.Add("\x1a\x00\x01\x19\x00\x02\x1b\x00\x09\x00\x03\x10")
	f.Fuzz(func(t *testing.T, text string) {
		p, all := drawn(text[:min(len(text), 60)])
		var asked []lang.Mention
		for i, name := range all {
			of := lang.Origin(i % int(lang.Passed+1))
			asked = append(asked, lang.Mention{
				Clue:  lang.Clue{Says: lang.Owner(i % 3), Origin: of, Named: names(name)},
				Shape: &lang.Shape{Names: all[i/2 : i+1]},
			})
		}
		once := members.New(p, "Type1", "Type2", asked)
		for i := range asked {
			m := asked[len(asked)-1-i]
			if got, alone := once.Judge(m), members.New(p, "Type1", "Type2", asked).Judge(m); got != alone {
				t.Errorf("%+v: %d after others, %d alone", m, got, alone)
			}
		}
	})
}

func TestAnElementOfAListIsJudgedByTheTypeOfTheElements(t *testing.T) {
	t.Parallel()
	for item, want := range map[bool]members.Verdict{true: members.Sure, false: members.Unknown} {
		m := lang.Mention{Clue: lang.Clue{Origin: lang.Held, Named: names("rows"), Item: item}}
		if got := members.New(shop(), "Cart", "total", []lang.Mention{m}).Judge(m); got != want {
			t.Errorf("an element: %t: %d, want %d", item, got, want)
		}
	}
}

func TestAnObjectWithAStringThatTheOwnersMemberCannotHoldIsAnotherOfSeveralTypes(t *testing.T) {
	t.Parallel()
	p := shop()
	p.decls = append(p.decls, decl(lang.Property, "kind", "Cart"), decl(lang.Function, "send", ""))
	p.heads["kind"] = lang.Head{Values: []string{"cart"}}
	p.heads["send"] = lang.Head{Takes: names("Order", "Cart")}
	for kind, want := range map[string]members.Verdict{"cart": members.Sure, "order": members.Doubtful} {
		m := lang.Mention{Clue: lang.Clue{Origin: lang.Passed, Named: names("send")}, Shape: &lang.Shape{}}
		m.Shape.Give("kind", kind)
		m.Shape.Give("paid", "yes")
		if got := members.New(p, "Cart", "total", []lang.Mention{m}).Judge(m); got != want {
			t.Errorf("%q: %d, want %d", kind, got, want)
		}
	}
}

func TestAMemberOfAnEnumTellsTypesApart(t *testing.T) {
	t.Parallel()
	p := shop()
	p.decls = append(p.decls, decl(lang.Enum, "Kind", ""))
	for value, want := range map[string]map[string]members.Verdict{
		"=Kind.Cart": {"=Kind.Cart": members.Fitting, "=Kind.Order": members.Doubtful, "=x.Order": members.Unknown, "Order": members.Unknown},
		"=x.Cart":    {"=x.Order": members.Unknown}, // x may be a namespace, with types and values
		"cart":       {"=Kind.Order": members.Unknown, "order": members.Doubtful},
	} {
		p.heads["total"] = lang.Head{Values: []string{value}}
		for given, v := range want {
			if got := members.New(p, "Cart", "total", nil).Judge(lang.Mention{Value: given}); got != v {
				t.Errorf("%s of %s: %d, want %d", given, value, got, v)
			}
		}
	}
}

func TestACastToTheTypeThatTheMemberHoldsSpeaksForTheOwner(t *testing.T) {
	t.Parallel()
	p := shop()
	p.heads["total"] = lang.Head{Is: names("Sale", "Number")}
	for to, want := range map[string]members.Verdict{"Sale": members.Likely, "Row": members.Unknown, "Number": members.Unknown} {
		m := lang.Mention{As: names(to)}
		if got := members.New(p, "Cart", "total", []lang.Mention{m}).Judge(m); got != want {
			t.Errorf("%s: %d, want %d", to, got, want)
		}
	}
}
