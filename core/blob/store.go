package blob

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// Store is a cache of texts in a directory. It keeps no files open.
type Store struct {
	dir string
	now func() time.Time
	// mask replaces what must not be stored; it may be nil.
	mask func(text string) string
	// own reports whether a session belongs to the project whose blobs are shown, and
	// whether that is known; nil shows all.
	own func(session string) (own, known bool)
}

// Info describes a blob.
type Info struct {
	ID string
	// Bytes is the size of the text, -1 when only reading it would tell.
	Bytes int64
	// Stored is its size on disk.
	Stored int64
	// Used is when it was last written or read.
	Used time.Time
	// Path is its file.
	Path string
}

// Blob is a blob with its text.
type Blob struct {
	Info
	Text []byte
}

// At returns the cache in a directory, which the first Put creates. now is the clock that
// determines the age of blobs.
func At(dir string, now func() time.Time) *Store { return &Store{dir: dir, now: now} }

// Masking returns the same cache, but masks texts before storing them. The id of a text is
// that of the masked text.
func (s *Store) Masking(mask func(text string) string) *Store {
	c := *s
	c.mask = mask
	return &c
}

// Within returns the same cache without the blobs of other projects: those that are named
// by sessions of known projects, none of which is this one. own reports whether a session
// belongs to the project, and whether that is known.
func (s *Store) Within(own func(session string) (own, known bool)) *Store {
	c := *s
	c.own = own
	return &c
}

// shows reports whether a blob is visible.
func (s *Store) shows(id string) bool {
	if s.own == nil {
		return true
	}
	foreign := false
	for _, session := range s.Sessions(id) {
		own, known := s.own(session)
		if own && known {
			return true
		}
		foreign = foreign || known
	}
	return !foreign
}

// masked returns a text as it is stored.
func (s *Store) masked(text string) string {
	if s.mask == nil {
		return text
	}
	return s.mask(text)
}

// Dir is the cache's directory.
func (s *Store) Dir() string { return s.dir }

// open opens the directory; nil when it does not exist.
func (s *Store) open() (*os.Root, error) {
	root, err := os.OpenRoot(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open blobs: %w", err)
	}
	return root, nil
}

// info describes a blob by its file.
func (s *Store) info(root *os.Root, f file) Info {
	i := Info{ID: f.id, Bytes: f.size, Stored: f.size, Used: f.used, Path: filepath.Join(s.dir, filepath.FromSlash(f.name))}
	if f.packed {
		i.Bytes = headSize(root, f.name)
	}
	return i
}

// headSize reads the size of a compressed text from its first bytes.
func headSize(root *os.Root, name string) int64 {
	const enough = 64 // more than a zstd header takes
	f, err := root.Open(name)
	if err != nil {
		return -1
	}
	defer f.Close()
	head := make([]byte, enough)
	n, _ := f.Read(head)
	return unpackedSize(head[:n])
}

// Put stores a text. session is the file of the session that will name it, "" for none: the
// blob does not expire while that file exists. Putting a text that is already stored counts
// as a use. After an error nothing is stored.
func (s *Store) Put(ctx context.Context, text []byte, session string) (Info, error) {
	if len(text) > MaxText {
		return Info{}, fmt.Errorf("keep text: it has %d bytes, at most %d", len(text), MaxText)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return Info{}, fmt.Errorf("keep text: %w", err)
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return Info{}, fmt.Errorf("keep text: %w", err)
	}
	defer root.Close()
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return Info{}, fmt.Errorf("keep text: %w", err)
	}
	defer unlock()
	if s.mask != nil {
		text = []byte(s.mask(string(text)))
	}
	f, err := s.put(root, idOf(text), text)
	if err != nil {
		return Info{}, fmt.Errorf("keep text: %w", err)
	}
	addName(root, f.id, session)
	i := s.info(root, f)
	i.Bytes = int64(len(text))
	return i, nil
}

const (
	lockFile = "lock"
	lockPoll = 5 * time.Millisecond
)

// lock locks the cache until unlock is called: writers together, and who removes blobs alone.
// Where files cannot be locked it does nothing.
func (s *Store) lock(ctx context.Context, alone bool) (unlock func(), err error) {
	l := flock.New(filepath.Join(s.dir, lockFile), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	take := l.TryRLockContext
	if alone {
		take = l.TryLockContext
	}
	if _, err := take(ctx, lockPoll); err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("another process writes or removes blobs: %w", ctx.Err())
	}
	return func() { _ = l.Unlock() }, nil
}

// put finds the file of a text, or writes it.
func (s *Store) put(root *os.Root, id string, text []byte) (file, error) {
	if err := s.makeDir(root, id[:2]); err != nil {
		return file{}, err
	}
	var bad []file
	for _, f := range variants(id) {
		_, err := f.read(root)
		if err == nil && s.touch(root, &f) {
			return f, nil
		}
		if errors.Is(err, errDamaged) {
			bad = append(bad, f)
		}
	}
	data, packed, err := pack(text)
	if err != nil {
		return file{}, err
	}
	f := variants(id)[0]
	if packed {
		f = variants(id)[1]
	}
	err = s.write(root, &f, data)
	for _, b := range bad {
		if err == nil && b.name != f.name {
			_ = root.Remove(b.name) // superseded by the good file
		}
	}
	return f, err
}

// makeDir creates the directory of a blob. Anything else in its place, such as a symbolic
// link, is an error.
func (s *Store) makeDir(root *os.Root, dir string) error {
	if err := root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if st, err := root.Lstat(dir); err == nil && !st.IsDir() {
		return fmt.Errorf("%s is not a directory", filepath.Join(s.dir, dir))
	}
	return nil
}

// touch marks a blob as used now. It returns false when its file is gone.
func (s *Store) touch(root *os.Root, f *file) bool {
	now := s.now()
	if root.Chtimes(f.name, now, now) != nil {
		return false
	}
	f.stat(root)
	return true
}

// write writes a blob's file atomically.
func (s *Store) write(root *os.Root, f *file, data []byte) error {
	if st, err := root.Lstat(f.name); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", filepath.Join(s.dir, filepath.FromSlash(f.name)))
	}
	temp := f.id[:2] + "/" + tempStart + unique()
	err := writeNew(root, temp, data)
	now := s.now()
	if err == nil {
		err = root.Chtimes(temp, now, now)
	}
	if err == nil {
		err = root.Rename(temp, f.name)
	}
	if err != nil {
		_ = root.Remove(temp)
		return err
	}
	f.size, f.used = int64(len(data)), now
	return nil
}

// writeNew writes a file that must not exist, and syncs it to disk.
func writeNew(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// unique returns a name that no other process chooses.
func unique() string {
	b := make([]byte, uniqueDigits/2)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Get returns the blob whose id begins with prefix, which counts as a use. The error is
// ErrID, an AmbiguousError, a DamagedError, ErrNotFound, or a read error.
func (s *Store) Get(prefix string) (*Blob, error) { return s.read(prefix, true) }

// Peek is Get without counting as a use.
func (s *Store) Peek(prefix string) (*Blob, error) { return s.read(prefix, false) }

// read finds and reads a blob. use is set when that counts.
func (s *Store) read(prefix string, use bool) (*Blob, error) {
	root, found, err := s.resolve(prefix)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var bad error
	for _, f := range found {
		text, err := f.read(root)
		switch {
		case err == nil:
			if use { // fails harmlessly in a read-only cache
				s.touch(root, &f)
			}
			b := &Blob{s.info(root, f), text}
			b.Bytes = int64(len(text))
			return b, nil
		case errors.Is(err, errDamaged):
			bad = &DamagedError{ID: f.id, Path: filepath.Join(s.dir, filepath.FromSlash(f.name)), err: err}
		case !errors.Is(err, fs.ErrNotExist):
			bad = fmt.Errorf("read blob %s: %w", ShortID(f.id), err)
		}
	}
	if bad != nil {
		return nil, bad
	}
	return nil, ErrNotFound // it was removed after it was found
}

// resolve opens the cache and finds the files, at least one, of the only blob whose id
// begins with prefix.
func (s *Store) resolve(prefix string) (*os.Root, []file, error) {
	if !ValidID(prefix) {
		return nil, nil, fmt.Errorf("parse id %q: %w", prefix, ErrID)
	}
	root, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	if root == nil {
		return nil, nil, ErrNotFound
	}
	found, err := find(root, prefix)
	found = slices.DeleteFunc(found, func(f file) bool { return !s.shows(f.id) })
	if ids := distinct(found); err == nil && len(ids) > 1 {
		err = &AmbiguousError{Prefix: prefix, IDs: ids}
	}
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		root.Close()
		return nil, nil, err
	}
	return root, found, nil
}

// Find describes the blob whose id begins with prefix, without reading it. Its errors are
// those of Get except DamagedError.
func (s *Store) Find(prefix string) (Info, error) {
	root, found, err := s.resolve(prefix)
	if err != nil {
		return Info{}, err
	}
	defer root.Close()
	return s.info(root, found[0]), nil
}

// distinct lists the ids of files.
func distinct(found []file) []string {
	var ids []string
	for _, f := range found {
		ids = append(ids, f.id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// List describes every blob, most recently used first.
func (s *Store) List() ([]Info, error) {
	root, err := s.open()
	if root == nil {
		return nil, err
	}
	defer root.Close()
	all, err := files(root)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b file) int { return -older(a, b) })
	seen := make(map[string]bool)
	var out []Info
	for _, f := range all {
		if !seen[f.id] && s.shows(f.id) {
			seen[f.id] = true
			out = append(out, s.info(root, f))
		}
	}
	return out, nil
}

// Usage returns the number of blobs and their size on disk.
func (s *Store) Usage() (count int, bytes int64, err error) {
	root, err := s.open()
	if root == nil {
		return 0, 0, err
	}
	defer root.Close()
	all, err := files(root)
	for _, f := range all {
		bytes += f.size
	}
	return len(distinct(all)), bytes, err
}
