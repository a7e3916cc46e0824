package members_test

import (
	"testing"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/members"
)

// weighed returns the weight of the mention on a line, with the types of a project, for Cart.total.
func weighed(p members.Project, everywhere string, m lang.Mention) members.Weight {
	s := members.Search{
		Owner: "Cart", Name: "total", Everywhere: map[string]bool{everywhere: true},
		Reaches: func(int) bool { return true }, Rivaled: func(int) bool { return false },
	}
	l := lang.Language{Mentions: func(string, []byte, lang.MentionQuery) ([]lang.Mention, bool) { return []lang.Mention{m}, true }}
	found := [][]members.Candidate{s.Candidates(0, "a.ts", &l, nil)}
	s.Weigh(p, found)
	return found[0][0].Weight
}

// shops has Cart.total and a total of several other types.
func shops(others ...string) project {
	p := project{heads: make(map[string]lang.Head)}
	for _, name := range append(others, "Cart") {
		p.decls = append(p.decls, decl(lang.Interface, name, ""), decl(lang.Property, "total", name))
	}
	return p
}

func on(receiver string) lang.Mention { return lang.Mention{Receiver: receiver, Dotted: true} }

func TestTheNameOfAReceiverSpeaksForTheTypeThatItIsMostLike(t *testing.T) {
	t.Parallel()
	from := func(f string) lang.Mention {
		m := on("")
		m.Clue = lang.Clue{Origin: lang.Returned, Named: names(f)}
		return m
	}
	for _, c := range []struct {
		what   string
		others []string
		m      lang.Mention
		want   members.Weight
	}{
		{"the owner's name", []string{"Order"}, on("cart"), members.Named},
		{"the name of another type", []string{"Order"}, on("lastOrder"), members.Doubted},
		{"the name of a type without such a member", nil, on("order"), members.Reachable},
		{"the owner's name at the end of another's", []string{"OldCart"}, on("oldCart"), members.Doubted},
		{"the owner's name, which ends those of many", []string{"ACart", "BCart", "CCart"}, on("cart"), members.Named},
		{"the owner's name as a bundler writes it, which is also that of a type elsewhere", []string{"Cart$1"}, on("Cart$1"), members.Named},
		{"the owner's name with a number", []string{"Cart2"}, on("cart2"), members.Doubted},
		{"a function with the owner's name", []string{"Order"}, from("makeCart"), members.Named},
		{"a function with another name, which may return anything", []string{"Order"}, from("makeOrder"), members.Reachable},
		{"a name that is declared with the owner's type", []string{"Order"}, on("known"), members.Named},
	} {
		if got := weighed(shops(c.others...), "known", c.m); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

func TestANameThatManyTypesEndWithSpeaksLessForEach(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]members.Weight{2: members.Named, 3: members.Kindred} {
		p := shops([]string{"DateOptions", "TimeOptions", "ZoneOptions"}[:n]...)
		s := members.Search{
			Owner: "FormOptions", Name: "total",
			Reaches: func(int) bool { return true }, Rivaled: func(int) bool { return false },
		}
		l := lang.Language{Mentions: func(string, []byte, lang.MentionQuery) ([]lang.Mention, bool) {
			return []lang.Mention{on("options")}, true
		}}
		found := [][]members.Candidate{s.Candidates(0, "a.ts", &l, nil)}
		if s.Weigh(p, found); found[0][0].Weight != want {
			t.Errorf("%d other types: %d, want %d", n, found[0][0].Weight, want)
		}
	}
}

func TestAMethodThatIsNotCalledIsDoubted(t *testing.T) {
	t.Parallel()
	p := shops("Order")
	called := on("x")
	called.Called = true
	if got := weighed(p, "", on("x")); got != members.Reachable {
		t.Errorf("a property: %d, want %d", got, members.Reachable)
	}
	p.heads["total"] = lang.Head{Called: true}
	for what, c := range map[string]struct {
		m    lang.Mention
		want members.Weight
	}{
		"a method": {on("x"), members.Doubted}, "a method that is called": {called, members.Reachable},
		"a method of what has the owner's name": {on("cart"), members.Named}, "a key": {lang.Mention{}, members.Reachable},
	} {
		if got := weighed(p, "", c.m); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
}

func TestALineInWhatAnotherTypeIsMadeForIsDoubted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, name string
		class      lang.Class
		m          lang.Mention
		want       members.Weight
	}{
		{"a function of the other type", "Order", lang.Function, on("x"), members.Doubted},
		{"a function of no type", "Bill", lang.Function, on("x"), members.Reachable},
		{"a class, in which there is much else", "Order", lang.ClassDecl, on("x"), members.Reachable},
		{"a receiver with the owner's name", "Order", lang.Function, on("cart"), members.Named},
		{"a function of the owner", "Cart", lang.Function, on("x"), members.Nearby},
	} {
		p := shops("OrderProps")
		p.decls = append(p.decls, lang.Decl{Name: c.name, Class: c.class, Line: 5, End: 9})
		c.m.Line = 7
		if got := weighed(p, "", c.m); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

func TestANameThatSomeOwnersHaveIsDoubtedInWhatAnotherTypeIsMadeFor(t *testing.T) {
	t.Parallel()
	p := shops("OrderProps")
	p.decls = append(p.decls, lang.Decl{Name: "Order", Class: lang.Function, Line: 5, End: 9})
	for line, want := range map[int]members.Weight{7: members.Doubted, 12: members.Named} {
		m := on("known")
		m.Line = line
		if got := weighed(p, "known", m); got != want {
			t.Errorf("line %d: %d, want %d", line, got, want)
		}
	}
}

func TestAnObjectThatIsGivenNoTypeIsDoubted(t *testing.T) {
	t.Parallel()
	m := lang.Mention{Clue: lang.Clue{Origin: lang.Literal}}
	if got := weighed(shops("Order"), "", m); got != members.Doubted {
		t.Errorf("%d, want %d", got, members.Doubted)
	}
}

func TestAValueOfAnotherOfSeveralTypesComesAfterThoseOfTheOwner(t *testing.T) {
	t.Parallel()
	p := shops("Order")
	p.heads["total"] = lang.Head{Values: []string{"a"}}
	for value, want := range map[string]members.Weight{"": members.Typed, "a": members.Typed, "b": members.Nearby} {
		m := on("x")
		m.Says, m.Value = lang.Owned, value
		if got := weighed(p, "", m); got != want {
			t.Errorf("%q: %d, want %d", value, got, want)
		}
	}
}

// mixed is a project in which the declarations of held have different types, by line.
type mixed struct {
	project
	held map[int]lang.TypeNames
}

func (p mixed) Head(i int, d lang.Decl) lang.Head {
	if d.Name == "held" {
		return lang.Head{Is: p.held[d.Line]}
	}
	return p.project.Head(i, d)
}

func TestAPropertyThatMostlyGivesOtherTypesMayBeTheOwnersInWhatThatIsMadeFor(t *testing.T) {
	t.Parallel()
	p := mixed{shops("Order"), map[int]lang.TypeNames{1: names("Order"), 2: names("Order"), 3: {Open: true}}}
	for line := 1; line <= 3; line++ {
		p.decls = append(p.decls, lang.Decl{Name: "held", In: "Row", Class: lang.Property, Line: line})
	}
	p.decls = append(p.decls, lang.Decl{Name: "cart", Class: lang.Function, Line: 5, End: 9})
	for line, want := range map[int]members.Weight{7: members.Similar, 20: members.Doubted} {
		m := on("held")
		m.Line, m.Clue = line, lang.Clue{Origin: lang.Held, Named: names("held")}
		if got := weighed(p, "", m); got != want {
			t.Errorf("line %d: %d, want %d", line, got, want)
		}
	}
}
