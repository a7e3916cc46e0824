//go:build unix

package index_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/tree"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
)

// TestMain turns the test binary into an indexer on request: it rebuilds the index repeatedly
// until it is killed.
func TestMain(m *testing.M) {
	root, file := os.Getenv("TEST_KOTA_ROOT"), os.Getenv("TEST_KOTA_FILE")
	if root == "" {
		os.Exit(m.Run())
	}
	for {
		if _, err := index.Open(context.Background(), index.Options{Root: root, File: file, Languages: lang.NewSet(ts.Language()), Create: true, Fresh: true, Now: time.Now}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Stdout.WriteString(".")
	}
}

// Holds kota 19.
func TestAKilledIndexerLeavesAnIndexThatCanBeUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	must.Do(t, tree.Write(w.root, 60, 1))
	w.open()
	for i := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TEST_KOTA_ROOT="+w.root, "TEST_KOTA_FILE="+w.file)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		must.Do(t, err)
		if _, err := out.Read(make([]byte, 1)); err != nil { // the indexer is running
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*15) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		o := w.options()
		o.Create = false
		e, err := index.Open(t.Context(), o)
		if err != nil || len(e.Notes) > 0 || len(e.Files()) < 60 {
			t.Fatalf("round %d: %v, %q", i, err, e.Notes)
		}
	}
}
