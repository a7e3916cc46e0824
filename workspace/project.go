package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/coctostan/pictx/jsonl"
)

// Project is a directory tree whose sessions share a store.
type Project struct {
	// AgentDir is pi's directory, below which the stores of all projects are.
	AgentDir string
	// Root is the root of the work tree, with symbolic links resolved.
	Root string
	// Key names the store. It is 16 hexadecimal digits of the hash of git's common
	// directory, which all work trees of a repository share, or else of Root.
	Key string
	// Git is git's common directory, "" outside a repository.
	Git string
}

// FindProject returns the project that dir belongs to: the git work tree around it, else the
// nearest directory whose .pi has files of pictx, else dir itself. dir need not exist: the
// session may come from another machine.
//
// A hook asks it before anything is trusted. It reads the files with which git locates a
// repository, each of which may come with a clone and lie: it starts no process, writes
// nothing, and reads no file beyond its beginning.
func FindProject(dir, agentDir string) (Project, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, fmt.Errorf("find %s: %w", dir, err)
	}
	dir = realPath(abs)
	for d := dir; ; d = filepath.Dir(d) {
		if common, ok := gitCommonDir(d); ok {
			return Project{AgentDir: agentDir, Root: d, Key: keyOf(common), Git: common}, nil
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if ours(d, agentDir) {
			return Project{AgentDir: agentDir, Root: d, Key: keyOf(d)}, nil
		}
	}
	return Project{AgentDir: agentDir, Root: dir, Key: keyOf(dir)}, nil
}

// real resolves symbolic links in the existing part of a path.
func realPath(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(realPath(parent), filepath.Base(path))
}

// ours reports whether d's .pi has files of pictx. The agent's directory and its parent do
// not count, because every user of pi has ~/.pi. The rarest condition is checked first:
// outside of work trees this runs for every parent directory at every event of an agent.
func ours(d, agentDir string) bool {
	pi := filepath.Join(d, ".pi")
	if !holds(pi, "pictx.toml") && !holds(pi, "decision-memory") {
		return false
	}
	pi = realPath(pi)
	return agentDir == "" || pi != realPath(agentDir) && pi != realPath(filepath.Dir(agentDir))
}

func holds(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

func keyOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// ChangeSession calls change unless a pi has the session's file open, and reports whether it
// did.
func (p Project) ChangeSession(file string, change func() error) (bool, error) {
	return jsonl.ChangeSession(filepath.Join(p.AgentDir, "pictx"), file, change)
}

// StorePath returns the path of the project's database.
func (p Project) StorePath() string { return StoreOf(p.AgentDir, p.Key) }

// StoreOf returns the path of the database with a key.
func StoreOf(agentDir, key string) string { return filepath.Join(agentDir, "pictx", key+".db") }

// StoreKeys lists the keys of the stores under agentDir.
func StoreKeys(agentDir string) ([]string, error) {
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

// LeftProject returns the project of a directory that was removed or moved, by the store that
// remains, and whether there is one.
func LeftProject(dir, agentDir string) (Project, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, false
	}
	root := realPath(dir)
	for _, of := range []string{root, filepath.Join(root, ".git")} {
		if _, err := os.Stat(StoreOf(agentDir, keyOf(of))); err == nil {
			return Project{AgentDir: agentDir, Root: root, Key: keyOf(of)}, true
		}
	}
	return Project{}, false
}

// LogsWith returns the hooks' logs that have a match: they hold names that a caller gave, such as
// those of unknown tools.
func LogsWith(a *Workspace, match func(text string) bool) (files []string) {
	pl, err := a.Here()
	if err != nil {
		return nil
	}
	all, _ := filepath.Glob(filepath.Join(LogDir(pl.AgentDir), "*"))
	for _, f := range all {
		if b, err := os.ReadFile(f); err == nil && match(string(b)) {
			files = append(files, f)
		}
	}
	return files
}

// LogDir returns the directory of the hooks' logs.
func LogDir(agentDir string) string { return filepath.Join(agentDir, "pictx", "log") }
