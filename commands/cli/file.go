package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/repo"
)

// Deliver prints data if file is "" or "-", and writes it to a new private file otherwise.
func (a *Run) Deliver(file string, data []byte) error {
	if file == "" || file == "-" {
		return a.Out.Foreign(data)
	}
	if err := NewFile(a.Path(file), data); err != nil {
		return err
	}
	fmt.Fprintf(a.Env.Err, "pictx: wrote %s\n", file)
	return nil
}

// newFileFlag is the annotation of flags that name a file to create.
const newFileFlag = "new-file"

// NewFileFlag adds a flag that names a file to create. CheckNewFiles rejects existing files
// before the command starts its work, and NewFile never overwrites one.
func NewFileFlag(f *pflag.FlagSet, to *string, name, usage string) {
	short := ""
	if name == "output" {
		short = "o"
	}
	f.StringVarP(to, name, short, "", usage)
	_ = f.SetAnnotation(name, newFileFlag, nil) // cannot fail: the flag exists
}

// CheckNewFiles returns an error if a NewFileFlag names an existing file.
func (a *Run) CheckNewFiles(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, ok := f.Annotations[newFileFlag]; !ok || f.Value.String() == "" || f.Value.String() == "-" {
			return
		}
		if path := a.Path(f.Value.String()); repo.Exists(path) {
			err = existsError(path)
		}
	})
	return err
}

// existsError is the error of a file that exists and is not overwritten.
func existsError(path string) error {
	return exit.WithHint(exit.Refused, "rm "+text.ShellWord(path), fmt.Errorf("write %s: it already exists", path))
}

// NewFile creates a private file. It fails if the file exists.
func NewFile(path string, data []byte) error {
	err := repo.Create(path, data)
	if errors.Is(err, fs.ErrExist) {
		return existsError(path)
	}
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	return nil
}
