package scan_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestANameIsThatOfTheNearestDeclaration(t *testing.T) {
	for src, want := range map[string]string{
		"const f = (x: b): a => {\n a }":                         "[2 3]",
		"const f = (x): x is a => {\n a }":                       "[2 3]",
		"c ? (b) : a => {\n a }\na()":                            "[4]",
		"type F = { (x: b): a\n (y: a): b }":                     "[2 3]",
		"function f<T extends N.X, U>(a: T<U>): M<T, U> {\n a }": "",
		"const { [a]: b,\n [c]: { [a]: d } } = e\na":             "[2 3 4]",
	} {
		must.Match(t, linesOf(file("a.ts", "import { a } from 'x'\n"+src), "a"), want, "%s", src)
	}
}

func TestAModuleIsFollowedIntoWhatItIsGivenTo(t *testing.T) {
	for src, want := range map[string]string{
		"import * as m from 'x'\nconst n = m":                                    "1 import x *:m *:n",
		"import * as m from 'x'\nfunction f() { const n = m; let o = n }":        "1 import x *:m *:n *:o",
		"import * as m from 'x'\nconst { a, b: { c }, d: e } = m":                "1 import x *:m a:a d:e",
		"const m = require('x')\nvar { a } = m\nlet n = m.b, o = m()":            "1 require x *:m a:a",
		"import m = require('x')\nimport a = m.a\nimport n = m":                  "1 import= x *:m a:a *:n",
		"import * as m from 'x'\nfunction f(n: typeof m, o: typeof m.a) { n.a }": "1 import x *:m *:n",
		"import * as m from 'x'\nconst n = {\n ...m,\n b: 1 }\nf({ ...m })":      "1 import x *:m *:n",
		"let m: typeof import('x')\nm!.a":                                        "1 type x t *:m:t",
		"let m\nbeforeEach(async () => { m = await import('x') })":               "2 dynamic x *:m",
	} {
		must.Match(t, strings.Join(specs(file("a.ts", src)), "|"), want, "%s", src)
	}
}

// A block that loads a module of its own into a variable does not use the module that the file
// imports under that name. A variable of the same name in another block is neither module.
func TestWhatAModuleIsGivenToIsKnownInItsBlockAlone(t *testing.T) {
	for src, want := range map[string]string{
		"function f() { const { m } = await import('x')\n m }\nfunction g() {\n let m = 1\n m }": "[1 2]",
		"import('x').then(({ m }) => {\n m }).then((m) => {\n m })":                              "[1 2]",
	} {
		must.Match(t, linesOf(file("a.js", src), "m"), want, "%s", src)
	}
}
