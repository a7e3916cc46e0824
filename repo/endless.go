package repo

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

const (
	// maxGitFile limits what git may have to read of a file in .git before it says anything.
	// Larger ones are known of the index and of packed refs alone.
	maxGitFile = 64 << 20
	// maxRefs is how many files of refs are looked at. git packs them long before.
	maxRefs = 100_000
)

// endless returns an error when a file that git reads of its own directories is a device or a
// pipe, or a link to one: git would read until it is stopped. A file that git keeps small
// must be small.
func endless(ctx context.Context, dir, root, subcommand string) error {
	dirs, err := gitDirs(dir, root)
	if err != nil {
		return err
	}
	for _, at := range dirs {
		for name, limit := range map[string]int64{
			"HEAD": maxGitFile, "commondir": maxGitFile, "config": maxGitFile, "config.worktree": maxGitFile,
			"index": math.MaxInt64, "packed-refs": math.MaxInt64, "shallow": math.MaxInt64,
			"info/attributes": maxGitFile, "info/exclude": maxGitFile, "info/grafts": maxGitFile, "objects/info/alternates": maxGitFile,
		} {
			if err := ends(filepath.Join(at, filepath.FromSlash(name)), limit); err != nil {
				return err
			}
		}
		if subcommand == "ls-files" || subcommand == "check-attr" { // they read no refs, and run often
			continue
		}
		seen := 0
		for _, name := range []string{"refs", "reftable"} {
			if err := refsEnd(ctx, filepath.Join(at, name), &seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// ends returns an error when a file has no end, or more bytes than limit. A missing file and a
// directory are left to git, which will say so.
func ends(file string, limit int64) error {
	st, err := os.Stat(file)
	switch {
	case err != nil || st.IsDir():
	case !st.Mode().IsRegular():
		return fmt.Errorf("let git read %s: it is not a regular file", file)
	case st.Size() > limit:
		return fmt.Errorf("let git read %s: it has %d bytes, more than %d", file, st.Size(), limit)
	}
	return nil
}

// refsEnd does what ends does for the files below a directory. A link to a directory below it
// could lead round in a circle, and git makes none.
func refsEnd(ctx context.Context, dir string, seen *int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // there are none, or git will say so
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := filepath.Join(dir, e.Name())
		if *seen++; *seen > maxRefs {
			return fmt.Errorf("let git read %s: there are more than %d refs", dir, maxRefs)
		}
		if e.IsDir() {
			err = refsEnd(ctx, at, seen)
		} else if err = ends(at, maxGitFile); err == nil && e.Type()&os.ModeSymlink != 0 {
			if st, bad := os.Stat(at); bad == nil && st.IsDir() {
				err = fmt.Errorf("let git read %s: it is a link to a directory", at)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gitDirs returns the directories that git may take for its own between dir and root: .git in
// root, or where a file .git leads, with the one that this shares; and any directory that
// looks like a repository without a work tree.
func gitDirs(dir, root string) ([]string, error) {
	var dirs []string
	if at, err := filepath.EvalSymlinks(dir); err == nil {
		for ; ; at = filepath.Dir(at) {
			if Exists(filepath.Join(at, "HEAD")) && Exists(filepath.Join(at, "objects")) && Exists(filepath.Join(at, "refs")) {
				dirs = append(dirs, at)
			}
			if at == root || filepath.Dir(at) == at {
				break
			}
		}
	}
	at := filepath.Join(root, ".git")
	if st, err := os.Stat(at); err == nil && !st.IsDir() {
		if err := ends(at, maxGitFile); err != nil {
			return nil, err
		}
		if at, err = follow(at, "gitdir:"); err != nil {
			return nil, err
		}
	}
	dirs = append(dirs, at)
	for _, at := range dirs {
		file := filepath.Join(at, "commondir")
		if !Exists(file) {
			continue
		}
		common, err := follow(file, "")
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, common)
	}
	return dirs, nil
}

// follow returns the directory that a file of git's names after prefix.
func follow(file, prefix string) (string, error) {
	data, err := ReadRegular(file, maxGitFile)
	if err != nil {
		return "", fmt.Errorf("let git read %s: %w", file, err)
	}
	name := strings.TrimRight(strings.TrimLeft(strings.TrimPrefix(string(data), prefix), " "), "\r\n")
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(file), name)
	}
	return name, nil
}
