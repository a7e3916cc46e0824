//go:build unix

package repo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestADirectoryThatBecomesALinkMeanwhileLeadsNobodyOutside(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "d")
	must.Do(t, os.Mkdir(dir, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("ours"), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("theirs"), 0o600))
	r, rel, err := within(root, filepath.Join(dir, "secret"))
	must.Do(t, err)
	defer r.Close()
	// Another process exchanges it after links were resolved.
	must.Do(t, os.Rename(dir, filepath.Join(root, "away")))
	must.Do(t, os.Symlink(outside, dir))
	if data, err := readRegular(r, rel, dir, 100); err == nil {
		t.Errorf("read %q", data)
	}
	if err := replace(r, rel, []byte("x"), 0o600); err == nil {
		t.Error("wrote outside")
	}
	if data := must.Get(os.ReadFile(filepath.Join(outside, "secret")))(t); string(data) != "theirs" {
		t.Errorf("outside is %q", data)
	}
}
