package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// However the files that lead from one directory of git to the next are written, few are
// followed.
func FuzzGitIsLedToFewDirectories(f *testing.F) {
	f.Add("gitdir: .git", ".git")
	f.Add("gitdir: .", ".")
	f.Add("gitdir: elsewhere\n", "../elsewhere\n")
	f.Add("gitdir: "+strings.Repeat("elsewhere/../", 10_000)+"elsewhere", strings.Repeat("../", 10_000))
	f.Add("gitdir: \x00", "\x00")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, dot, common string) {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "elsewhere"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{".git": dot, "commondir": common, "elsewhere/commondir": common} {
			if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if dirs, err := gitDirs(root, root); err == nil && len(dirs) > 4 {
			t.Errorf("%d directories: %q", len(dirs), dirs)
		}
		_ = endless(t.Context(), root, root, "log")
	})
}
