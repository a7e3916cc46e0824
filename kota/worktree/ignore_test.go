package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIgnoreFilesApplyBelowTheirDirectory(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{".gitignore": "*.log\n/out\nbuild/\n", "a/.gitignore": "!keep.log\nx.go\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g := NewIgnore(root)
	for file, want := range map[string]bool{
		"x.go": false, "y.log": true, "out/z": true, "a/out/z": false, "a/build/b/c": true, "build": false,
		"a/x.go": true, "a/keep.log": false, "a/other.log": true, ".git/config": true, "a/b/c.go": false,
	} {
		for range 2 {
			if got := g.Ignores(file); got != want {
				t.Errorf("%s: %v", file, got)
			}
		}
	}
}
