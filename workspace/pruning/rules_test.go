package pruning_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/workspace/pruning"
)

// TestEveryRuleWithASettingIsSwitchedByItAndHasARowInAblate: replay --ablate lists the
// names that this test compares with.
func TestEveryRuleWithASettingIsSwitchedByItAndHasARowInAblate(t *testing.T) {
	const prefix = "prune.rules."
	rows := slices.Concat(policy.SourceNames(), policy.OptionalNames())
	tested := 0
	for _, k := range config.Keys() {
		rule, ok := strings.CutPrefix(k.Name, prefix)
		if !ok {
			continue
		}
		tested++
		if !slices.Contains(rows, rule) {
			t.Errorf("%s has no row in replay --ablate", k.Name)
		}
		for _, on := range []bool{true, false} {
			got := pruning.AutoSettings(config.Resolve(config.Input{Environ: []string{k.Env + "=" + strconv.FormatBool(on)}}).Config)
			if slices.Contains(got.With, rule) != on || slices.Contains(got.Without, rule) == on {
				t.Errorf("%s = %v: with %v, without %v", k.Name, on, got.With, got.Without)
			}
		}
	}
	if tested < 4 {
		t.Errorf("only %d rules have a setting", tested)
	}
}
