package scan_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestAParameterIsNotTheImportOfItsName(t *testing.T) {
	for _, src := range []string{
		"f((a: C) => b)", "f((a: C): Map<A, B> => b)", "b = (a: C, d: E) => a", "b = (a?: C) => a", "b = (a: C = d) => a",
		"interface I { m(a: C): void; n?(a: C): void; [k](a: C): void; 'o'(a: C); new (a: C): D }",
		"type T = { (a: C): D }", "class K { m(a: C) {\n a } }", "function g(a: C): D {\n return a }", "f(<T,>(a: T) => a)",
	} {
		must.Equal(t, linesOf(file("a.ts", "import { a } from 'x'\n"+src), "a"), "", "%s: used on", src)
	}
}

func TestAWholeNamespaceExportsItsMembers(t *testing.T) {
	for src, want := range map[string]string{
		"declare namespace A {\n type B = 1\n const c: B }\nexport = A":                 "default=A B=A.B c=A.c",
		"declare namespace A {\n export type B = 1\n const c: B }\nexport = A":          "default=A B=A.B",
		"declare class A { b(): void }\ndeclare namespace A { type C = 1 }\nexport = A": "default=A C=A.C",
		"declare namespace A { type B = 1 }\ndeclare const b: A.B\nexport = b":          "default=b",
		"declare namespace A { type B = 1 }\ndeclare function A(): C<D>\nexport = A":    "default=A B=A.B",
		"declare namespace A { namespace B { type C = 1 } }\nexport = A":                "default=A B=A.B",
	} {
		must.Match(t, strings.Join(exportedAs("a.d.ts", src), " "), want, "%s", src)
	}
}

func TestADeclarationFileExportsWhatItDoesNotMark(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a.d.ts", "import 'x'\ntype A = 1\nexport type B = A\ndeclare const c: B", "B=B B=A A=A c=c"},
		{"a.d.mts", "export interface A {}\ninterface B {}", "A=A B=B"},
		{"a.d.ts", "type A = 1\nexport type B = A\nexport {}", "B=B B=A"},
		{"a.d.ts", "type A = 1\nexport type B = A\nexport * from 'x'", "B=B *=* B=A"},
		{"a.d.ts", "type A = 1\ndeclare const b: A\nexport default b", "default=b"},
		{"a.d.ts", "type A = 1", ""},
		{"a.d.ts", "import 'x'\ndeclare module 'x' { type A = 1 }", ""},
		{"a.ts", "type A = 1\nexport type B = A", "B=B B=A"},
	} {
		must.Match(t, strings.Join(exportedAs(c.name, c.src), " "), c.want, "%s", c.src)
	}
}

// exportedAs formats exports as "name=local".
func exportedAs(name, src string) []string {
	var out []string
	for _, x := range file(name, src).Exports {
		out = append(out, x.Name+"="+x.Local)
	}
	return out
}
