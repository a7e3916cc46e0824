package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Project is a directory tree whose sessions share one store.
type Project struct {
	// Root is the work tree's root, with symbolic links resolved.
	Root string
	// Key names the store: 16 hexadecimal digits of the hash of git's common
	// directory, so that all work trees of a repository share one, or of Root.
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

// Find returns the project that dir belongs to: the git work tree around it,
// else the nearest directory whose .pi belongs to pictx, else dir itself. The
// directory need not exist, as that of a session recorded elsewhere.
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

// real resolves symbolic links as far as the path exists.
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

// ours reports whether d's .pi holds files of pictx. Pi's own directory and the one
// above it do not count: every user of pi has a ~/.pi. What is rare is asked first: it is
// asked of every directory around one that is not a work tree, at every event of an agent.
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
