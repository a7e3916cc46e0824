package members_test

import (
	"testing"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/members"
)

// project is one file: declarations with what they say.
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
	if d.Name == "many" { // only the first has the owner's type
		return lang.Head{Is: names([]string{"Cart", "Order", "Order", "Order"}[d.Line-1])}
	}
	return p.heads[d.Name]
}

func names(n ...string) lang.TypeNames { return lang.TypeNames{Names: n} }
func decl(class lang.Class, name, in string) lang.Decl {
	return lang.Decl{Name: name, In: in, Class: class}
}

// shop has the types Cart, which inherits from Base, and Order, each with a member total.
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
		{"one of many properties of that name", of(lang.Held, "many"), members.Unknown},
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
