package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
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
	opts  Options
	files Files
	tree  *tree
	graph *graph
	size  int64
	reads int
	// Change is what opening it found.
	Change Change
	// Notes are what went wrong without stopping anything, a sentence each.
	Notes []string

	mu    sync.Mutex
	known map[int]lang.Facts // decoded with imports
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
		return nil, fmt.Errorf("index %s: it is no directory", o.Root)
	}
	e := &Engine{opts: o, files: o.files(), known: make(map[int]lang.Facts)}
	if !o.Create && !Exists(o.File) {
		return nil, kota.ErrNotIndexed
	}
	// git takes about as long as reading the index does.
	began, listed := o.Now(), make(chan listing, 1)
	go func() {
		var l listing
		l.paths, l.git, l.err = list(ctx, o.Root, o.Git)
		listed <- l
	}()
	old, looked, err := load(o.File, o.Root)
	switch {
	case err == nil:
	case !missing(err):
		e.Notes = append(e.Notes, "the index was damaged or of another version, and is made again")
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
	e.tree, e.Change, e.reads = u.now, u.change, int(u.reads.Load())
	if e.graph, err = newGraph(e.tree); err != nil {
		return nil, err
	}
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

// facts decodes what is known of a file, with its imports and exports.
func (e *Engine) facts(i int) lang.Facts {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f, ok := e.known[i]; ok {
		return f
	}
	f := e.all(i, withImports)
	e.known[i] = f
	return f
}

// all decodes parts of what is known of a file.
func (e *Engine) all(i int, want parts) lang.Facts {
	if e.tree.files[i].facts == "" {
		return lang.Facts{}
	}
	// The checksum of the index held, so that this cannot fail.
	f, _ := decodeFacts(e.tree.files[i].facts, want)
	return f
}

// name returns the path of a file.
func (e *Engine) name(i int) string { return e.tree.files[i].path }

// isTest reports whether a file is a test.
func (e *Engine) isTest(i int) bool { return e.opts.Languages.IsTest(e.name(i)) }

// Status counts what the index holds.
func (e *Engine) Status(context.Context) (kota.Status, error) {
	s := kota.Status{Engine: "builtin", Root: e.opts.Root, Index: e.opts.File, Indexed: true, Bytes: e.size, Skipped: []kota.Count{}, Notes: e.tree.notes}
	skipped := map[Skip]int{}
	for i := range e.tree.files {
		f := &e.tree.files[i]
		if f.kind != Code {
			continue
		}
		if f.skip != NotSkipped {
			skipped[f.skip]++
			continue
		}
		s.Files++
		e.count(&s, f)
	}
	for k := SkipBinary; k <= SkipRead; k++ {
		if n := skipped[k]; n > 0 {
			s.Skipped = append(s.Skipped, kota.Count{Name: k.String(), N: n})
		}
	}
	for i := range e.graph.n {
		for _, a := range e.graph.out(i) {
			s.Edges++
			if a.flags&arcInferred != 0 {
				s.Inferred++
			}
		}
	}
	symbols := make([]int, workers())
	share(len(e.tree.files), func(w, i int) { symbols[w] += len(e.all(i, withDecls).Decls) })
	for _, n := range symbols {
		s.Symbols += kota.Number(n)
	}
	return s, nil
}

// count adds one file's imports to a status.
func (e *Engine) count(s *kota.Status, f *file) {
	h := f.header()
	if h.bare {
		s.Bare++
	}
	if h.partial {
		s.Partial++
	}
	for _, l := range f.edges {
		switch l.status {
		case lang.Unresolved:
			s.Unresolved++
		case lang.Computed:
			s.Computed++
		case lang.External:
			s.External++
		}
	}
}

// ask finds the file that a question names.
func (e *Engine) ask(name string) (int, error) {
	for _, p := range e.files.spellings(name) {
		if i := e.tree.find(p); i >= 0 {
			return i, nil
		}
	}
	return -1, &kota.UnknownFileError{File: name, Nearest: nearest(e.files.Relative(name), e.paths(), 3)}
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

// paths lists the paths of all files.
func (e *Engine) paths() []string {
	out := make([]string, len(e.tree.files))
	for i := range e.tree.files {
		out[i] = e.tree.files[i].path
	}
	return out
}

// several finds the files that a question names.
func (e *Engine) several(names []string) ([]int, error) {
	var out []int
	var errs []error
	for _, n := range names {
		i, err := e.ask(n)
		if err != nil {
			errs = append(errs, err)
		} else if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out, errors.Join(errs...)
}
