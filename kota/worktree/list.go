// Package worktree lists the files of a project, and what git says changed. The files are those
// that git tracks or would track or, without git, those that no .gitignore excludes. It runs git,
// but nothing that a repository configures to be run.
//
// It must not know what the files contain, nor why they are listed.
package worktree

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/coctostan/pictx/repo"
)

// gitLimit is how long git may take.
const gitLimit = 30 * time.Second

// List lists the files of a tree, relative to its root, sorted. With useGit these are the files
// that git tracks or would track; some of them may be missing on disk. If that fails, or without
// useGit, they are the files on disk that no .gitignore excludes. usedGit reports which of the
// two it was.
func List(ctx context.Context, root string, useGit bool) (files []string, usedGit bool, err error) {
	if useGit {
		if files, err := gitFiles(ctx, root); err == nil {
			return files, true, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
	files, err = walk(ctx, root)
	return files, false, err
}

// gitFiles lists the files by git.
func gitFiles(ctx context.Context, root string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	out, err := git(ctx, root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	files := make([]string, 0, bytes.Count(out, []byte{0}))
	for f := range bytes.SplitSeq(out, []byte{0}) {
		if len(f) > 0 && f[len(f)-1] != '/' {
			files = append(files, string(f))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// git runs git, which writes nothing and runs nothing that the repository configures.
func git(ctx context.Context, root string, args ...string) ([]byte, error) {
	out, _, err := repo.Run(ctx, root, args...)
	return out, err
}

// walk lists the files below a directory. It does not follow links.
func walk(ctx context.Context, root string) ([]string, error) {
	var files []string
	var rules ignoreStack
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if p == root {
				return err
			}
			return nil // skip what cannot be read
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (d.Name() == ".git" || d.Name() == "node_modules" || rules.ignores(rel, true)) {
				return filepath.SkipDir
			}
			rules.enter(rel, filepath.Join(p, ".gitignore"))
			return nil
		}
		if d.Type().IsRegular() && !rules.ignores(rel, false) {
			files = append(files, rel)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}
