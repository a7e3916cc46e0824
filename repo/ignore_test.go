package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
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
			must.Equal(t, g.Ignores(file), want, "%s", file)
		}
	}
}

// Every file of a tree is compared with every rule that has wildcards.
func TestAnIgnoreFileOfVeryManyPatternsCostsBoundedWork(t *testing.T) {
	var text strings.Builder
	text.WriteString("first*.log\n")
	for i := range 90_000 {
		fmt.Fprintf(&text, "pat%d*x\n", i)
	}
	text.WriteString("last.log\n/out/last\n")
	f := newIgnoreFile(".", ignoreRules(text.String()))
	if len(f.globs) > maxGlobs {
		t.Errorf("%d patterns are compared with each file", len(f.globs))
	}
	for file, want := range map[string]bool{"a/first1.log": true, "a/last.log": true, "out/last": true, "other.log": false} {
		must.Equal(t, f.last(file, false) >= 0, want, "%s", file)
	}
}

// FuzzIgnoreRules checks that no .gitignore makes matching fail or take more than its length.
func FuzzIgnoreRules(f *testing.F) {
	f.Add("*.log\n/out\n!a/**/b/\n# c\n", "a/b/c.log")
	f.Add(strings.Repeat("{a,a}", 20)+"b\n"+strings.Repeat("*a", 20)+"\n", strings.Repeat("a", 40))
	f.Add(strings.Repeat("**/", 30)+"x\n"+strings.Repeat("[", 20)+"\n\\\n!\n/\n", strings.Repeat("a/", 30)+"y")
	f.Fuzz(func(t *testing.T, text, file string) {
		if len(text) > 1<<12 || len(file) > 1<<8 {
			return // the work is bounded by the product of both
		}
		rules := newIgnoreFile(".", ignoreRules(text))
		if rules.last(file, false) >= 0 && rules.last(file, true) < 0 {
			t.Errorf("%q ignores the file %q, and not a directory of that name", text, file)
		}
	})
}
