package index_test

import (
	"slices"
	"testing"

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
