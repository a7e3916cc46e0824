package acceptance

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/coctostan/pictx/internal/must"
)

func TestEveryStatementIsHeldAndEveryClaimNamesOne(t *testing.T) {
	pages, problems, err := Read(os.DirFS("../.."))
	must.Do(t, err)
	for _, p := range problems {
		t.Error(p)
	}
	statements := 0
	for _, p := range pages {
		for _, s := range p.Statements {
			statements++
			if s.Missing() {
				t.Errorf("no test holds %s %d: %s", p.Name, s.Number, s.Title)
			}
		}
	}
	must.Not(t, statements < 58, "only %d statements were read", statements)
}

// module is a small module with a list and tests.
func module(list, test, script string) fstest.MapFS {
	return fstest.MapFS{
		"testdata/acceptance/prune.txt":  {Data: []byte(list)},
		"core/a_test.go":                 {Data: []byte("package core\n\n" + test)},
		"testdata/script/a.txtar":        {Data: []byte(script)},
		".hidden/b_test.go":              {Data: []byte("no Go")},
		"testdata/script/more/not.txtar": {Data: []byte("# Holds prune 1.\n")},
	}
}

func TestClaimsAreReadFromTestsAndScripts(t *testing.T) {
	const list = "# a list\n\n1 one\n2 two\n3 three | overruled: the other way is better\n4 four\n5 five | not yet: half of it\n"
	pages, problems, err := Read(module(list,
		"// TestOne is one.\n//\n// Holds prune 1, 2.\nfunc TestOne() {}\n\n// Holds prune 4.\nfunc helper() {}\n",
		"# a script\n# Holds prune 1.\n\npictx\n# Holds prune 4.\n"))
	must.Stop(t, err != nil || len(problems) > 0 || len(pages) != 1 || len(pages[0].Statements) != 5, "%+v, %q, %v", pages, problems, err)
	s := pages[0].Statements
	must.Equal(t, strings.Join(s[0].Tests, "; "), "core TestOne; testdata/script/a.txtar", "1 is held by")
	if len(s[1].Tests) != 1 || s[1].Missing() {
		t.Errorf("2: %+v", s[1])
	}
	if s[2].Title != "three" || s[2].Overruled != "the other way is better" || s[2].Missing() {
		t.Errorf("3: %+v", s[2])
	}
	if !s[3].Missing() {
		t.Errorf("a helper or a comment further down holds 4: %+v", s[3])
	}
	if s[4].Title != "five" || s[4].Pending != "half of it" || s[4].Missing() {
		t.Errorf("5: %+v", s[4])
	}
}

func TestClaimsOfUnknownStatementsAreReported(t *testing.T) {
	_, problems, err := Read(module("1 one\n", "// Holds prune 1, 2, 1.\n// Holds other 1.\nfunc FuzzOne() {}\n", ""))
	must.Not(t, err != nil || len(problems) != 3, "%q, %v", problems, err)
}

func TestAPageWithoutAListHoldsTheClaimedStatements(t *testing.T) {
	pages, problems, err := Read(module("1 one\n", "// Holds prune 1.\n// Holds kota 7, 3.\nfunc TestOne() {}\n", "# Holds kota 7.\n"))
	must.Stop(t, err != nil || len(problems) > 0 || len(pages) != 2 || !pages[0].Listed || pages[1].Listed, "%+v, %q, %v", pages, problems, err)
	s := pages[1].Statements
	must.Not(t, len(s) != 2 || s[0].Number != 3 || len(s[1].Tests) != 2, "%+v", s)
}

func TestAListOrAClaimThatCannotBeReadIsAnError(t *testing.T) {
	for name, m := range map[string]fstest.MapFS{
		"a gap":             module("1 one\n3 three\n", "", ""),
		"no number":         module("one\n", "", ""),
		"no title":          module("1\n", "", ""),
		"no full stop":      module("1 one\n", "// Holds prune 1\nfunc TestOne() {}\n", ""),
		"no page":           module("1 one\n", "// Holds 1.\nfunc TestOne() {}\n", ""),
		"in a script":       module("1 one\n", "", "# Holds prune one.\n"),
		"what is no Go":     module("1 one\n", "func {", ""),
		"a range of claims": module("1 one\n", "// Holds prune 1-3.\nfunc TestOne() {}\n", ""),
	} {
		_, _, err := Read(m)
		must.Not(t, err == nil, "%s: no error", name)
	}
}
