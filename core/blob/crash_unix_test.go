//go:build unix

package blob

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// TestMain lets the test binary be a process that is killed: PICTX_TEST_CHILD says
// what it does, in the cache PICTX_TEST_DIR.
func TestMain(m *testing.M) {
	child := map[string]func(*Store){"writer": childWriter, "cleaner": childCleaner, "full": childFull}[os.Getenv("PICTX_TEST_CHILD")]
	if child == nil {
		os.Exit(m.Run())
	}
	child(At(os.Getenv("PICTX_TEST_DIR"), time.Now))
}

// child starts this binary as something else.
func child(t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	exe := must.Get(os.Executable())(t)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "PICTX_TEST_CHILD="+what, "PICTX_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// childText is the n-th text of a child.
func childText(n int) string {
	return fmt.Sprintf("text %d\n", n) + strings.Repeat(noise(1000), n%50)
}

// childWriter puts text after text, and says each that is kept.
func childWriter(s *Store) {
	for n := 0; ; n++ {
		if _, err := s.Put(context.Background(), []byte(childText(n)), "/s/x.jsonl"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

// childCleaner puts texts that are old, and removes them.
func childCleaner(s *Store) {
	for n := 0; ; n++ {
		old := At(s.Dir(), func() time.Time { return time.Now().Add(-15 * day) })
		for i := range 20 {
			if _, err := old.Put(context.Background(), fmt.Appendf(nil, "old %d %d", n, i), ""); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		if _, err := s.GC(context.Background(), Limits{MaxAge: 14 * day}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

// killed runs a child until it said enough lines, kills it, and returns how many
// lines it said.
func killed(t *testing.T, what, dir string, least int) int {
	t.Helper()
	cmd := child(t, what, dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, n := bufio.NewScanner(out), 0
	for n < least && lines.Scan() {
		n++
	}
	time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond) // anywhere in its work
	must.Do(t, cmd.Process.Kill())
	for lines.Scan() { // what it said before
		n++
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return n
}

// Holds prune 50.
func TestKilledWriterLeavesWholeBlobsAndAtMostOneTemporaryFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	for round := range 3 {
		n := killed(t, "writer", dir, 10+round)
		s := At(dir, time.Now)
		for i := range n {
			if !holds(t, s, childText(i)) {
				t.Errorf("round %d: text %d was kept, and is not there", round, i)
			}
		}
		if _, err := s.Verify(t.Context(), func(f Finding) { t.Errorf("round %d: %+v", round, f) }); err != nil {
			t.Error(err)
		}
		rep, err := s.GC(t.Context(), Limits{})
		if err != nil || rep.Temps > 1 {
			t.Errorf("round %d: %+v, %v", round, rep, err)
		}
		for _, f := range tree(t, dir) {
			must.Lack(t, f, tempStart, "round %d", round)
		}
	}
}

// Holds prune 50.
func TestKilledGCLosesNoBlobThatStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	s := At(dir, time.Now)
	for n := range 20 {
		put(t, s, fmt.Sprint("stays ", n))
	}
	for round := range 3 {
		killed(t, "cleaner", dir, 1+round)
		if _, err := s.Verify(t.Context(), func(f Finding) { t.Errorf("round %d: %+v", round, f) }); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.GC(t.Context(), Limits{MaxAge: 14 * day}); err != nil {
		t.Error(err)
	}
	for n := range 20 {
		if !holds(t, s, fmt.Sprint("stays ", n)) {
			t.Errorf("text %d is lost", n)
		}
	}
	if n, _, err := s.Usage(); n != 20 || err != nil {
		t.Errorf("%d blobs are left, %v: %q", n, err, tree(t, dir))
	}
}

// childFull may write no file of more than 64 KiB, as if the disk was full.
func childFull(s *Store) {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}); err != nil {
		fmt.Println("setrlimit:", err)
		os.Exit(1)
	}
	text := noise(1 << 20)
	got, d, err := s.Excerpt(context.Background(), text, 2000, "")
	fmt.Println(got == text, d == nil, errors.Is(err, syscall.EFBIG))
	_, err = s.Put(context.Background(), []byte("small"), "")
	fmt.Println(err == nil)
}

// Holds prune 51.
func TestFullDiskLeavesNoPartialFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	out, err := child(t, "full", dir).Output()
	if err != nil || string(out) != "true true true\ntrue\n" {
		t.Errorf("%q, %v", out, err)
	}
	s := At(dir, time.Now)
	if files := tree(t, dir); len(files) != 1 || !holds(t, s, "small") {
		t.Errorf("there is %q", files)
	}
}

// Holds prune 46.
// Holds history 73.
//
// Holds kota 57.
func TestFilesArePrivateWhateverTheUmask(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s, _ := cache(t)
	must.Get(s.Put(t.Context(), []byte("text"), "/s/x.jsonl"))(t)
	gone := put(t, s, "gone")
	must.Get(s.Purge(t.Context(), []string{gone.ID}))(t)
	s.Due(time.Hour)
	err := filepath.WalkDir(s.Dir(), func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		if want := map[bool]os.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; st.Mode().Perm() != want {
			t.Errorf("%s has mode %04o", p, st.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPipeInPlaceOfABlobDoesNotBlock(t *testing.T) {
	s, _ := cache(t)
	i := put(t, s, "text")
	must.Do(t, os.Remove(i.Path))
	must.Do(t, syscall.Mkfifo(i.Path, 0o600))
	if _, err := s.Get(i.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Put(t.Context(), []byte("text"), ""); err == nil {
		t.Error("it is said to be kept")
	}
}

func TestVerifyFindsBlobsThatOthersMayRead(t *testing.T) {
	s, _ := cache(t)
	i := put(t, s, "text")
	must.Do(t, os.Chmod(i.Path, 0o644))
	var found []Finding
	if _, err := s.Verify(t.Context(), func(f Finding) { found = append(found, f) }); err != nil || len(found) != 1 || !strings.Contains(found[0].Problem, "0644") {
		t.Errorf("%+v, %v", found, err)
	}
}
