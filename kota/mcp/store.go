package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// The names in a store's directory. Every index is a directory of its own, so that
// one that was not finished is never asked, and one that was is never changed:
// KotaDB keeps deleted files for ever in a database it indexes into again.
const (
	lockName    = "lock"
	currentName = "current" // holds the name of the index that counts
	recordName  = "record.json"
	dbName      = "kota.db"
	indexPrefix = "index-"
)

// record is what is known of an index without asking KotaDB.
type record struct {
	Repository string          `json:"repository"` // by which it is registered
	Root       string          `json:"root"`
	Stats      indexStats      `json:"stats"`
	Files      []string        `json:"files"` // that KotaDB has, sorted
	Seen       map[string]seen `json:"seen"`  // what its answers depend on
}

// seen is the status of a file when it was indexed: size and times.
type seen [3]int64

// store is the directory of one repository's indexes.
type store struct {
	dir  string
	lock *flock.Flock
}

// openStore takes the lock of a directory. It is kota.ErrBusy when another process
// has it.
func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open KotaDB's directory: %w", err)
	}
	s := &store{dir: dir, lock: flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))}
	locked, err := s.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock KotaDB's directory: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("ask KotaDB about this repository: %w", kota.ErrBusy)
	}
	return s, nil
}

// close gives the lock back.
func (s *store) close() { _ = s.lock.Close() }

// current is the index that counts, and its record. It is kota.ErrNotIndexed when
// there is none that can be read.
func (s *store) current(root string) (dir string, r record, err error) {
	name, err := os.ReadFile(filepath.Join(s.dir, currentName))
	if err != nil || !isIndexName(string(name)) {
		return "", r, kota.ErrNotIndexed
	}
	dir = filepath.Join(s.dir, string(name))
	b, err := os.ReadFile(filepath.Join(dir, recordName))
	if err != nil || json.Unmarshal(b, &r) != nil || r.Root != root || r.Repository == "" {
		return "", record{}, kota.ErrNotIndexed
	}
	if _, err := os.Lstat(filepath.Join(dir, dbName)); err != nil {
		return "", record{}, kota.ErrNotIndexed
	}
	return dir, r, nil
}

// isIndexName reports whether a name is one that fresh gives.
func isIndexName(name string) bool {
	return strings.HasPrefix(name, indexPrefix) && filepath.Base(name) == name
}

// fresh makes a directory for a new index.
func (s *store) fresh() (string, error) {
	dir, err := os.MkdirTemp(s.dir, indexPrefix)
	if err != nil {
		return "", fmt.Errorf("make a directory for KotaDB: %w", err)
	}
	return dir, nil
}

// keep makes an index the one that counts, and removes all others.
func (s *store) keep(dir string, r record) error {
	b, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, recordName), b, 0o600)
	}
	temp := filepath.Join(s.dir, currentName+".tmp")
	if err == nil {
		err = os.WriteFile(temp, []byte(filepath.Base(dir)), 0o600)
	}
	if err == nil {
		err = os.Rename(temp, filepath.Join(s.dir, currentName))
	}
	if err != nil {
		return fmt.Errorf("keep KotaDB's index: %w", err)
	}
	s.sweep(filepath.Base(dir))
	return nil
}

// sweep removes the indexes that do not count. What it cannot remove is left for
// the next time.
func (s *store) sweep(keep string) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if e.IsDir() && isIndexName(e.Name()) && e.Name() != keep {
			_ = os.RemoveAll(filepath.Join(s.dir, e.Name()))
		}
	}
}

// size is how many bytes an index takes.
func size(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it was removed meanwhile
		}
		if st, err := d.Info(); err == nil && st.Mode().IsRegular() {
			n += st.Size()
		}
		return nil
	})
	return n
}

// Exists reports whether a directory holds an index of KotaDB's.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, currentName))
	return !errors.Is(err, fs.ErrNotExist)
}

// statuses are the status of every file that an answer depends on.
func statuses(files []index.FileStatus) map[string]seen {
	out := make(map[string]seen)
	for _, f := range files {
		if f.Code || f.Decides {
			out[f.Path] = seen{f.Size, f.Mtime, f.Ctime}
		}
	}
	return out
}

// changed counts the files that are not as they were.
func changed(was, now map[string]seen) int {
	n := 0
	for p, s := range now {
		if was[p] != s {
			n++
		}
	}
	for p := range was {
		if _, there := now[p]; !there {
			n++
		}
	}
	return n
}
