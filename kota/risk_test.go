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
			[]string{"1 import breaks", "1 file takes what changed, 1 reaches it through others", "1 of 3 exported names is used elsewhere", "1 test takes it, 1 more reaches it"},
		},
		{
			kota.Impact{Clashes: []string{"a"}, Total: 2, TestTotal: 3, Surface: 1},
			[]string{"1 name clashes", "0 files take what changed, 2 reach it through others", "0 of 1 exported name is used elsewhere", "0 tests take it, 3 more reach it"},
		},
		{
			kota.Impact{Clashes: []string{"a", "b"}, Direct: 2, Total: 2, TestDirect: 2, TestTotal: 2, Surface: 2, Exports: []kota.Export{{Used: 1}, {Used: 3}}},
			[]string{"2 names clash", "2 files take what changed, 0 reach it through others", "2 of 2 exported names are used elsewhere", "2 tests take it, 0 more reach it"},
		},
	} {
		c.im.Assess(1)
		must.Match(t, c.im.Reasons, c.want, "what it says")
	}
}
