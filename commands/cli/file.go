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

// newFileFlag annotates flags that name a file to write, which must not exist yet.
const newFileFlag = "new-file"

// NewFileFlag gives a command a flag that names a file to write. A file that is there is
// refused before the command begins its work, and never overwritten.
func NewFileFlag(f *pflag.FlagSet, to *string, name, usage string) {
	short := ""
	if name == "output" {
		short = "o"
	}
	f.StringVarP(to, name, short, "", usage+", which must not exist yet")
	_ = f.SetAnnotation(name, newFileFlag, nil) // the flag was just declared
}

// CheckNewFiles refuses a command line whose flags name files that are there.
func (a *Run) CheckNewFiles(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, ok := f.Annotations[newFileFlag]; !ok || f.Value.String() == "" {
			return
		}
		if path := a.Path(f.Value.String()); repo.Exists(path) {
			err = fileThere(path)
		}
	})
	return err
}

// fileThere is the error of a file that is not overwritten.
func fileThere(path string) error {
	return exit.WithHint(exit.Refused, "rm "+text.ShellWord(path), fmt.Errorf("write %s: it already exists", path))
}

// NewFile writes a private file that must not be there yet.
func NewFile(path string, data []byte) error {
	err := repo.Create(path, data)
	if errors.Is(err, fs.ErrExist) {
		return fileThere(path)
	}
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	return nil
}
