package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/repo"
)

// Options name a tree and its index.
type Options struct {
	Root      string // absolute, with symbolic links resolved
	File      string // the index file, which the list of the tree's files leaves out
	Git       bool   // Root is a git work tree
	Languages lang.Set
	Create    bool // create the index when there is none
	Fresh     bool // ignore the index and read every file
	Now       func() time.Time
	// Progress is called with the number of files read and their total; it may be nil.
	Progress func(done, total int)
}

// Engine answers from an index at one state of the tree. It is safe for concurrent use.
type Engine struct {
	*view
	opts  Options
	size  int64
	reads int
	// Change is what Open found changed.
	Change Change
	// Notes are problems that did not prevent an answer, a sentence each.
	Notes []string
}

var _ kota.Engine = (*Engine)(nil)

// Exists reports whether there is an index at this path.
func Exists(file string) bool {
	st, err := os.Lstat(file)
	return err == nil && st.Mode().IsRegular()
}

// Open brings the index up to date and returns an engine that answers from it. It returns
// kota.ErrNotIndexed when there is no index and Options.Create is not set.
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
	// Run git while the index is read: both take about as long.
	began, listed := o.Now(), make(chan listing, 1)
	go func() {
		var l listing
		l.paths, l.git, l.err = repo.List(ctx, o.Root, o.Git)
		listed <- l
	}()
	old, looked, err := load(o.File, o.Root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.Notes = append(e.Notes, "the index was damaged or of another version, and is rebuilt")
	}
	if err != nil || o.Fresh {
		old, looked = &tree{root: o.Root}, time.Time{}
	}
	u := &updater{old: old, looked: looked, languages: o.Languages, progress: o.Progress, own: o.own()}
	// Check the files of the old index while git lists.
	known := look(o.Root, len(old.files), func(i int) string { return old.files[i].path })
	if err := u.update(ctx, o.Root, <-listed, known); err != nil {
		return nil, err
	}
	if err := e.keep(u, began); err != nil {
		return nil, err
	}
	e.view, e.Change, e.reads = newView(o.files(), u.now), u.change, int(u.reads.Load())
	return e, nil
}

// files returns the tree's files.
func (o Options) files() Files { return Files{Root: o.Root, Git: o.Git, Languages: o.Languages} }

// own returns the directory of the index relative to the root when it is inside the tree, ""
// otherwise.
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

// keep writes the index when something changed. A failure becomes a note, because the answer is
// right without it, unless the caller asked to create the index.
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

// Reads returns the number of files whose content was read to update the index.
func (e *Engine) Reads() int { return e.reads }

// Find returns the path, relative to the root, of the first name that means a file of the index.
// The error is about the last name.
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
