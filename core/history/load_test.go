package history_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/historytest"
	"github.com/coctostan/pictx/internal/must"
)

// loading is a store that is loaded into.
type loading struct {
	*historytest.Memory
	mu     sync.Mutex
	stored int // batches
	bytes  int // in the largest
}

func (l *loading) FileState(ctx context.Context, path string) (*history.FileState, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Memory.FileState(ctx, path)
}

func (l *loading) Append(ctx context.Context, b *history.Batch) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := 0
	for _, r := range b.Records {
		size += len(r.Raw) + len(r.Text)
	}
	l.stored, l.bytes = l.stored+1, max(l.bytes, size)
	return l.Memory.Append(ctx, b)
}

// sessions writes a session file for each number of entries, all of one size.
func sessions(t *testing.T, size int, entries ...int) []history.File {
	t.Helper()
	dir := t.TempDir()
	var files []history.File
	for i, n := range entries {
		text := strings.Replace(header, `"id":"s"`, fmt.Sprintf(`"id":"s%d"`, i), 1)
		var b strings.Builder
		for e := range n {
			b.WriteString(line(fmt.Sprintf("e%d-%d", i, e), fmt.Sprint(i, e, strings.Repeat(" x", size/2))))
		}
		path := filepath.Join(dir, fmt.Sprint(i, ".jsonl"))
		must.Do(t, os.WriteFile(path, []byte(text+b.String()), 0o600))
		files = append(files, pi.File{Path: path})
	}
	return files
}

func TestLoadReportsEveryFileAndReadsNoneAgain(t *testing.T) {
	files := sessions(t, 10, 20, 0, 30, 40, 1)
	files = append(files, pi.File{Path: "/nowhere/s.jsonl"})
	st := &loading{Memory: historytest.NewMemory(t)}
	seen := make(map[int]int)
	err := history.IngestAll(t.Context(), st, files, history.Options{}, func(i int, rep history.Report, err error) {
		seen[i] = rep.Added
		if (err != nil) != (i == 5) {
			t.Errorf("file %d: %v", i, err)
		}
	})
	if err != nil || fmt.Sprint(seen) != "map[0:21 1:1 2:31 3:41 4:2 5:0]" {
		t.Errorf("%v, %v", seen, err)
	}
	st.stored = 0
	err = history.IngestAll(t.Context(), st, files[:5], history.Options{}, func(i int, rep history.Report, err error) {
		if !rep.Unchanged || err != nil {
			t.Errorf("file %d is read again, %v", i, err)
		}
	})
	if err != nil || st.stored > 0 {
		t.Errorf("%d batches, %v", st.stored, err)
	}
}

// However long the messages are, what is in memory is bounded in bytes.
func TestLoadBoundsItsMemory(t *testing.T) {
	const size = 20_000
	st := &loading{Memory: historytest.NewMemory(t)}
	err := history.IngestAll(t.Context(), st, sessions(t, size, 700, 900), history.Options{}, func(i int, rep history.Report, err error) {
		if want := []int{701, 901}[i]; rep.Added != want || err != nil {
			t.Errorf("file %d: %d, %v", i, rep.Added, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if most := history.BatchBytes + 2*size + 1000; st.bytes > most || st.stored < 4 {
		t.Errorf("%d bytes in one of %d batches", st.bytes, st.stored)
	}
	must.Equal(t, len(st.Rows), 701+901, "rows")
}

func TestFailingStoreEndsALoad(t *testing.T) {
	st := &loading{Memory: historytest.NewMemory(t)}
	st.FailAt = 1
	var reported int
	err := history.IngestAll(t.Context(), st, sessions(t, 10, 20, 30), history.Options{}, func(int, history.Report, error) { reported++ })
	if failed := (*history.StoreError)(nil); !errors.As(err, &failed) || !errors.Is(err, historytest.ErrDisk) {
		t.Errorf("%v", err)
	}
	if reported > 1 {
		t.Errorf("%d files are said to be stored", reported)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	st = &loading{Memory: historytest.NewMemory(t)}
	err = history.IngestAll(ctx, st, sessions(t, 10, 20), history.Options{}, func(int, history.Report, error) { t.Error("reported") })
	if !errors.Is(err, context.Canceled) || len(st.Rows) > 0 {
		t.Errorf("%d rows, %v", len(st.Rows), err)
	}
}
