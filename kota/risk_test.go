package kota_test

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

func TestReasonsForARiskAgreeWithTheirNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		im   kota.Impact
		want []string
	}{
		{
			kota.Impact{Breaks: 1, Direct: 1, Total: 2, TestDirect: 1, TestTotal: 2, Surface: 3, Exports: []kota.Export{{Used: 1}}},
			[]string{"1 import breaks", "1 file uses what changed, 1 more through others", "1 of 3 exported names used", "2 tests to run"},
		},
		{
			kota.Impact{Clashes: []string{"a"}, TestTotal: 1, Surface: 1},
			[]string{"1 name clashes", "nothing uses it", "1 test to run"},
		},
		{
			kota.Impact{Clashes: []string{"a", "b"}, Direct: 2, Total: 2, Aside: 1, Surface: 2, Exports: []kota.Export{{Used: 1}, {Used: 3}}},
			[]string{"2 names clash", "2 files use what changed", "1 of them among examples, documentation and the like", "2 of 2 exported names used", "no test reaches it"},
		},
	} {
		c.im.Assess(1)
		must.Match(t, c.im.Reasons, c.want, "what it says")
	}
}
