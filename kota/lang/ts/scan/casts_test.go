package scan_test

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// check compares what a function says of sources with what is wanted.
func check(t *testing.T, says func(src string) string, wanted map[string]string) {
	t.Helper()
	for src, want := range wanted {
		must.Match(t, says(src), want, "%s", src)
	}
}

func TestACastSaysTheTypeOfAValue(t *testing.T) {
	check(t, mentions, map[string]string{
		"(a as T).m;\n(a as unknown as T)!.m;\n(a as Other).m;\n(a as any).m":      "1+ 2+ 3- 4",
		"const a = x.y as Other\na.m\nconst b = f(x as Other)\nb.m":                "2- 4",
		"const a = new T();\n(a).m;\n(await make()).m;\n(a ?? b).m;\nif (a) b.m\n": "2+ 3 4 5",
	})
	check(t, clues, map[string]string{"(a as { m: 1 }).m": "1"})
}

func TestAParameterOfAFunctionWithAResultTypeIsNotTheVariableOfThatName(t *testing.T) {
	check(t, mentions, map[string]string{
		"const a = new T()\nconst f = (a): void => {\n a.m }":           "3",
		"const a = new T()\nfunction f(a): { b: 1 } {\n a.m }":          "3",
		"const a = new T()\nx = c ? f(a) : () => {\n a.m }\nx(a): a.m ": "3+ 4+",
	})
	check(t, clues, map[string]string{
		"x((a): void => {\n a.m })\nx((a): void => {\n a.b })": "2",
		"f((a) => {\n a.b.m })\nf((a) => {\n a.b.c })":         "2",
	})
}

func TestThisIsTheClassWhoseTypeParametersHaveDefaults(t *testing.T) {
	check(t, mentions, map[string]string{
		"class T<A = any, B extends C = C> {\n f() {\n this.m } }": "3+",
		"class B<A = any> extends T<A> {\n f() {\n this.m } }":     "3+",
		"class B<A extends T = T> {\n f() {\n this.m } }":          "3-",
	})
}
