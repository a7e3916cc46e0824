package blob

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// Holds prune 47.
func FuzzAnIDNeverLeavesTheCache(f *testing.F) {
	for _, id := range []string{
		"3f9a2c1b", "../../etc/passwd", strings.Repeat("a", 64), "AB", "\x00", "3f9a2c1b/../x", "", "3f9a2c1", "..", "3F9A2C1B", "3f9a2c1b/",
		"3f9a2c1g", strings.Repeat("a", 65), "*", "3f9a2c1b*", ".tmp-abcd",
	} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		s, _ := cache(t)
		write(t, filepath.Join(s.Dir(), "..", "outside"), "outside")
		put(t, s, "text")
		b, err := s.Peek(id)
		if valid := ValidID(id); valid == errors.Is(err, ErrID) {
			t.Errorf("%q: valid %v, %v", id, valid, err)
		}
		if err == nil && !strings.HasPrefix(b.ID, id) {
			t.Errorf("%q gave %s", id, b.ID)
		}
		if _, err := s.Purge(t.Context(), []string{id}); fullID(id) == errors.Is(err, ErrID) {
			t.Errorf("purging %q: %v", id, err)
		}
	})
}

// FuzzAStoredFileIsTheTextOrNothing writes any bytes where a blob should be.
func FuzzAStoredFileIsTheTextOrNothing(f *testing.F) {
	text := strings.Repeat("the text\n", 1000)
	packed, err := pack([]byte(text))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(text))
	f.Add(packed)
	f.Add(packed[:len(packed)/2])
	f.Add([]byte("\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\xff")) // says that it is huge
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := cache(t)
		id := idOf([]byte(text))
		write(t, filepath.Join(s.Dir(), fileOf(id, textEnd)), string(data))
		if b, err := s.Get(id); err == nil && string(b.Text) != text {
			t.Fatal("it gave another text")
		} else if err != nil && !errors.Is(err, ErrNotFound) {
			t.Fatalf("an error that is neither: %v", err)
		}
		must.Get(s.List())(t)
		put(t, s, text)
		if !holds(t, s, text) {
			t.Fatal("it cannot be kept any more")
		}
	})
}
