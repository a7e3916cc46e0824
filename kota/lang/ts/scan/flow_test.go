package scan_test

import (
	"strings"
	"testing"
)

func TestImportsOfFlowAreFound(t *testing.T) {
	for src, want := range map[string]string{
		`import typeof A from "x"`:                                "1 import x t default:A",
		`import typeof * as N from "x"`:                           "1 import x t *:N",
		`import typeof { a as A } from "x"`:                       "1 import x t a:A",
		`import B, { type C, typeof d as D, e } from "x"`:         "1 import x default:B C:C:t d:D:t e:e",
		`import { typeof a } from "x"`:                            "1 import x t a:a:t",
		"import type { A } from 'x'\nexport type { A, } from 'y'": "1 import x t A:A|2 re-export y t",
	} {
		if got := strings.Join(specs(file("a.js", src)), "|"); got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
	}
}

func TestDeclarationsOfFlowAreExported(t *testing.T) {
	for src, want := range map[string]string{
		"export opaque type A: string = string\nlet b":      "A",
		"declare export opaque type A\nlet b":               "A",
		"opaque type A = B\nexport type { A }":              "A",
		"declare export function a(b: number): c\nd()":      "a",
		"declare export var a: { b: c }, d: e\nlet f":       "a d",
		"declare export class A { b(): c }\nlet d":          "A",
		"declare export default class A {}":                 "default",
		"declare export { a, b } from 'x'":                  "a b",
		"export component A(b: c) renders D {\n return e }": "A",
		"export default component A(...b: C) {}":            "default",
		"export hook useA(b: c): d { return e }":            "useA",
		"const component = 1, hook = 2\nexport { hook }":    "hook",
	} {
		var got []string
		for _, x := range file("a.js", src).Exports {
			got = append(got, x.Name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s\n got %q\nwant %q", src, s, want)
		}
	}
}

func TestAValueInACastOfFlowIsUsed(t *testing.T) {
	for src, want := range map[string]string{
		"b = (a: C)":                       "[2]",
		"(a: C);\n((a: any): D)":           "[2 3]",
		"f((a: C), (a: Map<B, C>))":        "[2]",
		"return (\n a: C\n)":               "[3]",
		"b = { c: (a: C) }":                "[2]",
		"b ? (a: C) : d":                   "[2]",
		"({ a }: C)":                       "[2]",
		"f((a: C) => b)":                   "",
		"f((a: C): Map<A, B> => b)":        "",
		"f((a: C): { b: c } => d, (a: C))": "[2]",
		"b = (a: C, d: E) => a":            "",
		"b = (a?: C) => a":                 "",
		"b = (a: C = d) => a":              "",
		"interface I { m(a: C): void; n?(a: C): void; [k](a: C): void; 'o'(a: C); new (a: C): D }": "",
		"type T = { (a: C): D }":             "",
		"class K { m(a: C) {\n a } }":        "",
		"function g(a: C): D {\n return a }": "",
		"f(<T,>(a: T) => a)":                 "",
	} {
		if got := linesOf(file("a.js", "import { a } from 'x'\n"+src), "a"); got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
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
		if got := strings.Join(exportedAs("a.d.ts", src), " "); got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
	}
}

func TestADeclarationFileExportsWhatItDoesNotMark(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a.d.ts", "import 'x'\ntype A = 1\nexport type B = A\ndeclare const c: B", "B=B A=A c=c"},
		{"a.d.mts", "export interface A {}\ninterface B {}", "A=A B=B"},
		{"a.d.ts", "type A = 1\nexport type B = A\nexport {}", "B=B"},
		{"a.d.ts", "type A = 1\nexport type B = A\nexport * from 'x'", "B=B *=*"},
		{"a.d.ts", "type A = 1\ndeclare const b: A\nexport default b", "default=b"},
		{"a.d.ts", "type A = 1", ""},
		{"a.d.ts", "import 'x'\ndeclare module 'x' { type A = 1 }", ""},
		{"a.ts", "type A = 1\nexport type B = A", "B=B"},
	} {
		if got := strings.Join(exportedAs(c.name, c.src), " "); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.src, got, c.want)
		}
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
