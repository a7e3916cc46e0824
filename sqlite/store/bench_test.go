package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// BenchmarkImport stores 20,000 messages of 1 KB from one file, index included.
// bench/proc measures the same as a process, next to plain inserts.
func BenchmarkImport(b *testing.B) {
	const messages = 20000
	file := filepath.Join(b.TempDir(), "session.jsonl")
	storetest.WriteSession(b, file, messages, 1000)
	for b.Loop() {
		st := must.Get(store.Open(b.Context(), filepath.Join(b.TempDir(), "x.db"), sqlite.Write, time.Now))(b)
		rep, err := history.Ingest(b.Context(), st.Entries, pi.File{Path: file}, history.Options{})
		if err != nil || rep.Added != messages+1 {
			b.Fatal(rep.Added, err)
		}
		st.Close()
	}
	b.ReportMetric(float64(messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
