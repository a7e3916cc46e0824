package storetest

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// Clock is a clock that tests set.
type Clock struct{ Time time.Time }

// Now is the time that the clock was set to.
func (c *Clock) Now() time.Time { return c.Time }

// OpenClocked opens a new store with a clock, and returns its path too.
func OpenClocked(tb testing.TB, c *Clock) (*store.Store, string) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "o.db")
	st, err := store.Open(context.Background(), path, sqlite.Write, c.Now)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	return st, path
}

// FileDoc is a file with a content.
func FileDoc(path, content string) *object.Document {
	return &object.Document{Kind: object.KindFile, Content: []byte(content), File: &object.File{Path: path, FileType: "txt", Chars: len(content)}}
}

// Submit makes changes to objects.
func Submit(tb testing.TB, w object.Writer, ops ...object.Op) object.Receipt {
	tb.Helper()
	r, err := w.Submit(context.Background(), object.Tx{Actor: object.ActorCapture, Session: "s1", Ops: ops})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// Put writes a file as it is from now on.
func Put(tb testing.TB, w object.Writer, path, content string) object.Result {
	tb.Helper()
	return Submit(tb, w, object.Op{Do: object.Put, Key: object.FileKey("", path), Doc: FileDoc(path, content)}).Results[0]
}
