package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// clockTick is how much older than the last check the times of a file must be to prove that it
// has not changed since. File systems have clocks of limited resolution.
const clockTick = 20 * time.Millisecond

// Change is what an update of an index found.
type Change struct {
	Added, Removed, Updated int  // code files
	Resolved                bool // every import was resolved again
	Written                 bool // the index was written
}

// updater updates a tree.
type updater struct {
	old    *tree
	looked time.Time // when the files of old were checked
	now    *tree
	change Change
	dirty  []bool // by file, whether its content changed
	// progress is called with the number of files read and their total. It may be nil and is
	// never called concurrently.
	progress  func(done, total int)
	languages lang.Set
	// own is the directory of the index, relative to the root, when it is inside the tree, ""
	// otherwise.
	own   string
	reads atomic.Int64 // files whose content was read
}

// listing is the files of a tree, or why they cannot be listed.
type listing struct {
	paths []string
	git   bool // they come from git
	err   error
}

// update checks the files of a listing and reads those that changed since old.
func (u *updater) update(ctx context.Context, root string, l listing, known []stamp) error {
	if l.err != nil {
		return l.err
	}
	paths := l.paths
	if u.own != "" { // a project may contain the index, as a home directory does
		paths = slices.DeleteFunc(paths, func(p string) bool { return words.Within(p, u.own) })
	}
	u.now = &tree{root: root, git: l.git}
	stamps := u.status(paths, known)
	u.sort(paths, stamps)
	if err := u.scan(ctx); err != nil {
		return err
	}
	return u.resolve(ctx)
}

// workers returns how many goroutines share work on files.
func workers() int { return max(2, min(runtime.GOMAXPROCS(0), 8)) }

// share calls fn with every number below n from several goroutines.
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

// status returns the status of every path. known holds those of the old tree's files, which it
// does not check again.
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

// look returns the status of n files. A missing file, or one that is not regular, has size -1.
func look(dir string, n int, path func(i int) string) []stamp {
	stamps := make([]stamp, n)
	r, missing := openRoot(dir)
	if missing == nil {
		defer r.close()
	}
	share(n, func(_, i int) {
		s, err := r.stampOf(path(i))
		if err != nil || missing != nil {
			s.size = -1
		}
		stamps[i] = s
	})
	return stamps
}

// sort divides the paths into files and others.
func (u *updater) sort(paths []string, stamps []stamp) {
	u.now.files = make([]file, 0, len(u.old.files))
	for i, p := range paths {
		switch {
		case stamps[i].size < 0:
		case u.languages.IsCode(p):
			u.now.files = append(u.now.files, file{path: p, kind: Code, stamp: stamps[i]})
		case u.languages.IsConfig(p):
			u.now.files = append(u.now.files, file{path: p, kind: Config, stamp: stamps[i]})
		default:
			u.now.others = append(u.now.others, p)
		}
	}
}

// scan copies the facts of unchanged files and reads the rest.
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
		// An equal status proves equal content unless the file changed about when it was looked at.
		if before != nil && before.stamp == f.stamp && max(f.stamp.mtime, f.stamp.ctime) < u.looked.Add(-clockTick).UnixNano() {
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

// take copies what is known of a file from the old tree.
func (f *file) take(before *file) {
	f.skip, f.role, f.hash, f.edges = before.skip, before.role, before.hash, before.edges
	f.facts, f.marks = before.facts, before.marks
}

// read reads a file, and scans it when its content changed.
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
	if lang.IsBinary(data) {
		f.skip = SkipBinary
		return
	}
	facts := s.scanner(u.languages, f.path).File(f.path, data)
	f.know(codec.EncodeFacts(&facts))
	f.edges = make([]link, len(facts.Imports))
	for k, im := range facts.Imports {
		f.edges[k] = link{typeOnly: im.TypeOnly, kind: im.Kind, status: lang.Unresolved}
	}
}

// reader reads and scans files one after the other.
type reader struct {
	scanners []lang.Scanner // by language; nil until the first file of one
	buf      []byte
}

// scanner returns the scanner for a code file.
func (r *reader) scanner(languages lang.Set, name string) lang.Scanner {
	if r.scanners == nil {
		r.scanners = make([]lang.Scanner, len(languages.All()))
	}
	i := languages.Index(name)
	if r.scanners[i] == nil {
		r.scanners[i] = languages.All()[i].Scanner()
	}
	return r.scanners[i]
}

// content returns the content of a file unless it is too large. The result is valid until the
// next call.
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

// compare counts what changed, and reports whether every import must be resolved again.
func (u *updater) compare() bool {
	every := len(u.old.files) == 0 || u.old.git != u.now.git && !slices.Equal(u.old.others, u.now.others)
	known := 0 // code files that the old tree has, too
	for i, f := range u.now.files {
		every = every || u.dirty[i] && (f.kind == Config || u.languages.ChoosesTests(f.path))
		if b := u.old.find(f.path); f.kind == Code && b >= 0 {
			if u.dirty[i] {
				u.change.Updated++
			}
			if u.old.files[b].kind == Code {
				known++
			}
		}
	}
	code, others := u.now.divided()
	oldCode, oldOthers := u.old.divided()
	u.change.Added, u.change.Removed = code-known, oldCode-known
	return every || code != known || oldCode != known || !slices.Equal(oldOthers, others) || u.watchChanged()
}

// divided counts the code files of a tree, and lists all others, sorted.
func (t *tree) divided() (code int, others []string) {
	others = slices.Clone(t.others)
	for i := range t.files {
		if t.files[i].kind == Code {
			code++
		} else {
			others = append(others, t.files[i].path)
		}
	}
	slices.Sort(others)
	return code, others
}

// same reports whether the index need not be written: nothing changed, not even the status of a
// file.
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
