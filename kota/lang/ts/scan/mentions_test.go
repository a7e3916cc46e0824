package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// mentions writes those of the member m, with + where it is that of a T and - where it is
// that of something else.
func mentions(src string) string {
	list, ok := scan.Mentions("a.ts", []byte(src), lang.MentionQuery{
		Name: "m", Types: map[string]bool{"T": true}, Makers: map[string]bool{"make": true},
	})
	if !ok {
		return "not read"
	}
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprint(x.Line, []string{"", "+", "-"}[x.Says]))
	}
	return strings.Join(out, " ")
}

func TestMentionsOfAMemberTellWhoseItIs(t *testing.T) {
	for src, want := range map[string]string{
		"function f(a: T, b: Other) {\n a.m\n b.m\n c.m }":                                         "2+ 3- 4",
		"function f(a: T) {\n a.m }\nfunction g(a: Other) {\n a.m }":                               "2+ 4-",
		"function f(a: T) {\n a.m }\nx.map((a) =>\n a.m)":                                          "2+ 4",
		"const a = new T()\na.m\nconst b = new Other()\nb.m":                                       "2+ 4-",
		"const a = make(1)\na.m\nmake().m\nconst b = await x.make()\nb?.m":                         "2+ 3+ 5+",
		"const a: T | undefined = x\na!.m\nconst b: T[] = y\nb.m":                                  "2+ 4",
		"const a = x as T\na.m\nconst b = a\nb.m":                                                  "2+ 4+",
		"class T {\n m() {\n this.m } }\nclass B {\n f() {\n this.m } }":                           "3+ 6-",
		"class B extends T {\n m = 1\n f() {\n this.m } }\nclass C extends T { f() {\n this.m } }": "4- 6+",
		"class B {\n a: T\n f() {\n this.a.m } }":                                                  "4+",
		"const a: T = {\n m: 1 }\nconst b: Other = {\n m: 1 }":                                     "2+ 4-",
		"const a: T[] = [{\n m }]\nf({\n m() {} })":                                                "2+ 4",
		"const a = {\n m: 1 } satisfies T":                                                         "2+",
		"function f(): T {\n return {\n m: 1 } }":                                                  "3+",
		"const f = (x): T => ({\n m: 1 })":                                                         "2+",
		"function f({\n m }: T, {\n m: n }: Other) {}":                                             "2+ 3-",
		"const a = new T()\nconst {\n m = 1 } = a":                                                 "3+",
		"interface I {\n m: string }\ntype J = {\n m: 1 }\nlet x: {\n m: T }":                      "",
		"m()\nfunction f(m: string) {\n c ? m : m }":                                               "",
		"type A<B> = B extends C ? {\n m: 1 } : F<{ a: 1 }, {\n m: 1 }>":                           "",
		"const a: T = {\n get m() {},\n async b() {} }\nx = c ? {\n m: 1 } : {\n m: 1 }":           "2+ 5 6",
		"function f(): F<A, {\n m: 1 }> {}\nf({ a: {\n m: 1 } })":                                  "4",
		"f(c ? a : {\n m: 1 })\nfunction g(a?: {\n m: 1 }, b: {\n m: 1 }) {}":                      "2",
		"// a.m\nconst s = 'a.m'\n/* T.m */":                                                       "",
		"Object.m\nx.Object.m\nx = a.m !== b\nb.m":                                                 "1- 2 3 4",
		"T.m\nx.T.m": "1+ 2",
	} {
		if got := mentions(src); got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
	}
	if _, ok := scan.Mentions("a.vue", []byte("<script>a.m</script>"), lang.MentionQuery{Name: "m"}); ok {
		t.Error("a component is read as if it were a script")
	}
}
