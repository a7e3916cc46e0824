//go:build !unix

package index

import (
	"io/fs"
	"os"
	"path/filepath"
)

// root is a directory.
type root string

func openRoot(path string) (root, error) { return root(path), nil }

func (root) close() {}

// stampOf returns the status of a regular file, an error for anything else.
func (r root) stampOf(name string) (stamp, error) {
	st, err := os.Lstat(filepath.Join(string(r), filepath.FromSlash(name)))
	if err != nil {
		return stamp{}, err
	}
	if !st.Mode().IsRegular() {
		return stamp{}, fs.ErrInvalid
	}
	return stamp{st.Size(), st.ModTime().UnixNano(), 0}, nil
}

// readInto reads a file. Here it does not use buf.
func readInto(path string, _ []byte) ([]byte, error) { return os.ReadFile(path) }
