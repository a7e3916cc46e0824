package scan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// mentions formats the mentions of member m. "+" marks those of a T, "-" those of another type.
func mentions(src string) string {
	list, ok := scan.Mentions("a.ts", []byte(src), lang.MentionQuery{Name: "m", Owner: "T"})
	if !ok {
		return "not read"
	}
	var out []string
	for _, x := range list {
		sign := ""
		switch {
		case slices.Contains(x.Type.Names, "T"):
			sign = "+"
		case len(x.Type.Names) > 0 && !slices.Contains(x.Type.Names, "Array"):
			sign = "-"
		}
		out = append(out, fmt.Sprint(x.Line, sign))
	}
	return strings.Join(out, " ")
}

func TestMentionsOfAMemberTellWhoseItIs(t *testing.T) {
	for src, want := range map[string]string{
		"function f(a: T, b: Other) {\n a.m\n b.m\n c.m }":                                "2+ 3- 4",
		"function f(a: T) {\n a.m }\nfunction g(a: Other) {\n a.m }":                      "2+ 4-",
		"function f(a: T) {\n a.m }\nx.map((a) =>\n a.m)":                                 "2+ 4",
		"const a = new T()\na.m\nconst b = new Other()\nb.m":                              "2+ 4-",
		"const a = make(1)\na.m\nmake().m\nconst b = await x.make()\nb?.m":                "2 3 5",
		"const a: T | undefined = x\na!.m\nconst b: T[] = y\nb.m":                         "2+ 4",
		"class T {\n m() {\n this.m } }\nclass B {\n f() {\n this.m } }":                  "3+ 6-",
		"const a = x as T\na.m\nconst b = a\nb.m":                                         "2+ 4+",
		"const a: T = {\n m: 1 }\nconst b: Other = {\n m: 1 }":                            "2+ 4-",
		"const a: T = {\n get m() {},\n async b() {} }":                                   "2+",
		"const a = {\n m: 1 } satisfies T":                                                "2+",
		"function f({\n m }: T, {\n m: n }: Other) {}\nlet {\n m }: T = x":                "2+ 3- 5+",
		"const a = new T()\nconst {\n m = 1 } = a":                                        "3+",
		"class T {\n f() { const {\n m } = this } }":                                      "3+",
		"function f(a: (Other) | T) {\n a.m }":                                            "2+",
		"f(() => {\n m() })\nif (a) {\n m = 1 } else {\n m = 2 }\nf(({\n m = 1 }) => {})": "7",
		"Object.m\nx.Object.m\nx = a.m !== b\nb.m":                                        "1- 2 3 4",
		"class B {\n a: T\n f() {\n this.a.m } }":                                         "4+",
		"const a: T[] = [{\n m }]\nf({\n m() {} })":                                       "2 4",
		"m()\nfunction f(m: string) {\n c ? m : m }":                                      "",
		"type A<B> = B extends C ? {\n m: 1 } : F<{ a: 1 }, {\n m: 1 }>":                  "",
		"// a.m\nconst s = 'a.m'\n/* T.m */":                                              "",
		"T.m\nx.T.m":                                                                      "1+ 2",
		"function f(a: T.Sub, b: x.T, c: Promise<T.Sub>) {\n a.m\n b.m\n c.m }":           "2- 3+ 4-",
	} {
		must.Match(t, mentions(src), want, "%s", src)
	}
	_, ok := scan.Mentions("a.vue", []byte("<script>a.m</script>"), lang.MentionQuery{Name: "m"})
	must.Not(t, ok, "a component is read as if it were a script")
}

// clues formats, for each mention of m, the clue to the receiver's type.
func clues(src string) string {
	list, _ := scan.Mentions("a.ts", []byte(src), lang.MentionQuery{Name: "m", Owner: "T"})
	var out []string
	for _, x := range list {
		s := fmt.Sprint(x.Line)
		if len(x.Type.Names) > 0 {
			s += " type " + strings.Join(x.Type.Names, " ")
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestMentionsOfAMemberTellWhatTheFileDoesNotKnow(t *testing.T) {
	for src, want := range map[string]string{
		"const a = f(1)\na.m\na.b()":                                   "2",
		"const a = await x.f<Y>()\na.m":                                "2",
		"const a = f().g\na.m":                                         "2",
		"f(1).m\nx.f<Y>(1).m":                                          "1; 2",
		"x.a.m\nx.a.b\nx.c.d":                                          "1",
		"f({\n m: 1, b })\nnew C(x, {\n m() {} })":                     "2; 4",
		"const a = { k: {\n m: 1, b: 2 } }":                            "2",
		"function f({\n m, b: c }) {\n c.m }":                          "2; 3",
		"const f = ({\n m }) => 1":                                     "2",
		"function f(a: Aaa | Bbb<Ccc>) {\n a.m }":                      "2 type Aaa Bbb",
		"function f(a) {\n a.m\n a.b }\nfunction g(a) {\n a.m\n a.c }": "2; 5",
		"class Aaa {\n f() {\n this.m } }":                             "3 type Aaa",
		"const a = f() + 1\na.m":                                       "2",
	} {
		must.Match(t, clues(src), want, "%s", src)
	}
}

func TestAnObjectLiteralHasTheTypeThatItIsDeclaredWith(t *testing.T) {
	for src, want := range map[string]string{
		"const a = {\n m: 1 }":             "2",
		"let a = 1\nlet b = { c,\n m }":    "3",
		"const a: Aaa = {\n m: 1 }":        "2 type Aaa",
		"const a = {\n m: 1 } as Aaa":      "2 type Aaa",
		"let a: Aaa\na = {\n m: 1 }":       "3 type Aaa",
		"const a = f({\n m: 1 })":          "2",
		"a = {\n m: 1 }\nx.a = {\n m: 1 }": "2; 4",
		"export default {\n m: 1 }":        "2",
		"const a = [{\n m: 1 }]":           "2",
	} {
		must.Match(t, clues(src), want, "%s", src)
	}
}

func TestMentionsInAnythingRepeatedAreFoundInTime(t *testing.T) {
	for _, unit := range []string{
		"m", "m.", "a.m;", "m,", "{m,", "{m:", "[{m:", "({m", "f({m:", "a:T={m:", "return{m:", "a=new m.", "a=await ", "a?.m!", "this.m", "#m=", "<m", "f<m>(", "m()", "f().m", "class m{", "class a extends m{", "class T{m(){", "interface m{", "type m<", "type m=", "enum m{",
		"const{m}=", "const a:m=", "const m=(a:", "(m)=>", "(m):", "(a:T)=>({m:", "as m ", "m:m|", "m:m<", "case m:", "c?m:", "`${m", "m\n", "f(m,", "if(m){", "(((", "{{{", "[[[",
	} {
		src := []byte(strings.Repeat(unit, (1<<17)/len(unit)))
		_, ok := scan.Mentions("a.ts", src, lang.MentionQuery{Name: "m", Owner: "T"})
		must.Not(t, !ok, "%s repeated is not read", unit)
	}
}

// FuzzMentions checks that reading never fails, and that mentions come in source order, on lines
// that contain the name.
func FuzzMentions(f *testing.F) {
	for _, s := range []string{
		"class A extends T { #m = new T<x>().m; f(a: T[]) { return { m: this.#m, ...a.m } } }",
		"const { m = 1, ...b } = await make(); const f = ({ m }: Other): T => ({ m }) as T",
		"type J = { m: 1 } | F<{ m: T }>; enum E { m } x = c ? a?.m! : <T>b.m; `${a.m}`",
		"for (const { m } of (a as T[]).filter(b)) a[0].m as unknown as T; x.a.map(async ({ m }) => m); (a: T): T =>",
		"a: Map<T, ", "a[0]).m", "].m", ").m", "const a of", "function f(a: T<", "const a: T = {\n m", "a.make<", "const m = new m", "m = new a.b.",
	} {
		f.Add(s, uint8(0))
	}
	f.Fuzz(func(t *testing.T, src string, ext uint8) {
		name := []string{"a.ts", "a.tsx", "a.js", "a.d.ts"}[ext%4]
		list, ok := scan.Mentions(name, []byte(src), lang.MentionQuery{
			Name: "m", Owner: "T",
		})
		must.Stop(t, !ok, "%s is not read", name)
		last, text := 1, lang.NewText(lang.Decode([]byte(src)))
		for _, x := range list {
			if x.Line < last || !strings.Contains(text.Line(x.Line), "m") {
				t.Errorf("line %d after line %d: %q", x.Line, last, text.Line(x.Line))
			}
			last = x.Line
		}
	})
}
