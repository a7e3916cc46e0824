package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Project is a directory tree whose sessions share a store.
type Project struct {
	// Root is the root of the work tree, with symbolic links resolved.
	Root string
	// Key names the store. It is 16 hexadecimal digits of the hash of git's common
	// directory, which all work trees of a repository share, or else of Root.
	Key string
	// Git is git's common directory, "" outside a repository.
	Git string
}

func absolute(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	return abs, nil
}

// Find returns the project that dir belongs to: the git work tree around it, else the
// nearest directory whose .pi has files of pictx, else dir itself. dir need not exist: the
// session may come from another machine.
func Find(dir, agentDir string) (Project, error) {
	abs, err := absolute(dir)
	if err != nil {
		return Project{}, err
	}
	dir = real(abs)
	for d := dir; ; d = filepath.Dir(d) {
		if common, ok := gitCommonDir(d); ok {
			return Project{Root: d, Key: key(common), Git: common}, nil
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if ours(d, agentDir) {
			return Project{Root: d, Key: key(d)}, nil
		}
	}
	return Project{Root: dir, Key: key(dir)}, nil
}

// real resolves symbolic links in the existing part of a path.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(real(parent), filepath.Base(path))
}

// ours reports whether d's .pi has files of pictx. The agent's directory and its parent do
// not count, because every user of pi has ~/.pi. The rarest condition is checked first:
// outside of work trees this runs for every parent directory at every event of an agent.
func ours(d, agentDir string) bool {
	pi := filepath.Join(d, ".pi")
	if !holds(pi, "pictx.toml") && !holds(pi, "decision-memory") {
		return false
	}
	pi = real(pi)
	return agentDir == "" || pi != real(agentDir) && pi != real(filepath.Dir(agentDir))
}

func holds(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

func key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}
