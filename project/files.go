package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// StorePath returns the path of the project's database.
func (p Project) StorePath(agentDir string) string { return StorePath(agentDir, p.Key) }

// StorePath returns the path of the database with a key.
func StorePath(agentDir, key string) string {
	return filepath.Join(agentDir, "pictx", key+".db")
}

// Stores lists the keys of the stores under agentDir.
func Stores(agentDir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(agentDir, "pictx"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list stores: %w", err)
	}
	name := regexp.MustCompile(`^([0-9a-f]{16})\.db$`)
	var keys []string
	for _, e := range entries {
		if m := name.FindStringSubmatch(e.Name()); m != nil && e.Type().IsRegular() {
			keys = append(keys, m[1])
		}
	}
	return keys, nil
}

// Trusted reports whether the project files under root may be used. In order of precedence:
// the user's configuration names a directory that contains root; the user has answered the
// agent for the nearest directory (null is no answer); otherwise.
func Trusted(told map[string]*bool, otherwise bool, root string, configured []string) bool {
	root = real(root)
	for _, dir := range configured {
		if rel, err := filepath.Rel(real(dir), root); dir != "" && err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	for d := root; ; d = filepath.Dir(d) {
		if decision := told[d]; decision != nil {
			return *decision
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return otherwise
}

// Left returns the project of a directory that was removed or moved, by the store that
// remains, and whether there is one.
func Left(dir, agentDir string) (Project, bool) {
	dir, err := absolute(dir)
	if err != nil {
		return Project{}, false
	}
	root := real(dir)
	for _, of := range []string{root, filepath.Join(root, ".git")} {
		if _, err := os.Stat(StorePath(agentDir, key(of))); err == nil {
			return Project{Root: root, Key: key(of)}, true
		}
	}
	return Project{}, false
}

// LogDir returns the directory of the hooks' logs.
func LogDir(agentDir string) string { return filepath.Join(agentDir, "pictx", "log") }
