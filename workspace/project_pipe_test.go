//go:build unix

package workspace_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// A hook must not wait for a pipe that an archive put in place of a file.
func TestPipesInThePlaceOfGitsFilesAreNotRead(t *testing.T) {
	dir := scratch(t)
	write(t, filepath.Join(dir, "a", ".git"), "gitdir: fake")
	mkdir(t, dir, "a", "fake")
	mkdir(t, dir, "b")
	for _, pipe := range []string{"a/fake/gitdir", "a/fake/commondir", "a/fake/config", "b/.git"} {
		must.Do(t, syscall.Mkfifo(filepath.Join(dir, pipe), 0o600))
	}
	done := make(chan bool)
	go func() {
		find(t, filepath.Join(dir, "a"))
		find(t, filepath.Join(dir, "b"))
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("finding the project waits for a pipe")
	}
}
