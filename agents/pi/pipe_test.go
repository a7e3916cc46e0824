//go:build unix

package pi_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

func TestANamedPipeIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.jsonl")
	must.Do(t, syscall.Mkfifo(path, 0o600))
	f := pi.File{Path: path}
	within(t, "Info", func() error { _, err := f.Info(); return err })
	within(t, "ReadHeader", func() error { _, err := pi.Sessions{}.Head(path); return err })
	within(t, "Open", func() error { _, err := pi.Open(path); return err })
	within(t, "File.Open", func() error { _, err := f.Open(message.Position{}); return err })
	within(t, "Before", func() error { _, err := f.Before(message.Position{Offset: 10}); return err })
	within(t, "Bytes", func() error { _, err := pi.Sessions{}.Bytes(path); return err })
}

// TestSettingsThatAreNoFilesOfASensibleSizeAreUnset holds that hooks, which read pi's settings
// and answers about projects at every event, neither wait for a pipe nor read without end.
func TestSettingsThatAreNoFilesOfASensibleSizeAreUnset(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/null", path) },
		"huge": func(path string) error {
			text := []byte(`{"compaction":{"keepRecentTokens":7},"/":true}`)
			return os.WriteFile(path, append(text, bytes.Repeat([]byte(" "), 17<<20)...), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range []string{"settings.json", "trust.json"} {
				must.Do(t, put(filepath.Join(dir, file)))
			}
			if n := pi.KeepRecent(dir); n != 20_000 {
				t.Errorf("it keeps %d tokens", n)
			}
			if told, otherwise := pi.Trust(dir); len(told) > 0 || otherwise {
				t.Errorf("it trusts %v, %v", told, otherwise)
			}
		})
	}
}
