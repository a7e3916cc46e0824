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
		"(a as T).m;\n(a as unknown as T)!.m;\n(a as Other).m;\n(a as any).m;\nf(a as T).m": "1+ 2+ 3- 4 5",
		"const a = {\n m: 1 } as const":                             "2",
		"const a = x.y as Other\na.m\nconst b = f(x as Other)\nb.m": "2- 4",
	})
}

func TestAParameterOfAFunctionWithAResultTypeIsNotTheVariableOfThatName(t *testing.T) {
	check(t, mentions, map[string]string{
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
		"class B<A extends T = T> {\n f() {\n this.m } }":          "3-",
	})
}
