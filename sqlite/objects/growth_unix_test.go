//go:build unix

package objects_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// costOfOneChange returns the processor time that it takes to write versions of a number of
// files in one transaction each, as a switch of branches does.
func costOfOneChange(t *testing.T, files int) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	st := storetest.Open(t, filepath.Join(t.TempDir(), "o.db"), sqlite.Write)
	start := used()
	for version := range 6 {
		var ops []object.Op
		for i := range files {
			path := fmt.Sprintf("/w/%d", i)
			ops = append(ops, object.Op{Do: object.Put, Key: object.FileKey("/w", path), Doc: storetest.FileDoc(path, fmt.Sprintf("version %d of %d", version, i))})
		}
		storetest.Submit(t, st.Objects, ops...)
	}
	return used() - start
}

// Work that is quadratic in the objects of a transaction would cost 16 times as much for four
// times as many; once, versions of 2,000 objects took 24 times the processor time of 500.
func TestManyObjectsInOneTransactionCostNoMoreThanTheirNumber(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: it writes thousands of versions")
	}
	var few, many time.Duration
	for range 4 { // a collection of garbage may fall into one of them
		few, many = costOfOneChange(t, 500), costOfOneChange(t, 2000)
		if many <= 8*few {
			return
		}
	}
	t.Errorf("versions of 500 objects take %v, of 2,000 %v", few, many)
}
