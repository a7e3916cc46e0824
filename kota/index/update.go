package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coctostan/pictx/kota/resolve"
	"github.com/coctostan/pictx/kota/scan"
)

// unsure is how much earlier than the last look a file must have changed for its
// times to tell that it has not changed since: clocks of file systems tick.
const unsure = 20 * time.Millisecond

// Change is what bringing an index up to date found.
type Change struct {
	Added, Removed, Updated int  // code files
	Resolved                bool // every import was resolved again
	Written                 bool // the index was written
}

// updater brings a tree up to date.
type updater struct {
	old    *tree
	looked time.Time // when old's files were looked at
	now    *tree
	change Change
	dirty  []bool // by file: its facts are not the old ones
	// progress is called with how many of how many files are read; it may be nil
	// and is called by one goroutine at a time.
	progress func(done, total int)
	// own is the directory of the index when it lies in the tree, "" otherwise.
	own   string
	reads atomic.Int64 // files whose content was read
}

// listing is a tree's files, or why they cannot be listed.
type listing struct {
	paths []string
	git   bool // they come from git
	err   error
}

// update looks at the files of a listing and reads what changed since old.
func (u *updater) update(ctx context.Context, root string, l listing, known []stamp) error {
	if l.err != nil {
		return l.err
	}
	paths := l.paths
	if u.own != "" { // somebody's home directory is a project
		paths = slices.DeleteFunc(paths, func(p string) bool { return within(p, u.own) })
	}
	u.now = &tree{root: root, git: l.git}
	stamps := u.status(paths, known)
	u.sort(paths, stamps)
	if err := u.scan(ctx); err != nil {
		return err
	}
	return u.resolve(ctx)
}

// workers is how many goroutines share work on files.
func workers() int { return max(2, min(runtime.GOMAXPROCS(0), 8)) }

// share calls fn with every number below n, from several goroutines.
func share(n int, fn func(worker, i int)) {
	const chunk = 16
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers() {
		wg.Go(func() {
			for {
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return
				}
				for i := from; i < min(from+chunk, n); i++ {
					fn(w, i)
				}
			}
		})
	}
	wg.Wait()
}

// knownStamps looks at the files of the old tree, in its order.
func (u *updater) knownStamps(root string) []stamp {
	return look(root, len(u.old.files), func(i int) string { return u.old.files[i].path })
}

// status looks at every file that is not known already: known are the stamps of the
// old tree's files.
func (u *updater) status(paths []string, known []stamp) []stamp {
	stamps := make([]stamp, len(paths))
	var rest []int
	j := 0
	for i, p := range paths {
		for j < len(u.old.files) && u.old.files[j].path < p {
			j++
		}
		if j < len(known) && u.old.files[j].path == p {
			stamps[i] = known[j]
		} else {
			rest = append(rest, i)
		}
	}
	for k, s := range look(u.now.root, len(rest), func(k int) string { return paths[rest[k]] }) {
		stamps[rest[k]] = s
	}
	return stamps
}

// look looks at n files. One that is gone, or is no regular file, has the size -1.
func look(root string, n int, path func(i int) string) []stamp {
	stamps := make([]stamp, n)
	prefix := root + string(filepath.Separator)
	share(n, func(_, i int) {
		s, err := stampOf(prefix + filepath.FromSlash(path(i)))
		if err != nil {
			s.size = -1
		}
		stamps[i] = s
	})
	return stamps
}

// sort puts the paths into files and others.
func (u *updater) sort(paths []string, stamps []stamp) {
	for i, p := range paths {
		switch {
		case stamps[i].size < 0:
		case scan.Supported(p):
			u.now.files = append(u.now.files, file{path: p, kind: Code, stamp: stamps[i]})
		case isConfig(p):
			u.now.files = append(u.now.files, file{path: p, kind: Config, stamp: stamps[i]})
		default:
			u.now.others = append(u.now.others, p)
		}
	}
}

// scan takes over what did not change and reads the rest.
func (u *updater) scan(ctx context.Context) error {
	files := u.now.files
	u.dirty = make([]bool, len(files))
	var todo []int
	j := 0
	for i := range files {
		f := &files[i]
		for j < len(u.old.files) && u.old.files[j].path < f.path {
			j++
		}
		var before *file
		if j < len(u.old.files) && u.old.files[j].path == f.path && u.old.files[j].kind == f.kind {
			before = &u.old.files[j]
		}
		if before != nil && before.stamp == f.stamp && u.settled(f.stamp) {
			f.take(before)
			continue
		}
		todo = append(todo, i)
	}
	readers := make([]reader, workers())
	var done atomic.Int64
	var mu sync.Mutex
	share(len(todo), func(w, k int) {
		if ctx.Err() != nil {
			return
		}
		u.read(&readers[w], todo[k])
		if n := int(done.Add(1)); u.progress != nil && n%64 == 0 {
			mu.Lock()
			u.progress(n, len(todo))
			mu.Unlock()
		}
	})
	return ctx.Err()
}

// settled reports whether a status that is the same means a content that is.
func (u *updater) settled(s stamp) bool {
	return max(s.mtime, s.ctime) < u.looked.Add(-unsure).UnixNano()
}

// take copies what is known of a file.
func (f *file) take(before *file) {
	f.skip, f.hash, f.facts, f.edges = before.skip, before.hash, before.facts, before.edges
}

// read reads a file, and scans it when its content is not the one it had.
func (u *updater) read(s *reader, i int) {
	f := &u.now.files[i]
	u.reads.Add(1)
	data, skip := s.content(filepath.Join(u.now.root, filepath.FromSlash(f.path)), f.stamp.size)
	sum := sha256.Sum256(data)
	copy(f.hash[:], sum[:])
	f.skip = skip
	if before := u.old.find(f.path); before >= 0 && u.old.files[before].kind == f.kind {
		if b := &u.old.files[before]; b.hash == f.hash && b.skip == f.skip {
			f.take(b)
			return
		}
	}
	u.dirty[i] = true
	if f.kind != Code || skip != NotSkipped {
		return
	}
	if scan.Binary(data) {
		f.skip = SkipBinary
		return
	}
	facts := s.File(f.path, data)
	f.facts = encodeFacts(&facts)
	f.edges = make([]link, len(facts.Imports))
	for k, im := range facts.Imports {
		f.edges[k] = link{typeOnly: im.TypeOnly, kind: im.Kind, status: resolve.Unresolved}
	}
}

// reader reads and scans files one after the other.
type reader struct {
	scan.Scanner
	buf []byte
}

// content reads a file that is not too large. The result is valid until the next
// call.
func (r *reader) content(name string, size int64) ([]byte, Skip) {
	if size > maxFile {
		return nil, SkipSize
	}
	data, err := readInto(name, r.buf)
	switch {
	case errors.Is(err, fs.ErrInvalid):
		return nil, SkipSize
	case err != nil:
		return nil, SkipRead
	}
	r.buf = data
	return data, NotSkipped
}

// resolve finds what the imports mean: of every file when a file came or went or
// a configuration changed, else of the files that changed.
func (u *updater) resolve(ctx context.Context) error {
	every := u.compare()
	if !every && !slices.Contains(u.dirty, true) {
		u.now.watch, u.now.notes = u.old.watch, u.old.notes
		u.keepAssets()
		return nil
	}
	r := resolve.New(u.paths(), u.config)
	for i := range u.now.files {
		f := &u.now.files[i]
		if !every && !u.dirty[i] || f.kind != Code || f.facts == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := link1(r, f); err != nil {
			return err
		}
	}
	if every {
		u.change.Resolved = true
		u.watch(r)
		u.now.notes = r.Notes()
	} else {
		u.now.watch, u.now.notes = u.old.watch, u.old.notes
	}
	u.keepAssets()
	return nil
}

// link1 resolves the imports of one file.
func link1(r *resolve.Resolver, f *file) error {
	facts, err := decodeFacts(f.facts, withImports)
	if err != nil {
		return err
	}
	links := make([]link, len(facts.Imports))
	for k, im := range facts.Imports {
		res := r.Resolve(resolve.Request{
			From: f.path, Spec: im.Spec, Dynamic: im.Kind == scan.Dynamic,
			Require: im.Kind == scan.Require || im.Kind == scan.Equals,
		})
		links[k] = link{to: res.Path, status: res.Status, inferred: res.Inferred, typeOnly: im.TypeOnly, kind: im.Kind}
	}
	f.edges = links
	return nil
}

// compare counts what changed and reports whether every import must be resolved.
func (u *updater) compare() bool {
	every := len(u.old.files) == 0 || u.old.git != u.now.git && !slices.Equal(u.old.others, u.now.others)
	had, has := codePaths(u.old), codePaths(u.now)
	i, j := 0, 0
	for i < len(had) || j < len(has) {
		switch {
		case j == len(has) || i < len(had) && had[i] < has[j]:
			u.change.Removed++
			i++
		case i == len(had) || has[j] < had[i]:
			u.change.Added++
			j++
		default:
			i++
			j++
		}
	}
	for i, f := range u.now.files {
		if u.dirty[i] && f.kind == Config {
			every = true
		}
		if u.dirty[i] && f.kind == Code && u.old.find(f.path) >= 0 {
			u.change.Updated++
		}
	}
	return every || u.change.Added+u.change.Removed > 0 || !slices.Equal(plainPaths(u.old), plainPaths(u.now)) || u.watchChanged()
}

// codePaths lists the code files of a tree.
func codePaths(t *tree) []string {
	var out []string
	for i := range t.files {
		if t.files[i].kind == Code {
			out = append(out, t.files[i].path)
		}
	}
	return out
}

// plainPaths lists all files of a tree that are no code, sorted.
func plainPaths(t *tree) []string {
	out := slices.Clone(t.others)
	for i := range t.files {
		if t.files[i].kind != Code {
			out = append(out, t.files[i].path)
		}
	}
	slices.Sort(out)
	return out
}

// paths lists all files of the tree.
func (u *updater) paths() []string {
	out := slices.Clone(u.now.others)
	for i := range u.now.files {
		out = append(out, u.now.files[i].path)
	}
	return out
}

// config reads a configuration file for the resolver.
func (u *updater) config(p string) ([]byte, bool) {
	name := filepath.Join(u.now.root, filepath.FromSlash(p))
	st, err := os.Stat(name) // in node_modules, links are the rule
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile {
		return nil, false
	}
	data, err := os.ReadFile(name)
	return data, err == nil
}

// watch remembers the configuration that lies outside the list.
func (u *updater) watch(r *resolve.Resolver) {
	u.now.watch = nil
	for _, p := range r.Consulted() {
		if i := u.now.find(p); i < 0 || u.now.files[i].kind == Asset {
			u.now.watch = append(u.now.watch, u.look(p))
		}
	}
}

// look reads a watched file.
func (u *updater) look(p string) watched {
	w := watched{path: p}
	data, there := u.config(p)
	if w.there = there; there {
		sum := sha256.Sum256(data)
		copy(w.hash[:], sum[:])
	}
	return w
}

// watchChanged reports whether configuration outside the list changed.
func (u *updater) watchChanged() bool {
	for _, w := range u.old.watch {
		if u.look(w.path) != w {
			return true
		}
	}
	return false
}

// keepAssets makes files of those others that are imported.
func (u *updater) keepAssets() {
	wanted := make(map[string]bool)
	for i := range u.now.files {
		for _, l := range u.now.files[i].edges {
			if l.status == resolve.Found && !scan.Supported(l.to) && !isConfig(l.to) {
				wanted[l.to] = true
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	rest := make([]string, 0, len(u.now.others))
	var assets []file
	for _, p := range u.now.others {
		if wanted[p] {
			assets = append(assets, file{path: p, kind: Asset})
		} else {
			rest = append(rest, p)
		}
	}
	u.now.others, u.now.files = rest, merged(u.now.files, assets)
}

// merged merges two sorted lists of files.
func merged(a, b []file) []file {
	out := make([]file, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].path < b[0].path {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// same reports whether nothing is to be written: everything is as it was, the
// status of every file included.
func (u *updater) same() bool {
	if u.change.Resolved || len(u.old.files) != len(u.now.files) || u.old.git != u.now.git || !slices.Equal(u.old.others, u.now.others) {
		return false
	}
	for i := range u.now.files {
		a, b := &u.old.files[i], &u.now.files[i]
		if a.path != b.path || a.stamp != b.stamp || a.hash != b.hash || a.kind != b.kind {
			return false
		}
	}
	return true
}
