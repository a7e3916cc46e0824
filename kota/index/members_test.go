package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// carts is a project in which total is a member of two types.
const carts = `
-- cart.ts --
export interface Cart { total: number }
export interface Order { total: number }
-- use.ts --
import { Cart, Order } from './cart'
export const a = (cart: Cart) => cart.total
export const b = (order: Order) => order.total
export const c = (x) => x.total
-- apart.ts --
export const d = (x) => x.total

export const e = (it: Cart) => it.total
-- rival.ts --
class Cart { constructor() { this.x = 1 } }
export const f = (it: Cart) => it.total
-- use.test.ts --
import { Cart } from './cart'
test('x', (y) => y.total)
`

func TestLinesThatHaveAMembersNameAloneAreCountedAndNotListed(t *testing.T) {
	t.Parallel()
	e := newWorld(t, carts).open()
	u := must.Get(e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.total"}))(t)
	var got []string
	for _, x := range u.List {
		got = append(got, x.File)
		if x.Unlikely {
			t.Errorf("listed: %+v", x)
		}
	}
	if want := []string{"use.ts", "use.ts", "apart.ts"}; !slices.Equal(got, want) || u.Total != 7 || u.Unlisted != 3 || u.Files != 4 {
		t.Errorf("%q of %d lines in %d files, %d unlisted", got, u.Total, u.Files, u.Unlisted)
	}
	text := kota.Fit(0, u.Texts(kota.Window{}, "ask"), nil)
	if !strings.Contains(text, "; left out: 3 lines where the receiver has another type or no import leads to the type (ask --all)\n") {
		t.Errorf("the answer: %s", text)
	}
}

func TestAllLinesThatHaveAMembersNameAreListedOnRequest(t *testing.T) {
	t.Parallel()
	e := newWorld(t, carts).open()
	want := []string{"apart.ts [1]", "apart.ts [3]", "rival.ts [2]", "use.test.ts [2]", "use.ts [2]", "use.ts [3]", "use.ts [4]"}
	if got := usages(t, e, kota.UsagesQuery{Symbol: "Cart.total", All: true}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.total", All: true})
	if last := u.List[len(u.List)-1]; err != nil || u.Unlisted != 0 || !last.Unlikely || u.List[0].Unlikely {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestTestsWithUsesOfTwoKindsAreOneFile(t *testing.T) {
	t.Parallel()
	e := newWorld(t, carts+"test('y', (z: Cart) => z.total)\n").open()
	if u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.total"}); err != nil || u.Files != 4 || u.TestLines != 2 {
		t.Errorf("%d files, %d lines in tests, %v", u.Files, u.TestLines, err)
	}
}

// members lists the lines of the uses of a member, those that come first in the answer first.
func members(t *testing.T, e *index.Engine, symbol string) []string {
	t.Helper()
	u := must.Get(e.Usages(t.Context(), kota.UsagesQuery{Symbol: symbol, All: true}))(t)
	var got []string
	for _, x := range u.List {
		mark := ""
		if x.Likely {
			mark = " likely"
		} else if x.Unlikely {
			mark = " unlikely"
		}
		got = append(got, fmt.Sprint(x.File, x.Lines, mark))
	}
	return got
}

func TestATypeInTheNamespaceOfAnOwnerIsNotTheOwner(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- client.ts --
export class Client {
  query() {}
}
export declare namespace Client {
  interface Options { query: string }
}
-- use.ts --
import { Client } from './client'
export function run(client: Client) { return client.query() }
export function read(options: Client.Options): Client.Options { return options.query }
export class Wide extends Client.Options { f() { return this.query } }
-- far.ts --
import { read } from './use'
export const f = (options) => options.query
read(x).query
`).open()
	want := []string{"use.ts[2] likely", "far.ts[2]", "use.ts[3 4] unlikely", "far.ts[3] unlikely"}
	if got := members(t, e, "Client.query"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestATypeThatRedeclaresAMemberDoesNotHaveTheInheritedOne(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- cache.ts --
export class Cache { identify() {} }
-- memory.ts --
import { Cache } from './cache'
export class Memory extends Cache { identify() {} }
export class Small extends Memory {}
export class Plain extends Cache {}
-- use.ts --
import { Memory, Small, Plain } from './memory'
export const a = (it: Memory) => it.identify()
export const b = (it: Small) => it.identify()
export const c = (it: Plain) => it.identify()
export const d = (it) => it.identify()
`).open()
	for symbol, want := range map[string][]string{
		"Cache.identify": {"use.ts[4] likely", "memory.ts[2] likely", "use.ts[5]", "use.ts[2 3]"}, "Memory.identify": {"use.ts[2 3] likely", "cache.ts[1] likely", "use.ts[5]", "use.ts[4] unlikely"},
	} {
		if got := members(t, e, symbol); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

// A union of types that each have the member does not say whose a line is. Such a line is listed, after
// those that name the type, and not called likely.
func TestAMemberOfOneOfSeveralTypesIsNoLikelyUse(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- step.ts --
export interface Create { type: 'create'; table: string }
export interface Drop { type: 'drop'; table: string }
export interface Note { type: 'note'; text: string }
export type Step = Create | Drop | Note
export type Silent = Drop | Note
export type Done = Drop | undefined
-- run.ts --
import { Step } from './step'
export const run = (step: Step) => step.table
-- drop.ts --
import { Drop } from './step'
export const drop = (d: Drop) => d.table
-- silent.ts --
import { Silent } from './step'
export const silent = (s: Silent) => s.table
-- done.ts --
import { Done } from './step'
export const done = (d: Done) => d.table
`).open()
	u := must.Get(e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Drop.table"}))(t)
	got := make(map[string]bool)
	for _, x := range u.List {
		got[x.File] = x.Likely
	}
	want := map[string]bool{"drop.ts": true, "silent.ts": true, "done.ts": true, "run.ts": false}
	if diff := cmp.Diff(want, got); diff != "" || u.List[len(u.List)-1].File != "run.ts" {
		t.Errorf("likely (-want +got):\n%s\n%+v", diff, u.List)
	}
}

// A name that nothing else has is still that of what packages declare, and of keys.
func TestTheNameOfAMemberAloneMakesNoUseLikely(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- a.ts --
export interface Cart { grandTotal: number }
export const use = (cart: Cart, x) => cart.grandTotal + send({ grandTotal: x })
`).open()
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.grandTotal"})
	if err != nil || len(u.List) != 1 || !u.List[0].Likely {
		t.Errorf("%+v, %v", u.List, err)
	}
	e = newWorld(t, `
-- a.ts --
export interface Cart { grandTotal: number }
export const use = (x) => send({ grandTotal: x })
`).open()
	if u, err = e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.grandTotal"}); err != nil || len(u.List) != 1 || u.List[0].Likely {
		t.Errorf("%+v, %v", u.List, err)
	}
}
