package blob

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// clock is a time that tests move.
type clock struct{ ns atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ns.Store(time.Now().Truncate(time.Second).UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.ns.Load()) }
func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }

// cache is an empty cache with a clock.
func cache(t testing.TB) (*Store, *clock) {
	c := newClock()
	return At(filepath.Join(t.TempDir(), "blobs"), c.now), c
}

// put keeps a text.
func put(t testing.TB, s *Store, text string) Info {
	t.Helper()
	i := must.Get(s.Put(t.Context(), []byte(text), ""))(t)
	return i
}

// holds reports whether a text comes back whole.
func holds(t testing.TB, s *Store, text string) bool {
	t.Helper()
	b, err := s.Peek(idOf([]byte(text)))
	if err != nil {
		return false
	}
	if !bytes.Equal(b.Text, []byte(text)) {
		t.Fatalf("%s holds %d bytes that are not the text", b.ID, len(b.Text))
	}
	return true
}

// noise is a text that does not compress.
func noise(n int) string {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return string(b)
}

// tree lists what is in a directory, but for the directories of blobs and the lock.
func tree(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != lockFile {
			rel, _ := filepath.Rel(dir, p)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return all
}

// write writes a file as somebody else would.
func write(t testing.TB, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}
