package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

func TestAWatcherTellsOfItsFilesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		must.Do(t, os.WriteFile(path(name), []byte(text), 0o600))
	}
	for _, name := range []string{"edited", "replaced", "deleted", "other"} {
		write(name, "x")
	}
	told := make(chan []string, 9)
	w := must.Get(NewWatcher(func(files []string) { told <- files }))(t)
	defer w.Close()
	w.Watch([]string{path("edited"), path("replaced"), path("deleted"), path("made"), filepath.Join(dir, "nowhere", "x")})
	write("other", "y")
	write("edited", "y")
	write("edited", "z")
	write("made", "z")
	write("tmp", "y")
	must.Do(t, os.Rename(path("tmp"), path("replaced")))
	must.Do(t, os.Remove(path("deleted")))
	want := []string{path("deleted"), path("edited"), path("made"), path("replaced")}
	var got []string
	for limit := time.After(10 * time.Second); len(got) < len(want); {
		select {
		case files := <-told:
			for _, f := range files {
				if !slices.Contains(got, f) {
					got = append(got, f)
				}
			}
		case <-limit:
			t.Fatalf("told of %v", got)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
}
