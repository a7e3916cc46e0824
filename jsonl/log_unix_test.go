//go:build unix

package jsonl_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
)

func TestWhatStandsInThePlaceOfTheLogIsNotWrittenTo(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	must.Do(t, os.WriteFile(other, []byte("mine\n"), 0o600))
	for name, place := range map[string]func(path string) error{
		"link":   func(p string) error { return os.Symlink(other, p) },
		"pipe":   func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"folder": func(p string) error { return os.Mkdir(p, 0o700) },
	} {
		dir := t.TempDir()
		must.Do(t, place(filepath.Join(dir, "hooks.jsonl")))
		if err := (jsonl.Log{Dir: dir}).Append(entry("a")); err == nil {
			t.Errorf("%s: appended", name)
		}
	}
	if text, _ := os.ReadFile(other); string(text) != "mine\n" {
		t.Errorf("the other file is %q now", text)
	}
	// A folder that cannot be made is an error, too.
	if err := (jsonl.Log{Dir: filepath.Join(other, "log")}).Append(entry("a")); err == nil {
		t.Error("appended below a file")
	}
}
