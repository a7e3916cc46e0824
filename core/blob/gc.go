package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/text"
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
	all, err := s.list(root, "")
	if err != nil {
		return rep, err
	}
	going, staying := l.divide(ctx, all, s.now())
	if err := ctx.Err(); err != nil {
		return rep, err
	}
	rep.Count = len(staying)
	for _, i := range staying {
		rep.Bytes += i.Stored
	}
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return rep, fmt.Errorf("remove blobs: %w", err)
	}
	defer unlock()
	for _, r := range going {
		now, there := s.stat(root, r.ID)
		if ctx.Err() != nil || !there || !now.Used.Equal(r.Used) { // it is gone, or was used meanwhile
			continue
		}
		r.Info = sized(root, now)
		if !l.DryRun {
			if err = errors.Join(err, remove(root, r.ID)); err != nil {
				continue
			}
		}
		rep.Removed = append(rep.Removed, r)
	}
	rep.Temps = sweep(root, l.DryRun)
	return rep, errors.Join(err, ctx.Err())
}

// divide splits blobs into those to remove and those that stay.
func (l Limits) divide(ctx context.Context, all []Info, now time.Time) (going []Removal, staying []Info) {
	slices.SortFunc(all, older)
	var total int64
	for _, i := range all {
		if l.MaxAge > 0 && now.Sub(i.Used) > l.MaxAge && (l.Keep == nil || ctx.Err() == nil && !l.Keep(i.ID)) {
			going = append(going, Removal{i, "it had not been used for " + text.CountPlain(int(l.MaxAge.Hours()/24), "day")})
			continue
		}
		staying = append(staying, i)
		total += i.Stored
	}
	n := 0
	for ; l.MaxBytes > 0 && total > l.MaxBytes; n++ {
		total -= staying[n].Stored
		going = append(going, Removal{staying[n], fmt.Sprintf("the cache was over its limit of %d bytes", l.MaxBytes)})
	}
	return going, staying[n:]
}

// older orders blobs by their last use, least recent first.
func older(a, b Info) int { return cmp.Or(a.Used.Compare(b.Used), strings.Compare(a.ID, b.ID)) }

// remove removes a blob and its list. What is already gone is not an error. The caller holds the
// lock alone, so nobody writes the text again meanwhile.
func remove(root *os.Root, id string) error {
	for _, end := range []string{textEnd, namedEnd} {
		if err := root.Remove(fileOf(id, end)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove blob %s: %w", ShortID(id), err)
		}
	}
	return nil
}

// sweep removes the files of killed writers and lists without a blob, and returns the number of
// files. No writer is alive: the caller holds the lock.
func sweep(root *os.Root, dry bool) int {
	n := 0
	_ = walk(root, "", func(dir, base string) { // what cannot be listed stays
		rest, temp := strings.CutPrefix(base, tempStart)
		ours := temp && len(rest) == uniqueDigits && strings.Trim(rest, hexDigits) == ""
		if id, list := strings.CutSuffix(base, namedEnd); list && fullID(id) && strings.HasPrefix(id, dir) {
			_, err := root.Lstat(fileOf(id, textEnd))
			ours = errors.Is(err, fs.ErrNotExist)
		}
		if ours && (dry || root.Remove(dir+"/"+base) == nil) {
			n++
		}
	})
	return n
}

// Purged is the reason for a blob that its user purged.
const Purged = "the user purged it"

// Purge removes blobs by their full ids, whether or not they are in use. It returns what was
// removed; an error names what is still there. Files of killed writers are removed too, because
// they may have the same text.
func (s *Store) Purge(ctx context.Context, ids []string) (removed []Info, err error) {
	root, err := s.open()
	if root == nil {
		return nil, err
	}
	defer root.Close()
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("purge blobs: %w", err)
	}
	defer unlock()
	for _, id := range ids {
		if ctx.Err() != nil {
			return removed, errors.Join(err, ctx.Err())
		}
		if !fullID(id) {
			err = errors.Join(err, fmt.Errorf("purge blob %q: %w", id, ErrID))
			continue
		}
		i, there := s.stat(root, id)
		if !there {
			continue
		}
		i = sized(root, i)
		if failed := remove(root, id); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		removed = append(removed, i)
	}
	sweep(root, false)
	return removed, err
}
