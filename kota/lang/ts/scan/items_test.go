package scan_test

import (
	"testing"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// check compares what a function says of sources with what is wanted.
func check(t *testing.T, says func(src string) string, wanted map[string]string) {
	t.Helper()
	for src, want := range wanted {
		if got := says(src); got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
	}
}

func TestAnElementOfAListHasTheTypeThatTheListSays(t *testing.T) {
	check(t, mentions, map[string]string{
		"function f(a: T[], b: Other[]) {\n a[0].m\n b[0].m\n const c = a[1]\n c.m\n const d = c.e\n d.m }":     "2+ 3- 5+ 7",
		"function f(a: readonly T[], b: Map<K, x.T>, c: Set<Other>) {\n a[0].m\n b.get(1).m\n c.values()[0].m}": "2+ 3 4-",
		"const a: Record<string, T> = x\nfor (const b of Object.values(a)) {\n b.m\n }":                         "3+",
		"const a: T[] = x\nfor (const b of a) {\n b.m\n }\nfor (const {\n m } of a) {}":                         "3+ 6+",
		"const a: T[] = x\na.map((b) => b.m)\na.filter(c).forEach(async d => d.m)\na.reduce((b) => b.m)":        "2+ 3+ 4",
		"const a: T[] = x\na.map(({\n m }) => 1)\na.push({\n m })":                                              "3+ 5",
		"class B {\n a: T[]\n f() {\n this.a[0].m\n this.a.sort((b, c) => b.m) } }":                             "4+ 5+",
		"const a: T[] = x\nfunction f(a) {\n a[0].m }\n[T][0].m\nreturn [a].m":                                  "3 4 5",
	})
	check(t, clues, map[string]string{
		"x.a[0].m\nfor (const b of x.a) {\n b.m }": "1 in a of; 3 in a of m",
		"f().map((a) => a.m)":                      "1 from f of m",
		"const a = f()\na[0].m\na[0][0].m":         "2 from f of; 3",
		"const a = x.b.filter(c)\na[0].m":          "2 from filter of",
	})
}

func TestACastSaysTheTypeOfAValue(t *testing.T) {
	check(t, mentions, map[string]string{
		"(a as T).m;\n(a as unknown as T)!.m;\n(a as Other).m;\n(a as any).m":      "1+ 2+ 3- 4",
		"const a = x.y as Other\na.m\nconst b = f(x as Other)\nb.m":                "2- 4",
		"const a = new T();\n(a).m;\n(await make()).m;\n(a ?? b).m;\nif (a) b.m\n": "2+ 3+ 4 5",
	})
	check(t, clues, map[string]string{"(a as { m: 1 }).m": "1 literal"})
}

func TestAParameterOfAFunctionWithAResultTypeIsNotTheVariableOfThatName(t *testing.T) {
	check(t, mentions, map[string]string{
		"const a = new T()\nconst f = (a): void => {\n a.m }":           "3",
		"const a = new T()\nfunction f(a): { b: 1 } {\n a.m }":          "3",
		"const a = new T()\nx = c ? f(a) : () => {\n a.m }\nx(a): a.m ": "3+ 4+",
	})
	check(t, clues, map[string]string{
		"x((a): void => {\n a.m })\nx((a): void => {\n a.b })": "2 m",
		"f((a) => {\n a.b.m })\nf((a) => {\n a.b.c })":         "2 in b m",
	})
}

func TestThisIsTheClassWhoseTypeParametersHaveDefaults(t *testing.T) {
	check(t, mentions, map[string]string{
		"class T<A = any, B extends C = C> {\n f() {\n this.m } }": "3+",
		"class B<A = any> extends T<A> {\n f() {\n this.m } }":     "3+",
		"class B<A extends T = T> {\n f() {\n this.m } }":          "3-",
	})
}

func TestAMentionHasTheTypeToWhichTheMemberIsCast(t *testing.T) {
	list, _ := scan.Mentions("a.ts", []byte("a.m as unknown as x.Row\n(b.m as Row).c\nb.m"), lang.MentionQuery{Name: "m"})
	if len(list) != 3 || len(list[0].As.Names) != 1 || list[0].As.Names[0] != "Row" || len(list[1].As.Names) != 1 || list[2].As.Names != nil {
		t.Errorf("%+v", list)
	}
}

func TestAnObjectTellsTheStringsThatItGives(t *testing.T) {
	list, _ := scan.Mentions("a.ts", []byte("f({ kind: 'a', m, n: 'b' + c, o: { kind: 'd' } })"), lang.MentionQuery{Name: "m"})
	if len(list) != 1 || len(list[0].Shape.Values) != 1 || list[0].Shape.Values["kind"] != "a" {
		t.Errorf("%+v", list[0].Shape)
	}
}

func TestAMemberOfAnEnumIsAValue(t *testing.T) {
	for src, want := range map[string]string{
		"f({ m: Kind.A })": "=Kind.A", "f({ m: Kind.A as B })": "=Kind.A", "x.m === Kind.A": "=Kind.A",
		"f({ m: Kind.A.b })": "", "f({ m: x.a() })": "", "x.m === x.a()": "", "f({ m: 'a' })": "a",
	} {
		if list, _ := scan.Mentions("a.ts", []byte(src), lang.MentionQuery{Name: "m"}); len(list) != 1 || list[0].Value != want {
			t.Errorf("%s: %+v, want %q", src, list, want)
		}
	}
}
