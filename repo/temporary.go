package repo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftPrefix begins the names of all temporary files and directories of this package, by which
// those that a killed process left are found.
const leftPrefix = "pictx-tmp-"

// leftAfter is the age from which on they are taken to be left. No run of a model takes that
// long.
const leftAfter = 24 * time.Hour

// EmptyDir creates an empty directory for a program that must not find a project where it
// runs. remove deletes it, with what the program left in it.
func EmptyDir() (dir string, remove func(), err error) {
	removeLeft()
	dir, err = os.MkdirTemp("", leftPrefix)
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// removeLeft deletes what killed processes left. What cannot be deleted belongs to another user
// of the directory.
func removeLeft() {
	all, _ := os.ReadDir(os.TempDir())
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), leftPrefix) || e.Type()&fs.ModeSymlink != 0 {
			continue
		}
		if st, err := e.Info(); err == nil && time.Since(st.ModTime()) > leftAfter {
			_ = os.RemoveAll(filepath.Join(os.TempDir(), e.Name()))
		}
	}
}
