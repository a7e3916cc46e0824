package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/sqlite"
)

// BenchmarkImport stores 20,000 messages of 1 KB from one file, index included.
// bench/proc measures the same as a process, next to plain inserts.
func BenchmarkImport(b *testing.B) {
	const messages = 20000
	file := filepath.Join(b.TempDir(), "session.jsonl")
	writeSession(b, file, messages, 1000)
	for b.Loop() {
		st, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "x.db"), sqlite.Write, time.Now)
		if err != nil {
			b.Fatal(err)
		}
		rep, err := history.Ingest(b.Context(), st, pi.File{Path: file}, history.Options{})
		if err != nil || rep.Added != messages+1 {
			b.Fatal(rep.Added, err)
		}
		st.Close()
	}
	b.ReportMetric(float64(messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

func writeSession(tb testing.TB, file string, messages, size int) {
	tb.Helper()
	f, err := os.Create(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if err := corpus.Write(f, corpus.Session{ID: "bench-" + filepath.Base(file), CWD: "/home/dev/shop", Messages: messages, Size: size, Seed: 1}); err != nil {
		tb.Fatal(err)
	}
}
