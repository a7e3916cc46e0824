package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// AgentDir is pi's configuration directory: PI_CODING_AGENT_DIR, else
// ~/.pi/agent.
func AgentDir(getenv func(string) string) (string, error) {
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	if dir := getenv("PI_CODING_AGENT_DIR"); dir != "" {
		return absolute(expandHome(dir, home))
	}
	if home == "" {
		return "", errors.New("find pi's directory: neither PI_CODING_AGENT_DIR nor HOME is set")
	}
	return filepath.Join(home, ".pi", "agent"), nil
}

func expandHome(path, home string) string {
	if path == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
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

// ours tells whether d's .pi holds files of pictx. The directory above pi's own
// does not count: every user of pi has a ~/.pi.
func ours(d, agentDir string) bool {
	if agentDir != "" && real(filepath.Join(d, ".pi")) == real(filepath.Dir(agentDir)) {
		return false
	}
	for _, name := range []string{"pictx.toml", "decision-memory"} {
		if _, err := os.Stat(filepath.Join(d, ".pi", name)); err == nil {
			return true
		}
	}
	return false
}

func key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// gitCommonDir returns git's common directory when d is the root of a work tree.
func gitCommonDir(d string) (string, bool) {
	dot := filepath.Join(d, ".git")
	st, err := os.Lstat(dot)
	if err != nil {
		return "", false
	}
	if st.IsDir() {
		return real(dot), true
	}
	if !st.Mode().IsRegular() {
		return "", false
	}
	gitDir, ok := pointer(dot, "gitdir:", d)
	if !ok {
		return "", false
	}
	return linkedCommonDir(dot, gitDir), true
}

// linkedCommonDir finds the common directory of a linked work tree or submodule.
// A .git file is part of what somebody may have unpacked: it is believed only
// when git's own directory points back at it, or else it could name another
// project's repository and read that project's store.
func linkedCommonDir(dot, gitDir string) string {
	if back, ok := pointer(filepath.Join(gitDir, "gitdir"), "", gitDir); ok && back == real(dot) {
		if common, ok := pointer(filepath.Join(gitDir, "commondir"), "", gitDir); ok {
			return common
		}
	}
	if strings.Contains(gitDir, string(filepath.Separator)+filepath.Join(".git", "modules")+string(filepath.Separator)) &&
		strings.HasPrefix(dot, strings.Split(gitDir, string(filepath.Separator)+".git"+string(filepath.Separator))[0]+string(filepath.Separator)) {
		return gitDir
	}
	return real(filepath.Dir(dot))
}

// pointer reads a one-line file that names a path, relative to base.
func pointer(file, prefix, base string) (string, bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	buf := make([]byte, 4096)
	n, err := f.Read(buf)
	if n == 0 && err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(buf[:n]), "\n")
	path, ok := strings.CutPrefix(line, prefix)
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return real(filepath.Clean(path)), true
}
