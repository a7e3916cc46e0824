package index_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// shop is a small project with the difficult cases.
const shop = `
-- package.json --
{ "workspaces": ["packages/*"] }
-- tsconfig.json --
{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "paths": { "@/*": ["./src/*"] } } }
-- packages/money/package.json --
{ "name": "@shop/money", "exports": { ".": "./dist/index.js" } }
-- packages/money/src/index.ts --
export class Money {
  constructor(public cents: number) {}
  add(other: Money) { return new Money(this.cents + other.cents) }
}
export enum Currency { EUR, USD }
export default function format(m: Money) { return m.cents }
-- src/cart.ts --
import { Money as M, Currency } from '@shop/money'
import format from '@shop/money'
export type Line = { price: M; currency: Currency }
export class Cart extends Base<M> {
  total = new M(0)
  add(line: Line) { return this.total.add(line.price) }
}
export const first = (a: Map<string, M>) => format(a.get(Currency.EUR))
-- src/index.ts --
export * from './cart'
export { first as start } from './cart'
export * as all from './cart'
-- src/page.tsx --
import { Cart, all, start } from '@/index'
import * as shop from '.'
import type { Line } from './cart'
import React, { useState } from 'react'
export const Page = () => <Cart line={all.first} of={shop.Cart} on={start} state={useState} />
-- src/lazy.ts --
export const page = () => import('./page').then((m) => m.Page)
import './missing'
import(name)
-- src/a.ts --
import { b } from './b'
export const a = b
export type A = 1
-- src/b.ts --
import { a } from './a'
export const b = a
-- src/t1.ts --
import type { T2 } from './t2'
export type T1 = T2
-- src/t2.ts --
import { type T1 } from './t1'
export type T2 = T1
-- src/latest.ts --
import { Cart } from './index'
export class Money {}
-- test/cart.test.ts --
import { Cart } from '../src'
new Cart()
-- test/page.test.tsx --
import { Page } from '../src/page'
-- src/cart.css --
-- src/view.vue --
<script setup>
import { Cart } from './cart'
import './cart.css'
</script>
<template><cart /></template>
`

func usages(t *testing.T, e *index.Engine, q kota.UsagesQuery) []string {
	t.Helper()
	q.Tests = true
	u := must.Get(e.Usages(t.Context(), q))(t)
	var out []string
	for _, x := range u.List {
		s := x.File
		if x.Import > 0 {
			s += fmt.Sprintf(" import %d", x.Import)
		}
		if x.As != "" {
			s += " as " + x.As
		}
		if len(x.Lines) > 0 {
			s += fmt.Sprint(" ", x.Lines)
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// Holds kota 43, 45, 46.
func TestUsagesReportTheirConfidence(t *testing.T) {
	t.Parallel()
	e := newWorld(t, shop).open()
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Money"})
	if err != nil || len(u.Candidates) != 2 || u.Candidates[0].File != "packages/money/src/index.ts" || u.Total != 0 {
		t.Errorf("two classes of that name: %+v, %v", u, err)
	}
	u, err = e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.add"})
	must.Not(t, err != nil || u.Confidence != "name" || u.Total == 0, "a member of a class: %+v, %v", u, err)
	u, err = e.Usages(t.Context(), kota.UsagesQuery{Symbol: "useState"})
	must.Not(t, err != nil || u.External != "react" || u.Total != 2 || u.Definition != nil, "what a package declares: %+v, %v", u, err)
	_, err = e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Crat"})
	var unknown *kota.UnknownSymbolError
	must.Not(t, !errors.As(err, &unknown) || !slices.Contains(unknown.Nearest, "Cart"), "nothing of that name: %v", err)
}

// Holds kota 29, 39, 40.
func TestDependentsIncludeThoseThroughBarrels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	e := w.open()
	want := []string{"src/latest.ts via src/index.ts", "src/page.tsx", "src/view.vue", "src/index.ts", "test/cart.test.ts via src/index.ts"}
	got := w.dependents(e, "src/cart.ts")
	slices.Sort(got)
	slices.Sort(want)
	must.Match(t, got, want, "")
	d := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts", Dependents: true, Dependencies: true, Depth: 1}))(t)
	s := d.Dependents
	must.Not(t, s.Total != 5 || s.Direct != 3 || s.ViaBarrels != 2 || s.Tests != 1 || len(s.List) != 4, "totals %+v", s)
	l := d.Dependencies.List
	must.Not(t, len(l) != 1 || !l[0].Inferred || d.Dependencies.Inferred != 1, "an import of what is not built is not inferred: %+v", l)
}

func TestDependentsThatManyFilesImportComeFirstAndExamplesLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- src/core.ts --\nexport const core = 1\n")
	for i := range 6 {
		w.write(fmt.Sprintf("examples/e%d/main.ts", i), "import { core } from '../../src/core'\ncore")
		w.write(fmt.Sprintf("benchmarks/b%d.ts", i), "import { core } from '../src/core'\ncore")
		w.write(fmt.Sprintf("src/a%d.ts", i), "import { core } from './core'\ncore")
		w.write(fmt.Sprintf("src/far%d.ts", i), "import { hub } from './hub'\nhub")
	}
	w.write("src/hub.ts", "import { core } from './core'\nexport const hub = core")
	e := w.open()
	d := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: "src/core.ts", Dependents: true}))(t)
	var order []string
	for _, x := range d.Dependents.List {
		order = append(order, strings.SplitN(x.File, "/", 2)[0])
	}
	must.Not(t, d.Dependents.List[0].File != "src/hub.ts" || !slices.Equal(slices.Compact(order), []string{"src", "benchmarks", "examples"}), "%+v", d.Dependents.List)
	// For a question about an example, examples are not ranked down.
	w.write("examples/e0/part.ts", "import './main'")
	w.write("src/z.ts", "import '../examples/e0/main'")
	w.write("examples/e0/main.ts", "import { core } from '../../src/core'\ncore\nexport const m = 1")
	d, err := w.open().Deps(t.Context(), kota.DepsQuery{File: "examples/e0/main.ts", Dependents: true})
	if err != nil || d.Dependents.List[0].File != "examples/e0/part.ts" {
		t.Errorf("%+v, %v", d.Dependents, err)
	}
}

// Holds kota 33, 37, 40.
func TestDepsReportMissingImportsAndCycles(t *testing.T) {
	t.Parallel()
	e := newWorld(t, shop).open()
	d := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: "src/lazy.ts", Dependencies: true, Depth: 1}))(t)
	want := []kota.Missing{{Line: 2, Spec: "./missing"}, {Line: 3, Spec: "(computed)"}}
	must.Match(t, d.Unresolved, want, "")
	d, _ = e.Deps(t.Context(), kota.DepsQuery{File: "src/a.ts", Dependents: true, Dependencies: true, Depth: 5})
	if d.InCycle != 2 || len(d.Dependents.List) != 1 || d.Dependents.List[0].File != "src/b.ts" {
		t.Errorf("a file in a cycle: %+v, %+v", d, d.Dependents)
	}
	d, _ = e.Deps(t.Context(), kota.DepsQuery{File: "src/page.tsx", Dependencies: true, Depth: 1})
	must.Match(t, d.External, []string{"react"}, "packages")
	d, _ = e.Deps(t.Context(), kota.DepsQuery{File: "src/view.vue", Dependencies: true, Depth: 1})
	must.Equal(t, len(d.Dependencies.List), 2, "a component and its style: %+v", d.Dependencies.List)
}

// Holds kota 41.
func TestDepthCountsTheShortestWay(t *testing.T) {
	t.Parallel()
	e := newWorld(t, "-- a.ts --\nimport './b'\nimport './c'\n-- b.ts --\nimport './c'\n-- c.ts --\nimport './d'\n-- d.ts --\nimport './a'\n").open()
	d := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: "a.ts", Dependencies: true, Depth: 5}))(t)
	got := map[string]int{}
	for _, x := range d.Dependencies.List {
		got[x.File] += x.Distance
	}
	diff := cmp.Diff(map[string]int{"b.ts": 1, "c.ts": 1, "d.ts": 2}, got)
	must.Not(t, diff != "", "(-want +got):\n%s", diff)
}

// Holds kota 38.
func TestAFileIsFoundByEverySpellingOfItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	e := w.open()
	for _, name := range []string{"src/cart.ts", "./src/cart.ts", "src/cart", `src\cart.ts`, w.path("src/cart.ts"), w.path("src/cart"), "src/../src/cart"} {
		got, err := e.Find(name)
		must.Not(t, got != "src/cart.ts", "%s: %q, %v", name, got, err)
	}
	if got, _ := e.Find("src"); got != "src/index.ts" {
		t.Errorf("a directory: %q", got)
	}
	_, err := e.Find("src/crat.ts")
	var unknown *kota.UnknownFileError
	if !errors.As(err, &unknown) || len(unknown.Nearest) == 0 || len(unknown.Nearest) > 3 || unknown.Nearest[0] != "src/cart.ts" {
		t.Errorf("a name that nothing has: %v", err)
	}
}

// Holds kota 40.
func TestCyclesAreListedOnceAndThoseOfTypesApart(t *testing.T) {
	t.Parallel()
	e := newWorld(t, shop).open()
	c := must.Get(e.Cycles(t.Context()))(t)
	want := []kota.Cycle{{Files: []string{"src/a.ts", "src/b.ts"}}, {Files: []string{"src/t1.ts", "src/t2.ts"}, TypeOnly: true}}
	diff := cmp.Diff(want, c.List)
	must.Not(t, diff != "" || c.Total != 1 || c.TypeOnly != 1 || c.Groups != 1 || c.Files != 2, "%+v (-want +got):\n%s", c, diff)
}

// Holds kota 47, 48, 49.
func TestImpactNamesTestsBreaksAndReasons(t *testing.T) {
	t.Parallel()
	e := newWorld(t, shop).open()
	im := must.Get(e.Impact(t.Context(), kota.ImpactQuery{Modify: []string{"src/cart.ts"}, Delete: []string{"src/a.ts"}, Create: []string{"src/b.ts", "src/cart.tsx", "src/new.ts"}}))(t)
	var tests []string
	for _, x := range im.Tests {
		tests = append(tests, fmt.Sprint(x.File, " ", x.Distance))
	}
	must.Match(t, tests, []string{"test/cart.test.ts 1", "test/page.test.tsx 2"}, "tests")
	must.Match(t, im.Broken, []kota.Missing{{File: "src/b.ts", Line: 1, Spec: "./a"}}, "breaks")
	if len(im.Clashes) != 2 || !strings.HasPrefix(im.Clashes[0], "src/b.ts exists") || !strings.HasPrefix(im.Clashes[1], "src/cart.tsx") || !strings.Contains(im.Clashes[1], "src/cart.ts") {
		t.Errorf("clashes %q", im.Clashes)
	}
	if im.Risk != "high" || len(im.Reasons) < 3 || im.Reasons[0] != "1 import breaks" || im.Total != 6 || im.TestTotal != 2 {
		t.Errorf("risk %s because %q, %d and %d", im.Risk, im.Reasons, im.Total, im.TestTotal)
	}
	used := map[string]int{}
	for _, x := range im.Exports {
		used[x.Name] = x.Used
	}
	must.Not(t, used["Cart"] != 4 || used["first"] != 1 || used["Line"] != 1, "surface %v", used)
}

// Holds kota 50, 51, 52.
func TestSearchTakesTextAsItIs(t *testing.T) {
	t.Parallel()
	e := newWorld(t, "-- a.ts --\nconst asPromise = 'a%b*\"c'\nlet promise = 1 // 🚀\n-- src/b.tsx --\nexport class PromiseLike { thePromise() {} }\n-- b.test.ts --\npromise()\n").open()
	for _, c := range []struct {
		q    kota.SearchQuery
		want string
	}{
		{kota.SearchQuery{Text: "Promise", Tests: true}, "a.ts:1 src/b.tsx:1"},
		{kota.SearchQuery{Text: "promise", Tests: true}, "a.ts:1 a.ts:2 src/b.tsx:1 b.test.ts:1"},
		{kota.SearchQuery{Text: "promise"}, "a.ts:1 a.ts:2 src/b.tsx:1"},
		{kota.SearchQuery{Text: "promise", Globs: []string{"*.tsx"}}, "src/b.tsx:1"},
		{kota.SearchQuery{Text: "promise", Globs: []string{"src/**"}}, "src/b.tsx:1"},
		{kota.SearchQuery{Text: "promise", Exclude: []string{"src"}}, "a.ts:1 a.ts:2"},
		{kota.SearchQuery{Text: `a%b*"c`}, "a.ts:1"},
		{kota.SearchQuery{Text: "🚀"}, "a.ts:2"},
		{kota.SearchQuery{Text: "1 // "}, "a.ts:2"},
		{kota.SearchQuery{Text: "let.*1", Regex: true}, "a.ts:2"},
		{kota.SearchQuery{Text: "let.*1"}, ""},
		{kota.SearchQuery{Text: "promise", Symbols: true}, "a.ts:2 a.ts:1 src/b.tsx:1 src/b.tsx:1"},
		{kota.SearchQuery{Text: "PromiseLike", Symbols: true}, "src/b.tsx:1"},
	} {
		h := must.Get(e.Search(t.Context(), c.q))(t)
		var got []string
		for _, x := range h.List {
			got = append(got, fmt.Sprintf("%s:%d", x.File, x.Line))
		}
		if s := strings.Join(got, " "); s != c.want || h.Total != len(got) {
			t.Errorf("%+v: %s, want %s", c.q, s, c.want)
		}
	}
	for _, q := range []kota.SearchQuery{{Text: ""}, {Text: "(", Regex: true}, {Text: "a", Globs: []string{"["}}} {
		_, err := e.Search(t.Context(), q)
		must.Not(t, err == nil, "%+v: no error", q)
	}
}

func TestTheMapBeginsWithWhatMattersMost(t *testing.T) {
	t.Parallel()
	e := newWorld(t, shop).open()
	m, err := e.Map(t.Context(), kota.MapQuery{})
	must.Not(t, err != nil || m.Total != len(m.List) || len(m.List) == 0 || m.List[0].File != "packages/money/src/index.ts", "%+v, %v", m, err)
	m, _ = e.Map(t.Context(), kota.MapQuery{Focus: []string{"src/t1.ts"}})
	if !strings.HasPrefix(m.List[0].File, "src/t") {
		t.Errorf("around t1: %+v", m.List[0])
	}
}

func TestAGraphHasTheImportsBetweenItsFiles(t *testing.T) {
	t.Parallel()
	e := newWorld(t, shop).open()
	g := must.Get(e.Graph(t.Context(), kota.GraphQuery{File: "src/a", Depth: 1}))(t)
	want := kota.Graph{Project: g.Project, File: "src/a.ts", Total: 2, Nodes: []string{"src/a.ts", "src/b.ts"}, Edges: []kota.GraphEdge{{From: "src/a.ts", To: "src/b.ts"}, {From: "src/b.ts", To: "src/a.ts"}}}
	must.Match(t, g, want, "")
}

// steps is a context that counts how often it is asked whether it has ended: once for each file
// whose exports are followed.
type steps struct {
	context.Context
	n int
}

func (s *steps) Err() error {
	s.n++
	return s.Context.Err()
}

// A file may be used through hundreds of others that export it again.
func TestContextFollowsTheExportsOfAFileOnce(t *testing.T) {
	w := newWorld(t, "-- a.ts --\nexport const a = 1\n-- b.ts --\nexport * from './a'\n-- c.ts --\nexport * from './b'\n-- d.ts --\nimport { a } from './c'\nconst x = a\n")
	deps, brief := &steps{Context: t.Context()}, &steps{Context: t.Context()}
	d := must.Get(w.open().Deps(deps, kota.DepsQuery{File: "a.ts", Dependents: true}))(t)
	b, err := w.open().Context(brief, kota.ContextQuery{Files: []string{"a.ts"}})
	if err != nil || b.Impacted != 3 || d.Dependents.ViaBarrels != 2 {
		t.Fatalf("%+v, %+v, %v", b, d.Dependents, err)
	}
	if deps.n < 3 || brief.n > deps.n {
		t.Errorf("deps follows %d files, context %d", deps.n, brief.n)
	}
}

// filesOf lists the files of a list of dependencies.
func filesOf(list []kota.Dep) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.File)
	}
	return out
}
