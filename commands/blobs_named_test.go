package commands

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/internal/must"
)

func TestBlobIDsAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("0123456789abcdef", 4)
	named := []byte(`{"blobId":"` + id + `"}`)
	for _, at := range []int{0, 1, 1<<20 - 100, 1<<20 - 75, 1<<20 - 74, 1<<20 - 73, 1<<20 - 10, 1 << 20, 1<<20 + 1, 3 << 20} {
		text := append(append(bytes.Repeat([]byte("x"), at), named...), bytes.Repeat([]byte("y"), 100)...)
		found := 0
		if err := blob.EachNamed(iotest.HalfReader(bytes.NewReader(text)), func(got string) {
			found++
			must.Equal(t, got, id, "at %d", at)
		}); err != nil || found == 0 {
			t.Errorf("at %d: found %d times, %v", at, found, err)
		}
	}
	for _, text := range []string{"", `"blobId":"`, `"blobId":"` + id[:63] + `"`, `"blobId":"` + strings.ToUpper(id) + `"`, `"blobId": "` + id + `"`} {
		if err := blob.EachNamed(strings.NewReader(text), func(got string) { t.Errorf("%s: found %q", text, got) }); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := blob.EachNamed(iotest.ErrReader(os.ErrPermission), func(string) {}); err == nil {
		t.Error("an error of reading is lost")
	}
}

// TestABlobIsKeptWhenTheSessionsCannotBeRead: what was not read may name it.
func TestABlobIsKeptWhenTheSessionsCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	st := blob.At(filepath.Join(p.dir, "blobs"), time.Now)
	info := must.Get(st.Put(t.Context(), []byte("text"), filepath.Join(p.dir, "gone.jsonl")))(t)
	a := cli.NewRun(p.env(nil, nil))
	must.Not(t, a.NamedBlobs(t.Context(), st)(info.ID), "no session names it, and it is kept")
	done, cancel := context.WithCancel(t.Context())
	cancel()
	must.Do(t, os.MkdirAll(filepath.Join(p.dir, "sessions"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(p.dir, "sessions", "a.jsonl"), []byte("{}\n"), 0o600))
	must.Not(t, !a.NamedBlobs(done, st)(info.ID), "nobody knows whether a session names it, and it goes")
}
