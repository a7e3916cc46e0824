package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
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

// SessionFiles lists pi's session files: those under the agent directory's
// sessions, or where PI_CODING_AGENT_SESSION_DIR or pi's settings put them.
func SessionFiles(agentDir string, getenv func(string) string) ([]string, error) {
	dir := getenv("PI_CODING_AGENT_SESSION_DIR")
	if dir == "" {
		dir = sessionDirSetting(agentDir)
	}
	if dir == "" {
		dir = filepath.Join(agentDir, "sessions")
	}
	return FilesIn(expandHome(dir, homeDir(getenv)))
}

// FilesIn lists the session files in a directory and in its subdirectories, one
// level deep as pi lays them out.
func FilesIn(dir string) ([]string, error) {
	if _, err := os.ReadDir(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var files []string
	for _, sub := range append([]string{dir}, subdirectories(dir)...) {
		entries, err := os.ReadDir(sub)
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".jsonl" && !e.IsDir() {
				files = append(files, filepath.Join(sub, e.Name()))
			}
		}
	}
	sort.Strings(files)
	return files, nil
}

func subdirectories(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

func sessionDirSetting(agentDir string) string {
	var s struct {
		SessionDir string `json:"sessionDir"`
	}
	if !readJSON(filepath.Join(agentDir, "settings.json"), &s) {
		return ""
	}
	return s.SessionDir
}

// Trusted reports whether the user trusts the project files under root: the user's
// configuration names a directory around them, pi saved a decision for the nearest one,
// or, without a decision, pi is set to trust every project.
func Trusted(agentDir, root string, extra []string) bool {
	root = real(root)
	for _, dir := range extra {
		if rel, err := filepath.Rel(real(dir), root); dir != "" && err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	// null is no decision; with anything else in it pi refuses the file, and so do
	// we.
	var saved map[string]*bool
	if !readJSON(filepath.Join(agentDir, "trust.json"), &saved) {
		return false
	}
	for d := root; ; d = filepath.Dir(d) {
		if decision := saved[d]; decision != nil {
			return *decision
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	var settings struct {
		Trust string `json:"defaultProjectTrust"`
	}
	return readJSON(filepath.Join(agentDir, "settings.json"), &settings) && settings.Trust == "always"
}

// readJSON reads a file of pi's, and reports whether it can be used. One that does not
// exist says nothing, which can.
func readJSON(path string, v any) bool {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && json.Unmarshal(bytes.TrimPrefix(b, []byte("\ufeff")), v) == nil
}

// PathKeyStore is the store of a git repository that stood at root before it was
// moved away, so that its directory can no longer be read.
func PathKeyStore(agentDir, root string) string {
	return StorePath(agentDir, key(filepath.Join(real(root), ".git")))
}

// LogDir is where the hooks log.
func LogDir(agentDir string) string { return filepath.Join(agentDir, "pictx", "log") }
