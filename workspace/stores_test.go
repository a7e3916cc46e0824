package workspace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// Keys of projects are random: which one comes first must not depend on them.
func TestTheProjectWithAllTheWordsComesFirstWhateverItsKey(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"a1", "b1"}, {"b1", "a1"}} {
		dir := t.TempDir()
		var stores Stores
		for i, text := range []string{"a walrus in the shop", "a striped walrus"} {
			st := storetest.Open(t, filepath.Join(dir, keys[i]), sqlite.Write)
			storetest.Ingest(t, st, storetest.Session(t, fmt.Sprint("s", i), text))
			stores = append(stores, namedStore{Store: st, Key: keys[i]})
		}
		slices.SortFunc(stores, func(x, y namedStore) int { return strings.Compare(x.Key, y.Key) })
		res, err := history.Search(t.Context(), stores, history.Query{Text: "striped walrus", Limit: 1})
		if err != nil || len(res.Hits) != 1 || res.Hits[0].Session != "s1" {
			t.Errorf("keys %v: %+v, %v", keys, res.Hits, err)
		}
	}
}
