package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// Deliver prints data, or writes it into a private file that was not there.
func (a *Run) Deliver(file string, data []byte) error {
	if file == "" {
		return a.Out.Foreign(data)
	}
	if err := NewFile(a.Path(file), data); err != nil {
		return err
	}
	fmt.Fprintf(a.Env.Err, "pictx: wrote %s\n", file)
	return nil
}

// NewFile writes a private file that must not be there yet.
func NewFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return exit.WithHint(exit.Refused, "rm "+text.ShellWord(path), fmt.Errorf("write %s: it already exists", path))
	}
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
