package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Limits say what a cache may contain.
type Limits struct {
	// MaxAge is how long after its last use a blob is removed, 0 for never.
	MaxAge time.Duration
	// MaxBytes is how much all blobs may take on disk, 0 for no limit. The least recently
	// used are removed first.
	MaxBytes int64
	// Keep exempts a blob from MaxAge but not from MaxBytes; nil exempts none.
	Keep func(id string) bool
	// DryRun removes nothing.
	DryRun bool
}

// Report is what GC did, or would do.
type Report struct {
	Removed []Removal
	// Temps is the number of removed files of killed processes.
	Temps int
	// Count is the number of remaining blobs, Bytes their size on disk.
	Count int
	Bytes int64
}

// Removal is a blob that was removed, and why.
type Removal struct {
	Info
	Why string
}

const stampFile = "gc.stamp"

// Due reports whether the last GC is at least every ago, and if so claims the next one for
// the caller. A missing cache is never due.
func (s *Store) Due(every time.Duration) bool {
	root, err := s.open()
	if root == nil || err != nil {
		return false
	}
	defer root.Close()
	now := s.now()
	if st, err := root.Lstat(stampFile); err == nil {
		if age := now.Sub(st.ModTime()); !st.Mode().IsRegular() || age >= 0 && age < every {
			return false
		}
	}
	f, err := root.OpenFile(stampFile, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return false // without write access nothing can be removed
	}
	return errors.Join(f.Close(), root.Chtimes(stampFile, now, now)) == nil
}

// GC removes blobs beyond the limits, and the files of killed processes.
func (s *Store) GC(ctx context.Context, l Limits) (Report, error) {
	var rep Report
	root, err := s.open()
	if root == nil {
		return rep, err
	}
	defer root.Close()
	all, err := files(root)
	if err != nil {
		return rep, err
	}
	going, staying := l.divide(ctx, all, s.now())
	if err := ctx.Err(); err != nil {
		return rep, err
	}
	for _, f := range staying {
		rep.Bytes += f.size
	}
	rep.Count = len(distinct(staying))
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return rep, fmt.Errorf("remove blobs: %w", err)
	}
	defer unlock()
	err = s.removeAll(ctx, root, going, l.DryRun, &rep)
	rep.Temps = sweep(root, l.DryRun)
	return rep, err
}

// pendingRemoval is a file to be removed, with the reason.
type pendingRemoval struct {
	file
	why string
}

// divide splits files into those to remove and those that stay.
func (l Limits) divide(ctx context.Context, all []file, now time.Time) (going []pendingRemoval, staying []file) {
	slices.SortFunc(all, older)
	var total int64
	for _, f := range all {
		if l.MaxAge > 0 && now.Sub(f.used) > l.MaxAge && (l.Keep == nil || ctx.Err() == nil && !l.Keep(f.id)) {
			going = append(going, pendingRemoval{f, "it had not been used for " + days(l.MaxAge)})
			continue
		}
		staying = append(staying, f)
		total += f.size
	}
	n := 0
	for ; l.MaxBytes > 0 && total > l.MaxBytes; n++ {
		total -= staying[n].size
		going = append(going, pendingRemoval{staying[n], fmt.Sprintf("the cache was over its limit of %d bytes", l.MaxBytes)})
	}
	return going, staying[n:]
}

// older orders files by their last use, least recent first.
func older(a, b file) int {
	return cmp.Or(a.used.Compare(b.used), strings.Compare(a.id, b.id), strings.Compare(a.name, b.name))
}

// days formats an age, in days if it is whole days.
func days(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day != 0 {
		return d.String()
	}
	if d == day {
		return "1 day"
	}
	return fmt.Sprintf("%d days", d/day)
}

// removeAll removes files.
func (s *Store) removeAll(ctx context.Context, root *os.Root, going []pendingRemoval, dry bool, rep *Report) error {
	var errs error
	for _, d := range going {
		if err := ctx.Err(); err != nil {
			return errors.Join(errs, err)
		}
		info := s.info(root, d.file)
		if !dry {
			if ok, err := remove(root, d.file); !ok {
				errs = errors.Join(errs, err)
				continue
			}
		}
		rep.Removed = append(rep.Removed, Removal{info, d.why})
	}
	return errs
}

// remove removes a blob's file, unless another process used it since f was read. A file that is
// already gone is not an error. The caller holds the lock.
func remove(root *os.Root, f file) (bool, error) {
	now := f
	if !now.stat(root) || !now.used.Equal(f.used) {
		return false, nil
	}
	if err := root.Remove(f.name); err != nil {
		return false, fmt.Errorf("remove blob %s: %w", ShortID(f.id), err)
	}
	_ = root.Remove(namesFile(f.id)) // on failure sweep removes it
	return true, nil
}

// sweep removes the files of killed writers and lists without a blob, and returns the number of
// files. No writer is alive: the caller holds the lock.
func sweep(root *os.Root, dry bool) int {
	n := 0
	_ = walk(root, func(dir, base string) error { // skip directories that cannot be listed
		if leftOver(root, dir, base) && (dry || root.Remove(dir+"/"+base) == nil) {
			n++
		}
		return nil
	})
	return n
}

// leftOver reports whether a name is that of a temporary file, or of the list of a missing
// blob.
func leftOver(root *os.Root, dir, base string) bool {
	if rest, ok := strings.CutPrefix(base, tempStart); ok {
		return len(rest) == uniqueDigits && strings.Trim(rest, "0123456789abcdef") == ""
	}
	id, ok := strings.CutSuffix(base, namedEnd)
	if !ok || len(id) != idLength || !ValidID(id) || !strings.HasPrefix(id, dir) {
		return false
	}
	found, err := find(root, id)
	return err == nil && len(found) == 0
}
