package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
		must.Not(t, x.Unlikely, "listed: %+v", x)
	}
	if want := []string{"use.ts", "use.ts", "apart.ts"}; !slices.Equal(got, want) || u.Total != 7 || u.Unlisted != 3 || u.Files != 4 {
		t.Errorf("%q of %d lines in %d files, %d unlisted", got, u.Total, u.Files, u.Unlisted)
	}
	text := kota.Fit(0, u.Texts(kota.Window{}, "ask"), nil)
	must.Not(t, !strings.Contains(text, "; left out: 3 lines where the receiver has another type or no import leads to the type (ask --all)\n"), "the answer: %s", text)
}

func TestAllLinesThatHaveAMembersNameAreListedOnRequest(t *testing.T) {
	t.Parallel()
	e := newWorld(t, carts).open()
	want := []string{"apart.ts [1]", "apart.ts [3]", "rival.ts [2]", "use.test.ts [2]", "use.ts [2]", "use.ts [3]", "use.ts [4]"}
	must.Match(t, usages(t, e, kota.UsagesQuery{Symbol: "Cart.total", All: true}), want, "what it says")
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.total", All: true})
	last := u.List[len(u.List)-1]
	must.Not(t, err != nil || u.Unlisted != 0 || !last.Unlikely || u.List[0].Unlikely, "%+v, %v", u, err)
}

func TestTestsWithUsesOfTwoKindsAreOneFile(t *testing.T) {
	t.Parallel()
	e := newWorld(t, carts+"test('y', (z: Cart) => z.total)\n").open()
	if u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart.total"}); err != nil || u.Files != 4 || u.TestLines != 2 {
		t.Errorf("%d files, %d lines in tests, %v", u.Files, u.TestLines, err)
	}
}

// members lists the lines of the uses of a member, those that come first in the answer first.
func members(t *testing.T, e *index.Engine, q kota.UsagesQuery) []string {
	t.Helper()
	q.All = true
	u := must.Get(e.Usages(t.Context(), q))(t)
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
