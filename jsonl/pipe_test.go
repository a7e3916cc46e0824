//go:build unix

package jsonl_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/jsonl"
)

func TestANamedPipeIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	f := jsonl.File{Path: path}
	within(t, "Info", func() error { _, err := f.Info(); return err })
	within(t, "ReadHeader", func() error { _, err := jsonl.ReadHeader(path); return err })
	within(t, "Open", func() error { _, err := jsonl.Open(path); return err })
	within(t, "File.Open", func() error { _, err := f.Open(message.Position{}); return err })
	within(t, "Tail", func() error { _, err := f.Tail(10, 10); return err })
}
