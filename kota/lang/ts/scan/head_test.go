package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// write formats the names of a type, with its arguments in brackets and a ? when it is open.
func write(t lang.TypeNames) string {
	s := strings.Join(t.Names, " ")
	if len(t.Inner) > 0 {
		s += fmt.Sprint(t.Inner)
	}
	if t.Open {
		s += "?"
	}
	return s
}

func TestADeclarationSaysWhichTypesItIs(t *testing.T) {
	for _, c := range []struct {
		text  string
		class lang.Class
		is    string
	}{
		{"class a<T extends X> extends Base<T, Foo> implements Other {", lang.ClassDecl, "Base Other[Foo]?"},
		{"export interface a extends One, two.Three {\n b: Foo }", lang.Interface, "One Three"},
		{"type a<T> =\n | One\n | Omit<Two, 'x'> & { b: Foo }", lang.TypeAlias, "One Omit[Two string]?"},
		{"type a = (b: Foo) => Bar", lang.TypeAlias, "?"},
		{"const a = async (b: Foo): Promise<Bar> => {", lang.Const, ""},
		{"const a = function named(b: Foo): Bar {", lang.Const, ""},
		{"const a = new Foo(b)", lang.Const, "Foo"},
		{"let a = b.c()", lang.Let, ""},
		{"readonly a?: Foo[] | null;", lang.Property, "Array[Foo]"},
		{"a: Foo['b']", lang.Property, "?"},
		{"a: typeof foo | 'x'", lang.Property, "string?"},
		{"a: any // Foo", lang.Property, "?"},
		{"b: Foo", lang.Property, ""},
	} {
		if is := write(scan.Head([]byte(c.text), lang.Decl{Name: "a", Class: c.class})); is != c.is {
			t.Errorf("%s\n is %q, want %q", c.text, is, c.is)
		}
	}
}

func FuzzHead(f *testing.F) {
	f.Add("const a: (b: Foo<`", byte(lang.Const))
	f.Add("type a<T = {", byte(lang.TypeAlias))
	f.Fuzz(func(_ *testing.T, text string, class byte) {
		scan.Head([]byte(text), lang.Decl{Name: "a", Class: lang.Class(class)})
	})
}
