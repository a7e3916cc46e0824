package entries_test

import (
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// TestTheLatestSessionsAreTheFirstOfAll counts the same of a few sessions as of all.
func TestTheLatestSessionsAreTheFirstOfAll(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "s.db"), sqlite.Write)
	paths, _ := loadable(t)
	loadFiles(t, st.Entries, paths...)
	all, err := st.Entries.Sessions(t.Context())
	if err != nil || len(all) < 3 {
		t.Fatalf("%d sessions: %v", len(all), err)
	}
	for n := 1; n <= len(all); n++ {
		got := must.Get(st.Entries.Latest(t.Context(), n))(t)
		must.Match(t, got, all[:n], "the latest %d (-all +latest)", n)
	}
}
