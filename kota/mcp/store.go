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

// Names in a store's directory. Every index is in a directory of its own. So an unfinished index
// is never used, and a finished one never changes: KotaDB would keep deleted files forever in a
// database that it indexes again.
const (
	lockName    = "lock"
	currentName = "current" // contains the name of the index in use
	recordName  = "record.json"
	dbName      = "kota.db"
	indexPrefix = "index-"
)

// record is what is known of an index without asking KotaDB.
type record struct {
	Repository string          `json:"repository"` // name under which it is registered
	Root       string          `json:"root"`
	Stats      indexStats      `json:"stats"`
	Files      []string        `json:"files"` // files in KotaDB's index, sorted
	Seen       map[string]seen `json:"seen"`  // status of the files on which answers depend
}

// seen is the status of a file when it was indexed: size, mtime and ctime.
type seen [3]int64

// store is the directory of one repository's indexes.
type store struct {
	dir  string
	lock *flock.Flock
}

// openStore locks a directory. It returns kota.ErrBusy when another process has locked it.
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

// close releases the lock.
func (s *store) close() { _ = s.lock.Close() }

// current returns the index in use and its record, or kota.ErrNotIndexed when there is none that
// can be read.
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

// isIndexName reports whether a name is that of an index.
func isIndexName(name string) bool {
	return strings.HasPrefix(name, indexPrefix) && filepath.Base(name) == name
}

// fresh creates a directory for a new index.
func (s *store) fresh() (string, error) {
	dir, err := os.MkdirTemp(s.dir, indexPrefix)
	if err != nil {
		return "", fmt.Errorf("make a directory for KotaDB: %w", err)
	}
	return dir, nil
}

// keep puts an index into use and removes all others.
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

// sweep removes the indexes that are not in use. What it cannot remove is left for the next time.
func (s *store) sweep(keep string) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if e.IsDir() && isIndexName(e.Name()) && e.Name() != keep {
			_ = os.RemoveAll(filepath.Join(s.dir, e.Name()))
		}
	}
}

// Exists reports whether a directory holds an index of KotaDB.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, currentName))
	return !errors.Is(err, fs.ErrNotExist)
}

// statuses returns the status of every file on which answers depend.
func statuses(files []index.FileStatus) map[string]seen {
	out := make(map[string]seen)
	for _, f := range files {
		if f.Code || f.Decides {
			out[f.Path] = seen{f.Size, f.Mtime, f.Ctime}
		}
	}
	return out
}

// changed counts the files that were added, removed or changed.
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
