package search_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// A word that is too long for the index is in it as FTS5 cuts it, beside all others.
func TestTextsWithOverlongWordsAreIndexed(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	storetest.Ingest(t, st, storetest.Session(t, "a", "otter", strings.Repeat("w", 1<<15+9)+" beaver", "badger"))
	for _, word := range []string{"otter", "beaver", "badger"} {
		res, err := history.Search(t.Context(), st.Search, history.Query{Text: word})
		if err != nil || len(res.Hits) != 1 || res.Scanned > 0 {
			t.Errorf("%s: %d found, %d read, %v", word, len(res.Hits), res.Scanned, err)
		}
	}
	if found, err := st.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}
