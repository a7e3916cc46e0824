package blob

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	goneDir  = "gone"
	goneEnd  = ".jsonl"
	month    = "2006-01"
	goneKept = 12 // months for which tombstones are kept
)

// Tombstone says when and why a blob was removed.
type Tombstone struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	Why  string    `json:"why"`
}

// bury writes tombstones.
func (s *Store) bury(root *os.Root, ids []string, why string) error {
	now := s.now().UTC()
	var text []byte
	for _, id := range ids {
		line, err := json.Marshal(Tombstone{id, now, why})
		if err != nil {
			return fmt.Errorf("note what goes: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := root.Mkdir(goneDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("note what goes: %w", err)
	}
	if err := appendLines(root, goneDir+"/"+now.Format(month)+goneEnd, text); err != nil {
		return fmt.Errorf("note what goes: %w", err)
	}
	return nil
}

// appendLines appends lines to a file. If a crash cut its last line, that is ended
// first.
func appendLines(root *os.Root, name string, text []byte) error {
	if st, err := root.Lstat(name); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", name)
	}
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	last := make([]byte, 1)
	if st, err := f.Stat(); err == nil && st.Size() > 0 {
		if _, err := f.ReadAt(last, st.Size()-1); err == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// tombstoneFiles lists the files of tombstones, the oldest first.
func tombstoneFiles(root *os.Root) []string {
	entries, err := directory(root, goneDir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), goneEnd)
		if _, err := time.Parse(month, name); ok && err == nil && e.Type().IsRegular() {
			out = append(out, goneDir+"/"+e.Name())
		}
	}
	slices.Sort(out)
	return out
}

// gone says why there is no blob whose id begins with prefix.
func gone(root *os.Root, prefix string) error {
	last := make(map[string]Tombstone)
	for _, name := range tombstoneFiles(root) {
		tombstones(root, name, prefix, last)
	}
	var ids []string
	for id := range last {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	switch len(ids) {
	case 0:
		return ErrNotFound
	case 1:
		return &GoneError{last[ids[0]]}
	}
	return &AmbiguousError{Prefix: prefix, IDs: ids}
}

// tombstones adds the tombstones of ids that begin with prefix. Lines that cannot be
// read are skipped.
func tombstones(root *os.Root, name, prefix string, into map[string]Tombstone) {
	f, err := root.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	begin := []byte(`{"id":"` + prefix)
	for lines.Scan() {
		var t Tombstone
		if bytes.HasPrefix(lines.Bytes(), begin) && json.Unmarshal(lines.Bytes(), &t) == nil && len(t.ID) == idLength && ValidID(t.ID) {
			into[t.ID] = t
		}
	}
}

// forgetOld removes the tombstones that are too old.
func (s *Store) forgetOld(root *os.Root) {
	for _, name := range tombstoneFiles(root) {
		at, err := time.Parse(goneDir+"/"+month+goneEnd, name)
		if err == nil && s.now().UTC().After(at.AddDate(0, goneKept+1, 0)) {
			_ = root.Remove(name)
		}
	}
}
