package blob

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

const day = 24 * time.Hour

// why lists what a report says was removed.
func why(rep Report) map[string]string {
	out := make(map[string]string)
	for _, r := range rep.Removed {
		out[r.ID] = r.Why
	}
	return out
}

// Holds prune 49.
func TestAgeCountsFromTheLastUse(t *testing.T) {
	s, c := cache(t)
	unused, used := put(t, s, "unused"), put(t, s, "used")
	c.advance(10 * day)
	must.Get(s.Get(used.ID))(t)
	must.Get(s.Peek(unused.ID))(t) // is not a use
	c.advance(5 * day)
	rep, err := s.GC(t.Context(), Limits{MaxAge: 14 * day})
	if err != nil || len(rep.Removed) != 1 || why(rep)[unused.ID] != "it had not been used for 14 days" || rep.Count != 1 || rep.Bytes != used.Stored {
		t.Errorf("%+v, %v", rep, err)
	}
	if holds(t, s, "unused") || !holds(t, s, "used") {
		t.Error("the wrong one went")
	}
}

// Holds prune 49.
func TestMaxBytesRemovesTheLeastRecentlyUsedFirst(t *testing.T) {
	s, c := cache(t)
	var size int64
	for n := range 10 {
		size = put(t, s, strings.Repeat(fmt.Sprint(n), 100)).Stored
		c.advance(time.Minute)
	}
	must.Get(s.Get(idOf([]byte(strings.Repeat("0", 100)))))(t)
	rep, err := s.GC(t.Context(), Limits{MaxAge: day, MaxBytes: 4*size - 1})
	if err != nil || len(rep.Removed) != 7 || rep.Bytes != 3*size || rep.Count != 3 {
		t.Fatalf("%+v, %v", rep, err)
	}
	for n := range 10 {
		text := strings.Repeat(fmt.Sprint(n), 100)
		if stays := n == 0 || n >= 8; holds(t, s, text) != stays {
			t.Errorf("text %d stays: %v", n, !stays)
		}
	}
}

// Holds prune 49.
func TestKeepSparesBlobsFromAgeButNotFromSize(t *testing.T) {
	s, c := cache(t)
	named, other := put(t, s, "named"), put(t, s, "other")
	c.advance(100 * day)
	asked := []string{}
	keep := func(id string) bool { asked = append(asked, id); return id == named.ID }
	rep, err := s.GC(t.Context(), Limits{MaxAge: 14 * day, MaxBytes: 1000, Keep: keep})
	if err != nil || len(rep.Removed) != 1 || why(rep)[other.ID] == "" || !holds(t, s, "named") || len(asked) != 2 {
		t.Fatalf("%+v, %v, asked for %q", rep, err, asked)
	}
	rep, err = s.GC(t.Context(), Limits{MaxAge: 14 * day, MaxBytes: 1, Keep: keep})
	if err != nil || why(rep)[named.ID] != "the cache was over its limit of 1 bytes" || holds(t, s, "named") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// Holds prune 49.
func TestDryRunReportsWithoutRemoving(t *testing.T) {
	s, c := cache(t)
	put(t, s, "old")
	write(t, filepath.Join(s.Dir(), "ab", tempStart+strings.Repeat("0", uniqueDigits)), "half")
	c.advance(15 * day)
	put(t, s, "new")
	before := tree(t, s.Dir())
	dry, err := s.GC(t.Context(), Limits{MaxAge: 14 * day, DryRun: true})
	if err != nil || !slices.Equal(tree(t, s.Dir()), before) {
		t.Fatalf("%v: %q became %q", err, before, tree(t, s.Dir()))
	}
	wet, err := s.GC(t.Context(), Limits{MaxAge: 14 * day})
	if err != nil || len(dry.Removed) != 1 || why(dry)[dry.Removed[0].ID] != why(wet)[dry.Removed[0].ID] || dry.Temps != 1 || wet.Temps != 1 || dry.Bytes != wet.Bytes {
		t.Errorf("%+v would have been, %+v was, %v", dry, wet, err)
	}
}

// Holds prune 47.
//
// Holds kota 57.
func TestForeignFilesAreNeitherFollowedNorTouched(t *testing.T) {
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret"), "secret")
	s, c := cache(t)
	id := idOf([]byte("secret"))
	put(t, s, "ours") // the directory is there
	dir := s.Dir()
	for name, text := range map[string]string{
		"README": "x", "ab/notes.txt": "x", "ab/" + strings.Repeat("a", 63) + textEnd: "x", "ab/" + strings.Repeat("a", 64) + textEnd: "wrong digits: not in aa",
		"zz/" + strings.Repeat("a", 64) + textEnd: "x", id[:2] + "/" + strings.ToUpper(id) + textEnd: "x", id[:2] + "/" + id: "no text", id[:2] + "/.tmp-mine": "x", "ab/.going-1-2": "x",
		"gone/notes.txt": "x", strings.Repeat("a", 64) + ".txt": "of pi-kota",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	for name, target := range map[string]string{
		id[:2] + "/" + id + textEnd:                                  filepath.Join(outside, "secret"),
		id[:2] + "/" + tempStart + strings.Repeat("1", uniqueDigits): filepath.Join(outside, "secret"), "cd": outside,
	} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	must.Do(t, os.MkdirAll(filepath.Join(dir, "ef", "ef"+strings.Repeat("0", 62)+textEnd), 0o700))
	before := tree(t, dir)
	if all, err := s.List(); err != nil || len(all) != 1 {
		t.Errorf("listed %+v, %v", all, err)
	}
	if _, err := s.Get(id); !errors.Is(err, ErrNotFound) {
		t.Errorf("a link was followed: %v", err)
	}
	if _, err := s.Put(t.Context(), []byte("secret"), ""); err == nil {
		t.Error("a link was taken for the text, or replaced")
	}
	if n, err := s.Verify(t.Context(), func(f Finding) { t.Errorf("verify found %+v", f) }); n != 1 || err != nil {
		t.Errorf("verify: %d, %v", n, err)
	}
	c.advance(1000 * day)
	if _, err := s.Purge(t.Context(), []string{id, "ef" + strings.Repeat("0", 62), "cd" + strings.Repeat("0", 62)}); err != nil {
		t.Error(err)
	}
	rep, err := s.GC(t.Context(), Limits{MaxAge: day, MaxBytes: 1})
	if err != nil || len(rep.Removed) != 1 || rep.Temps != 0 {
		t.Errorf("gc: %+v, %v", rep, err)
	}
	ours := idOf([]byte("ours"))
	after := tree(t, dir)
	want := slices.DeleteFunc(before, func(f string) bool { return f == fileOf(ours, textEnd) })
	must.Match(t, after, want, "what it says")
	if text, err := os.ReadFile(filepath.Join(outside, "secret")); string(text) != "secret" || err != nil {
		t.Errorf("what a link leads to is %q, %v", text, err)
	}
}

// Holds history 77.
func TestLinkInPlaceOfADirectoryIsAnError(t *testing.T) {
	s, _ := cache(t)
	id := put(t, s, "one").ID
	must.Do(t, os.RemoveAll(filepath.Join(s.Dir(), id[:2])))
	write(t, filepath.Join(s.Dir(), "elsewhere", id+textEnd), "one")
	must.Do(t, os.Symlink("elsewhere", filepath.Join(s.Dir(), id[:2])))
	if _, err := s.Put(t.Context(), []byte("one"), ""); err == nil {
		t.Error("the text is said to be kept")
	}
	if _, err := s.Get(id); !errors.Is(err, ErrNotFound) {
		t.Errorf("the link was followed: %v", err)
	}
}

// Holds prune 50.
func TestGCRemovesWhatKilledWritersLeft(t *testing.T) {
	s, _ := cache(t)
	i := put(t, s, "text")
	temp := filepath.Join(s.Dir(), "ab", tempStart+strings.Repeat("0", uniqueDigits))
	orphan := filepath.Join(s.Dir(), "ab", "ab"+strings.Repeat("0", 62)+namedEnd)
	write(t, temp, "half")
	write(t, orphan, "/s/x.jsonl\n")
	if rep, err := s.GC(t.Context(), Limits{}); err != nil || rep.Temps != 2 || !slices.Equal(tree(t, s.Dir()), []string{fileOf(i.ID, textEnd)}) {
		t.Errorf("%+v, %v: %q", rep, err, tree(t, s.Dir()))
	}
}

// What a writer is about to rename belongs to nobody else, and what it has just found stays.
func TestNothingIsRemovedWhileATextIsWritten(t *testing.T) {
	s, c := cache(t)
	put(t, s, "old")
	c.advance(15 * day)
	written := must.Get(s.lock(t.Context(), false))(t)
	soon, cancel := context.WithTimeoutCause(t.Context(), 3*lockPoll, errors.New("it waits"))
	defer cancel()
	if _, err := s.GC(soon, Limits{MaxAge: day}); err == nil || !holds(t, s, "old") {
		t.Errorf("a blob went beside a writer: %v", err)
	}
	put(t, s, "new") // writers do not wait for each other
	written()
	if rep, err := s.GC(t.Context(), Limits{MaxAge: day}); err != nil || len(rep.Removed) != 1 || holds(t, s, "old") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestStoredTextsSurviveConcurrentGC puts an old text while others remove
// what is old: whoever comes first, the text must be there afterwards.
func TestStoredTextsSurviveConcurrentGC(t *testing.T) {
	s, c := cache(t)
	for round := range 200 {
		text := fmt.Sprint("text ", round)
		put(t, s, text)
		c.advance(15 * day)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, err := s.GC(context.Background(), Limits{MaxAge: 14 * day}); err != nil {
					t.Error(err)
				}
			})
		}
		for range 2 {
			all.Go(func() {
				if _, err := s.Put(t.Context(), []byte(text), ""); err != nil {
					t.Error(err)
				} else if b, err := s.Get(idOf([]byte(text))); err != nil || string(b.Text) != text {
					t.Errorf("round %d: it was kept, and then: %v", round, err)
				}
			})
		}
		all.Wait()
		if !holds(t, s, text) {
			t.Fatalf("round %d: the text is lost", round)
		}
	}
}

// Holds prune 50.
func TestConcurrentGCsRemoveWhatOneWould(t *testing.T) {
	s, c := cache(t)
	for n := range 100 {
		put(t, s, fmt.Sprint("old ", n))
	}
	c.advance(15 * day)
	for n := range 50 {
		put(t, s, fmt.Sprint("new ", n))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := s.GC(context.Background(), Limits{MaxAge: 14 * day}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for n := range 100 {
		if holds(t, s, fmt.Sprint("old ", n)) || n < 50 && !holds(t, s, fmt.Sprint("new ", n)) {
			t.Errorf("text %d is wrong", n)
		}
	}
	if n, _, err := s.Usage(); n != 50 || err != nil {
		t.Errorf("%d are left, %v", n, err)
	}
}

func TestCancelledGCLeavesTheRest(t *testing.T) {
	s, c := cache(t)
	put(t, s, "old")
	c.advance(15 * day)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.GC(ctx, Limits{MaxAge: day, Keep: func(string) bool { cancel(); return false }})
	if !errors.Is(err, context.Canceled) || !holds(t, s, "old") {
		t.Errorf("%v", err)
	}
}

func TestGCIsDueOnceAnHour(t *testing.T) {
	s, c := cache(t)
	put(t, s, "text")
	for n, want := range []bool{true, false, false, true, false} {
		must.Equal(t, s.Due(time.Hour), want, "time %d: due", n)
		c.advance(25 * time.Minute)
	}
	c.advance(-1000 * time.Hour) // a clock that was wrong must not stop it for years
	if !s.Due(time.Hour) {
		t.Error("a stamp from the future stops it")
	}
}

// Holds prune 52.
func TestPurgeLeavesNoByte(t *testing.T) {
	s, _ := cache(t)
	text := "token=s3cr3t in plain sight"
	i := put(t, s, text)
	other := put(t, s, "other")
	write(t, filepath.Join(s.Dir(), i.ID[:2], tempStart+strings.Repeat("0", uniqueDigits)), text)
	removed, err := s.Purge(t.Context(), []string{i.ID, strings.Repeat("0", 64)})
	if err != nil || len(removed) != 1 || removed[0].ID != i.ID {
		t.Fatalf("%+v, %v", removed, err)
	}
	for _, f := range tree(t, s.Dir()) {
		if b, err := os.ReadFile(filepath.Join(s.Dir(), f)); err != nil || strings.Contains(string(b), "s3cr3t") {
			t.Errorf("%s still holds it, %v", f, err)
		}
	}
	if _, err := s.Get(i.ID); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "deleted, or never kept") {
		t.Errorf("afterwards: %v", err)
	}
	if !holds(t, s, "other") {
		t.Errorf("%s went, too", other.ID)
	}
}

func TestFailedPurgeReportsWhatRemains(t *testing.T) {
	s, _ := cache(t)
	i := put(t, s, "text")
	// A directory in the place of the list of its sessions cannot be removed.
	write(t, filepath.Join(s.Dir(), fileOf(i.ID, namedEnd), "file"), "in the way")
	if _, err := s.Purge(t.Context(), []string{i.ID}); err == nil || !strings.Contains(err.Error(), i.ID[:Short]) {
		t.Errorf("no error: %v", err)
	}
	if holds(t, s, "text") {
		t.Error("the text must go all the same")
	}
}
