package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/worktree"
)

// Options say which tree is asked about and where its index is.
type Options struct {
	Root      string // absolute, without links in it
	File      string // the index, outside Root
	Git       bool   // Root is a git work tree
	Languages lang.Set
	Create    bool // make an index when there is none
	Fresh     bool // read everything, whatever the index says
	Now       func() time.Time
	// Progress is called with how many of how many files are read; it may be nil.
	Progress func(done, total int)
}

// Engine answers from the index of one state of a tree. It is safe for concurrent
// use.
type Engine struct {
	*view
	opts  Options
	size  int64
	reads int
	// Change is what opening it found.
	Change Change
	// Notes are what went wrong without stopping anything, a sentence each.
	Notes []string
}

var _ kota.Engine = (*Engine)(nil)

// Exists reports whether there is an index.
func Exists(file string) bool {
	st, err := os.Lstat(file)
	return err == nil && st.Mode().IsRegular()
}

// Open brings the index up to date and returns what answers from it. Without an
// index, and without Options.Create, it is kota.ErrNotIndexed.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if st, err := os.Stat(o.Root); err != nil {
		return nil, fmt.Errorf("index %s: %w", o.Root, err)
	} else if !st.IsDir() {
		return nil, fmt.Errorf("index %s: it is not a directory", o.Root)
	}
	e := &Engine{opts: o}
	if !o.Create && !Exists(o.File) {
		return nil, kota.ErrNotIndexed
	}
	// git takes about as long as reading the index does.
	began, listed := o.Now(), make(chan listing, 1)
	go func() {
		var l listing
		l.paths, l.git, l.err = worktree.List(ctx, o.Root, o.Git)
		listed <- l
	}()
	old, looked, err := load(o.File, o.Root)
	switch {
	case err == nil:
	case !missing(err):
		e.Notes = append(e.Notes, "the index was damaged or of another version, and is rebuilt")
	}
	if err != nil || o.Fresh {
		old, looked = &tree{root: o.Root}, time.Time{}
	}
	u := &updater{old: old, looked: looked, languages: o.Languages, progress: o.Progress, own: o.own()}
	// While git lists, what was there the last time is looked at.
	known := u.knownStamps(o.Root)
	if err := u.update(ctx, o.Root, <-listed, known); err != nil {
		return nil, err
	}
	if err := e.keep(u, began); err != nil {
		return nil, err
	}
	e.view, e.Change, e.reads = newView(o.files(), u.now), u.change, int(u.reads.Load())
	return e, nil
}

// files are the files of the tree.
func (o Options) files() Files { return Files{Root: o.Root, Git: o.Git, Languages: o.Languages} }

// own is the directory of the index, relative to the root, when it lies in the
// tree, "" otherwise.
func (o Options) own() string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(o.File))
	if err != nil {
		dir = filepath.Dir(o.File)
	}
	rel, err := filepath.Rel(o.Root, dir)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// keep writes the index when something changed. When it cannot be written the
// answer is right all the same, unless writing it is what was asked for.
func (e *Engine) keep(u *updater, began time.Time) error {
	if u.same() {
		if st, err := os.Lstat(e.opts.File); err == nil {
			e.size = st.Size()
		}
		return nil
	}
	n, err := u.now.save(e.opts.File, began)
	if err != nil {
		if e.opts.Create {
			return err
		}
		e.Notes = append(e.Notes, err.Error())
		return nil
	}
	e.size, u.change.Written = int64(n), true
	return nil
}

// Reads is of how many files the content was read to bring the index up to date.
func (e *Engine) Reads() int { return e.reads }

// Find returns the path, relative to the root, of the first of these names that
// is a file of the index. The error is about the last.
func (e *Engine) Find(names ...string) (string, error) {
	var err error
	for _, n := range names {
		var i int
		if i, err = e.ask(n); err == nil {
			return e.name(i), nil
		}
	}
	return "", err
}

// Files lists the files of the index.
func (e *Engine) Files() []string { return e.paths() }
