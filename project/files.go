package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// StorePath is the database of a project.
func (p Project) StorePath(agentDir string) string { return StorePath(agentDir, p.Key) }

// StorePath is the database with the given key.
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

// Trusted reports whether the project files under root may be used: because a directory
// is around them that the user's configuration names, else by what the user told the
// agent of the nearest directory, where null is no decision, else by otherwise.
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

// Left returns the project of a directory that was removed or moved away, by the store
// that it has left, and whether there is one.
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

// LogDir is where the hooks log.
func LogDir(agentDir string) string { return filepath.Join(agentDir, "pictx", "log") }
