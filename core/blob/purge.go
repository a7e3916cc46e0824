package blob

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Purged is the reason for a blob that its user purged.
const Purged = "the user purged it"

// Purge removes blobs by their full ids, whether or not they are in use, and verifies that
// their bytes are gone. It returns what was removed; an error names what is still there.
// why goes into the tombstones. Files of killed writers are removed too, because they may
// have the same text.
func (s *Store) Purge(ctx context.Context, ids []string, why string) ([]Info, error) {
	root, err := s.open()
	if root == nil {
		return nil, err
	}
	defer root.Close()
	var removed []Info
	var errs error
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return removed, errors.Join(errs, err)
		}
		if len(id) != idLength || !ValidID(id) {
			errs = errors.Join(errs, fmt.Errorf("purge blob %q: %w", id, ErrID))
			continue
		}
		info, err := s.purge(root, id, why)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("purge blob %s: %w", ShortID(id), err))
		} else if info.ID != "" {
			removed = append(removed, info)
		}
	}
	s.sweep(root, math.MinInt64, false) // a live writer retries
	return removed, errs
}

// purge removes one blob. The Info is empty when there was none.
func (s *Store) purge(root *os.Root, id, why string) (Info, error) {
	found, err := find(root, id)
	if err != nil || len(found) == 0 {
		return Info{}, err
	}
	info := s.info(root, found[0])
	missed := s.bury(root, []string{id}, why)
	for _, f := range found {
		if err := root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Info{}, err
		}
	}
	if err := root.Remove(namesFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Info{}, err
	}
	if missed != nil {
		missed = s.bury(root, []string{id}, why)
	}
	return info, errors.Join(missed, stillThere(root, id))
}

// stillThere searches for the bytes of a removed blob.
func stillThere(root *os.Root, id string) error {
	found, err := find(root, id)
	if err != nil {
		return err
	}
	for _, f := range found {
		if _, err := f.read(root); !errors.Is(err, fs.ErrNotExist) {
			return errors.New("it is there again: something is writing it")
		}
	}
	return nil
}

// Finding is a fault of a blob.
type Finding struct {
	ID      string
	Path    string
	Problem string
}

// Verify reads every blob and reports those whose bytes do not match their id, and those
// that other users can read. It returns the number of blobs and does not count as a use.
func (s *Store) Verify(ctx context.Context, report func(Finding)) (int, error) {
	root, err := s.open()
	if root == nil {
		return 0, err
	}
	defer root.Close()
	all, err := files(root)
	if err != nil {
		return 0, err
	}
	for _, f := range all {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		at := Finding{ID: f.id, Path: filepath.Join(s.dir, filepath.FromSlash(f.name))}
		if _, err := f.read(root); err != nil && !errors.Is(err, fs.ErrNotExist) {
			at.Problem = err.Error()
			report(at)
		}
		if st, err := root.Lstat(f.name); err == nil && st.Mode().Perm()&0o077 != 0 {
			at.Problem = fmt.Sprintf("other users can read it (%04o)", st.Mode().Perm())
			report(at)
		}
	}
	return len(distinct(all)), nil
}

// Matching lists the blobs for whose text matches returns true. Damaged ones are left out.
func (s *Store) Matching(ctx context.Context, matches func(text string) bool) ([]string, error) {
	all, err := s.List()
	var out []string
	for _, i := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b, err := s.Peek(i.ID); err == nil && matches(string(b.Text)) {
			out = append(out, i.ID)
		}
	}
	return out, err
}

const (
	goneDir  = "gone"
	goneEnd  = ".jsonl"
	month    = "2006-01"
	goneKept = 12 // months for which tombstones are kept
)

// Tombstone records when and why a blob was removed.
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

// appendLines appends lines to a file. If a crash truncated the last line, it ends that
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

// tombstoneFiles lists the files of tombstones, oldest first.
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

// gone explains why there is no blob whose id begins with prefix.
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

// tombstones adds the tombstones of ids that begin with prefix. It skips unreadable lines.
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

// forgetOld removes tombstones that are too old.
func (s *Store) forgetOld(root *os.Root) {
	for _, name := range tombstoneFiles(root) {
		at, err := time.Parse(goneDir+"/"+month+goneEnd, name)
		if err == nil && s.now().UTC().After(at.AddDate(0, goneKept+1, 0)) {
			_ = root.Remove(name)
		}
	}
}
