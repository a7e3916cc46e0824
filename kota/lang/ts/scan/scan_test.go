package scan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

func file(name, src string) lang.Facts {
	var s scan.Scanner
	return s.File(name, []byte(src))
}

// specs formats imports as "line kind spec{imported local}", with a t for types.
func specs(f lang.Facts) []string {
	var out []string
	for _, im := range f.Imports {
		s := fmt.Sprintf("%d %s %s", im.Line, im.Kind, im.Spec)
		if im.TypeOnly {
			s += " t"
		}
		for _, n := range im.Names {
			s += fmt.Sprintf(" %s:%s", n.Imported, n.Local)
			if n.TypeOnly {
				s += ":t"
			}
		}
		out = append(out, s)
	}
	return out
}

// Holds kota 31, 32, 33.
func TestEveryFormOfImportIsFound(t *testing.T) {
	for src, want := range map[string]string{
		`import "a"`:        "1 import a",
		`import a from "b"`: "1 import b default:a",
		`import a, { b as c, type d, default as e } from 'x'`:               "1 import x default:a b:c d:d:t default:e",
		`import * as ns from "x"`:                                           "1 import x *:ns",
		`import a, * as ns from "x"`:                                        "1 import x default:a *:ns",
		`import type { A } from "x"`:                                        "1 import x t A:A",
		`import type A from "x"`:                                            "1 import x t default:A",
		`import type from "x"`:                                              "1 import x default:type",
		`import type, { a } from "x"`:                                       "1 import x default:type a:a",
		`import type from from "x"`:                                         "1 import x t default:from",
		`import { type A, type B } from "x"`:                                "1 import x t A:A:t B:B:t",
		`import { type as as } from "x"`:                                    "1 import x type:as",
		`import { "odd name" as a } from "x"`:                               "1 import x odd name:a",
		`import x = require("y")`:                                           "1 import= y *:x",
		`import type x = require("y")`:                                      "1 import= y t *:x",
		`export import x = require("y")`:                                    "1 import= y *:x",
		`import j from "./j.json" with { type: "json" }; import "k"`:        "1 import ./j.json default:j|1 import k",
		`import defer * as d from "x"`:                                      "1 import x *:d",
		`export * from "x"`:                                                 "1 re-export x",
		`export * as a from "x"`:                                            "1 re-export x",
		`export { a as b } from "x"`:                                        "1 re-export x",
		`export type * from "x"`:                                            "1 re-export x t",
		`export type { a } from "x"`:                                        "1 re-export x t",
		`const a = await import("x")`:                                       "1 dynamic x *:a",
		`const { a, b: c } = await import(/* why */ "x")`:                   "1 dynamic x a:a b:c",
		`const p = lazy(() => import("x").then((m) => ({ default: m.A })))`: "1 dynamic x *:m",
		`import("x").then(({ a }) => a)`:                                    "1 dynamic x a:a",
		"const p = import(`./x`)":                                           "1 dynamic ./x *:p",
		"const p = import(`./${x}`)":                                        "1 dynamic  *:p",
		`const p = import(name)`:                                            "1 dynamic  *:p",
		`const { a } = require("x")`:                                        "1 require x a:a",
		`const a = require("x").b`:                                          "1 require x b:a",
		`require(name)`:                                                     "1 require ",
		`let x: import("y").T`:                                              "1 type y t T::t",
		`type X = typeof import("y")`:                                       "1 type y t",
		`type X = Map<string, import("y").T>`:                               "1 type y t T::t",
		`/// <reference path="a.d.ts" />`:                                   "1 reference ./a.d.ts t",
		"declare module 'm' {\n import { a } from 'x' }":                    "2 import x a:a",
		"import 'y'\ndeclare module './x' { interface A {} }":               "1 import y|2 augments ./x t A:A:t",
		"declare module 'x' { export type A = 1 }":                          "",
		`x.import("y"); x.require("y"); import.meta.url`:                    "",
		"function require(a) {}":                                            "",
		"import {\n\ta,\n\tb,\n} from\n\t\"x\"":                             "1 import x a:a b:b",
	} {
		must.Match(t, strings.Join(specs(file("a.ts", src)), "|"), want, "%s", src)
	}
}

// Holds kota 34.
func TestLookalikesOfImportsAreIgnored(t *testing.T) {
	for _, src := range []string{
		`// import "x"`, `/* import "x" */`, `const s = "import 'x'"`, "const s = `import 'x' ${`require('y')`}`",
		`const r = /import("x")/`, `const r = /[/]import("x")/g.test(a)`, `const a = b / c; const s = "/import('x')"`,
		`const e = <p>import "x" and require("y") {"import('z')"}</p>`, `const e = <A b="import('x')" />`,
		`x = a++ / 2; y = "/ import('q') /"`, `if (a) /import("x")/.test(b)`,
		`const e = <>it's import("x")</>; const f = 'a'`, `const e = <T extends={1}>import("x")</T>`,
	} {
		if f := file("a.tsx", src); len(f.Imports) > 0 || f.Partial {
			t.Errorf("%s: %q, partial %v", src, specs(f), f.Partial)
		}
	}
}

func TestCodeAfterHardSyntaxIsRead(t *testing.T) {
	for name, src := range map[string]string{
		"a.ts":     "const a = <any>b; const c = <T>(x: T) => x / 2; const d = f<A>(1) / g",
		"b.tsx":    "const f = <T,>(x: T) => x; const g = <T extends A>(x: T) => x / 2; const h = <const T,>(x: T) => x",
		"c.tsx":    "interface A { <T>(a: T): void; b: <T>(x: T) => void }\ntype F = <T>(x: T) => T",
		"d.tsx":    "const e = a < b ? <A.B c={d => <e/>} {...f}>text {g} </A.B> : <></>",
		"e.tsx":    "const e = <Select<Option> value={<b>1</b>} onChange={(x) => x / 2} a='\"' />",
		"f.js":     "const r = a ? /b/ : c / d / e;",
		"g.ts":     "const t = `a ${b ? `c ${d}` : '}'} e`; const u = x! / y; const v = a[0] / 2 / 3",
		"h.ts":     "class A { #p = 1; static { } get x() { return this.#p / 2 } }",
		"i.tsx":    "const f = async <T,>(x: T) => { for (const a of b) /r'/.exec(a) }",
		"j.jsx":    "const e = <div>it's `a` {/* don't */} // no comment</div>",
		"k.ts":     "type A = `${B}-${C<'x'>}`; let x: A extends `${infer D}` ? D : never",
		"l.svelte": "<script>let a = 1 </script><p>{a < 1 ? 'it' : `s`}</p><script context='module'>",
		"m.ts":     "let x = y as Foo<Bar>\n/re'/.test(x)",
	} {
		ext := name[strings.LastIndex(name, "."):]
		tail := "\nimport z from 'z'\nexport function last() {}\n"
		if ext == ".svelte" {
			tail += "</script>"
		}
		f := file(name, src+tail)
		if len(f.Imports) != 1 || f.Partial || !slices.ContainsFunc(f.Decls, func(d lang.Decl) bool { return d.Name == "last" && d.Exported }) {
			t.Errorf("%s: %q, partial %v, %d declarations", src, specs(f), f.Partial, len(f.Decls))
		}
	}
}

func exports(f lang.Facts) []string {
	var out []string
	for _, e := range f.Exports {
		s := e.Name + "=" + e.Local
		if e.From >= 0 {
			s += "@" + f.Imports[e.From].Spec
		}
		if e.TypeOnly {
			s += " t"
		}
		out = append(out, s)
	}
	return out
}

func TestExportsAreFound(t *testing.T) {
	for src, want := range map[string]string{
		`export const a = 1, b = f<x, y>(1), { c, d: [e] } = f()`:      "a=a|b=b|c=c|e=e",
		`export default function f() {}`:                               "default=f",
		`export default class extends A {}`:                            "default=default",
		`export default x`:                                             "default=x",
		`export default { a: 1 }`:                                      "default=default",
		`export default async () => 1`:                                 "default=default",
		`const a = 1; export { a, a as b, type T }`:                    "a=a|b=a|T=T t",
		`export * from "x"; export * as n from "y"`:                    "*=*@x|n=*@y",
		`export { default, a as b } from "x"`:                          "default=default@x|b=a@x",
		`export type { T } from "x"`:                                   "T=T@x t",
		`export interface I {} export type T = 1; export enum E { A }`: "I=I t|T=T t|E=E",
		`export = x`:                                  "default=x",
		`export as namespace N`:                       "",
		`export abstract class A {}`:                  "A=A",
		`export declare const a: Map<b, c>, d: e`:     "a=a|d=d",
		`@dec() export class A {}`:                    "A=A",
		`export @dec class A {}`:                      "A=A",
		`export async function* g() {}`:               "g=g",
		`export namespace N.M { export const a = 1 }`: "N.M=N.M",
		`exports.a = 1; exports.a = 2; module.exports.b = c; module.exports = { d, e: f }`: "a=a|b=c|d=d|e=f",
		`module.exports = main`: "default=main",
	} {
		must.Match(t, strings.Join(exports(file("a.ts", src)), "|"), want, "%s", src)
	}
}

func TestExportsOfAmbientModulesNameTheirImports(t *testing.T) {
	f := file("a.d.ts", "declare module 'a' {\n export { b } from 'c'\n}\ndeclare module 'd' {\n export { e } from 'f'\n}\n")
	var got []string
	for _, e := range f.Exports {
		got = append(got, e.Name+" "+f.Imports[e.From].Spec)
	}
	must.Match(t, got, []string{"b c", "e f"}, "what differs")
}

func TestDeclarationsHaveTheirLines(t *testing.T) {
	src := `import { A } from "x"

export class C<T extends { a: 1 }> extends Base<T> implements I {
  private readonly p = { a: 1 }
  constructor(private x: number) {
    super()
  }
  get v(): { a: string } { return 1 as any }
  async *m<T>(a: T, b = () => { x() }): Promise<{ a: 1 }> {
    const inner = 1
  }
  static s?: string
  abstract q(): void;
  [Symbol.iterator]() {}
  "quoted"() {}
}
function over(a: string): void
function over(a: any): { b: 1 } {
  return a
}
interface I {
  a: string
  b(x: number): void
  readonly c?: () => void
}
type T =
  | { a: 1 }
  | string
enum E { One, Two = 2, "Three" }
namespace N {
  export const inside = 1
  function f() {}
}
const arrow = (a: string): void => {
  const local = 1
}
let x: Map<string, number> = new Map(), y = a + b, z
declare global { interface Window { a: 1 } }
type Obj = {
  key: string
  fn(): void
}
const last = 1`
	var got []string
	for _, d := range file("a.ts", src).Decls {
		s := fmt.Sprintf("%d-%d %s %s", d.Line, d.End, d.Class, d.Name)
		if d.In != "" {
			s += " in " + d.In
		}
		if d.Exported {
			s += " exported"
		}
		got = append(got, s)
	}
	want := []string{
		"3-16 class C exported", "4-4 property p in C", "5-7 method constructor in C", "8-8 method v in C", "9-11 method m in C",
		"12-12 property s in C", "13-13 method q in C", "15-15 method quoted in C",
		"17-17 function over", "18-20 function over",
		"21-25 interface I", "22-22 property a in I", "23-23 method b in I", "24-24 property c in I",
		"26-28 type T", "29-29 enum E", "29-29 enum member One in E", "29-29 enum member Two in E", "29-29 enum member Three in E",
		"30-33 namespace N", "31-31 const inside in N exported", "32-32 function f in N",
		"34-36 const arrow", "37-37 let x", "37-37 let y", "37-37 let z",
		"38-38 interface Window", "38-38 property a in Window",
		"39-42 type Obj", "40-40 property key in Obj", "41-41 method fn in Obj", "43-43 const last",
	}
	diff := cmp.Diff(want, got)
	must.Not(t, diff != "", "(-want +got):\n%s", diff)
}

func uses(f lang.Facts) string {
	var out []string
	for _, u := range f.Uses {
		out = append(out, fmt.Sprint(u.Name, u.Lines))
	}
	return strings.Join(out, " ")
}

// Holds kota 44.
func TestUsesOfImportedNamesHaveTheirLines(t *testing.T) {
	src := `import { A, b, type T } from "x"
import * as ns from "y"
const v = new A()
class C extends A {}
const e = <A b={b} />
let m: Map<K, T>
let q: typeof b
f(b)
ns.inner(); ns.T
const o = { b: 1, A }
o.b; o.A
interface I { b: T; A?: string }
export { b }
`
	want := "A[3 4 5 10] C[4] I[12] T[6 12] b[5 7 8] e[5] m[6] ns[9] ns.T[9] ns.inner[9] o[10 11] q[7] v[3]"
	must.Match(t, uses(file("a.tsx", src)), want, "uses")
}

// linesOf returns the lines on which a name is used.
func linesOf(f lang.Facts, name string) string {
	for _, u := range f.Uses {
		if u.Name == name {
			return fmt.Sprint(u.Lines)
		}
	}
	return ""
}

func TestWhatHidesANameIsNoUseOfIt(t *testing.T) {
	for src, want := range map[string]string{
		"{ const a = 1\n a() }\na()":                             "[4]",
		"function f() {\n a()\n let b, a; }\na()":                "[5]",
		"function f(a: A,\n b = a) {\n return a }\na()":          "[5]",
		"const f = (a, b) =>\n a\na()":                           "[4]",
		"const f = a => {\n a }\na()":                            "[4]",
		"const f = (x = a,\n { b, c: [a] }) => a\na()":           "[4]",
		"const f = async (\n a): Promise<\n X> => a\na()":        "[5]",
		"const f = function a() {\n a() }\na()":                  "[4]",
		"class C { m(a: b) {\n a }\n n() {\n a() } }":            "[5]",
		"class C { constructor(private readonly a: b) {\n a } }": "",
		"function* g() {\n a() }":                                "[3]",
		"interface I { m(\n a: b): c\n n: a }":                   "[4]",
		"type F = (\n a: b) => c\na()":                           "[4]",
		"for (const a of x) {\n a }\na()":                        "[4]",
		"try {} catch (a) {\n a }\na()":                          "[4]",
		"function f() { function a() {}\n a() }\na()":            "[4]",
		"f(a)\nif (a) { a }":                                     "[2 3]",
		"const f = () => ({\n b: 1 }) as const\na()":             "[4]",
		"f(x as Map<b, a>)\nconst g = (x: Map<b, a>) => a":       "[2 3]",
		"c ? f(b) : (\n a)\nconst o = { k: f(a), a }":            "[3 4]",
		"if (b) {\n x as const\n a()\n}":                         "[4]",
		"type M = { [b in\n a]: b }":                             "[3]",
		"const o = { x: [\n a in b] }":                           "[3]",
	} {
		must.Match(t, linesOf(file("a.ts", "import { a } from 'x'\n"+src), "a"), want, "%s", src)
	}
	must.Equal(t, linesOf(file("a.ts", "async function f() {\n const { a } = await import('x')\n a() }"), "a"), "[2 3]", "a name that an import( is given is used on")
	must.Equal(t, linesOf(file("a.ts", "import type { a } from 'x'\nfunction f(a: a) {\n let b: a }"), "a"), "[2 3]", "a type that a parameter is called like is used on")
}

// Holds kota 10.
func TestEncodingsAndLineEndsGiveTheSameFacts(t *testing.T) {
	src := "import { a } from 'x'\n\nexport class B {\n  m() { return a }\n}\nconst é = `x\n${a}`\n"
	want := file("a.ts", src)
	wide := func(first, second int) string {
		var b strings.Builder
		for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(src))...) {
			half := [2]byte{byte(u >> 8), byte(u)}
			b.WriteByte(half[first])
			b.WriteByte(half[second])
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"BOM": "\ufeff" + src, "CRLF": strings.ReplaceAll(src, "\n", "\r\n"), "CR": strings.ReplaceAll(src, "\n", "\r"),
		"UTF-16 LE": wide(1, 0), "UTF-16 BE": wide(0, 1),
	} {
		must.Not(t, lang.IsBinary([]byte(text)), "%s: taken for binary", name)
		must.Match(t, file("a.ts", text), want, "%s", name)
	}
}

// Holds kota 11.
func TestABrokenFileGivesWhatIsOutsideTheBreak(t *testing.T) {
	for _, broken := range []string{
		"function f() {\n  if (a {\n}\n", "const a = {\n  b: [1, 2\n", "class A {\n  m() {\n", "const s = 'abc\n",
		"const t = `abc\n", "const e = <div a=\n", "}}})\n", "const e = (<a><b></a>\n", "foo(<T>(a) => {\n",
	} {
		f := file("a.tsx", "import before from 'before'\nexport const one = before\n"+broken+"import after from 'after'\nexport function two() {}\n")
		must.Equal(t, strings.Join(specs(f), "|"), "1 import before default:before|"+fmt.Sprint(3+strings.Count(broken, "\n"))+" import after default:after", "%q: imports", broken)
		must.Equal(t, strings.Join(exports(f), "|"), "one=one|two=two|one=before", "%q: exports", broken)
		must.Not(t, !f.Partial, "%q: not partial", broken)
	}
}

// Holds kota 9.
func TestALargeOrGeneratedFileGivesItsImportsAlone(t *testing.T) {
	min := "import a from 'a';" + strings.Repeat("function f(){return a};", 1000)
	large := "import a from 'a'\n" + strings.Repeat("function f() { return a }\n", 50_000)
	for name, src := range map[string]string{"minified": min, "large": large} {
		f := file("a.js", src)
		if !f.ImportsOnly || len(f.Imports) != 1 || len(f.Decls)+len(f.Uses) > 0 {
			t.Errorf("%s: bare %v, %d imports, %d declarations, %d uses", name, f.ImportsOnly, len(f.Imports), len(f.Decls), len(f.Uses))
		}
	}
	if f := file("a.js", "const a = '"+strings.Repeat("x", 5000)+"'"); f.ImportsOnly || len(f.Decls) != 1 {
		t.Errorf("a small file with a long line is bare: %v", f.ImportsOnly)
	}
}

// Holds kota 36.
func TestScriptsOfComponentFilesAreRead(t *testing.T) {
	for name, c := range map[string]struct{ src, imports, uses string }{
		"a.vue": {
			"<template>\n  <MyThing :a=\"b\" />\n  <my-thing/>\n</template>\n<script lang=\"ts\">\nexport default { name: 'x' }\n</script>\n<script setup lang=\"ts\">\nimport MyThing from './MyThing.vue'\nimport { b } from './b'\nb()\n</script>\n<style>import 'no'</style>",
			"9 import ./MyThing.vue default:MyThing|10 import ./b b:b", "MyThing[2 3] b[2 11]",
		},
		// A > in an attribute does not end its tag.
		"generic.vue": {"<script setup lang=\"ts\" generic=\"T extends Item<U>, U\">\nimport { a } from './a'\na()\n</script>", "2 import ./a a:a", "a[3]"},
		"jsx.vue":     {"<script lang=\"tsx\">\nimport { a } from './a'\nexport default () => <p>it's {a}</p>\n</script>", "2 import ./a a:a", "a[3]"},
		"src.vue":     {"<script src=\"./x.ts\"></script>", "1 script ./x.ts", ""},
		"a.svelte": {
			"<script context=\"module\">\nimport { a } from './a'\n</script>\n<script lang='ts'>\nimport B from './B.svelte'\n</script>\n<B {a} />\n<!-- <script>import 'no'</script> -->",
			"2 import ./a a:a|5 import ./B.svelte default:B", "B[7] a[7]",
		},
		"a.astro": {"---\nimport L from '../L.astro'\n---\n<L>\n<script>import './client'</script></L>", "2 import ../L.astro default:L|5 import ./client", "L[4 5]"},
	} {
		f := file(name, c.src)
		must.Equal(t, strings.Join(specs(f), "|"), c.imports, "%s imports", name)
		must.Equal(t, uses(f), c.uses, "%s uses", name)
		must.Not(t, !slices.ContainsFunc(f.Exports, func(e lang.Export) bool { return e.Name == lang.Default }), "%s: no default export", name)
		must.Not(t, f.Partial, "%s: syntax errors", name)
	}
}

// When the value of each of many statements extends to the end of the file, looking for its end
// would take quadratic time.
func TestTheEndOfAValueIsLookedForWithinBounds(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "exports.a%d = a +\nA.prototype.b%d = async +\n", i, i)
	}
	facts := file("a.js", b.String())
	must.Not(t, len(facts.Decls) < 5000, "only %d declarations", len(facts.Decls))
	for _, d := range facts.Decls {
		if d.End-d.Line > 1000 {
			t.Fatalf("%s goes from line %d to %d", d.Name, d.Line, d.End)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, s := range []string{
		"import a from 'b'\nexport class C { m() { return a } }", "const e = <A b={c}>d</A>", "`a${b}`", "<script>import 'a'</script>", "---\nimport a from 'b'\n---", "export const {a, b: [c]} = d<e, f>(g)",
	} {
		f.Add(s, uint8(1))
	}
	f.Fuzz(func(t *testing.T, src string, ext uint8) {
		names := []string{"a.ts", "a.tsx", "a.js", "a.vue", "a.svelte", "a.astro", "a.d.ts"}
		facts := file(names[int(ext)%len(names)], src)
		for _, im := range facts.Imports {
			if im.Line < 1 || im.Line > facts.Lines+1 {
				t.Errorf("import on line %d of %d", im.Line, facts.Lines)
			}
		}
		for _, d := range facts.Decls {
			if d.Line < 1 || d.End < d.Line || d.End > facts.Lines+1 {
				t.Errorf("%s on lines %d to %d of %d", d.Name, d.Line, d.End, facts.Lines)
			}
		}
		for _, e := range facts.Exports {
			if e.From >= len(facts.Imports) {
				t.Errorf("%s comes from import %d of %d", e.Name, e.From, len(facts.Imports))
			}
		}
		for _, u := range facts.Uses {
			if !slices.IsSorted(u.Lines) || u.Lines[0] < 1 || u.Lines[len(u.Lines)-1] > facts.Lines+1 {
				t.Errorf("%s on lines %v of %d", u.Name, u.Lines, facts.Lines)
			}
		}
	})
}

func TestWhatIsGivenToExportsIsDeclaredThere(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"exports.a = function () {\n  b()\n}\nexports.c = 1":                                                    "function a 1-3|const c 4-4",
		"module.exports.a = async x => {\n}\nd()":                                                               "function a 1-2",
		"module.exports = {\n  a,\n  b: c,\n  d: f({\n  }),\n  e () {\n  },\n  g: (x) => x,\n  async h() {}\n}": "const d 4-5|function e 6-7|function g 8-8|function h 9-9",
		"const keys = {\n  a: Symbol('a'),\n  b: 2\n}\nmodule.exports = keys":                                   "const keys 1-4|const a 2-2|const b 3-3",
		"function A () {}\nA.prototype.b = function () {\n}\nA.prototype.c = d":                                 "function A 1-1|method A.b 2-3",
		"exports.a = require('./a')\nexports.b = c\nmodule.exports.d = exports.e = f":                           "",
		"function a () {}\nexports.a = a":                                                                       "function a 1-1",
	} {
		var got []string
		for _, d := range file("a.js", src).Decls {
			name := d.Name
			if d.In != "" {
				name = d.In + "." + name
			}
			got = append(got, fmt.Sprintf("%s %s %d-%d", d.Class, name, d.Line, d.End))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s\n got %q\nwant %q", src, strings.Join(got, "|"), want)
		}
	}
}
