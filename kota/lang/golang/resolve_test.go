package golang_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/golang"
)

// tree is a tree in memory and the facts of its files.
type tree struct {
	lang.Tree
	facts map[string]*lang.Facts
}

// newTree reads a tree in txtar format. A file whose content is "unlisted: …" exists but is not
// listed.
func newTree(archive string) *tree {
	t := &tree{facts: make(map[string]*lang.Facts)}
	text := make(map[string][]byte)
	var s golang.Scanner
	for _, f := range txtar.Parse([]byte(archive)).Files {
		data, unlisted := strings.CutPrefix(string(f.Data), "unlisted: ")
		text[f.Name] = []byte(data)
		if unlisted {
			continue
		}
		t.Files = append(t.Files, f.Name)
		if strings.HasSuffix(f.Name, ".go") {
			facts := s.File(f.Name, f.Data)
			t.facts[f.Name] = &facts
		}
	}
	slices.Sort(t.Files)
	t.Read = func(p string) ([]byte, bool) { data, ok := text[p]; return data, ok }
	t.Facts = func(p string) (lang.Facts, bool) {
		if f := t.facts[p]; f != nil {
			return *f, true
		}
		return lang.Facts{}, false
	}
	return t
}

// links formats the links of a file as "file kind names", with ? for inferred and - for missing
// ones.
func (t *tree) links(tb testing.TB, from string) []string {
	r := golang.New(tb.Context(), t.Tree)
	var out []string
	for _, im := range r.Link(from, t.facts[from]) {
		to := r.Resolve(from, im)
		if to.Status == lang.Spread || to.Status == lang.Builtin {
			continue
		}
		s := to.Path
		switch {
		case to.Status == lang.External:
			s = "external " + im.Spec
		case to.Status != lang.Found:
			s = "- " + im.Spec
		case to.Inferred:
			s += "?"
		}
		if s += " " + im.Kind.String(); im.Kind != lang.Static {
			for _, n := range im.Names {
				s += " " + n.Imported
			}
		}
		out = append(out, s)
	}
	return out
}

// same compares links with the wanted ones, by file.
func (t *tree) same(tb testing.TB, want map[string][]string) {
	tb.Helper()
	for from, list := range want {
		must.Match(tb, t.links(tb, from), list, "%s", from)
	}
}

func TestAnImportLeadsToTheFilesThatDeclareTheNamesTakenFromIt(t *testing.T) {
	newTree(`
-- go.mod --
module x.org/m
-- a/a.go --
package a

import (
	"fmt"
	"golang.org/x/other"
	"x.org/m/b"
	odd "x.org/m/dir"
	"x.org/m/dir"
)

var _ = fmt.Sprint(b.One, b.Two(), b.Gone, odd.X, strange.Y, other.Z, helper)
-- a/helper.go --
package a

func helper() {}
-- b/one.go --
package b

const One = 1
-- b/two.go --
package b

func Two() {}
-- b/two_test.go --
package b

const Gone = 1
-- dir/x.go --
package strange

const X, Y = 1, 2
`).same(t, map[string][]string{"a/a.go": {
		"external golang.org/x/other import",
		"- x.org/m/b import Gone",
		"b/one.go import One",
		"b/two.go import Two",
		"a/helper.go package helper",
		"dir/x.go import X Y",
	}})
}

func TestABlankImportLeadsToWhatRunsAtTheStartAndADotImportNeedsNoPrefix(t *testing.T) {
	newTree(`
-- go.mod --
module m
-- a.go --
package a

import (
	. "m/dot"
	_ "m/blank"
)

var _ = Dotted
-- dot/d.go --
package dot

const Dotted = 1
-- blank/a.go --
package blank
-- blank/b.go --
package blank

func init() {}
`).same(t, map[string][]string{"a.go": {"dot/d.go import Dotted", "blank/b.go import"}})
}

func TestTestsSeeWhatThePackageAndItsTestsDeclare(t *testing.T) {
	newTree(`
-- go.mod --
module m
-- p/p.go --
package p

var hidden = onlyInTests
-- p/export_test.go --
package p

var Hidden, onlyInTests = hidden, 1
-- p/p_test.go --
package p_test

import "m/p"

var _, _ = p.Hidden, helper
-- p/helper_test.go --
package p_test

var helper = 1
-- q/q.go --
package q

import "m/p"

var _ = p.Hidden
`).same(t, map[string][]string{
		"p/p.go":           {"- . package onlyInTests"},
		"p/export_test.go": {"p/p.go package hidden"},
		"p/p_test.go":      {"p/helper_test.go package helper", "p/export_test.go import Hidden"},
		"q/q.go":           {"- m/p import Hidden"},
	})
}

func TestOneOfTheFilesForDifferentSystemsIsInTheDefaultBuild(t *testing.T) {
	newTree(`
-- go.mod --
module m
-- a.go --
package a

var _, _ = one, elsewhere
-- b_linux.go --
package a

const one = 1
-- b_windows.go --
package a

const one, elsewhere = 1, 2
-- c_windows.go --
package a

var _ = one
-- gen.go --
//go:build ignore

package main

var _ = one
`).same(t, map[string][]string{
		"a.go":         {"b_windows.go package elsewhere", "b_linux.go package one"},
		"c_windows.go": {"b_windows.go package one"},
		"gen.go":       {"- . package one"},
	})
}

func TestMethodsLeadToTheirTypesByNameAlone(t *testing.T) {
	newTree(`
-- go.mod --
module m
-- a/type.go --
package a

type T struct{}
-- a/load.go --
package a

func (t *T) Load() { t.save() }
-- a/save.go --
package a

func (t *T) save() {}
func (t *T) Close() {}
-- b/b.go --
package b

import "m/a"

func F(t a.T, x X) { t.Load(); t.save(); t.Close(); x.Other() }

type X interface{}
-- c/c.go --
package c

func F(x interface{ Load() }) { x.Load() }
`).same(t, map[string][]string{
		"a/type.go": {"a/save.go methods T.Close T.save", "a/load.go methods T.Load"},
		"a/load.go": {"a/save.go? call by name T.save", "a/type.go package T"},
		// Close is too common a name; save is not exported.
		"b/b.go": {"a/load.go? call by name T.Load", "a/type.go import T"},
		"c/c.go": nil,
	})
}

func TestModulesWorkspacesReplacementsAndVendorDirectoriesAreFollowed(t *testing.T) {
	newTree(`
-- go.mod --
module x.org/root

go 1.99

require x.org/lib v1.0.0
require x.org/beside v1.0.0
replace (
	x.org/lib v1.0.0 => ./lib
	"x.org/outside" => ../outside
	x.org/renamed => x.org/other v1.0.0
)
-- root.go --
package root

import (
	"x.org/beside/p"
	"x.org/lib/sub"
	"x.org/outside"
	"x.org/renamed"
	"x.org/root/gone"
	"x.org/root/inner"
	"x.org/vendored/v"
)

var _ = []int{p.P, sub.S, outside.O, renamed.R, gone.G, inner.I, v.V}
-- lib/go.mod --
module x.org/lib

unheard of (
	things
)
-- lib/sub/s.go --
package sub

const S = 1
-- inner/go.mod --
module x.org/elsewhere
-- inner/i.go --
package inner

import "x.org/beside/p"

const I = p.P
-- beside/go.mod --
module x.org/beside
-- beside/p/p.go --
package p

const P = 1
-- work/go.work --
unlisted: go 1.22
-- go.work --
unlisted: go 1.22

use ./inner
use ./beside
-- vendor/modules.txt --
# x.org/vendored v1.0.0
-- vendor/x.org/vendored/v/v.go --
package v

import "x.org/vendored/w"

const V = w.W
-- vendor/x.org/vendored/w/w.go --
package w

const W = 1
`).same(t, map[string][]string{
		"root.go": {
			"external x.org/outside import", "external x.org/renamed import", "- x.org/root/gone import", "- x.org/root/inner import",
			"beside/p/p.go? import P", // the build would take a published version
			"lib/sub/s.go import S",
			"vendor/x.org/vendored/v/v.go import V",
		},
		"inner/i.go":                   {"beside/p/p.go import P"}, // through the workspace
		"vendor/x.org/vendored/v/v.go": {"vendor/x.org/vendored/w/w.go import W"},
	})
}

func TestWhatIsInternalBelongsToThoseAroundIt(t *testing.T) {
	newTree(`
-- go.mod --
module m
-- a/internal/i/i.go --
package i

const I = 1
-- a/b/b.go --
package b

import "m/a/internal/i"

const B = i.I
-- c/c.go --
package c

import "m/a/internal/i"

const C = i.I
`).same(t, map[string][]string{
		"a/b/b.go": {"a/internal/i/i.go import I"},
		"c/c.go":   {"a/internal/i/i.go? import I"}, // the build does not allow it
	})
}

func TestFilesBuiltIntoTheProgramAreTakenByPattern(t *testing.T) {
	newTree(`
-- go.mod --
module m
-- web/web.go --
package web

//go:embed page.html assets
//go:embed *.css
//go:embed gone.*
var files any
-- web/page.html --
-- web/a.css --
-- web/assets/deep/b.js --
-- other/page.html --
`).same(t, map[string][]string{"web/web.go": {
		"- gone.* embed", "web/page.html embed", "web/assets/deep/b.js embed", "web/a.css embed",
	}})
}

func TestLinkingAFileTwiceGivesTheSameLinks(t *testing.T) {
	w := newTree("-- go.mod --\nmodule m\n-- a.go --\npackage a\n\nvar A = b.f()\n-- b.go --\npackage a\n\nvar b T\n\ntype T int\n-- c.go --\npackage a\n\nfunc (T) f() {}\n")
	once := w.links(t, "a.go")
	r := golang.New(t.Context(), w.Tree)
	w.facts["a.go"].Imports = r.Link("a.go", w.facts["a.go"])
	diff := cmp.Diff(once, w.links(t, "a.go"))
	must.Not(t, diff != "" || len(once) != 2, "%q (-once +again):\n%s", once, diff)
}

// Linking takes time linear in the size of a file, and ends with its context.
func TestManyNamesOfOneFileAreLinkedInOnePass(t *testing.T) {
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&a, "var _ = x%d\n", i)
		fmt.Fprintf(&b, "var x%d int\n", i)
	}
	w := newTree("-- go.mod --\nmodule m\n-- a.go --\npackage a\n" + a.String() + "-- b.go --\npackage a\n" + b.String())
	imports := golang.New(t.Context(), w.Tree).Link("a.go", w.facts["a.go"])
	must.Not(t, len(imports) != 1 || len(imports[0].Names) != 20_000, "%d imports", len(imports))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if imports := golang.New(ended, w.Tree).Link("a.go", w.facts["a.go"]); len(imports) > 0 {
		t.Errorf("%d imports after the end", len(imports))
	}
}

// FuzzModules checks that no configuration makes resolving fail or leave the tree.
func FuzzModules(f *testing.F) {
	f.Add("module m\nreplace a => ../../b\nreplace (\n x.org/a v1 => ./b\n)", "use ./a\nuse (\n ..\n)\nreplace x => .", "x.org/a/b")
	f.Add("module \"m\"\nreplace =>", "replace a b c", "m/../..")
	f.Fuzz(func(t *testing.T, mod, work, spec string) {
		w := newTree(fmt.Sprintf("-- a/go.mod --\n-- go.work --\n-- a/b/c.go --\npackage b\n-- a/d.go --\npackage a\n\nimport x %q\n\nvar _ = x.Y\n", spec))
		w.Read = func(p string) ([]byte, bool) {
			if p == "go.work" {
				return []byte(work), true
			}
			return []byte(mod), p == "a/go.mod"
		}
		r := golang.New(t.Context(), w.Tree)
		for _, im := range r.Link("a/d.go", w.facts["a/d.go"]) {
			if to := r.Resolve("a/d.go", im); to.Status == lang.Found && !slices.Contains(w.Files, to.Path) {
				t.Fatalf("%q leads to %q", spec, to.Path)
			}
		}
	})
}
