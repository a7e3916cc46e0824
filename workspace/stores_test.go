package workspace

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// Between two pages of a search of all projects agents go on in them, one starts in a
// project that had nothing, and one in a new project. The rarer word becomes the more common
// one. No result is shown twice for that, and none is missed.
func TestPagesOfAllProjectsGoOnWhereTheyStoppedWhileEntriesArrive(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]history.Query{
		"newest first": {Text: "walrus"},
		"inside words": {Text: "alru"},
		"regex":        {Text: "wal[r]us", Regex: true},
	} {
		for _, limit := range []int{1, 3, 5} {
			t.Run(fmt.Sprint(name, ", ", limit), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				of := func(key string) namedStore {
					return namedStore{Store: storetest.Open(t, filepath.Join(dir, key), sqlite.Write), Key: key}
				}
				// The new one comes between the others, whose numbers change with it.
				first, fresh, second, empty := of("a1"), of("a2"), of("b1"), of("c1")
				if !first.Store.Search.FullText() {
					t.Skip("not run: this build has no full-text search")
				}
				storetest.Ingest(t, first.Store, storetest.Session(t, "one", walruses(8)...))
				storetest.Ingest(t, second.Store, storetest.Session(t, "two", walruses(6)...))

				q := q
				q.Limit = 100
				stores := Stores{first, second, empty}
				whole, err := history.Search(t.Context(), stores, q)
				if err != nil || len(whole.Hits) < 14 {
					t.Fatalf("%d results, %v", len(whole.Hits), err)
				}
				var got []string
				q.Limit = limit
				for page := 1; ; page++ {
					then, err := stores.At(q.Filter.Stored)
					if err != nil || page > 20 {
						t.Fatalf("page %d: %v", page, err)
					}
					res := must.Get(history.Search(t.Context(), then, q))(t)
					got = append(got, storetest.IDs(res)...)
					if !res.More {
						break
					}
					at := must.Get(history.ParseCursor(history.Cursor{Offset: q.Offset + len(res.Hits), Stored: res.Stored}.String()))(t)
					q.Offset, q.Filter.Stored = at.Offset, at.Stored
					stores = Stores{first, fresh, second, empty}
					for i, st := range stores {
						storetest.Ingest(t, st.Store, storetest.Session(t, fmt.Sprintf("new%d-%d-", i, page), "a walrus", "a spoon", "some spoon", "the spoon"))
					}
				}
				if want := storetest.IDs(whole); !slices.Equal(got, want) {
					t.Errorf("the pages have\n%v, not\n%v", got, want)
				}
			})
		}
	}
}

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

// walruses are texts with one of two words, some with both, the second being rarer.
func walruses(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("a walrus number %d", i))
	}
	return append(texts, "a walrus with a spoon", "a spoon", "nothing")
}
