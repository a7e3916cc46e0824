package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Store is a cache of texts in a directory. It keeps no files open.
type Store struct {
	dir string
	now func() time.Time
	// mask replaces what must not be stored.
	mask func(text string) string
	// own reports whether a session belongs to the project whose blobs are shown, and
	// whether that is known; nil shows all.
	own func(session string) (own, known bool)
}

// Blob is a blob with its text.
type Blob struct {
	Info
	Text []byte
}

// ErrNotFound is returned for an id that no blob has. DamagedError wraps it.
var ErrNotFound = errors.New("no blob has this id: it was deleted, or never kept")

// ErrID is returned for a text that cannot be an id.
var ErrID = errors.New("want 8 to 64 of the digits 0-9 and a-f")

// AmbiguousError is returned for a prefix that several ids share.
type AmbiguousError struct {
	Prefix string
	IDs    []string
}

// Error lists the candidates.
func (e *AmbiguousError) Error() string {
	const most = 8
	ids := strings.Join(e.IDs[:min(len(e.IDs), most)], ", ")
	if len(e.IDs) > most {
		ids += ", …"
	}
	return fmt.Sprintf("id %s is ambiguous: %s", e.Prefix, ids)
}

// DamagedError is returned for a blob whose file does not contain its text.
type DamagedError struct {
	Info
	err error
}

// Error names the file.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("blob %s is damaged: %s: %v", ShortID(e.ID), e.Path, e.err)
}

// Unwrap returns ErrNotFound: a damaged text is missing.
func (e *DamagedError) Unwrap() error { return ErrNotFound }

// At returns the cache in a directory, which the first Put creates. now is the clock that
// determines the age of blobs.
func At(dir string, now func() time.Time) *Store {
	return &Store{dir: dir, now: now, mask: func(text string) string { return text }}
}

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
func (s *Store) shows(root *os.Root, id string) bool {
	if s.own == nil {
		return true
	}
	foreign := false
	for _, session := range names(root, id) {
		if strings.HasPrefix(session, copyPrefix) {
			continue
		}
		own, known := s.own(session)
		if own && known {
			return true
		}
		foreign = foreign || known
	}
	return !foreign
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

// Put stores a text. session is the file of the session that will name it, "" for none: the
// blob does not expire while that file exists. Putting a text that is already stored counts
// as a use. After an error nothing is stored.
func (s *Store) Put(ctx context.Context, text []byte, session string) (Info, error) {
	fail := func(err error) (Info, error) { return Info{}, fmt.Errorf("keep text: %w", err) }
	if len(text) > MaxText {
		return fail(fmt.Errorf("it has %d bytes, at most %d", len(text), MaxText))
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fail(err)
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return fail(err)
	}
	defer root.Close()
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return fail(err)
	}
	defer unlock()
	text = []byte(s.mask(string(text)))
	id := idOf(text)
	if err := s.put(root, id, text); err != nil {
		return fail(err)
	}
	addName(root, id, session)
	i, _ := s.stat(root, id)
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

// put marks the file of a text as used, or writes it.
func (s *Store) put(root *os.Root, id string, text []byte) error {
	if err := root.Mkdir(id[:2], 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if st, err := root.Lstat(id[:2]); err == nil && !st.IsDir() { // such as a symbolic link
		return fmt.Errorf("%s is not a directory", filepath.Join(s.dir, id[:2]))
	}
	if _, err := read(root, id); err == nil && s.touch(root, id) {
		return nil
	}
	data, err := pack(text)
	if err != nil {
		return err
	}
	return s.write(root, id, data)
}

// touch marks a blob as used now. It returns false when that fails.
func (s *Store) touch(root *os.Root, id string) bool {
	return root.Chtimes(fileOf(id, textEnd), s.now(), s.now()) == nil
}

// Get returns the blob whose id begins with prefix, which counts as a use. The error is
// ErrID, an AmbiguousError, a DamagedError, ErrNotFound, or a read error.
func (s *Store) Get(prefix string) (*Blob, error) { return s.read(prefix, true) }

// Peek is Get without counting as a use.
func (s *Store) Peek(prefix string) (*Blob, error) { return s.read(prefix, false) }

// read finds and reads a blob. use is set when that counts.
func (s *Store) read(prefix string, use bool) (*Blob, error) {
	root, i, err := s.resolve(prefix)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, err := read(root, i.ID)
	switch {
	case errors.Is(err, errDamaged):
		return nil, &DamagedError{i, err}
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNotFound // it was removed after it was found
	case err != nil:
		return nil, fmt.Errorf("read blob %s: %w", ShortID(i.ID), err)
	}
	if use && s.touch(root, i.ID) { // fails harmlessly in a read-only cache
		i.Used = s.now()
	}
	return &Blob{i, text}, nil
}

// resolve opens the cache and finds the only blob whose id begins with prefix.
func (s *Store) resolve(prefix string) (*os.Root, Info, error) {
	if !ValidID(prefix) {
		return nil, Info{}, fmt.Errorf("parse id %q: %w", prefix, ErrID)
	}
	root, err := s.open()
	if err != nil {
		return nil, Info{}, err
	}
	if root == nil {
		return nil, Info{}, ErrNotFound
	}
	found, err := s.list(root, prefix)
	found = slices.DeleteFunc(found, func(i Info) bool { return !s.shows(root, i.ID) })
	switch {
	case err != nil:
	case len(found) == 0:
		err = ErrNotFound
	case len(found) > 1:
		many := &AmbiguousError{Prefix: prefix}
		for _, i := range found {
			many.IDs = append(many.IDs, i.ID)
		}
		err = many
	default:
		return root, sized(root, found[0]), nil
	}
	root.Close()
	return nil, Info{}, err
}

// Find describes the blob whose id begins with prefix, without reading it. Its errors are
// those of Get except DamagedError.
func (s *Store) Find(prefix string) (Info, error) {
	root, i, err := s.resolve(prefix)
	if err == nil {
		root.Close()
	}
	return i, err
}

// List describes every blob, most recently used first.
func (s *Store) List() ([]Info, error) {
	root, err := s.open()
	if root == nil {
		return nil, err
	}
	defer root.Close()
	all, err := s.list(root, "")
	all = slices.DeleteFunc(all, func(i Info) bool { return !s.shows(root, i.ID) })
	slices.SortFunc(all, func(a, b Info) int { return -older(a, b) })
	for n, i := range all {
		all[n] = sized(root, i)
	}
	return all, err
}

// Usage returns the number of blobs and their size on disk.
func (s *Store) Usage() (count int, bytes int64, err error) {
	all, err := s.List()
	for _, i := range all {
		bytes += i.Stored
	}
	return len(all), bytes, err
}

// Matching lists the blobs for whose text matches returns true, and those that are damaged.
func (s *Store) Matching(ctx context.Context, matches func(text []byte) bool) (found, damaged []Info, err error) {
	all, err := s.List()
	for _, i := range all {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		b, err := s.Peek(i.ID)
		switch {
		case errors.As(err, new(*DamagedError)):
			damaged = append(damaged, i)
		case err != nil && !errors.Is(err, ErrNotFound):
			return nil, nil, err
		case err == nil && matches(b.Text):
			found = append(found, i)
		}
	}
	return found, damaged, err
}

// Finding is a fault of a blob.
type Finding struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Problem string `json:"problem"`
}

// Verify reads every blob and reports those whose bytes do not match their id, and those
// that other users can read. It returns the number of blobs and does not count as a use.
func (s *Store) Verify(ctx context.Context, report func(Finding)) (int, error) {
	_, damaged, err := s.Matching(ctx, func([]byte) bool { return false })
	if err != nil {
		return 0, err
	}
	for _, i := range damaged {
		report(Finding{i.ID, i.Path, errDamaged.Error()})
	}
	all, err := s.List()
	for _, i := range all {
		if st, err := os.Lstat(i.Path); err == nil && Exposed(st.Mode()) {
			report(Finding{i.ID, i.Path, fmt.Sprintf("other users can read it (%04o)", st.Mode().Perm())})
		}
	}
	return len(all), err
}

// Exposed reports whether users other than the owner can use a file of this mode. Windows has
// no modes, and Go makes them up there: who may read is inherited from the user's profile.
func Exposed(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 && runtime.GOOS != "windows" }
