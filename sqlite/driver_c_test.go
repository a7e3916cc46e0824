//go:build cgo && (sqlite_fts5 || fts5) && !purego

package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/sqlite"
)

// FTS5 looks up each word in each segment of an index, and SQLite would prepare the statement
// for that again whenever the number of the segment becomes or stops being 1.
func TestAQueryThatWasPreparedIsNotPreparedAgainForOtherWordsSegmentsOrLimits(t *testing.T) {
	db := must.Get(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Write, time.Now))(t)
	defer db.Close()
	for i := range 4 { // each leaves a segment
		must.Get(db.ExecContext(t.Context(), `INSERT INTO words_fts (rowid, prose, kind) VALUES (?, 'walrus narwhal otter', 'user')`, i+1))(t)
	}
	prepared := 0
	must.Do(t, sqlhook.OnPrepare(t.Context(), db.DB, func() { prepared++ }))
	ask := func(words string, limit int) {
		t.Helper()
		var found []int64
		err := db.SelectContext(t.Context(), &found, `SELECT rowid FROM words_fts WHERE words_fts MATCH ? LIMIT ?`, words, limit)
		if err != nil || len(found) != limit {
			t.Fatalf("%q finds %d, %v", words, found, err)
		}
	}
	if ask("walrus OR narwhal", 4); prepared == 0 {
		t.Fatal("preparing is not noticed")
	}
	prepared = 0
	ask("narwhal OR otter", 4)
	if ask("walrus OR narwhal OR otter", 2); prepared > 0 {
		t.Errorf("%d statements are prepared again", prepared)
	}
}
