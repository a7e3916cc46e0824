//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

var (
	piDefaults = regexp.MustCompile(`(?s)defaultModelPerProvider = \{(.*?)\n\}`)
	piDefault  = regexp.MustCompile(`"?([\w-]+)"?: "([^"]+)"`)
)

// A model that the table lacks has no price and is taken to refuse changed thinking: what pi
// chooses by itself must be there. When it is not, run scripts/models.
func TestTheTableOfModelsKnowsWhatPiChoosesForEachProvider(t *testing.T) {
	t.Parallel()
	_, cli := piCommand(t, newest)
	source := must.Get(os.ReadFile(filepath.Join(filepath.Dir(cli), "..", "core", "model-resolver.js")))(t)
	list := piDefaults.FindSubmatch(source)
	must.Stop(t, list == nil, "pi no longer says which models it chooses where it did")
	all := piDefault.FindAllSubmatch(list[1], -1)
	for _, one := range all {
		if _, ok := token.FindModel(string(one[1]), string(one[2])); !ok {
			t.Errorf("the table lacks %s/%s", one[1], one[2])
		}
	}
	must.Not(t, len(all) < 30, "only %d providers were found in pi", len(all))
}
