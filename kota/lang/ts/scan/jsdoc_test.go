package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// inScript formats the mentions of m in a JavaScript file: "+" marks those of a T, other types
// stand behind the line.
func inScript(name, src string) string {
	list, _ := scan.Mentions(name, []byte(src), lang.MentionQuery{Name: "m", Types: map[string]bool{"T": true}})
	var out []string
	for _, x := range list {
		s := fmt.Sprint(x.Line, []string{"", "+", "-"}[x.Says])
		out = append(out, s+strings.Join(x.Named.Names, ","))
	}
	return strings.Join(out, " ")
}

func TestJSDocGivesTheTypesOfParametersAndVariables(t *testing.T) {
	for src, want := range map[string]string{
		"/** @param {T} a */\nfunction f(a, b) {\n a.m; b.m }": "3+ 3",
		"/**\n * Does it.\n * @param {Other} a - one\n * @param {T | null} [b=1] two\n */\nexport default async function f(a, b) {\n a.m\n b.m }": "7-Other 8+",
		"/** @param {?T} a */\nconst f = (a) => {\n a.m }":                    "3+",
		"/** @param {import('./t.js').T} a */\nfunction f(a) {\n a.m }":       "3+",
		"/** @param {import('./t.js').default} a */\nfunction f(a) {\n a.m }": "3",
		"/** @param {{ b: T }} a */\nfunction f(a) {\n a.m }":                 "3",
		"/** @param {T} a */\nfunction f(a) {}\nfunction g(a) {\n a.m }":      "4",
		"class B {\n /** @param {T} a */\n f(a) {\n a.m } }":                  "4+",
		"/** @type {T} */\nconst a = b()\na.m":                                "3+",
		"/** @type {T} */\nexport const a = b()\nconst c = d()\na.m\nc.m":     "4+ 5d",
		"/** @param {T} a":                       "",
		"/** @param {T */ function f(a) { a.m }": "1",
	} {
		if got := inScript("a.js", src); got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
	}
	if got := inScript("a.ts", "/** @param {T} a */\nfunction f(a) {\n a.m }"); got != "3" {
		t.Errorf("in TypeScript: %q, want no type from the comment", got)
	}
}
