package members_test

import (
	"fmt"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/members"
)

// project is a project of one file: declarations and their types.
type project struct {
	decls []lang.Decl
	heads map[string]lang.TypeNames
}

func (p project) Len() int { return 1 }
func (p project) EachDecl(_ int, fn func(*lang.Decl)) {
	for _, d := range p.decls {
		fn(&d)
	}
}

func (p project) Head(_ int, d lang.Decl) lang.TypeNames { return p.heads[d.Name] }

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
			decl(lang.Interface, "Sale", ""), decl(lang.Property, "percent", "Sale"),
			decl(lang.Interface, "Big", ""), decl(lang.Property, "total", "Big"),
			decl(lang.TypeAlias, "Any", ""), decl(lang.TypeAlias, "Some", ""), decl(lang.TypeAlias, "Wrapped", ""), decl(lang.ClassDecl, "Row", ""),
		},
		heads: map[string]lang.TypeNames{
			"Cart": names("Base"), "Sale": names("Cart"), "Big": names("Cart"),
			"Any": names("Order", "Cart"), "Some": names("Row", "Cart"),
			"Wrapped": {Names: []string{"Own"}, Inner: []string{"Cart"}},
		},
	}
}

// weighed returns the weight of a mention of Cart.total.
func weighed(p members.Project, m lang.Mention) members.Weight {
	s := members.Search{
		Owner: "Cart", Name: "total", File: 1,
		Reaches: func(int) bool { return true }, Rivaled: func(int) bool { return false },
	}
	m.Line = 99 // no declaration of the project is there
	l := lang.Language{Mentions: func(string, []byte, lang.MentionQuery) ([]lang.Mention, bool) { return []lang.Mention{m}, true }}
	found := [][]members.Candidate{s.Candidates(0, "a.ts", &l, nil)}
	s.Weigh(p, found)
	return found[0][len(found[0])-1].Weight
}

func typed(n ...string) lang.Mention {
	return lang.Mention{Dotted: true, Type: names(n...)}
}

func on(receiver string) lang.Mention { return lang.Mention{Receiver: receiver, Dotted: true} }

func TestAMemberIsWeighedByWhatOtherFilesSayOfTypes(t *testing.T) {
	t.Parallel()
	key := typed("Base")
	key.Dotted = false
	for _, c := range []struct {
		what string
		m    lang.Mention
		want members.Weight
	}{
		{"the owner", typed("Cart"), members.Typed},
		{"a type that inherits", typed("Sale"), members.Typed},
		{"a type that inherits and has its own", typed("Big"), members.Assigned}, // the owner is an interface
		{"a type that the owner can be assigned to", typed("Base"), members.Assigned},
		{"a key of what has a type that the owner can be assigned to", key, members.Doubted},
		{"an alias of two types that both have one", typed("Any"), members.Typed},
		{"an alias of the owner and a type that has none", typed("Some"), members.Typed},
		{"an alias that holds one", typed("Wrapped"), members.Typed},
		{"another type", typed("Order"), members.Contrary},
		{"one of two types", typed("Order", "Cart"), members.Typed},
		{"a variable of any other name", on("order"), members.Reachable},
		{"this of another class", on("this"), members.Contrary},
		{"a key", lang.Mention{}, members.Reachable},
	} {
		must.Equal(t, weighed(shop(), c.m), c.want, "%s", c.what)
	}
}

// ring returns n types that derive from each other in a cycle; the first also derives from the
// owner.
func ring(n int) project {
	p := project{decls: []lang.Decl{decl(lang.ClassDecl, "Cart", ""), decl(lang.Property, "total", "Cart")}, heads: make(map[string]lang.TypeNames)}
	for i := range n {
		name := fmt.Sprint("Ring", i)
		p.decls = append(p.decls, decl(lang.TypeAlias, name, ""))
		p.heads[name] = names(fmt.Sprint("Ring", (i+1)%n))
	}
	p.heads["Ring0"] = names("Ring1", "Cart")
	return p
}

func TestTypesThatAreMadeOfEachOtherAreTheOwners(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3, 20} {
		for k := range n {
			must.Equal(t, weighed(ring(n), typed(fmt.Sprint("Ring", k))), members.Typed, "%d of %d types", k, n)
		}
	}
}

// drawn derives a project from a text, three bytes per declaration: what it declares, in which
// type, and from what that is derived.
func drawn(text string) (project, []string) {
	called := func(b byte) string { return fmt.Sprintf("Type%d", b%8) }
	p := project{heads: make(map[string]lang.TypeNames)}
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
		p.heads[d.Name] = lang.TypeNames{Names: append(h.Names, said.Names...), Inner: append(h.Inner, said.Inner...)}
		p.decls, all = append(p.decls, d), append(all, d.Name)
	}
	return p, all
}

// FuzzWeigh checks that the weight of a mention does not depend on the mentions that were weighed before.
func FuzzWeigh(f *testing.F) {
	f.Add("\x1a\x00\x01\x19\x00\x02\x1b\x00\x09\x00\x03\x10")
	f.Fuzz(func(t *testing.T, text string) {
		p, all := drawn(text[:min(len(text), 60)])
		s := members.Search{
			Owner: "Type1", Name: "Type2", File: 1, Reaches: func(int) bool { return true }, Rivaled: func(int) bool { return false },
		}
		weigh := func(list ...lang.Mention) map[int]members.Weight {
			l := lang.Language{Mentions: func(string, []byte, lang.MentionQuery) ([]lang.Mention, bool) { return list, true }}
			found := [][]members.Candidate{s.Candidates(0, "a.ts", &l, nil)}
			s.Weigh(p, found)
			out := make(map[int]members.Weight)
			for _, c := range found[0] {
				out[c.Line] = c.Weight
			}
			return out
		}
		var asked []lang.Mention
		for i, name := range all {
			m := typed(name)
			m.Line = i + 1
			asked = append(asked, m)
		}
		once := weigh(asked...)
		for _, m := range asked {
			if alone := weigh(m)[m.Line]; once[m.Line] != alone {
				t.Errorf("%+v: %d among others, %d alone", m, once[m.Line], alone)
			}
		}
	})
}
