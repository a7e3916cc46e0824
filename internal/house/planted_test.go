package house

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/internal/must"
)

// planted parses a module in txtar's form. A file without a package clause gets one.
func planted(t *testing.T, text string) []file {
	t.Helper()
	var all []file
	for _, f := range txtar.Parse([]byte(text)).Files {
		src := string(f.Data)
		if !strings.Contains(src, "package ") {
			src = "package x\n" + src
		}
		parsed := must.Get(parse(f.Name, src))(t)
		all = append(all, parsed)
	}
	return all
}

// methods declares n methods of a type T.
func methods(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("func (t *T[A]) M" + strings.Repeat("a", i) + "() {}\n")
	}
	return b.String()
}

// branches is a function of the given complexity.
func branches(n int) string {
	return "func f(a bool) {\n" + strings.Repeat("if a {}\n", n-1) + "}\n"
}

func TestGaugesFindPlantedFaults(t *testing.T) {
	found := map[string]bool{"package variables that can change": true} // TestStateIsFound
	for _, c := range []struct {
		gauge string
		name  string
		text  string
		want  string // the places at fault, in order
	}{
		{"lines of a package", "a package at the limit", "-- a/a.go --\n" + strings.Repeat("\n", 2499) + "-- a/b.go --\n" + strings.Repeat("\n", 2499), ""},
		{"lines of a package", "a package above the limit", "-- a/a.go --\n" + strings.Repeat("\n", 2500) + "-- a/b.go --\n" + strings.Repeat("\n", 2499), "a"},
		{"lines of a package", "packages below each other", "-- a/a.go --\n" + strings.Repeat("\n", 3000) + "-- a/b/b.go --\n" + strings.Repeat("\n", 3000), ""},
		{"lines of a package", "generated code", "-- a/a.go --\n// Code generated from b. DO NOT EDIT.\n\npackage a\n" + strings.Repeat("\n", 6000), ""},

		{"methods of a type", "a type at the limit", "-- a/a.go --\n" + methods(40), ""},
		{"methods of a type", "a type above the limit", "-- a/a.go --\n" + methods(41), "a.T"},
		{"methods of a type", "in two files", "-- a/a.go --\n" + methods(40) + "-- a/b.go --\nfunc (T[A]) Other() {}\n", "a.T"},
		{"methods of a type", "once for each system", "-- a/a_unix.go --\n" + methods(40) + "-- a/a_other.go --\n" + methods(40), ""},
		{"methods of a type", "two types of one name", "-- a/a.go --\n" + methods(30) + "-- b/b.go --\n" + methods(30), ""},

		{"methods of an interface", "an interface at the limit", "-- a/a.go --\ntype I interface { A(); B(); C(); D(); E(); F(); G(); H(); I(); J() }\n", ""},
		{"methods of an interface", "an interface above the limit", "-- a/a.go --\ntype I interface { A(); B(); C(); D(); E(); F(); G(); H(); I(); J(); K() }\n", "a.I"},
		{"methods of an interface", "with embedded ones", "-- a/a.go --\nimport \"" + module + "/b\"\ntype I interface { A(); B(); C(); D(); b.J }\n" +
			"-- b/b.go --\ntype J interface { E(); F(); K[int] }\n-- b/c.go --\ntype K[A any] interface { G(); H(); I(); L(); M() }\n", "a.I"},
		{"methods of an interface", "with one of the standard library", "-- a/a.go --\nimport \"io\"\ntype I interface { A(); B(); C(); D(); E(); F(); G(); error; io.ReadWriteCloser }\n", "a.I"},
		{"methods of an interface", "with what another has too", "-- a/a.go --\ntype I interface { A(); B(); C(); D(); E(); F(); J }\ntype J interface { A(); B(); C(); D(); E(); F() }\n", ""},
		{"methods of an interface", "with one that is not found", "-- a/a.go --\nimport \"other.org/b\"\ntype I interface { b.J }\n", "a.I"},
		{"methods of an interface", "without a name", "-- a/a.go --\nfunc f(i interface { A(); B(); C(); D(); E(); F(); G(); H(); I(); J(); K() }) {}\n", "a/a.go:2"},
		{"methods of an interface", "a constraint", "-- a/a.go --\ntype N interface { ~int | ~string; comparable }\n", ""},

		{"methods of a port of core", "a port at the limit", "-- core/a/a.go --\ntype I interface { A(); B(); C(); D(); E() }\n", ""},
		{"methods of a port of core", "a port above the limit", "-- core/a/a.go --\ntype I interface { A(); B(); C(); J }\ntype J interface { D(); E(); F() }\n", "core/a.I"},
		{"methods of a port of core", "elsewhere", "-- a/a.go --\ntype I interface { A(); B(); C(); D(); E(); F() }\n", ""},

		{"parameters of a function", "at the limit", "-- a/a.go --\nfunc f(a, b int, c, d, e string) {}\nvar g = func(a, b, c, d, e, f int) {}\n", ""},
		{"parameters of a function", "above the limit", "-- a/a.go --\nfunc f(a, b int, _ bool, c, d, e string) {}\n", "a/a.go f"},
		{"parameters of a function", "without names", "-- a/a.go --\nfunc (t *T) f(int, int, bool, string, string, error) {}\n", "a/a.go T.f"},
		{"parameters of a function", "of an interface", "-- a/a.go --\ntype I interface { F(a, b, c, d, e, f int) }\n", "a/a.go F"},

		{"lines of nine functions out of ten", "one of ten is long", "-- a/a.go --\n" + strings.Repeat("func f() {\n}\n", 9) + "func g() {" + strings.Repeat("\n", 28) + "}\n", ""},
		{"lines of nine functions out of ten", "two of ten are long", "-- a/a.go --\n" + strings.Repeat("func f() {\n}\n", 8) + strings.Repeat("func g() {"+strings.Repeat("\n", 28)+"}\n", 2), "module"},

		{"complexity of a function", "at the limit", "-- a/a.go --\n" + branches(24), ""},
		{"complexity of a function", "above the limit", "-- a/a.go --\n" + branches(25), "a/a.go f"},
		{
			"complexity of a function", "of every kind",
			"-- a/a.go --\nfunc (t *T) f(a, b bool) { _ = func() {" + strings.Repeat("for a && b || a {}\nfor range 3 {}\nswitch { case a: case b: default: }\nselect { case <-c: default: }\n", 4) + "} }\n",
			"a/a.go T.f",
		},

		{"downcasts to a concrete store", "to the store", "-- a/a.go --\nimport \"" + module + "/sqlite\"\nvar _, _ = i.(*sqlite.Store)\n", "a"},
		{"downcasts to a concrete store", "under another name", "-- a/a.go --\nimport db \"" + module + "/sqlite\"\nvar _ = i.(db.Row)\n", "a"},
		{"downcasts to a concrete store", "to what lies below it", "-- a/a.go --\nimport \"" + module + "/sqlite/history\"\nfunc f() { switch i.(type) { case nil, *history.Store: } }\n", "a"},
		{"downcasts to a concrete store", "within it", "-- sqlite/a.go --\ntype Store struct{}\nvar _ = i.(*Store)\n", "sqlite"},
		{"downcasts to a concrete store", "to others", "-- a/a.go --\nimport \"" + module + "/sqlite\"\ntype Store struct{}\nvar _ = i.(*Store)\nvar _ = i.(fmt.Stringer)\nvar s *sqlite.Store\n", ""},
		{"downcasts to a concrete store", "within it, to an interface", "-- sqlite/a.go --\ntype getter interface{}\nvar _ = i.(getter)\nvar _ = i.(string)\n", ""},

		{"clock and standard streams in core", "the clock", "-- core/a/a.go --\nimport \"time\"\nvar now = time.Now\n", "core/a"},
		{"clock and standard streams in core", "a timer", "-- core/a/a.go --\nimport clock \"time\"\nfunc f() { <-clock.After(1) }\n", "core/a"},
		{"clock and standard streams in core", "a deadline", "-- core/a/a.go --\nimport \"context\"\nfunc f() { context.WithTimeout(nil, 1) }\n", "core/a"},
		{"clock and standard streams in core", "printing", "-- core/a/a.go --\nimport \"fmt\"\nfunc f() { fmt.Println() }\n", "core/a"},
		{"clock and standard streams in core", "printing without a package", "-- core/a/a.go --\nfunc f() { println() }\n", "core/a"},
		{"clock and standard streams in core", "a standard stream", "-- core/blob/a.go --\nimport \"os\"\nfunc f() { g(os.Stderr) }\n", "core/blob"},
		{"clock and standard streams in core", "the log", "-- core/a/a.go --\nimport \"log/slog\"\nfunc f() { slog.Info(\"\") }\n", "core/a"},
		{"clock and standard streams in core", "outside core", "-- hooks/a.go --\nimport \"time\"\nvar now = time.Now()\n", ""},
		{
			"clock and standard streams in core", "what is neither",
			"-- core/a/a.go --\nimport (\"time\"; \"fmt\")\nfunc println(time.Time) {}\nfunc f(fmt T) { println(time.UnixMilli(0)); fmt.Println() }\n", "",
		},

		{"uses of files", "reading", "-- a/a.go --\nimport \"os\"\nvar _, _ = os.ReadFile(\"\")\n", "a"},
		{"uses of files", "walking", "-- a/a.go --\nimport \"path/filepath\"\nvar walk = filepath.WalkDir\n", "a"},
		{"uses of files", "what touches none", "-- a/a.go --\nimport (\"os\"; \"path/filepath\")\nvar _, _ = os.Getenv(\"\"), filepath.Join(\"\", os.ErrNotExist.Error())\n", ""},

		{"os in hooks", "in hooks", "-- hooks/a.go --\nimport \"os\"\n", "hooks"},
		{"os in hooks", "below hooks", "-- hooks/a/a.go --\nimport \"os\"\n", "hooks/a"},
		{"os in hooks", "elsewhere", "-- jsonl/a.go --\nimport \"os\"\n-- hooks/a.go --\nimport \"io\"\n", ""},

		{"other processes", "anywhere", "-- jsonl/a.go --\nimport \"os/exec\"\n", "jsonl"},
		{"other processes", "nowhere", "-- jsonl/a.go --\nimport \"os\"\n", ""},

		{"lines of all that is shipped", "the binary", "-- a/a.go --\n-- man/gen.go --\n", "pictx"},
		{"lines of all that is shipped", "benchmarks", "-- bench/a.go --\n-- internal/a/a.go --\n", ""},
		{"packages of all that is shipped", "the binary", "-- a/a.go --\n", "pictx"},
		{"packages of all that is shipped", "tests", "-- internal/a/a.go --\n", ""},
		{"commands", "with a manual page", "", "pictx"},
		{"flags of commands", "in manual pages", "", "pictx"},
	} {
		found[c.gauge] = found[c.gauge] || c.want != ""
		t.Run(c.gauge+"/"+c.name, func(t *testing.T) {
			i := slices.IndexFunc(gauges, func(g gauge) bool { return g.name == c.gauge })
			if i < 0 {
				t.Fatal("there is no such gauge")
			}
			figures := gauges[i].measure(planted(t, c.text))
			maps.DeleteFunc(figures, func(_ string, f figure) bool { return f.n <= gauges[i].max })
			if got := strings.Join(slices.Sorted(maps.Keys(figures)), ", "); got != c.want {
				t.Errorf("%q is above %d, want %q: %v", got, gauges[i].max, c.want, figures)
			}
		})
	}
	for _, g := range gauges {
		if !found[g.name] {
			t.Errorf("nothing shows that the gauge %q finds a fault", g.name)
		}
	}
}
