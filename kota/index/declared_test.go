package index_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// wholeNamespace is a package that exports a function and a namespace of its name as a whole.
const wholeNamespace = `
-- package.json --
{ "name": "shop", "types": "shop.d.ts" }
-- parts.d.ts --
export interface Part { n: number }
-- shop.d.ts --
import { Part } from './parts'
declare function shop(o: shop.Options): void
declare namespace shop {
  type Options = { part: Part }
  export type Price = number
  export { Part, shop, shop as default }
  export const rate: Price
}
declare class Price {}
export = shop
-- named.ts --
import { Price, Part, rate, shop } from './shop'
let p: Price, q: Part
shop(rate)
-- whole.ts --
import shop = require('./shop')
let p: shop.Price = shop.rate
let q: shop.Part
-- deflt.ts --
import make, { type Price as P } from './shop'
let p: make.Price
let r: P
`

func TestReexportOfAnObjectTakesNoNameThatItHolds(t *testing.T) {
	t.Parallel()
	e := newWorld(t, wholeNamespace+`
-- barrel.d.mts --
export { default, rate } from './shop'
-- through.mts --
import shop from './barrel.mjs'
let p: shop.Price
`).open()
	for symbol, want := range map[string][]string{
		"Price": {"deflt.ts", "named.ts", "through.mts", "whole.ts"},
		"rate":  {"barrel.d.mts", "named.ts", "whole.ts"},
	} {
		im := impact(t, e, kota.ImpactQuery{Symbols: []string{symbol}, File: "shop.d.ts"})
		var takers []string
		for _, x := range im.Dependents {
			if slices.Contains(x.Takes, symbol) || slices.Contains(x.Takes, "shop."+symbol) {
				takers = append(takers, x.File)
			}
		}
		slices.Sort(takers)
		must.Match(t, takers, want, "%s", symbol)
	}
}

func TestTypesAreTakenFromCodeThatDeclarationsDescribe(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- shape.js --
export class Shape {}
export const make = () => new Shape()
-- shape.d.ts --
export class Shape {}
export function make(): Shape
export type Size = number
-- index.d.ts --
import { Shape } from './shape.js'
export type Shapes = Shape[]
-- whole.ts --
import type * as all from './shape.js'
export type Mine = all.Shape
-- size.ts --
import type { Size } from './shape.js'
export type Half = Size
`).open()
	want := []string{"index.d.ts import 1 [2]", "shape.js [2]", "whole.ts import 1 as all.Shape [2]"}
	if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: "Shape", File: "shape.js"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d := must.Get(e.Deps(t.Context(), kota.DepsQuery{File: "shape.js", Dependents: true}))(t)
	if diff := cmp.Diff([]string{"index.d.ts", "whole.ts"}, filesOf(d.Dependents.List)); diff != "" {
		t.Errorf("dependents (-want +got):\n%s", diff)
	}
	for _, file := range e.Files() {
		agree(t, e, file)
	}
}

func TestWhatAWholeNamespaceExportsIsImportedByName(t *testing.T) {
	t.Parallel()
	e := newWorld(t, wholeNamespace).open()
	for symbol, want := range map[string][]string{
		"Price":      {"deflt.ts import 1 as P [3]", "deflt.ts import 1 as make.Price [2]", "named.ts import 1 [2]", "shop.d.ts [7]", "whole.ts import 1 [2]"},
		"shop.Price": {"deflt.ts import 1 as P [3]", "deflt.ts import 1 as make.Price [2]", "named.ts import 1 [2]", "shop.d.ts [7]", "whole.ts import 1 [2]"},
		"rate":       {"named.ts import 1 [3]", "whole.ts import 1 [2]"},
	} {
		if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: symbol, File: "shop.d.ts"})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", symbol, diff)
		}
	}
	want := []string{"named.ts import 1 [2]", "shop.d.ts import 1 [4]", "shop.d.ts import 6", "whole.ts import 1 as shop.Part [3]"}
	if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: "Part", File: "parts.d.ts"})); diff != "" {
		t.Errorf("Part (-want +got):\n%s", diff)
	}
	im := impact(t, e, kota.ImpactQuery{Symbols: []string{"rate"}, File: "shop.d.ts"})
	if diff := cmp.Diff([]string{"named.ts", "whole.ts"}, filesOf(im.Dependents)); diff != "" {
		t.Errorf("impact of rate (-want +got):\n%s", diff)
	}
	for _, file := range e.Files() {
		agree(t, e, file)
	}
}
