package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Any object, and any file of patterns in the work tree, may be a pipe into which nobody
// writes: git would wait for it. There are too many of them to look at each before git
// starts, but a git that takes long leaves the time to look.

// longForGit is how long git runs before somebody looks for what it may be waiting for.
const longForGit = time.Second

// maxLooked limits how many files are looked at.
const maxLooked = 2_000_000

// ErrEndless is returned when git was stopped because of a file that may have no end.
var ErrEndless = errors.New("it is a pipe or a device, for which git may wait for ever")

// Run runs git as Git prepares it, and returns what it wrote to standard output and standard
// error. When git takes long and there is a pipe or a device among the files that it reads,
// git is stopped, and the error names that file.
func Run(ctx context.Context, dir string, args ...string) (stdout, stderr []byte, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd, err := Git(ctx, dir, args...)
	if err != nil {
		return nil, nil, err
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	look := time.AfterFunc(longForGit, func() {
		if err := (&looker{ctx: ctx}).repository(dir); err != nil && ctx.Err() == nil {
			stop(err)
		}
	})
	defer look.Stop()
	if err = cmd.Run(); err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out.Bytes(), errs.Bytes(), err
}

// looker looks for pipes and devices.
type looker struct {
	ctx  context.Context
	seen int
}

// repository looks through the directories of git and the work tree around dir.
func (l *looker) repository(dir string) error {
	root := workTree(dir)
	dirs, err := gitDirs(dir, root)
	if err != nil {
		return err
	}
	for i := 0; i < len(dirs); i++ {
		if err := l.all(dirs[i], 0); err != nil {
			return err
		}
		for _, other := range alternates(dirs[i]) {
			const most = 16 // git itself follows five, one after the other
			if len(dirs) < most && !slices.Contains(dirs, other) {
				dirs = append(dirs, other)
			}
		}
	}
	return l.tree(root)
}

// alternates returns the parents of the directories from which git borrows objects for dir.
func alternates(dir string) []string {
	objects := filepath.Join(dir, "objects")
	data, err := ReadRegular(filepath.Join(objects, "info", "alternates"), maxGitFile)
	if err != nil {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(string(data)) {
		at := strings.TrimSpace(line)
		if at == "" || at[0] == '#' {
			continue
		}
		if !filepath.IsAbs(at) {
			at = filepath.Join(objects, at)
		}
		dirs = append(dirs, filepath.Dir(at))
	}
	return dirs
}

// all looks at every file below a directory of git, and below what links in it lead to.
func (l *looker) all(dir string, links int) error {
	const mostLinks = 4
	return filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return l.ctx.Err()
		}
		st, err := l.look(at, e)
		if err != nil || st == nil || !st.IsDir() || links == mostLinks {
			return err
		}
		return l.all(at+string(filepath.Separator), links+1)
	})
}

// tree looks at the files of a work tree that git reads for its own purposes, and at all
// files of the repositories in it.
func (l *looker) tree(root string) error {
	return filepath.WalkDir(root, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return l.ctx.Err()
		case e.IsDir() && e.Name() == ".git":
			if err := l.all(at, 0); err != nil {
				return err
			}
			return fs.SkipDir
		case e.IsDir():
			return l.ctx.Err()
		case slices.Contains([]string{".git", ".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}, e.Name()):
			_, err := l.look(at, e)
			return err
		}
		return l.count()
	})
}

// look returns an error when a file, or what a link leads to, is a pipe or a device. Sockets
// cannot be opened, and git itself makes one.
func (l *looker) look(at string, e fs.DirEntry) (fs.FileInfo, error) {
	if err := l.count(); err != nil || e.Type().IsRegular() {
		return nil, err
	}
	st, err := os.Stat(at)
	if err != nil {
		return nil, nil //nolint:nilerr // git cannot read it either
	}
	if st.Mode()&(os.ModeNamedPipe|os.ModeDevice) != 0 {
		return nil, fmt.Errorf("let git read %s: %w", at, ErrEndless)
	}
	return st, nil
}

// count ends the search after too many files, or when nobody wants it any more.
func (l *looker) count() error {
	if l.seen++; l.seen > maxLooked {
		return fs.SkipAll
	}
	return l.ctx.Err()
}
