package ts

import (
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// Roles holds the configurations of test runners in one state of a tree.
type Roles struct{ rules []rule }

// rule is one runner's configuration: the files below a directory that it runs.
type rule struct {
	dir   string
	globs []glob.Pattern
	not   []glob.Pattern // excluded from globs
}

// NewRoles reads the configurations of test runners in a tree.
func NewRoles(t lang.Tree) *Roles {
	r := &Roles{}
	for _, f := range t.Files {
		if !IsConfig(f) && path.Base(f) != manifest {
			continue
		}
		data, ok := t.Read(f)
		if !ok || len(data) > maxConfig {
			continue
		}
		found := rule{dir: path.Dir(f)}
		for _, text := range patterns(f, data) {
			text, without := strings.CutPrefix(text, "!")
			p, err := glob.Compile(text)
			switch {
			case err != nil || len(found.globs)+len(found.not) == maxGlobs:
			case without:
				found.not = append(found.not, p)
			default:
				found.globs = append(found.globs, p)
			}
		}
		if len(found.globs) > 0 && len(r.rules) < maxRules {
			r.rules = append(r.rules, found)
		}
	}
	return r
}

// Limits on the configurations of test runners.
const (
	maxConfig = 256 << 10 // bytes per configuration
	maxGlobs  = 100       // patterns per configuration
	maxRules  = 500       // configurations
)

// Role returns the role of a file; facts is nil when it was not read.
func (r *Roles) Role(p string, facts *lang.Facts) lang.Role {
	place := OfPath(p)
	if facts == nil {
		return place
	}
	exported := exports(p, facts)
	switch {
	case facts.RunsTests && (!exported || place == lang.Test):
		return lang.Test
	case IsConfig(p):
		return lang.Production
	case exported && lex.OfFile(p)&lex.Component == 0:
		return min(place, lang.Support)
	case place == lang.Test || len(facts.Imports) > 0 && !inFixtures(p) && r.names(p):
		return lang.Test
	}
	return place
}

// exports reports whether a file exports something. Types that comments in JavaScript declare do not
// count: those of tests do that, too.
func exports(p string, facts *lang.Facts) bool {
	inComments := lex.OfFile(p) == lex.Script
	return slices.ContainsFunc(facts.Exports, func(x lang.Export) bool { return !x.TypeOnly || !inComments })
}

// inFixtures reports whether a file is a test fixture. Configurations there are fixtures, too:
// the tests of a runner have many that name everything below them.
func inFixtures(p string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(dir string) bool {
		return dir == "fixture" || dir == "fixtures" || dir == "__fixtures__"
	})
}

// names reports whether a runner's configuration names a file as a test.
func (r *Roles) names(p string) bool {
	return slices.ContainsFunc(r.rules, func(x rule) bool {
		rel := p
		if x.dir != "." {
			var below bool
			if rel, below = strings.CutPrefix(p, x.dir+"/"); !below {
				return false
			}
		}
		matches := func(g glob.Pattern) bool { return g.Match(rel) }
		return slices.ContainsFunc(x.globs, matches) && !slices.ContainsFunc(x.not, matches)
	})
}

// marks are the parts of a name that mark a test.
var marks = []string{".test.", ".spec.", "_test.", "_spec.", "-test.", "-spec.", ".e2e.", ".e2e-spec.", ".test-d.", ".cy.", ".vitest.", ".unit.", ".tst."}

// Subject returns the name of a test without its mark: url for url.test.ts, url-test.js,
// urlSpec.js and test-url.js.
func Subject(test string) string {
	name := strings.TrimSuffix(path.Base(test), path.Ext(test))
	for _, mark := range [...]string{"test-d", "tests", "test", "specs", "e2e-spec", "spec", "e2e", "cy", "vitest", "unit", "tst"} {
		rest, ok := strings.CutSuffix(name, mark)
		if n := len(rest); ok && n > 1 && strings.IndexByte(".-_", rest[n-1]) >= 0 {
			return rest[:n-1]
		}
		rest, ok = strings.CutSuffix(name, strings.ToUpper(mark[:1])+mark[1:])
		if ok && rest != "" {
			return rest
		}
	}
	for _, mark := range [...]string{"test-", "test_"} {
		if rest, ok := strings.CutPrefix(name, mark); ok && rest != "" {
			return rest
		}
	}
	return name
}

// OfPath returns the role that a path alone implies: Test when the name is marked as one, Support
// when the file is among tests.
func OfPath(p string) lang.Role {
	base := path.Base(p)
	for _, mark := range marks {
		if strings.Contains(base, mark) && lex.OfFile(p)&lex.Module != 0 {
			return lang.Test
		}
	}
	if stem, _, _ := strings.Cut(base, "."); stem == "test" || stem == "tests" || stem == "spec" {
		return lang.Support
	}
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		switch dir {
		case "test", "tests", "__tests__", "__test__", "spec", "specs", "__specs__", "e2e", "cypress", "__mocks__", "__fixtures__", "test-utils", "test-d":
			return lang.Support
		}
	}
	return lang.Production
}
