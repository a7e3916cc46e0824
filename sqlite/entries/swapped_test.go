package entries_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/store"
)

// A disk that mixed up two blocks leaves pages that are sound by themselves.
func TestAListOfSessionsIsRightOrAnErrorWhereverTwoPagesWereSwapped(t *testing.T) {
	t.Parallel()
	const page = 4096
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	for _, name := range []string{"one", "two", "three"} {
		file := filepath.Join(t.TempDir(), name+".jsonl")
		storetest.WriteSession(t, file, 300, 100)
		storetest.Ingest(t, st, file)
	}
	want := must.Get(st.Entries.Sessions(t.Context()))(t)
	must.Get(storetest.DB(t, path).Exec(`VACUUM`))(t)
	must.Do(t, st.Checkpoint(t.Context()))
	sound := must.Get(os.ReadFile(path))(t)
	list := func(text []byte) ([]entries.Session, error) {
		copied := filepath.Join(t.TempDir(), "copy.db")
		must.Do(t, os.WriteFile(copied, text, 0o600))
		st, err := store.Open(t.Context(), copied, sqlite.Read, time.Now)
		if err != nil {
			return nil, err
		}
		defer st.Close()
		return st.Entries.Sessions(t.Context())
	}
	if got, err := list(sound); err != nil || !cmp.Equal(want, got) {
		t.Fatalf("the sound store: %v %s", err, cmp.Diff(want, got))
	}
	last := map[byte]int{} // the page before, of each kind of page
	swapped := 0
	for at := page; at < len(sound); at += page {
		before, ok := last[sound[at]]
		last[sound[at]] = at
		if !ok {
			continue
		}
		text := bytes.Clone(sound)
		copy(text[at:at+page], sound[before:before+page])
		copy(text[before:before+page], sound[at:at+page])
		swapped++
		if got, err := list(text); err == nil && !cmp.Equal(want, got) {
			t.Errorf("pages %d and %d: %s", before/page+1, at/page+1, cmp.Diff(want, got))
		}
	}
	t.Logf("%d pairs of pages", swapped)
}
