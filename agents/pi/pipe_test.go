//go:build unix

package pi_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/message"
)

func TestANamedPipeIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f := pi.File{Path: path}
	within(t, "Info", func() error { _, err := f.Info(); return err })
	within(t, "ReadHeader", func() error { _, err := pi.Sessions{}.Head(path); return err })
	within(t, "Open", func() error { _, err := pi.Open(path); return err })
	within(t, "File.Open", func() error { _, err := f.Open(message.Position{}); return err })
	within(t, "Before", func() error { _, err := f.Before(message.Position{Offset: 10}); return err })
	within(t, "Bytes", func() error { _, err := pi.Sessions{}.Bytes(path); return err })
}
