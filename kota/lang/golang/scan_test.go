package golang_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/golang"
)

func file(name, src string) lang.Facts {
	var s golang.Scanner
	return s.File(name, []byte(src))
}

// uses formats the uses of a file as "name:line,line".
func uses(f lang.Facts) string {
	var out []string
	for _, u := range f.Uses {
		out = append(out, u.Name+":"+strings.Trim(strings.ReplaceAll(fmt.Sprint(u.Lines), " ", ","), "[]"))
	}
	return strings.Join(out, " ")
}

func TestImportsAreOfWholePackagesUnderANameOrNone(t *testing.T) {
	f := file("a.go", "package a\n\nimport \"fmt\"\nimport (\n\t. \"x.org/dot\"\n\t_ \"x.org/blank\"\n\ty \"x.org/other\"\n\t\"C\"\n)\n")
	var got []string
	for _, im := range f.Imports {
		got = append(got, fmt.Sprintf("%d %s %s", im.Line, im.Spec, im.Names[0].Local))
	}
	want := []string{"3 fmt ", "5 x.org/dot .", "6 x.org/blank _", "7 x.org/other y", "8 C "}
	must.Match(t, got, want, "what differs")
}

func TestDeclarationsHaveTheirClassAndOwner(t *testing.T) {
	f := file("a.go", `package a

type Box[T any] struct {
	Name, name string
}

type Opener interface {
	Open(x int) error
}

type ID = string

const One, two = 1, 2

var (
	_ = One
	V int
)

func F() {}

func (b *Box[T]) Put(x T) {
}

func init() {}
`)
	var got []string
	for _, d := range f.Decls {
		s := fmt.Sprintf("%d-%d %s ", d.Line, d.End, d.Class)
		if d.In != "" {
			s += d.In + "."
		}
		if s += d.Name; d.Exported {
			s += " exported"
		}
		got = append(got, s)
	}
	want := []string{
		"3-5 struct Box exported", "4-4 property Box.Name exported", "4-4 property Box.name", "7-9 interface Opener exported",
		"8-8 method Opener.Open exported", "11-11 type ID exported", "13-13 const One exported", "13-13 const two",
		"17-17 var V exported", "20-20 function F exported", "22-23 method Box.Put exported", "25-25 function init",
	}
	must.Match(t, got, want, "what differs")
	var names []string
	for _, x := range f.Exports {
		names = append(names, x.Name)
	}
	// Other files of the package can use every name but init.
	must.Match(t, names, []string{"Box", "Opener", "Opener.Open", "ID", "One", "two", "V", "F", "Box.Put"}, "given away")
}

func TestANameIsOneOfThePackageUnlessAFunctionBindsIt(t *testing.T) {
	for src, want := range map[string]string{
		"func f(a int) { use(a) }":                                          "use:3",
		"func f() { x := x; _ = x }":                                        "x:3",
		"func f() { var x = x\n_ = x }":                                     "x:3",
		"func f() { if y := g(); y > 0 { } else { h(y) } }":                 "g:3 h:3",
		"func f() { if y := 1; y > 0 { }\n h(y) }":                          "h:4 y:4",
		"func f() { for i := range n { g(i) }\n g(i) }":                     "g:3,4 i:4 n:3",
		"func f() { for i, n = range n { } }":                               "i:3 n:3",
		"func f() { switch x := v.(type) { case T: g(x)\ndefault: h(x) } }": "T:3 g:3 h:4 v:3",
		"func f() { select { case v := <-c: g(v)\ncase d <- v: } }":         "c:3 d:4 g:3 v:4",
		"func f() { g := func(a, b T) (r U) { return h(a, r) }; g() }":      "T:3 U:3 h:3",
		"func f() { type T struct{ next *T }; var x T; _ = x }":             "",
		"func f() { x: for { break x } }":                                   "",
		"func f() { const a = b; const b = a }":                             "b:3",
		"func (r *R[K]) m(k K) V { return r.v }":                            ".v:3 R:3 V:3",
		"func f[T C[T]](x T) {}":                                            "C:3",
		"type L[T any] struct { next *L[T]; val T; o other }":               "L:3 any:3 other:3",
		"type I interface { J; ~int | K; m(a A) B }":                        "A:3 B:3 J:3 K:3",
		"var a, b = c, len(d)":                                              "c:3 d:3",
		"var min = 1; var len = min":                                        "min:3",
		"func f(s S) { s.a.b(); k().c() }":                                  ".a:3 .b:3 .c:3 S:3 k:3",
		"var v T; func f() { v.a() }":                                       ".a:3 T:3 v:3",
		"func f() { v.a() }":                                                ".a:3 v:3 v.a:3",
	} {
		must.Match(t, uses(file("a.go", "package a\n\n"+src+"\n")), want, "%s", src)
	}
}

func TestKeysOfAStructAreItsFieldsAndThoseOfAMapAreNot(t *testing.T) {
	for src, want := range map[string]string{
		"var x = T{a: b}":                            "T:3 b:3",
		"var x = p.T{a: b}":                          ".T:3 b:3 p:3 p.T:3",
		"var x = map[K]V{a: b, true: c}":             "K:3 V:3 a:3 b:3 c:3",
		"var x = [...]string{a: b}":                  "a:3 b:3",
		"var x = []T{{a: b}, {c: d}}":                "T:3 b:3 d:3",
		"var x = map[K]*T{{a: b}: {c: d}}":           "K:3 T:3 b:3 d:3",
		"var x = M{a: {c: d}}; type M map[string]T":  "M:3 T:3 a:3 d:3",
		"var x = T{a: b}; type T U; type U []string": "T:3 U:3 a:3 b:3",
		"var x = T{a: b}; type T T":                  "T:3 b:3",
	} {
		must.Match(t, uses(file("a.go", "package a\n\n"+src+"\n")), want, "%s", src)
	}
}

func TestWhatStandsBehindAnImportIsOneOfItsNames(t *testing.T) {
	f := file("a.go", "package a\n\nimport (\n\t\"x.org/y\"\n\tz \"x.org/w\"\n)\n\nfunc f(y int) { _ = y.a; z.B() }\nfunc g() { y.C().D() }\n")
	must.Equal(t, uses(f), ".D:9 .a:8 y.C:9 z.B:8", "uses")
}

func TestFilesThatTheDefaultBuildLeavesOutSayWhy(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"a.go", "", ""},
		{"a_windows.go", "", "windows"},
		{"a_windows_test.go", "", "windows"},
		{"a_linux.go", "", ""},
		{"a_linux_arm64.go", "", "linux arm64"},
		{"a_arm64.go", "", "arm64"},
		{"windows.go", "", ""},
		{"a_unix.go", "", ""}, // not an operating system
		{"a.go", "//go:build ignore\n\n", "ignore"},
		{"a.go", "//go:build linux && !cgo\n\n", "linux && !cgo"},
		{"a.go", "//go:build unix || windows\n\n", ""},
		{"a.go", "//go:build go1.18\n\n", ""},
		{"a.go", "//go:build !go1.18\n\n", "!go1.18"},
		{"a.go", "// a comment\n\n//go:build mine\n\n", "mine"},
		{"a.go", "/* a\n//go:build mine\n*/\n\n", ""},
		{"a.go", "// +build mine\n\n", "its build constraints"},
		{"a.go", "// +build mine\n", ""}, // the doc comment of the package
		{"a.go", "// +build linux\n// +build !amd64\n\n", "its build constraints"},
		{"a.go", "//go:build linux\n// +build mine\n\n", ""},
		{"_a.go", "", "a name that go ignores"},
	} {
		must.Equal(t, file("dir/"+c.name, c.head+"package a\n").Outside, c.want, "%s %q", c.name, c.head)
	}
}

func TestAProgramSaysThatItWroteAFile(t *testing.T) {
	for src, want := range map[string]bool{
		"// Code generated by stringer. DO NOT EDIT.\n\npackage a\n":      true,
		"//go:build linux\n\n// Code generated  DO NOT EDIT.\npackage a":  true,
		"// Code generated by hand. Edit it.\n\npackage a\n":              false,
		"package a\n\n// Code generated by stringer. DO NOT EDIT.\n":      false,
		"package a\n\nconst s = `\n// Code generated by x. DO NOT EDIT.`": false,
	} {
		must.Equal(t, file("a.go", src).Generated, want, "%q", src)
	}
}

func TestATestIsWhatGoTestRuns(t *testing.T) {
	for src, want := range map[string]bool{
		"func TestX(t *testing.T) {}":       true,
		"func Test(t *testing.T) {}":        true,
		"func BenchmarkX(b *testing.B) {}":  true,
		"func FuzzX(f *testing.F) {}":       true,
		"func ExampleX() {}":                true,
		"func Testing(t *testing.T) {}":     false,
		"func TestMain(m *testing.M) {}":    false,
		"func TestX() {}":                   false,
		"func (s S) TestX(t *testing.T) {}": false,
		"func helper(t *testing.T) {}":      false,
	} {
		src = "package a\n\n" + src + "\n"
		must.Equal(t, file("a_test.go", src).RunsTests, want, "%q", src)
		must.Not(t, file("a.go", src).RunsTests, "%q: go test does not look for tests in a.go", src)
	}
}

func TestFilesBuiltIntoTheProgramAreImports(t *testing.T) {
	f := file("a.go", "package a\n\nimport _ \"embed\"\n\n//go:embed a.html all:web \"b c.txt\"\nvar x string\n")
	var got []string
	for _, im := range f.Imports[1:] {
		got = append(got, fmt.Sprintf("%d %s %s", im.Line, im.Kind, im.Spec))
	}
	// Quoted names with spaces are not supported.
	want := "5 embed a.html,5 embed web"
	must.Not(t, !strings.HasPrefix(strings.Join(got, ","), want), "got %q, want %q first", got, want)
}

func TestAFileWithSyntaxErrorsIsReadInPart(t *testing.T) {
	f := file("a.go", "package a\n\nimport \"x.org/y\"\n\nfunc F() { y.Z() }\n\nfunc G( {\n")
	if !f.Partial || len(f.Imports) != 1 || !strings.Contains(uses(f), "y.Z") {
		t.Errorf("partial %v, %d imports, uses %s", f.Partial, len(f.Imports), uses(f))
	}
	if f := file("a.go", ""); !f.Partial {
		t.Error("an empty file has no package")
	}
}

func TestOfAVeryLargeFileOnlyTheImportsAreRead(t *testing.T) {
	f := file("a.go", "package a\n\nimport \"x.org/y\"\n\nvar x = y.Z\n"+strings.Repeat("// filler filler filler filler\n", 80_000))
	must.Not(t, !f.ImportsOnly || f.Partial || len(f.Imports) != 1 || len(f.Decls) != 0 || f.Unit != "a", "%+v", f)
}

// FuzzFile checks that no source makes the scanner fail, and that lines are within the file and
// ascend.
func FuzzFile(f *testing.F) {
	f.Add("package a\nimport . \"b\"\ntype T[P any] struct{ P }\nfunc (t *T[P]) m() { x := T[int]{a: b}; switch y := x.(type) { case int: go y.z() } }")
	f.Add("//go:build !linux\npackage a; var x = []struct{ a int }{{a: 1}}; func f() { for range x { select { default: } } }")
	f.Add("package a; func f() { if ; ; { } else if x := ")
	f.Fuzz(func(t *testing.T, src string) {
		facts := file("a_test.go", src)
		last := 0
		for _, d := range facts.Decls {
			must.Stop(t, d.Line < last || d.End < d.Line || d.Name == "", "%+v after line %d", d, last)
			last = d.Line
		}
		for _, u := range facts.Uses {
			must.Stop(t, u.Name == "" || len(u.Lines) == 0 || !slices.IsSorted(u.Lines), "%+v", u)
		}
	})
}
