package members_test

import (
	"testing"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/members"
)

func TestATypeIsNearInWhatItIsMadeFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		owner string
		class lang.Class
		name  string
		want  bool
	}{
		{"ButtonProps", lang.Function, "Button", true},
		{"ButtonProps", lang.Function, "ButtonGroup", false},
		{"UseQueryOptions", lang.Function, "useQuery", true},
		{"QueryObserverOptions", lang.ClassDecl, "QueryObserver", true},
		{"QueryObserverOptions", lang.ClassDecl, "Query", false}, // it lacks two words
		{"ButtonProps", lang.Function, "But", false},             // not a whole word
		{"ButtonProps", lang.Interface, "Button", false},         // nothing runs there
		{"Schema", lang.Const, "Schema", true},                   // the value beside a type
		{"Schema", lang.ClassDecl, "Schema", false},              // another class of that name
		{"Schema", lang.Const, "", false},
	} {
		p := project{decls: []lang.Decl{{Name: c.name, Class: c.class, Line: 5, End: 9}}}
		j := members.New(p, c.owner, "id", nil)
		if got := j.Near(0, 7); got != c.want {
			t.Errorf("%s in %s (%v): %v, want %v", c.owner, c.name, c.class, got, c.want)
		}
		if j.Near(0, 10) || j.Near(1, 7) {
			t.Errorf("%s is near beyond %s", c.owner, c.name)
		}
	}
}
