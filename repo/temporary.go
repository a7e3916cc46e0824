package repo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftPrefix begins the names of what is made in the directory for temporary files. A process
// that is killed leaves it there.
const leftPrefix = "pictx-tmp-"

// leftAfter is the age at which what has such a name was left by a process that was killed.
// No run of a model takes as long.
const leftAfter = 24 * time.Hour

// EmptyDir creates an empty directory for a program that must not find a project where it
// runs. remove deletes it, with what the program left in it.
func EmptyDir() (dir string, remove func(), err error) {
	removeLeft()
	dir, err = os.MkdirTemp("", leftPrefix)
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// TemporaryFile creates a temporary file, which the caller closes and deletes.
func TemporaryFile() (*os.File, error) {
	removeLeft()
	return os.CreateTemp("", leftPrefix)
}

// removeLeft deletes what processes that were killed left. Others may share the directory:
// what cannot be deleted is theirs.
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
