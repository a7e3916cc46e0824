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

// Each gauge finds a fault that was planted, and nothing where there is none.
func TestGaugesFindPlantedFaults(t *testing.T) {
	found := map[string]bool{"package variables that can change": true} // TestStateIsFound
	for _, c := range []struct {
		gauge       string
		sound, text string
		want        string // the places at fault in text
	}{
		{"lines of a package", "-- a/a.go --\n" + strings.Repeat("\n", 3000) + "-- a/b/b.go --\n" + strings.Repeat("\n", 3000), "-- a/a.go --\n" + strings.Repeat("\n", 2500) + "-- a/b.go --\n" + strings.Repeat("\n", 2499), "a"},
		{"lines of a package", "-- a/a.go --\n// Code generated from b. DO NOT EDIT.\n\npackage a\n" + strings.Repeat("\n", 6000), "-- a/a.go --\n" + strings.Repeat("\n", 5000), "a"},
		{"methods of a type", "-- a/a_unix.go --\n" + methods(40) + "-- a/a_other.go --\n" + methods(40), "-- a/a.go --\n" + methods(40) + "-- a/b.go --\nfunc (T[A]) Other() {}\n", "a.T"},
		{"methods of an interface", "-- a/a.go --\ntype I interface { A(); B(); C(); D(); E(); F(); G(); H(); I(); J() }\n", "-- a/a.go --\ntype I interface { A(); B(); C(); D(); E(); F(); G(); H(); I(); J(); K() }\n", "a.I"},
		{
			"methods of an interface", "-- a/a.go --\ntype N interface { ~int | ~string; comparable }\n",
			"-- a/a.go --\nimport \"" + module + "/b\"\ntype I interface { A(); B(); C(); D(); b.J }\n-- b/b.go --\ntype J interface { E(); F(); K }\n-- b/c.go --\ntype K interface { G(); H(); I(); L(); M() }\n", "a.I",
		},
		{"methods of a port of core", "-- a/a.go --\ntype I interface { A(); B(); C(); D(); E(); F() }\n", "-- core/a/a.go --\ntype I interface { A(); B(); C(); J }\ntype J interface { D(); E(); F() }\n", "core/a.I"},
		{"parameters of a function", "-- a/a.go --\nfunc f(a, b int, c, d, e string) {}\nvar g = func(a, b, c, d, e, f int) {}\n", "-- a/a.go --\nfunc (t *T) f(int, int, bool, string, string, error) {}\n", "a/a.go T.f"},
		{"parameters of a function", "", "-- a/a.go --\ntype I interface { F(a, b, c, d, e, f int) }\n", "a/a.go F"},
		{"lines of nine functions out of ten", "-- a/a.go --\n" + strings.Repeat("func f() {\n}\n", 9) + "func g() {" + strings.Repeat("\n", 28) + "}\n", "-- a/a.go --\n" + strings.Repeat("func f() {\n}\n", 8) + strings.Repeat("func g() {"+strings.Repeat("\n", 28)+"}\n", 2), "module"},
		{"complexity of a function", "-- a/a.go --\n" + branches(24), "-- a/a.go --\n" + branches(25), "a/a.go f"},
		{"complexity of a function", "", "-- a/a.go --\nfunc (t *T) f(a, b bool) { _ = func() {" + strings.Repeat("for a && b || a {}\nfor range 3 {}\nswitch { case a: case b: default: }\nselect { case <-c: default: }\n", 4) + "} }\n", "a/a.go T.f"},
		{
			"downcasts to a concrete store", "-- a/a.go --\nimport \"" + module + "/sqlite\"\ntype Store struct{}\nvar _ = i.(*Store)\nvar _ = i.(fmt.Stringer)\nvar s *sqlite.Store\n",
			"-- a/a.go --\nimport \"" + module + "/sqlite/history\"\nfunc f() { switch i.(type) { case nil, *history.Store: } }\n-- sqlite/a.go --\ntype Store struct{}\nvar _ = i.(*Store)\n", "a, sqlite",
		},
		{"clock and standard streams in core", "-- hooks/a.go --\nimport \"time\"\nvar now = time.Now()\n", "-- core/a/a.go --\nimport \"time\"\nvar now = time.Now\n-- core/b/b.go --\nfunc f() { println() }\n-- core/c/c.go --\nimport \"os\"\nfunc f() { g(os.Stderr) }\n-- core/d/d.go --\nimport \"log/slog\"\nfunc f() { slog.Info(\"\") }\n", "core/a, core/b, core/c, core/d"},
		{"uses of files", "-- a/a.go --\nimport (\"os\"; \"path/filepath\")\nvar _, _ = os.Getenv(\"\"), filepath.Join(\"\", os.ErrNotExist.Error())\n", "-- a/a.go --\nimport \"os\"\nvar _, _ = os.ReadFile(\"\")\n-- b/b.go --\nimport \"path/filepath\"\nvar walk = filepath.WalkDir\n", "a, b"},
		{"os in hooks", "-- jsonl/a.go --\nimport \"os\"\n-- hooks/a.go --\nimport \"io\"\n", "-- hooks/a.go --\nimport \"os\"\n-- hooks/a/a.go --\nimport \"os\"\n", "hooks, hooks/a"},
		{"other processes", "-- jsonl/a.go --\nimport \"os\"\n", "-- jsonl/a.go --\nimport \"os/exec\"\n", "jsonl"},
		{"lines of all that is shipped", "-- bench/a.go --\n-- internal/a/a.go --\n", "-- a/a.go --\n-- man/gen.go --\n", whole},
		{"packages of all that is shipped", "-- internal/a/a.go --\n", "-- a/a.go --\n", whole},
	} {
		found[c.gauge] = true
		i := slices.IndexFunc(gauges, func(g gauge) bool { return g.name == c.gauge })
		if i < 0 {
			t.Fatalf("there is no gauge %q", c.gauge)
		}
		for text, want := range map[string]string{c.sound: "", c.text: c.want} {
			figures := gauges[i].measure(planted(t, text))
			maps.DeleteFunc(figures, func(_ string, f figure) bool { return f.n <= gauges[i].max })
			must.Equal(t, strings.Join(slices.Sorted(maps.Keys(figures)), ", "), want, "%s: what is above %d", c.gauge, gauges[i].max)
		}
	}
	for _, g := range gauges {
		pages := g.name == "commands" || g.name == "flags of commands"
		must.Not(t, !found[g.name] && !pages, "nothing shows that the gauge %q finds a fault", g.name)
	}
}
