package workspace

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/coctostan/pictx/repo"
)

// gitCommonDir returns git's common directory when d is the root of a work tree.
//
// A .git file may come from an unpacked archive. It is trusted only if the repository
// points back at it: otherwise it could name another project's repository and so read that
// project's store. A work tree with an untrusted .git file is a project of its own.
func gitCommonDir(d string) (string, bool) {
	dot := filepath.Join(d, ".git")
	st, err := os.Lstat(dot)
	switch {
	case err != nil:
		return "", false
	case st.IsDir():
		return realPath(dot), true
	case st.Mode()&os.ModeSymlink != 0:
		to, err := os.Stat(dot)
		return d, err == nil && to.IsDir()
	}
	gitDir, ok := pointer(dot, "gitdir:", d)
	if !ok {
		return "", false
	}
	if common, ok := linkedCommonDir(dot, gitDir); ok {
		return common, true
	}
	if worktreeSetting(gitDir) == d {
		return gitDir, true
	}
	return d, true
}

// linkedCommonDir returns the repository of a linked work tree. gitDir must be among the
// work trees that the repository lists; a .git file from an archive could name any
// directory.
func linkedCommonDir(dot, gitDir string) (string, bool) {
	if back, ok := pointer(filepath.Join(gitDir, "gitdir"), "", gitDir); !ok || back != realPath(dot) {
		return "", false
	}
	common, ok := pointer(filepath.Join(gitDir, "commondir"), "", gitDir)
	return common, ok && filepath.Dir(gitDir) == filepath.Join(common, "worktrees")
}

// worktreeSetting returns core.worktree from the configuration in gitDir, "" when it is not
// set. The repository of a submodule has it.
func worktreeSetting(gitDir string) string {
	b, err := repo.ReadRegular(filepath.Join(gitDir, "config"), maxGit)
	if err != nil {
		return ""
	}
	section := ""
	for in := bufio.NewScanner(bytes.NewReader(b)); in.Scan(); {
		line := strings.TrimSpace(in.Text())
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
		}
		name, value, ok := strings.Cut(line, "=")
		if section != "[core]" || !ok || !strings.EqualFold(strings.TrimSpace(name), "worktree") {
			continue
		}
		if path := strings.Trim(strings.TrimSpace(value), `"`); filepath.IsAbs(path) {
			return realPath(path)
		} else if path != "" {
			return realPath(filepath.Join(gitDir, path))
		}
	}
	return ""
}

// pointer reads a one-line file that contains a path, relative to base.
func pointer(file, prefix, base string) (string, bool) {
	b, err := repo.ReadRegular(file, maxGit)
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(b), "\n")
	path, ok := strings.CutPrefix(line, prefix)
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return realPath(filepath.Clean(path)), true
}

// maxGit is the maximum size of a file of git in bytes. Its path may come from an unpacked archive, so
// a pipe must not block and a huge file must not be read.
const maxGit = 1 << 20
