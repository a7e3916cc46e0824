package texts

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/sqlite"
)

func FuzzReferences(f *testing.F) {
	f.Add((&references{session: "01a1", digest: digest{1, 2, 3}, total: 3, links: 2, lines: []int64{9, 4, 1 << 40}}).encode())
	f.Add((&references{}).encode())
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeReferences(data)
		if err != nil {
			if !errors.Is(err, sqlite.ErrDamaged) {
				t.Errorf("%v does not say that the store is damaged", err)
			}
			return
		}
		again, err := decodeReferences(r.encode())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(r, again, cmp.AllowUnexported(references{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestReferencesThatAreCutAreDamaged(t *testing.T) {
	whole := (&references{session: "01a1fe4b", digest: digest{7}, total: 300, links: 2, lines: []int64{1 << 20, 5}}).encode()
	short := bytes.Index(whole, []byte{7}) + digestSize + 2 // after the total, before the links
	for n := range short {
		if _, err := decodeReferences(whole[:n]); !errors.Is(err, sqlite.ErrDamaged) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}
